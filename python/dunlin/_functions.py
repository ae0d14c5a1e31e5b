# SPDX-License-Identifier: Apache-2.0
"""The functions of the package. Their options come from the library's lists (see _options.py)."""

import os
import tempfile

import numpy as np

from . import _core, _graphs, _intake, _results
from ._errors import InputError, OptionError
from ._options import Group, refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished

TSNE = Group("tsne", {
    "dim": "n_components", "k": "n_neighbors", "pca": "n_pcs", "start": "init", "iterations": "max_iter",
    "exaggerated_iterations": "early_exaggeration_iter", "exaggeration": "early_exaggeration",
    "least_learning_rate": "min_learning_rate", "first_momentum": "initial_momentum", "least_gain": "min_gain",
    "longest_step": "max_step_norm", "tolerance": "tol", "repulsion": "method", "theta": "angle",
    "spacing": "grid_spacing"})
NEIGHBORS = Group("neighbors", {"k": "n_neighbors"})
KMEANS = Group("kmeans", {"clusters": "n_clusters", "start": "init", "restarts": "n_init", "iterations": "max_iter",
                          "tolerance": "tol", "method": "algorithm"})
MIXTURE = Group("mixture", {"components": "n_components", "covariance": "covariance_type", "iterations": "max_iter",
                            "tolerance": "tol", "floor": "reg_covar"})
LAYOUT = Group("layout", {"weights": "weight_means", "length": "k", "tolerance": "threshold", "scaling": "scaling_ratio"})
MDS = Group("mds", {"dim": "n_components", "start": "init", "starts": "n_init", "iterations": "max_iter",
                    "tolerance": "tol", "landmarks": "n_landmarks"})
MDS_POINTS = Group("mds_points")
SCORES = Group("scores", {"scores": "extent"})
LAYOUT_SCORES = Group("layout_scores", {"scores": "extent"}, without=("lengths",))
STRESS = Group("stress", {"scores": "extent"})
DRAW = Group("draw")


def _known(*groups, own):
    names = set(own) | {"n_jobs", "verbose", "callbacks"}
    for group in (*groups, RUN):
        names |= set(group.names())
    return names


_TSNE_OWN = """
X : array of shape (n, d), optional
    Points: NumPy, a table of pandas, polars or pyarrow, a tensor, or a sparse matrix (made dense). float64 and other
    types are narrowed to float32 in parallel, columns far from zero less their offset.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances.
affinities : sparse matrix, optional
    Symmetric affinities that sum to 1, in place of X. Needs an array for ``init``.
preset : {'opentsne', 'sklearn', 'fitsne', 'bhtsne'}, optional
    Constants as another program has them. Other parameters override it.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
""" + OWN


@with_options(TSNE, RUN, own=_TSNE_OWN)
def tsne(X=None, *, knn=None, affinities=None, preset=None, callbacks=None, callbacks_every_iters=50, verbose=0,
         n_jobs=None, **options):
    """A t-SNE map of points (van der Maaten and Hinton 2008).

    ``init`` may be an array of shape (n, n_components), which is taken as it is. ``n_components`` may also be 1.
    ``learning_rate`` and ``perplexity`` may be 'auto'.

    Returns
    -------
    TSNEResult
        ``embedding``, ``kl``, ``n_iter``, ``stopped``, ``options`` as they were used, ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> dunlin.tsne(X, perplexity=10).embedding.shape
    (200, 2)
    """
    known = _known(TSNE, own=("knn", "affinities", "preset", "callbacks_every_iters"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters)
    start = options.get("init")
    if isinstance(start, str) or start is None:
        start = None
    else:
        options.pop("init")
    for name in ("perplexity", "learning_rate", "late_learning_rate"):
        if isinstance(options.get(name), str) and options[name] == "auto":
            options[name] = None
    chosen = TSNE.take(options)
    refuse_unknown("tsne", options, known)
    with translating(TSNE, RUN):
        if affinities is not None:
            if X is not None or knn is not None:
                raise InputError("affinities are given in place of X and knn; give one of them", option="affinities")
            graph = _intake.csr_of(affinities, name="affinities")
            if start is None:
                raise InputError("affinities need a start: give init an array of shape (n, n_components)", option="init")
            return _tsne(None, graph, None, start, chosen, preset, run)
        if X is None and knn is None:
            raise OptionError("tsne() needs X, knn or affinities", option="X")
        graph = None if knn is None else _intake.without_self(_intake.csr_of(knn, None if X is None else len_of(X)))
        if X is None:
            points = _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32))
            if start is None and chosen.get("start") not in ("random",):
                raise InputError("without X there is no init by PCA; give init='random' or an array", option="init")
        else:
            points = _intake.points(X, run, metric=chosen.get("metric") or "euclidean")
        return _tsne(points.values, None, graph, start, chosen, preset, run)


