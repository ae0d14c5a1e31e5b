# SPDX-License-Identifier: Apache-2.0
"""The functions of neighbor embeddings: tsne(), umap(), pacmap()."""

import numpy as np

from . import _cells, _core, _intake, _match, _results
from ._anndata import keep, representation, representation_of_map
from ._errors import InputError, OptionError
from ._given import nearest, say_if_distances
from ._groups import PACMAP, TSNE, UMAP, known_names
from ._options import refuse_unknown, translating, with_options
from ._run import CHECKPOINT, OWN, RUN, Run, finished


class Method:
    """A neighbor embedding.

    name : str
        Of the function and of the binding.
    group : Group
        Its options.
    result : class
        Made from (group, values).
    cost : str
        Its attribute of the result.
    edges : str, optional
        Parameter with a graph in place of points, whose binding is name_of_edges.
    reads_edges_with_points : bool
        Whether it may be given with points too.
    own : tuple
        Further parameters of the function, for suggestions.
    """

    def __init__(self, name, group, result, cost, edges=None, own=(), reads_edges_with_points=False):
        self.name, self.group, self.result, self.cost, self.edges, self.own = name, group, result, cost, edges, own
        self.reads_edges_with_points = reads_edges_with_points


_TSNE = Method(
    "tsne",
    TSNE,
    _results.TSNEResult,
    "kl",
    "affinities",
    own=("perplexity", "affinities", "point_weights", "preset"),
    reads_edges_with_points=True,
)
_UMAP = Method(
    "umap", UMAP, _results.UMAPResult, "cross_entropy", "memberships", own=("memberships", "labels", "preset")
)
_PACMAP = Method("pacmap", PACMAP, _results.PaCMAPResult, "loss")
METHODS = {method.name: method for method in (_TSNE, _UMAP, _PACMAP)}


def embed(
    method, points, edges, knn, start, chosen, preset, run, labels=None, some=None, how="", more=None, known=None
):
    """Calls the binding.

    points : Points, or None where there are edges
    labels : array from known_labels, optional
    some, how : from map_of_some, optional
    more : dict, optional
        What t-SNE alone is given with points: affinities, point_weights, anchors.
    known : dict, optional
        Attributes of the result that are known before.
    """
    source, points = points, None if points is None else points.values
    dim = chosen.get("dim")
    n = len(points) if points is not None else len(edges[0]) - 1
    if start is not None:
        start = _cells.require_finite(_intake.plain(start, "init", 2 if dim is None else int(dim), n), "init")
    callback, preset = run.callback(has_map=True), preset or ""
    if edges is not None:
        binding = getattr(_core, f"{method.name}_of_{method.edges}")
        outcome = binding(edges, start, chosen, preset, run.with_checkpoint(), callback, run.every)
    else:
        binding = getattr(_core, method.name)
        outcome = binding(
            _intake.core_of(points),
            knn,
            start,
            labels,
            some,
            how,
            chosen,
            preset,
            run.with_checkpoint(),
            callback,
            run.every,
            more or {},
        )

    def wrap(values):
        if source is not None and source.home is not None:
            values["embedding"] = source.taken(values["embedding"])
        if more:
            values["given"] = tuple(more)
        values.update(known or {})
        return method.result(method.group, values)

    return finished(outcome, wrap)


