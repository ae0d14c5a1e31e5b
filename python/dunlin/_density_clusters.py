# SPDX-License-Identifier: Apache-2.0
"""clusters()."""

import numpy as np

from . import _cells, _core, _intake, _match, _results
from ._anndata import USE_REP, annotated, refuse_of_annotated
from ._anndata_write import keep_groups
from ._errors import InputError, OptionError
from ._given import say_if_distances
from ._group_tree import GroupTree
from ._groups import CLUSTERS, NORMALIZE, SEPARATION, known_names
from ._kinds import recorded
from ._options import refuse_unknown, translating, with_options
from ._owned import owned
from ._plots import PlottedClusters
from ._run import OWN, RUN, Run, finished, say


class ClustersResult(PlottedClusters, _results.Result):
    """Of clusters(): ``labels`` (-1: noise; -2, -3: rows with infinities, with NaN), ``ids``, ``strengths``,
    ``outlier_scores``, ``core_distances``, ``n_clusters``, ``tree`` (a GroupTree), ``linkage`` (SciPy's form, of the rows that
    are finite), ``exact``, ``stopped``, ``seconds``, ``options`` as used; ``names`` of the clusters, after group_names();
    with ``of``, or after separations(), ``conductances``, ``grown_conductances`` and ``map_only`` of the clusters."""

    names = conductances = grown_conductances = map_only = None

    def __init__(self, group, values):
        super().__init__(values, group)

    @property
    def layers(self):
        """For each layer, from coarse to fine, the number of each point's group, or -1. Numbers are those of ``tree.number``: the
        clusters', and the next ones for coarser groups. tree.label_layers() has their names, the finest layer first."""
        numbers = [np.append(self.tree.number[layer], -1) for layer in self.tree.layers]
        return [of_groups[self.tree.labels(i)].astype(np.int32) for i, of_groups in reversed(list(enumerate(numbers)))]

    def separations(self, of, *, of_neighbors=None, of_metric=None, seed=None, n_jobs=None, verbose=0, callbacks=None):
        """Which clusters of a map are apart in the data ``of`` that it was made from: an array with a row per point, or its nearest
        neighbors, as the graph of clusters(). Sets, and returns as a dict, ``conductances`` in the graph of the data's neighbors,
        ``grown_conductances`` (the median of 50 groups of the same size, each grown from a random point of the cluster) and
        ``map_only``: whether the first is not below 0.62 of the second."""
        run = Run({"seed": seed, "n_jobs": n_jobs}, verbose, callbacks)
        options = {"of_neighbors": of_neighbors, "of_metric": of_metric}
        chosen = SEPARATION.take({name: value for name, value in options.items() if value is not None})
        with translating(SEPARATION, RUN):
            return self._separate(of, chosen, run)

    def _separate(self, of, chosen, run):
        rows = _match.Rows("clusters", len(self.labels), self.ids)
        labels = np.maximum(np.ascontiguousarray(self.labels, np.int32), -1)
        if isinstance(of, (tuple, list)) or hasattr(of, "graph") or _intake.is_sparse(of):
            if chosen:
                raise OptionError(f"{next(iter(chosen))} is read for points, and of has their neighbors", option="of")
            graph = _intake.csr_of(of, len(labels), name="of")
            outcome = _core.separations_in_graph(labels, graph, run.core(), run.callback())
        else:
            metric = chosen.get("of_metric") or "euclidean"
            points = _intake.points(_match.table(of, rows, "of"), run, name="of", metric=metric).values
            outcome = _core.separations(labels, points, chosen, run.core(), run.callback())
        return finished(outcome, self._keep_separations)

    def _keep_separations(self, values):
        found = {
            "conductances": values["conductances"],
            "grown_conductances": values["grown_conductances"],
            "map_only": np.array(values["map_only"], bool),
        }
        self.__dict__.update(found)
        return found

    def cut(self, level, least=1):
        """Labels of the components that are connected at a level (a distance) and have at least ``least`` points; -1: of
        none. They are the clusters of DBSCAN without border points."""
        part = np.flatnonzero(self.tree.home >= 0)
        labels = np.full(len(self.labels), -1, np.int32)
        labels[part] = _core.cut_linkage(self.linkage, len(part), float(level), int(least))
        return labels

    def predict(self, X):
        """(labels, strengths) of new rows: those of a row that was clustered, where they are equal; else of the cluster that is
        there where a row joins the tree, at its nearest row by mutual reachability."""
        if self._points is None:
            raise InputError("these clusters are of distances, not of points; new rows have none to them", option="X")
        run, metric = Run({}), self._chosen.get("metric") or "euclidean"
        points = self._points
        queries = narrowed(_intake.dense(X, missing=True), run, metric, like=self._given)
        return predicted(self.__dict__, self.tree.__dict__, points, queries, self._chosen, run)


    def stability(self, *, seed=None, n_jobs=None, verbose=0, callbacks=None):
        """For each cluster how well random halves of the points show it: the mean over 20 halves of its largest Jaccard index
        with a cluster of the half. Below 0.6 it is not stable. Of clusters of points only."""
        if self._points is None:
            raise InputError("these clusters are of distances, not of points; of points, stability can be measured", option="X")
        run = Run({"seed": seed, "n_jobs": n_jobs}, verbose, callbacks)
        values, chosen = _to_core(self.__dict__, self.tree.__dict__, self._chosen)
        found, raised = _core.cluster_stabilities(values, self._points, chosen, run.on_cpu(), run.callback())
        if raised is not None:
            raise raised
        return found