def len_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _tsne(points, affinities, knn, start, chosen, preset, run):
    """Calls the binding. A map on a line is the plane's with y = 0, whose forces are exactly 0."""
    dim = chosen.get("dim")
    dim = 2 if dim is None else dim
    on_a_line = isinstance(dim, (int, np.integer)) and not isinstance(dim, bool) and dim == 1
    n = len(points) if points is not None else len(affinities[0]) - 1
    if start is not None:
        start = _intake.plain(start, "init", int(dim) if not on_a_line else 1, n)
    if on_a_line:
        chosen = dict(chosen, dim=2)
        if chosen.get("repulsion") in (None, "auto", "adaptive"):
            chosen["repulsion"] = "exact" if n < 2000 else "tree"
        elif chosen["repulsion"] == "grid":
            raise InputError("method is 'grid', which has no maps of n_components 1; use 'exact' or 'tree'",
                             option="method")
        if start is None:
            first = dict(chosen, iterations=0)
            values, raised = _core.tsne(points, knn, None, first, preset or "", run.core(), None, 0)
            if raised is not None:
                raise raised
            start = values["embedding"]
        start = np.ascontiguousarray(np.column_stack([start[:, 0], np.zeros(n, np.float32)]))
    callback = run.callback(has_map=True)
    if on_a_line and callback is not None:
        planar = callback

        def callback(stage, done, total, cost, coordinates):
            return planar(stage, done, total, cost, None if coordinates is None else coordinates[:, :1].copy())

    if affinities is not None:
        outcome = _core.tsne_of_affinities(affinities, start, chosen, preset or "", run.core(), callback, run.every)
    else:
        outcome = _core.tsne(points, knn, start, chosen, preset or "", run.core(), callback, run.every)

    def wrap(values):
        if on_a_line:
            values["embedding"] = np.ascontiguousarray(values["embedding"][:, :1])
            values["options"]["dim"] = 1
        return _results.TSNEResult(TSNE, values)

    return finished(outcome, wrap)


_POINTS_OWN = """
X : array of shape (n, d)
    Points, as for tsne().
"""


@with_options(NEIGHBORS, RUN, own=_POINTS_OWN + """
include_self : bool, default False
    Put each point first in its own list, with distance 0.
""" + OWN)
def neighbors(X, n_neighbors=15, *, include_self=False, callbacks=None, verbose=0, n_jobs=None, **options):
    """The nearest neighbors of each point, exact or approximate.

    Returns
    -------
    NeighborsResult
        ``indices`` (n, k) int32, ``distances`` (n, k) float32, nearest first; ``recall``; ``to_csr()``, ``as_umap()``.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> dunlin.neighbors(np.arange(4.0).reshape(4, 1), 1).indices[:, 0].tolist()
    [1, 0, 1, 2]
    """
    known = _known(NEIGHBORS, own=("include_self",))
    options.update(n_neighbors=n_neighbors, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks)
    chosen = NEIGHBORS.take(options)
    refuse_unknown("neighbors", options, known)
    with translating(NEIGHBORS, RUN):
        points = _intake.points(X, run, metric=chosen.get("metric") or "euclidean")
        outcome = _core.neighbors(points.values, chosen, run.core(), run.callback())
        return finished(outcome, lambda values: _results.NeighborsResult(NEIGHBORS, values, include_self))