def map_of(
    method,
    X,
    knn,
    edges,
    options,
    *,
    preset=None,
    labels=None,
    fixed=None,
    grow=None,
    point_weights=None,
    use_rep,
    key_added,
    callbacks,
    every,
    verbose,
    n_jobs,
):
    """A whole call of a function: its inputs, its options, its result."""
    own = {"knn", "fixed", "grow", "use_rep", "key_added", "callbacks_every_iters"}
    known = known_names(method.group, CHECKPOINT, own=own | set(method.own))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, every, checkpoints=True)
    how = how_to_go_on(fixed, grow)
    of = _match.rows_of(X) or _match.rows_of(knn, "knn")
    known_of_result = {"ids": None if of is None else of.ids}
    adata, X = X, representation(X, use_rep, key_added)
    if adata is not X:
        if how:
            made_from = representation_of_map(adata, fixed if how == "fixed" else grow, use_rep)
            X, use_rep = made_from.of(adata), made_from.rep
        known_of_result["use_rep"] = use_rep or "X"
    start = options.get("init")
    if how and start is not None:
        raise InputError(f"init is given beside {how}, whose map is the start; leave init out", option="init")
    if isinstance(start, str) or start is None:
        start = None
    else:
        options.pop("init")
    kind = edges if isinstance(edges, str) else None
    edges = None if kind is not None else edges
    given_perplexity = options.pop("perplexity", None)
    anchors = options.pop("anchor", None)
    if isinstance(anchors, str) or anchors is None:
        options.update({} if anchors is None else {"anchor": anchors})
        anchors = None
    chosen = method.group.take(options)
    refuse_unknown(method.name, options, known)
    chosen |= perplexity_options(given_perplexity)
    if kind is not None:
        chosen["affinities"] = kind
    more = {}
    if anchors is not None:
        chosen["anchor"] = "given"
        more["anchors"] = _intake.plain(_match.matrix(anchors, of, "anchor", lonely=True), "anchor", missing=True)
    with translating(method.group, RUN, CHECKPOINT):
        if edges is not None and method.reads_edges_with_points and X is not None:
            if knn is not None:
                raise InputError(f"knn and {method.edges} are given; give one of them", option="knn")
            edges = _match.graph(edges, of, method.edges)
            more["affinities"] = _intake.csr_of(edges, len_of(X), name=method.edges, sums=True)
            edges = None
        if edges is not None:
            if more:
                raise InputError("anchor is an array, which needs X", option="anchor")
            if point_weights is not None:
                raise InputError(f"point_weights need X, and {method.edges} are given", option="point_weights")
            if labels is not None:
                raise InputError(f"labels are read with X, and {method.edges} are given", option="labels")
            if how:
                raise InputError(f"{how} needs X, and {method.edges} are given", option=how)
            return _of_edges(method, X, knn, edges, start, chosen, preset, run)
        if X is None and knn is None:
            others = f", knn or {method.edges}" if method.edges else ""
            raise OptionError(f"{method.name}() needs X{others}", option="X")
        start = _match.matrix(start, of, "init") if start is not None else None
        graph = None
        if knn is not None:
            graph = _intake.csr_of(_match.graph(knn, of, "knn"), None if X is None else len_of(X))
            graph = nearest(_intake.without_self(graph), chosen, method.name)
        if X is None:
            if how:
                raise InputError(f"{how} needs X: new points are placed by their distances", option=how)
            points = _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32))
            if method.edges is None:
                raise OptionError(f"{method.name}() needs X beside knn", option="X")
            if start is None and chosen.get("start") not in ("random", "spectral"):
                message = "without X there is no init by PCA; give init='random', 'spectral' or an array"
                raise InputError(message, option="init")
        else:
            metric = chosen.get("metric") or "euclidean"
            sparse = not how and chosen.get("neighbors") != "approximate"
            if graph is None:
                say_if_distances(X, method.name)
            points = _intake.points(X, run, metric=metric, in_place=not how and stays_on_gpu(chosen), sparse=sparse)
        some = None
        if how:
            given = _match.matrix(grow if how == "grow" else fixed, of, how, lonely=True)
            some = map_of_some(given, how, len_of(points.values), chosen.get("dim"))
            chosen["dim"] = some.shape[1]
        if point_weights is not None:
            point_weights = _match.column(point_weights, of, "point_weights")
            more["point_weights"] = _intake.column(point_weights, "point_weights", len_of(points.values))
        known_classes = None if labels is None else known_labels(_match.labels(labels, of), len_of(points.values))
        result = embed(
            method, points, None, graph, start, chosen, preset, run, known_classes, some, how, more, known_of_result
        )
        if key_added is not None:
            keep(adata, key_added, result, method.cost)
        return result


