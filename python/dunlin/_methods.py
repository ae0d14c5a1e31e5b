# SPDX-License-Identifier: Apache-2.0
"""What tsne(), umap() and pacmap() do alike: a whole call of a neighbor embedding."""

import numpy as np

from . import _cells, _core, _intake, _match, _results, _starts
from ._anndata import annotated, refuse_of_annotated, representation_of_map
from ._anndata_write import keep_map, refuse_as_key
from ._errors import InputError, OptionError
from ._frames import Frame
from ._given import say_if_distances
from ._groups import NORMALIZE, PACMAP, TSNE, UMAP, known_names
from ._kinds import is_anndata, utf8
from ._options import refuse_unknown, translating
from ._run import CHECKPOINT, RUN, Run, finished, say


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
    starts_of_edges : bool
        Whether there are starts of this graph alone.
    own : tuple
        Further parameters of the function, for suggestions.
    """

    def __init__(self, name, group, result, cost, edges=None, own=(), reads_edges_with_points=False, starts_of_edges=False):
        self.name, self.group, self.result, self.cost, self.edges, self.own = name, group, result, cost, edges, own
        self.reads_edges_with_points, self.starts_of_edges = reads_edges_with_points, starts_of_edges


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
    "umap",
    UMAP,
    _results.UMAPResult,
    "cross_entropy",
    "memberships",
    own=("memberships", "labels", "preset", "neighbors_key"),
    starts_of_edges=True,
)
_PACMAP = Method("pacmap", PACMAP, _results.PaCMAPResult, "loss")
METHODS = {method.name: method for method in (_TSNE, _UMAP, _PACMAP)}


def embed(
    method,
    points,
    edges,
    knn,
    start,
    chosen,
    preset,
    run,
    labels=None,
    some=None,
    how="",
    more=None,
    known=None,
    frame=None,
):
    """Calls the binding.

    points : Points, or None where there are edges
    labels : array from known_labels, optional
    some, how : from map_of_some, optional
    more : dict, optional
        What t-SNE alone is given with points: affinities, point_weights, anchors.
    known : dict, optional
        Attributes of the result that are known before.
    frame : Frame, optional
        Of the maps that were given before the start.
    """
    frame = frame or Frame()
    source, points = points, None if points is None else points.values
    dim = chosen.get("dim")
    n = len(points) if points is not None else len(edges[0]) - 1
    if start is not None:
        start = _cells.require_finite(frame.taken(start, "init", 2 if dim is None else int(dim), n), "init")
    callback, preset = run.callback(has_map=True, frame=frame), _word_of(preset)
    if edges is not None:
        binding = getattr(_core, f"{method.name}_of_{method.edges}")
        outcome = binding(edges, start, False, chosen, preset, run.with_checkpoint(), callback, run.every)
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
        values["embedding"] = frame.restored(values["embedding"], True if how == "fixed" else None)
        if more:
            values["given"] = tuple(more)
        values.update(known or {})
        if "use_rep" in values:
            values["options"]["use_rep"] = values["use_rep"]
        values["options"]["normalize"] = values.pop("normalize", "none")
        if "start_note" in values:
            say(f"init is {values.pop('start_note')}")
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
    options["n_jobs"] = n_jobs
    scaling = _results.scaling_for(options.pop("normalize", None), knn, edges)
    run = Run(options, verbose, callbacks, every, checkpoints=True, scaling=scaling)
    how, of_map = how_to_go_on(fixed, grow), grow if fixed is None else fixed
    edges, kind = (None, edges) if isinstance(edges, str) else (edges, None)
    of = _match.rows_of(X) or _match.rows_of(knn, "knn") or _match.rows_of(edges, method.edges)
    known = {"ids": None if of is None else of.ids, "normalize": run.scaling}
    if X is None and run.scaling != "none":
        raise InputError("normalize is of the columns of X, which is not given", option="normalize")
    adata = X
    refuse_of_annotated(X, use_rep=use_rep, key_added=key_added)
    if is_anndata(X):
        X = _points_of_annotated(X, use_rep, options, key_added, of_map)
        known |= {"use_rep": X.use_rep, "columns_taken": X.n_pcs}
    chosen, start, anchors = _options_of(method, options, how, kind)
    more, with_edges = {}, edges is not None and not (method.reads_edges_with_points and X is not None)
    with translating(method.group, RUN, CHECKPOINT):
        if with_edges:
            _refuse_beside_edges(method, anchor=anchors, point_weights=point_weights, labels=labels, fixed=fixed, grow=grow)
            return _of_edges(method, X, knn, edges, start, of, chosen, preset, run, known)
        if edges is not None:
            more["affinities"] = _affinities_of(method, edges, knn, of, len_of(X))
        points, graph = _points_and_neighbors(method, X, knn, of, start, chosen, how, run)
        n = len_of(points.values)
        start = None if start is None else _match.matrix(start, of, "init")
        frame, some = Frame(), None
        if how:
            some = map_of_some(_match.matrix(of_map, of, how, lonely=True), how, n, chosen.get("dim"), frame)
            chosen["dim"] = some.shape[1]
        if anchors is not None:
            anchors = _match.matrix(anchors, of, "anchor", lonely=True)
            more["anchors"] = frame.taken(anchors, "anchor", int(chosen.get("dim") or 2), n, missing=True)
        if point_weights is not None:
            point_weights = _match.column(point_weights, of, "point_weights")
            more["point_weights"] = _intake.column(point_weights, "point_weights", n)
        classes = None if labels is None else known_labels(_match.labels(labels, of), n)
        result = embed(method, points, None, graph, start, chosen, preset, run, classes, some, how, more, known, frame)
        if key_added is not None:
            keep_map(adata, key_added, method.name, result, method.cost, n_jobs)
        return result


def _points_of_annotated(adata, use_rep, options, key_added, of_map):
    """The points of an AnnData, or those that a map that is to go on was made from. n_pcs is taken out of the options where
    it is a number of columns of obsm."""
    if of_map is not None:
        rows = representation_of_map(adata, of_map, use_rep).rows_of(adata)
    else:
        rows = annotated(adata, use_rep, options.get("n_pcs"))
    if rows.use_rep != "X" or options.get("n_pcs") == 0:
        options.pop("n_pcs", None)
    refuse_as_key(key_added, rows.use_rep)
    return rows


def _options_of(method, options, how, kind):
    """(the library's options, the start or None, the anchors or None), taken out of ``options``."""
    start, anchors = options.get("init"), options.get("anchor")
    if how and start is not None:
        raise InputError(f"init is given beside {how}, whose map is the start; leave init out", option="init")
    start = None if isinstance(start, str) else options.pop("init", None)
    anchors = None if isinstance(anchors, str) else options.pop("anchor", None)
    perplexity = options.pop("perplexity", None)
    chosen = method.group.take(options)
    own = {"knn", "fixed", "grow", "use_rep", "key_added", "callbacks_every_iters", *method.own}
    refuse_unknown(method.name, options, known_names(method.group, NORMALIZE, CHECKPOINT, own=own))
    chosen |= perplexity_options(perplexity)
    if kind is not None:
        chosen["affinities"] = kind
    if anchors is not None:
        chosen["anchor"] = "given"
    return chosen, start, anchors


def _refuse_beside_edges(method, **given):
    """Raises InputError for what needs points."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} is read with X, and {method.edges} are given; leave it out", option=name)


def _word_of(preset):
    """The name of a preset; empty: none."""
    if not isinstance(preset, (str, type(None))):
        raise OptionError(f"preset is {preset!r}; it must be a str", option="preset")
    return utf8(preset or "", "preset")


def _of_edges(method, X, knn, edges, start, of, chosen, preset, run, known):
    name = method.edges
    if X is not None or knn is not None:
        raise InputError(f"{name} are given in place of X and knn; give one of them", option=name)
    graph = _intake.csr_of(_match.graph(edges, of, name), name=name, sums=True)
    if start is None and method.starts_of_edges:
        matrix, dim = _intake.scipy_csr(graph), int(chosen.get("dim") or 2)
        start = _starts.of_memberships(matrix, dim, chosen.pop("start", None) or "spectral", run.seed)
    elif start is None:
        raise InputError(f"{name} need a start: give init an array of shape (n, n_components)", option="init")
    start = _match.matrix(start, of, "init")
    return embed(method, None, graph, None, start, chosen, preset, run, known=known)


def _affinities_of(method, edges, knn, of, n):
    """Affinities that are given beside points."""
    if knn is not None:
        raise InputError(f"knn and {method.edges} are given; give one of them", option="knn")
    return _intake.csr_of(_match.graph(edges, of, method.edges), n, name=method.edges, sums=True)


def _points_and_neighbors(method, X, knn, of, start, chosen, how, run):
    """The points, or without X as many empty ones as there are lists, and the neighbors that are given, or None."""
    graph = None
    if knn is not None:
        graph = _intake.without_self(_intake.csr_of(_match.graph(knn, of, "knn"), None if X is None else len_of(X)))
    if X is not None:
        sparse = not how and chosen.get("neighbors") != "approximate"
        if graph is None:
            say_if_distances(X, method.name)
        in_place, metric = not how and stays_on_gpu(chosen), chosen.get("metric") or "euclidean"
        return _intake.points(X, run, metric=metric, in_place=in_place, sparse=sparse), graph
    if graph is None or method.edges is None:
        others = " beside knn" if graph is not None else f", knn or {method.edges}" if method.edges else ""
        raise OptionError(f"{method.name}() needs X{others}", option="X")
    if how:
        raise InputError(f"{how} needs X: new points are placed by their distances", option=how)
    if start is None and chosen.get("start") not in ("random", "spectral"):
        raise InputError("without X there is no init by PCA; give init='random', 'spectral' or an array", option="init")
    return _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32)), graph


def how_to_go_on(fixed, grow):
    """'fixed', 'grow', or '' if neither is given."""
    if fixed is not None and grow is not None:
        raise OptionError("fixed and grow are given; give one of them", option="grow")
    return "fixed" if fixed is not None else "grow" if grow is not None else ""


def map_of_some(given, name, n, dim, frame):
    """An array of n rows in a frame, NaN for the points that the given map does not have."""
    some = frame.taken(given, name, None if dim is None else int(dim), missing=True)
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
    """The library's options of a perplexity, or of several in a sequence or in words; 'auto' and None: the default."""
    if isinstance(perplexity, str):
        words = perplexity.strip()
        if words == "auto":
            return {}
        if "," in words or "n/" in words:
            return {"perplexities": words}
        try:
            return {"perplexity": float(words)}
        except ValueError:
            raise OptionError(
                f"perplexity is {perplexity!r}; it must be a number, several as in '30,n/100', or 'auto'", option="perplexity"
            ) from None
    if perplexity is None:
        return {}
    if np.ndim(perplexity) == 0:
        return {"perplexity": perplexity}
    return {"perplexities": ",".join(f"{float(each):.9g}" for each in perplexity)}


def len_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def as_text(phases):
    """Iterations of PaCMAP's three phases as the library takes them."""
    return phases if phases is None or isinstance(phases, str) else ",".join(str(int(length)) for length in phases)