def affinities(knn, perplexity=30.0, *, n_jobs=None):
    """Symmetric t-SNE affinities of a graph of neighbors, as a SciPy CSR matrix whose entries sum to 1.

    Parameters
    ----------
    knn : sparse matrix, (indices, distances), or NeighborsResult
        The nearest neighbors of each point, with distances.
    perplexity : float, default 30
        Effective number of neighbors.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    graph = _intake.without_self(_intake.csr_of(knn))
    return finished(_core.affinities(graph, float(perplexity), run.on_cpu(), None), _intake.scipy_csr)


_KMEANS_STARTS = {"k-means++": "plusplus", "k-means||": "parallel", "scalable-k-means++": "parallel"}


@with_options(KMEANS, RUN, own=_POINTS_OWN + """
sample_weight : array of shape (n,), optional
    A row of weight 2 counts as two rows.
""" + OWN)
def kmeans(X, n_clusters=8, *, sample_weight=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """Clusters points by k-means (Lloyd 1982). Sums are exact: the result is the same for any number of threads.

    ``init`` may be an array of shape (n_clusters, d), or 'k-means++' and 'k-means||', as the option's values are called
    elsewhere.

    Returns
    -------
    KMeansResult
        ``labels``, ``centers`` in the units of X, ``counts``, ``inertia``.

    Examples
    --------
    >>> import dunlin
    >>> sorted(dunlin.kmeans([[0.0], [0.1], [9.0]], 2).counts.tolist())
    [1, 2]
    """
    known = _known(KMEANS, own=("sample_weight",))
    options.update(n_clusters=n_clusters, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks)
    centers = options.get("init")
    if isinstance(centers, str) or centers is None:
        if isinstance(centers, str):
            options["init"] = _KMEANS_STARTS.get(centers, centers)
        centers = None
    else:
        options.pop("init")
    chosen = KMEANS.take(options)
    refuse_unknown("kmeans", options, known)
    with translating(KMEANS, RUN):
        metric = chosen.get("metric") or "euclidean"
        points = _intake.points(X, run, metric=metric)
        return cluster(points, centers, sample_weight, chosen, run)


def cluster(points, centers, sample_weight, chosen, run):
    """k-means of points that are narrowed already; centers in the units of their source."""
    values = points.values
    if centers is not None:
        centers = _frame(centers, points, "init")
        if "clusters" in chosen and centers.shape[0] != chosen["clusters"]:
            raise InputError(f"init has {centers.shape[0]} rows; it must have one for each of the {chosen['clusters']} "
                             "clusters", option="init")
    if sample_weight is not None:
        sample_weight = _intake.column(sample_weight, "sample_weight", len(values))
    outcome = _core.kmeans(values, centers, sample_weight, chosen, run.core(), run.callback())

    def wrap(result):
        result["stored_centers"] = result["centers"]
        result["centers"] = points.restored(result["centers"])
        return _results.KMeansResult(KMEANS, result)

    return finished(outcome, wrap)


def _frame(centers, points, name):
    """Centroids less the shift of the points, in double before they are narrowed."""
    array = _intake.dense(centers, name)
    if array.ndim != 2 or array.shape[1] != points.values.shape[1]:
        raise InputError(f"{name} has the shape {array.shape}; it must have {points.values.shape[1]} columns, as X has",
                         option=name)
    if points.shift is not None:
        array = array.astype(np.float64) - points.shift
    return np.ascontiguousarray(array, np.float32)


def assign(X, centers, *, metric="euclidean", n_jobs=None, device="auto", memory=None):
    """The nearest of ``centers`` for each point.

    Parameters
    ----------
    X : array of shape (n, d)
        Points.
    centers : array of shape (k, d)
        Centroids.
    metric : {'euclidean', 'cosine'}, default 'euclidean'
        Distance between a point and a centroid.
    n_jobs, device, memory
        As for kmeans().

    Returns
    -------
    Assignment
        ``labels``, ``counts``, ``inertia``.
    """
    run = Run({"n_jobs": n_jobs, "device": device, "memory": memory})
    points = _intake.points(X, run, metric=metric)
    outcome = _core.assign(points.values, _frame(centers, points, "centers"), metric, run.core(), None)
    return finished(outcome, _results.Assignment)


@with_options(KMEANS, RUN, own=_POINTS_OWN + """
most : int
    The largest number of clusters.