def _of_edges(method, X, knn, edges, start, chosen, preset, run):
    name = method.edges
    if X is not None or knn is not None:
        raise InputError(f"{name} are given in place of X and knn; give one of them", option=name)
    graph = _intake.csr_of(_match.graph(edges, None, name), name=name, sums=True)
    if start is None:
        raise InputError(f"{name} need a start: give init an array of shape (n, n_components)", option="init")
    return embed(method, None, graph, None, start, chosen, preset, run)


def how_to_go_on(fixed, grow):
    """'fixed', 'grow', or '' if neither is given."""
    if fixed is not None and grow is not None:
        raise OptionError("fixed and grow are given; give one of them", option="grow")
    return "fixed" if fixed is not None else "grow" if grow is not None else ""


def map_of_some(given, name, n, dim):
    """An array of n rows, NaN for the points that the given map does not have."""
    some = _intake.plain(given, name, None if dim is None else int(dim), missing=True)
    if len(some) > n:
        raise InputError(f"{name} has {len(some)} rows and X has {n}; it must have at most as many", option=name)
    rest = np.full((n - len(some), some.shape[1]), np.nan, np.float32)
    return np.concatenate([some, rest])


def known_labels(labels, n):
    """Classes of n points as numbers, -1 where the label is unknown: missing, or -1, as in umap-learn."""
    return _intake.labels(labels, n, unknown=("-1", "-1.0"))[0]


def stays_on_gpu(chosen):
    """Whether a GPU makes this map from points in its memory; repulsion adaptive and maps on a line are for the host."""
    return chosen.get("repulsion") != "adaptive" and chosen.get("dim") != 1


def perplexity_options(perplexity):
    """The library's options of a perplexity, or of several in a sequence; 'auto' and None: the default."""
    if perplexity is None or (isinstance(perplexity, str) and perplexity == "auto"):
        return {}
    if isinstance(perplexity, str) and ("," in perplexity or "n/100" in perplexity):
        return {"perplexities": perplexity}
    if np.ndim(perplexity) == 0:
        return {"perplexity": perplexity}
    return {"perplexities": ",".join(f"{float(each):.9g}" for each in perplexity)}


def len_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def as_text(phases):
    """Iterations of PaCMAP's three phases as the library takes them."""
    return phases if phases is None or isinstance(phases, str) else ",".join(str(int(length)) for length in phases)