def narrowed(X, run, metric, like=None):
    """Rows in float32, less the offsets of those that are finite; the others as they are."""
    finite = np.isfinite(X).all(axis=1) if X.ndim == 2 else np.ones(len(X), bool)
    if like is not None:
        like = like[np.isfinite(like).all(axis=1)]
    if finite.all():
        return _intake.points(X, run, metric=metric, like=like).values
    values = np.ascontiguousarray(X, np.float32)
    values = values.copy() if values is X else values
    if finite.any():
        values[finite] = _intake.points(X[finite], run, metric=metric, like=like).values
    return values


def predicted(values, tree, points, queries, chosen, run):
    """(labels, strengths) of narrowed queries."""
    values, chosen = _to_core(values, tree, chosen)
    labels, strengths, raised = _core.predict_clusters(values, points, queries, chosen, run.on_cpu())
    if raised is not None:
        raise raised
    return labels, strengths


@with_options(
    CLUSTERS,
    SEPARATION,
    NORMALIZE,
    RUN,
    own="""
X : array of shape (n, d)
    Points, as for tsne(). Rows with NaN or infinity take no part.
dissimilarities : array of shape (n, n), optional
    Distances of items, in place of X.
graph : NeighborsResult, sparse matrix of distances, or (indices, distances), optional
    Nearest neighbors, in place of X: only these pairs are joined.
of : array of shape (n, m), or nearest neighbors as ``graph``, optional
    The data that X is a map of: result.separations(of) tells which clusters are apart there, too.
key_added : str, optional
    Of an AnnData: write the labels to obs[key_added], as categories, noise as no value, and the parameters to uns[key_added].
"""
    + USE_REP
    + OWN,
)
def clusters(
    X=None,
    *,
    dissimilarities=None,
    graph=None,
    of=None,
    use_rep=None,
    key_added=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """Density clusters (HDBSCAN): the groups of points that last longest as the distance at which points are connected falls.
    Points of none are noise. The result depends neither on the order of rows nor on the number of threads.

    Returns
    -------
    ClustersResult
        ``labels``, ``strengths``, ``outlier_scores``, ``tree``, the hierarchy of groups, ``linkage``, ``n_clusters``.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0, 0], [20, 0]], 100, axis=0)
    >>> dunlin.clusters(X).n_clusters
    2
    """
    known = known_names(CLUSTERS, SEPARATION, NORMALIZE, own=("dissimilarities", "graph", "of", "use_rep", "key_added"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, scaling=options.pop("normalize", None))
    chosen, of_chosen = CLUSTERS.take(options), SEPARATION.take(options)
    refuse_unknown("clusters", options, known)
    if of is None and of_chosen:
        raise OptionError(f"{next(iter(of_chosen))} is read with of, the data that X is a map of", option="of")
    given = {"X": X, "dissimilarities": dissimilarities, "graph": graph}
    present = [name for name, value in given.items() if value is not None]
    if len(present) != 1:
        raise OptionError("give one of X, dissimilarities and graph", option=present[1] if present else "X")
    refuse_of_annotated(X, use_rep=use_rep, key_added=key_added)
    with translating(CLUSTERS, RUN):
        if X is None:
            found = _of_distances(present[0], given[present[0]], chosen, run)
        else:
            adata, X = X, annotated(X, use_rep)
            say_if_distances(X, "clusters")
            found = _of_points(X, chosen, run)
    wanted, has = chosen.get("layers") or 1, len(found.tree.layers)
    if has < wanted:
        say(f"layers is {wanted}, and the tree of {found.n_clusters} clusters has {has}")
    if of is not None:
        with translating(SEPARATION, RUN):
            found._separate(of, of_chosen, run)
    if key_added is not None:
        keep_groups(adata, key_added, found.labels, found.options)
    return found


def _of_points(X, chosen, run):
    ids, columns, made_from = _match.ids_of(X), _match.columns_of(X), recorded(X)
    X = _intake.dense(X, missing=True)
    points = narrowed(X, run, chosen.get("metric") or "euclidean")
    outcome = _core.clusters(points, chosen, run.core(), run.callback())
    known = {"ids": ids, "columns": columns, "_points": owned(points, X), "_given": owned(X, X), "_chosen": chosen}

    def wrap(values):
        values["options"] |= made_from
        return wrapped(values, known)

    return finished(outcome, wrap)


def _of_distances(source, value, chosen, run):
    ids = _match.ids_of(value)
    if source == "graph":
        graph = _intake.csr_of(value, name="graph")
        outcome = _core.clusters_of_graph(graph, chosen, run.core(), run.callback())
    else:
        array = _intake.dense(_match.in_own_order(value, source), source, missing=True)
        matrix = _cells.with_diagonal(_intake.plain(array, source, array.shape[0]), source)
        outcome = _core.clusters_of_matrix(matrix, chosen, run.core(), run.callback())
    return finished(outcome, lambda values: wrapped(values, {"ids": ids, "_points": None}))


def wrapped(values, known):
    """The result of the library's values."""
    return ClustersResult(CLUSTERS, {**known, **values, "tree": GroupTree(values["tree"])})


def _to_core(values, tree, chosen):
    """(what the library reads of a result, its options)."""
    chosen = {**chosen, "min_samples": values["options"]["min_samples"]}
    return {**{name: values[name] for name in ("labels", "strengths", "core_distances")}, "tree": tree}, chosen