least : int, default 1
    The smallest.
criterion : {'bic', 'aic', 'silhouette'}, default 'bic'
    What says how well a number of clusters suits.
""" + OWN)
def choose_k(X, most, *, least=1, criterion="bic", callbacks=None, verbose=0, n_jobs=None, **options):
    """k-means with each number of clusters from ``least`` to ``most``; the best by a criterion.

    Returns
    -------
    KMeansChoice
        ``curve``: (clusters, inertia, value) of each number; ``best``: a KMeansResult.
    """
    known = _known(KMEANS, own=("most", "least", "criterion"))
    if "n_clusters" in options:
        raise OptionError("choose_k() takes least and most in place of n_clusters", option="n_clusters")
    options.update(n_clusters=least, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks)
    if isinstance(options.get("init"), str):
        options["init"] = _KMEANS_STARTS.get(options["init"], options["init"])
    chosen = KMEANS.take(options)
    refuse_unknown("choose_k", options, known)
    with translating(KMEANS, RUN):
        points = _intake.points(X, run, metric=chosen.get("metric") or "euclidean")
        curve, best, raised = _core.choose_k(points.values, most, criterion, chosen, run.core(), run.callback())
        best["centers"] = points.restored(best["centers"])
        return finished(((curve, best), raised),
                        lambda both: _results.KMeansChoice(both[0], _results.KMeansResult(KMEANS, both[1])))


@with_options(MIXTURE, RUN, own=_POINTS_OWN + OWN)
def mixture(X, n_components=8, *, callbacks=None, verbose=0, n_jobs=None, **options):
    """A mixture of Gaussians by expectation and maximization (Dempster, Laird and Rubin 1977), started by k-means.

    ``covariance_type`` may be 'diag' for 'diagonal'.

    Returns
    -------
    MixtureResult
        ``labels``, ``weights``, ``means`` in the units of X, ``covariances``, ``log_likelihood`` of a row, ``bic``.
    """
    known = _known(MIXTURE, own=())
    options.update(n_components=n_components, n_jobs=n_jobs)
    if options.get("covariance_type") == "diag":
        options["covariance_type"] = "diagonal"
    run = Run(options, verbose, callbacks)
    chosen = MIXTURE.take(options)
    refuse_unknown("mixture", options, known)
    with translating(MIXTURE, RUN):
        points = _intake.points(X, run)
        outcome = _core.mixture(points.values, chosen, run.core(), run.callback())

        def wrap(result):
            result["means"] = points.restored(result["means"])
            return _results.MixtureResult(MIXTURE, result)

        return finished(outcome, wrap)


def items_of(X, dissimilarities, distance, graph, n, points_options, run, weight="weight"):
    """The library's Dissimilarities of one of four sources."""
    given = [name for name, value in (("X", X), ("dissimilarities", dissimilarities), ("distance", distance),
                                      ("graph", graph)) if value is not None]
    if len(given) != 1:
        raise OptionError(f"give one of X, dissimilarities, distance and graph; {' and '.join(given) or 'none'} "
                          f"{'are' if given else 'is'} given", option=given[1] if given else "X")
    if points_options and X is None:
        raise OptionError(f"{next(iter(points_options))} is for points; give X", option=next(iter(points_options)))
    core = run.narrowing()
    if X is not None:
        metric = points_options.get("metric") or "euclidean"
        # zscore and minmax do not depend on offsets
        normalized = points_options.get("normalize") not in (None, "none")
        points = _intake.points(X, run, metric=metric, offsets="subtract" if normalized else None)
        return _core.Dissimilarities.of_points(points.values, points_options, core)
    if dissimilarities is not None:
        if _intake.is_sparse(dissimilarities):
            raise InputError("dissimilarities is sparse; MDS needs a full square matrix, or graph=", option="dissimilarities")
        array = _intake.dense(dissimilarities, "dissimilarities")
        if array.ndim == 1:
            from scipy.spatial.distance import squareform

            array = squareform(array)
        return _core.Dissimilarities.of_matrix(_intake.plain(array, "dissimilarities", array.shape[0]), core)
    if graph is not None:
        return _core.Dissimilarities.of_graph(_graphs.graph_of(graph, weight).csr, core)
    if n is None:
        raise OptionError("distance needs n, the number of items", option="n")
    return _core.Dissimilarities.of_function(n, distance)


_MDS_OWN = """
X : array of shape (n, d), optional
    Points, whose distances are dissimilarities.
dissimilarities : array of shape (n, n) or condensed, optional
    The dissimilarities themselves; NaN: missing.
distance : callable, optional
    ``distance(i, j)`` for two int arrays returns as many dissimilarities. Needs ``n``.
graph : graph, optional
    Lengths of shortest paths; edges' weights are lengths.
n : int, optional
    Number of items, with ``distance``.
fixed : array of shape (n, n_components), optional
    Items that stay where they are; NaN: to be placed.
weights : array of shape (n, n), optional
    How much a pair's error counts.
max_distances : int, optional
    With ``distance`` or ``graph``: most distances to compute.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
""" + OWN


@with_options(MDS_POINTS, MDS, RUN, own=_MDS_OWN)
def mds(X=None, *, dissimilarities=None, distance=None, graph=None, n=None, fixed=None, weights=None,
        max_distances=None, callbacks=None, callbacks_every_iters=50, verbose=0, n_jobs=None, **options):
    """A map of items by multidimensional scaling.

    ``init`` may be an array of shape (n, n_components).

    Returns
    -------
    MDSResult
        ``embedding``; ``stress()`` computes normalized stress, Kruskal's stress-1 and scaled stress-1.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> result = dunlin.mds(dissimilarities=[[0, 3, 4], [3, 0, 5], [4, 5, 0]])
    >>> bool(result.stress()["stress1"][0] < 1e-3)
    True
    """
    known = _known(MDS, MDS_POINTS, own=("dissimilarities", "distance", "graph", "n", "fixed", "weights", "max_distances"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters)
    start = options.get("init")
    start = None if isinstance(start, str) else options.pop("init", None)
    point_options = MDS_POINTS.take(options)
    chosen = MDS.take(options)
    refuse_unknown("mds", options, known)
    with translating(MDS, MDS_POINTS, RUN):
        items = items_of(X, dissimilarities, distance, graph, n, point_options, run)
        if max_distances is not None:
            items.allow(int(max_distances))
        dim = chosen.get("dim") or 2
        start = None if start is None else _intake.plain(start, "init", dim, len(items))
        fixed = None if fixed is None else _intake.plain(fixed, "fixed", dim, len(items))
        weights = None if weights is None else _intake.plain(weights, "weights", len(items), len(items))
        outcome = _core.mds(items, start, fixed, weights, chosen, run.core(), run.callback(has_map=True), run.every)
        return finished(outcome, lambda values: _results.MDSResult(MDS, values, items, run))


_LAYOUT_OWN = """
G : graph
    A graph of NetworkX or igraph, a SciPy sparse matrix, a square array, or (n, edges) with an array of edges
    (m, 2). Undirected: directions are ignored, several edges between two vertices are one, with the largest weight.
weight : str or None, default 'weight'
    Edge attribute that holds the weights; None: every edge weighs 1.
pos : dict or array, optional
    First positions.
fixed : iterable of nodes, optional
    Nodes that stay at ``pos``.
node_size : dict, array or float, optional
    Radii of nodes, in map units.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
""" + OWN


_LAYOUT_METHODS = {"spring": "fruchterman-reingold", "fr": "fruchterman-reingold", "fa2": "forceatlas2",
                   "kk": "stress", "kamada-kawai": "stress", "sfdp": "multilevel"}


@with_options(LAYOUT, RUN, own=_LAYOUT_OWN)
def layout(G, *, weight="weight", pos=None, fixed=None, node_size=None, callbacks=None, callbacks_every_iters=50,
           verbose=0, n_jobs=None, **options):
    """Positions of a graph's nodes by forces or stress.

    ``method`` may also be 'spring', 'fr', 'fa2', 'kk' or 'sfdp', names of methods elsewhere.

    Returns
    -------
    Layout, or igraph.Layout for a graph of igraph
        A dict from node to position for a graph of NetworkX, with ``.pos``, the array. Of other graphs nodes are
        numbers from 0.

    Examples
    --------
    >>> import dunlin
    >>> len(dunlin.layout((3, [(0, 1), (1, 2)])))
    3
    """
    known = _known(LAYOUT, own=("weight", "pos", "fixed", "node_size", "callbacks_every_iters"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters)
    if isinstance(options.get("method"), str):
        options["method"] = _LAYOUT_METHODS.get(options["method"], options["method"])
    chosen = LAYOUT.take(options)
    refuse_unknown("layout", options, known)
    with translating(LAYOUT, RUN):
        graph = _graphs.graph_of(G, weight)
        n = graph.size
        dim = chosen.get("dim") or 2
        start = None if pos is None else graph.rows_of(pos, "pos", dim)
        pinned = None
        if fixed is not None:
            if start is None:
                raise InputError("fixed needs pos, the positions of the nodes that stay", option="fixed")
            pinned = np.zeros(n, np.uint8)
            pinned[graph.places(fixed, "fixed")] = 1
        radii = None if node_size is None else graph.values_of(node_size, "node_size")
        outcome = _core.layout(graph.csr, start, pinned, radii, chosen, run.core(), run.callback(has_map=True), run.every)
        return graph.returned(finished(outcome, lambda values: _results.Layout(LAYOUT, values, graph)))


@with_options(SCORES, LAYOUT_SCORES, RUN, own="""
map : array of shape (n, 2 or 3), or a result
    The map.
X : array of shape (n, d), optional
    The points of which it is a map: trustworthiness, preservation; with ``perplexity`` KL divergence.
affinities : sparse matrix, optional
    For the KL divergence.
graph : graph, optional
    The map is a drawing of it: its five scores.
dissimilarities : array of shape (n, n) or condensed, optional
    The map is of these: its stresses.
labels : array of shape (n,), optional
    Classes of the points: label_accuracy.
perplexity : float, optional
    Also compute the KL divergence of X's affinities.
weight : str or None, default 'weight'
    As for layout().
weight_means : {'strength', 'length'}, default 'strength'
    As for layout().
""" + OWN)
def score(map, X=None, *, affinities=None, graph=None, dissimilarities=None, labels=None, perplexity=None,
          weight="weight", weight_means="strength", callbacks=None, verbose=0, n_jobs=None, **options):
    """Scores of any map, also one made elsewhere. docs/scores.md and docs/graph-scores.md define them.

    Returns
    -------
    Scores
        A dict from name to value; ``.se`` has standard errors of sampled ones.
    """
    known = _known(SCORES, LAYOUT_SCORES, STRESS, own=("affinities", "graph", "dissimilarities", "labels", "perplexity"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks)
    if run.device == "auto":
        run.device = "cpu"
    placed = _intake.plain(np.asarray(map), "map")
    n = len(placed)
    used = set()

    def of(group):
        used.update(group.names())
        return group.take(dict(options))

    def judged(outcome):
        found.update(finished(outcome, dict))

    with translating(SCORES, LAYOUT_SCORES, RUN):
        found = {}
        refuse_unknown("score", set(options) - known, known)
        if graph is not None:
            drawn = _graphs.graph_of(graph, weight)
            sizes = dict(of(LAYOUT_SCORES), lengths=weight_means == "length")
            rows = drawn.rows_of(map, "map", placed.shape[1])
            judged(_core.judge_layout(drawn.csr, rows, sizes, run.core(), run.callback()))
        if dissimilarities is not None:
            items = items_of(None, dissimilarities, None, None, None, {}, run)
            judged(_core.stress(items, placed, of(STRESS), run.core(), run.callback()))
        if X is not None or affinities is not None or labels is not None:
            sizes = of(SCORES)
            metric = sizes.get("metric") or "euclidean"
            points = None if X is None else _intake.points(X, run, metric=metric).values
            edges = None if affinities is None else _intake.csr_of(affinities, n, "affinities")
            if perplexity is not None:
                if points is None or edges is not None:
                    raise InputError("perplexity needs X, and no affinities", option="perplexity")
                k = min(max(1, int(3 * perplexity)), n - 1)
                near = finished(_core.neighbors(points, {"k": k, "metric": metric}, run.core(), None), dict)
                edges = finished(_core.affinities(near["graph"], perplexity, run.core(), None), tuple)
            codes, names = (None, []) if labels is None else _intake.labels(labels, n)
            judged(_core.judge(placed, points, edges, codes, names, sizes, run.core(), run.callback()))
        elif perplexity is not None:
            raise InputError("perplexity needs X", option="perplexity")
    for name in set(options) - used:
        raise InputError(f"{name} is not read by the scores of what is given", option=name)
    return _results.Scores(found)


def trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean", n_jobs=None):
    """Trustworthiness of a map (Venna and Kaski 2001), of all rows up to 20,000.

    Parameters
    ----------
    X : array of shape (n, d)
        The points.
    X_embedded : array of shape (n, 2 or 3)
        Their map.
    n_neighbors : int, default 5
        Size of the neighborhood; less than n / 2.
    metric : str, default 'euclidean'
        Distance between two points.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    points = _intake.points(X, run, metric=metric)
    placed = _intake.plain(np.asarray(X_embedded), "X_embedded", rows=len(points.values))
    value, _, raised = _core.trustworthiness(points.values, placed, n_neighbors, {"metric": metric}, run.on_cpu())
    if raised is not None:
        raise raised
    return value


@with_options(DRAW, own="""
map : array of shape (n, 2 or more), or a result
    The map.
path : str or path, optional
    File to write: .png, .svg or .html. None: PNG in memory.
graph : graph, optional
    Its edges are drawn under the points.
labels : array of shape (n,), optional
    Classes of the points, a color each.
ids : sequence of str, optional
    Names of the points, shown on hover (HTML) and by vertex_names.
format : {'png', 'svg', 'html'}, default 'png'
    Of a picture in memory.
weight : str or None, default 'weight'
    As for layout().
""")
def draw(map, path=None, *, graph=None, labels=None, ids=None, format="png", weight="weight", n_jobs=None, **options):
    """A picture of a map.

    Returns
    -------
    Picture
        ``data``: bytes; ``format``; ``save(path)``. A notebook shows it.
    """
    run = Run({"n_jobs": n_jobs})
    chosen = DRAW.take(options)
    refuse_unknown("draw", options, DRAW.names() + ["graph", "labels", "ids", "format", "weight"])
    if isinstance(map, _results.Layout) and graph is None:
        graph = map.graph
    edges = None if graph is None else _graphs.graph_of(graph, weight)
    if isinstance(map, dict) or hasattr(map, "pos"):
        placed = edges.rows_of(map, "map", None) if edges is not None else np.array(list(map.values()), np.float32)
    else:
        placed = np.asarray(map)
    placed = _intake.plain(placed, "map")
    codes, names = (None, []) if labels is None else _intake.labels(labels, len(placed))
    if ids is None and edges is not None and chosen.get("vertex_names"):
        ids = edges.nodes
    ids = [] if ids is None else [str(each) for each in ids]
    if format not in ("png", "svg", "html"):
        raise InputError(f"format is {format!r}; it must be 'png', 'svg' or 'html'", option="format")
    with translating(DRAW), tempfile.TemporaryDirectory(prefix="dunlin-") as folder:
        file = os.fspath(path) if path is not None else os.path.join(folder, "map." + format)
        drawn, raised = _core.draw(file, placed, None if edges is None else edges.csr, codes, names, ids, chosen,
                                   run.on_cpu(), None)
        if raised is not None:
            raise raised
        with open(file, "rb") as picture:
            return _results.Picture(picture.read(), os.path.splitext(file)[1][1:])


def remove_overlaps(pos, node_size, gap=0.0, *, n_jobs=None):
    """Moves discs apart until no two are nearer than ``gap``, keeping their arrangement. Returns the new positions.

    Parameters
    ----------
    pos : array of shape (n, 2 or 3)
        Centers.
    node_size : float or array of shape (n,)
        Radii, in the unit of the positions.
    gap : float, default 0
        Least distance between two discs.
    n_jobs : int, optional
        CPU threads.
    """
    run = Run({"n_jobs": n_jobs})
    placed = _intake.plain(np.asarray(pos), "pos")
    sizes = _intake.column(np.broadcast_to(np.asarray(node_size, np.float32), (len(placed),)), "node_size", len(placed))
    moved, _, raised = _core.remove_overlaps(placed, sizes, float(gap), run.on_cpu())
    if raised is not None:
        raised.partial = moved
        raise raised
    return moved


def gpus():
    """The GPUs that can be used: a list of (name, bytes of memory, bytes free)."""
    return _core.gpus()


_GROUPS = {"tsne": (TSNE,), "neighbors": (NEIGHBORS,), "kmeans": (KMEANS,), "mixture": (MIXTURE,), "layout": (LAYOUT,),
           "mds": (MDS_POINTS, MDS), "score": (SCORES, LAYOUT_SCORES), "draw": (DRAW,), "run": (RUN,)}


def options(function):
    """The options of a function: a dict from name to (default, meaning).

    Parameters
    ----------
    function : str
        'tsne', 'neighbors', 'kmeans', 'mixture', 'layout', 'mds', 'score', 'draw' or 'run'.
    """
    if function not in _GROUPS:
        raise InputError(f"function is {function!r}; it must be one of {', '.join(_GROUPS)}", option="function")
    return {name: (row[5], row[1]) for group in _GROUPS[function] for name, row in group.rows.items()}


def show_versions():
    """Prints the versions of the package and of what it uses, the threads and the GPUs."""
    import platform
    import sys
    from importlib.metadata import PackageNotFoundError, version

    print(f"dunlin {_core.version}, Python {sys.version.split()[0]}, {platform.platform()}")
    for name in ("numpy", "scipy", "scikit-learn", "networkx", "igraph", "pandas", "polars", "pyarrow"):
        try:
            print(f"{name} {version(name)}")
        except PackageNotFoundError:
            print(f"{name}: not installed")
    print(f"CPU threads: {_core.usable_threads(0)}")
    found = _core.gpus()
    print(f"GPUs: {', '.join(name for name, _, _ in found) or _core.why_no_gpu()}")