_POINTS = """
X : array of shape (n, d){optional}
    Points: NumPy, a table of pandas, polars or pyarrow, an array on a GPU (CuPy, torch, JAX: the result is one, too), or
    a sparse matrix. float64 and other types are narrowed to float32 in parallel, columns far from zero less their offset.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances{knn}.
"""
_MORE = (
    """
fixed : array of shape (m, n_components), optional
    Map of the first m points, or of all with NaN for some. The other points are placed by ``transform``, then optimized;
    those of the map stay to the bit. Other defaults of the iterations.
grow : array of shape (m, n_components), optional
    The same, but all points are optimized.
use_rep : str, optional
    Of an AnnData: the key in obsm of the points, such as 'X_pca'; default: its X.
key_added : str, optional
    Of an AnnData: write the map to obsm[key_added] and the options to uns[key_added]. Default: nothing is written.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)
_TSNE_OWN = (
    _POINTS.format(optional=", optional", knn="")
    + """
perplexity : float, sequence of floats, or str, optional
    Effective number of neighbors; default 30, or (n - 1) / 3 if that is smaller. Several: the mean of their affinities,
    or with affinities='mixture' one density. A str such as '30,n/100' may name the number of points.
affinities : {'gaussian', 'mixture', 'uniform'} or sparse matrix, square array or table, optional
    How the affinities of a point's neighbors follow from their distances; or the affinities themselves, made symmetric
    (``symmetrized``) and of the sum 1. Without X they are taken as they are and need an array for ``init``.
point_weights : array of shape (n,), optional
    A weight above 0 per point: its share of the affinities.
preset : {'opentsne', 'sklearn', 'fitsne', 'bhtsne', 'kobak-berens'}, optional
    Constants as another program has them. Other parameters override it.
"""
    + _MORE
)
_UMAP_OWN = (
    _POINTS.format(optional=", optional", knn="")
    + """
memberships : sparse matrix, optional
    Symmetric memberships in [0, 1], such as umap-learn's graph_, in place of X. Needs an array for ``init``.
labels : array of shape (n,), optional
    Classes of the points for ``labels_weight``; -1, or a missing value (None, NaN, pandas.NA, a mask, ''): unknown.
preset : {'umap-learn', 'largevis', 'neg-tsne'}, optional
    Constants of another method. Other parameters override it.
"""
    + _MORE
)
_PACMAP_OWN = _POINTS.format(optional="", knn=", from which near pairs are chosen") + _MORE


@with_options(TSNE, RUN, CHECKPOINT, own=_TSNE_OWN)
def tsne(
    X=None,
    *,
    knn=None,
    perplexity=None,
    affinities=None,
    point_weights=None,
    preset=None,
    fixed=None,
    grow=None,
    use_rep=None,
    key_added=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A t-SNE map of points (van der Maaten and Hinton 2008).

    ``init`` may be an array of shape (n, n_components), which is taken as it is. ``learning_rate`` and
    ``perplexity`` may be 'auto', and ``anchor`` an array with a place per point (NaN: none).

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
    if perplexity is not None:
        options["perplexity"] = perplexity
    for name in ("learning_rate", "late_learning_rate"):
        if isinstance(options.get(name), str) and options[name] == "auto":
            options[name] = None
    return map_of(
        _TSNE,
        X,
        knn,
        affinities,
        options,
        preset=preset,
        fixed=fixed,
        grow=grow,
        point_weights=point_weights,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )


@with_options(UMAP, RUN, CHECKPOINT, own=_UMAP_OWN)
def umap(
    X=None,
    *,
    knn=None,
    memberships=None,
    labels=None,
    preset=None,
    fixed=None,
    grow=None,
    use_rep=None,
    key_added=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A UMAP of points (McInnes, Healy and Melville 2018).

    The expected effect of umap-learn's samples is summed over all pairs: the same seed gives the same map for any number
    of threads. ``init`` may be an array of shape (n, n_components), which is taken as it is.

    Returns
    -------
    UMAPResult
        ``embedding``, ``cross_entropy``, ``n_iter``, ``stopped``, ``options`` as they were used, ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> dunlin.umap(X, n_neighbors=10).embedding.shape
    (200, 2)
    """
    return map_of(
        _UMAP,
        X,
        knn,
        memberships,
        options,
        preset=preset,
        labels=labels,
        fixed=fixed,
        grow=grow,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )


@with_options(PACMAP, RUN, CHECKPOINT, own=_PACMAP_OWN)
def pacmap(
    X,
    *,
    knn=None,
    fixed=None,
    grow=None,
    use_rep=None,
    key_added=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A PaCMAP of points (Wang, Huang, Rudin and Shaposhnik 2021).

    The expected repulsion of further pairs is summed over all pairs; only the mid-near pairs are random: the same seed
    gives the same map for any number of threads. ``init`` may be an array of shape (n, n_components), which is taken as
    it is, ``num_iters`` three numbers, those of the phases.

    Returns
    -------
    PaCMAPResult
        ``embedding``, ``loss``, ``n_iter``, ``stopped``, ``options`` as they were used, ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> dunlin.pacmap(X, n_neighbors=8, num_iters=(50, 50, 100)).embedding.shape
    (200, 2)
    """
    if "num_iters" in options:
        options["num_iters"] = as_text(options["num_iters"])
    return map_of(
        _PACMAP,
        X,
        knn,
        None,
        options,
        fixed=fixed,
        grow=grow,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )
