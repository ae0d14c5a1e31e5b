# SPDX-License-Identifier: Apache-2.0
"""What the functions of neighbor embeddings share: tsne(), umap(), pacmap()."""

import numpy as np

from . import _core, _intake
from ._anndata import keep, representation
from ._errors import InputError, OptionError
from ._groups import known_names
from ._options import refuse_unknown, translating
from ._run import RUN, Run, finished


class Method:
    """A neighbor embedding.

    name : str
        Of the function and of the binding.
    group : Group
        Its options.
    result : class
        Made from (group, values).
    edges : str, optional
        Parameter with a graph in place of points, whose binding is name_of_edges.
    own : tuple
        Further parameters of the function, for suggestions.
    """

    def __init__(self, name, group, result, edges=None, own=()):
        self.name, self.group, self.result, self.edges, self.own = name, group, result, edges, own


def embed(method, points, edges, knn, start, chosen, preset, run, labels=None):
    """Calls the binding.

    points : Points, or None where there are edges
    labels : array from known_labels, optional
    """
    source, points = points, None if points is None else points.values
    dim = chosen.get("dim")
    n = len(points) if points is not None else len(edges[0]) - 1
    if start is not None:
        start = _intake.plain(start, "init", 2 if dim is None else int(dim), n)
    callback, preset = run.callback(has_map=True), preset or ""
    if edges is not None:
        binding = getattr(_core, f"{method.name}_of_{method.edges}")
        outcome = binding(edges, start, chosen, preset, run.core(), callback, run.every)
    else:
        binding = getattr(_core, method.name)
        outcome = binding(
            _intake.core_of(points), knn, start, labels, chosen, preset, run.core(), callback, run.every
        )

    def wrap(values):
        if source is not None and source.home is not None:
            values["embedding"] = source.taken(values["embedding"])
        return method.result(method.group, values)

    return finished(outcome, wrap)


def map_of(method, X, knn, edges, options, *, preset=None, labels=None, use_rep, key_added, callbacks, every, verbose, n_jobs):
    """A whole call of a function: its inputs, its options, its result."""
    own = {"knn", "use_rep", "key_added", "callbacks_every_iters"}
    known = known_names(method.group, own=own | set(method.own))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, every)
    adata, X = X, representation(X, use_rep, key_added)
    start = options.get("init")
    if isinstance(start, str) or start is None:
        start = None
    else:
        options.pop("init")
    chosen = method.group.take(options)
    refuse_unknown(method.name, options, known)
    with translating(method.group, RUN):
        if edges is not None:
            if labels is not None:
                raise InputError(f"labels are read with X, and {method.edges} are given", option="labels")
            return _of_edges(method, X, knn, edges, start, chosen, preset, run)
        if X is None and knn is None:
            others = f", knn or {method.edges}" if method.edges else ""
            raise OptionError(f"{method.name}() needs X{others}", option="X")
        graph = None if knn is None else _intake.without_self(_intake.csr_of(knn, None if X is None else len_of(X)))
        if X is None:
            points = _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32))
            if method.edges is None:
                raise OptionError(f"{method.name}() needs X beside knn", option="X")
            if start is None and chosen.get("start") not in ("random", "spectral"):
                message = "without X there is no init by PCA; give init='random', 'spectral' or an array"
                raise InputError(message, option="init")
        else:
            metric = chosen.get("metric") or "euclidean"
            sparse = chosen.get("neighbors") != "approximate"
            points = _intake.points(X, run, metric=metric, in_place=stays_on_gpu(chosen), sparse=sparse)
        known_classes = None if labels is None else known_labels(labels, len_of(points.values))
        result = embed(method, points, None, graph, start, chosen, preset, run, known_classes)
        if key_added is not None:
            keep(adata, key_added, result)
        return result


def _of_edges(method, X, knn, edges, start, chosen, preset, run):
    name = method.edges
    if X is not None or knn is not None:
        raise InputError(f"{name} are given in place of X and knn; give one of them", option=name)
    graph = _intake.csr_of(edges, name=name)
    if start is None:
        raise InputError(f"{name} need a start: give init an array of shape (n, n_components)", option="init")
    return embed(method, None, graph, None, start, chosen, preset, run)


def known_labels(labels, n):
    """Classes of n points as numbers, -1 where the label is unknown: -1, NaN, None or ''."""
    codes, names = _intake.labels(labels, n)
    unknown = [code for code, name in enumerate(names) if name in ("-1", "-1.0", "nan", "None", "")]
    codes[np.isin(codes, unknown)] = -1
    return codes


def stays_on_gpu(chosen):
    """Whether a GPU makes this map from points in its memory; repulsion adaptive and maps on a line are for the host."""
    return chosen.get("repulsion") != "adaptive" and chosen.get("dim") != 1


def len_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)
