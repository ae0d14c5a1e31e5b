# SPDX-License-Identifier: Apache-2.0
"""umap()."""

import numpy as np

from . import _core, _intake, _results
from ._anndata import keep, representation
from ._errors import InputError, OptionError
from ._groups import UMAP, known_names
from ._maps import len_of, stays_on_gpu
from ._options import refuse_unknown, translating, with_options
from ._run import OWN, RUN, Run, finished

_OWN = (
    """
X : array of shape (n, d), optional
    Points, as for tsne().
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances.
memberships : sparse matrix, optional
    Symmetric memberships in [0, 1], such as umap-learn's graph_, in place of X. Needs an array for ``init``.
use_rep : str, optional
    Of an AnnData: the key in obsm of the points, such as 'X_pca'; default: its X.
key_added : str, optional
    Of an AnnData: write the map to obsm[key_added] and the options to uns[key_added]. Default: nothing is written.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


@with_options(UMAP, RUN, own=_OWN)
def umap(
    X=None,
    *,
    knn=None,
    memberships=None,
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
    known = known_names(UMAP, own=("knn", "memberships", "use_rep", "key_added", "callbacks_every_iters"))
    options["n_jobs"] = n_jobs
    run = Run(options, verbose, callbacks, callbacks_every_iters)
    adata, X = X, representation(X, use_rep, key_added)
    start = options.get("init")
    if isinstance(start, str) or start is None:
        start = None
    else:
        options.pop("init")
    chosen = UMAP.take(options)
    refuse_unknown("umap", options, known)
    with translating(UMAP, RUN):
        if memberships is not None:
            if X is not None or knn is not None:
                raise InputError("memberships are given in place of X and knn; give one of them", option="memberships")
            graph = _intake.csr_of(memberships, name="memberships")
            if start is None:
                raise InputError(
                    "memberships need a start: give init an array of shape (n, n_components)", option="init"
                )
            return embed(None, graph, None, start, chosen, run)
        if X is None and knn is None:
            raise OptionError("umap() needs X, knn or memberships", option="X")
        graph = None if knn is None else _intake.without_self(_intake.csr_of(knn, None if X is None else len_of(X)))
        if X is None:
            points = _intake.Points(np.zeros((len(graph[0]) - 1, 1), np.float32))
            if start is None and chosen.get("start") not in ("random",):
                raise InputError("without X there is no init by PCA; give init='random' or an array", option="init")
        else:
            metric = chosen.get("metric") or "euclidean"
            sparse = chosen.get("neighbors") != "approximate"
            points = _intake.points(X, run, metric=metric, in_place=stays_on_gpu(chosen), sparse=sparse)
        result = embed(points, None, graph, start, chosen, run)
        if key_added is not None:
            keep(adata, key_added, result)
        return result


def embed(points, memberships, knn, start, chosen, run):
    """Calls the binding.

    points : Points, or None where there are memberships
    """
    source, points = points, None if points is None else points.values
    dim = chosen.get("dim")
    n = len(points) if points is not None else len(memberships[0]) - 1
    if start is not None:
        start = _intake.plain(start, "init", 2 if dim is None else int(dim), n)
    callback = run.callback(has_map=True)
    if memberships is not None:
        outcome = _core.umap_of_memberships(memberships, start, chosen, run.core(), callback, run.every)
    else:
        outcome = _core.umap(_intake.core_of(points), knn, start, chosen, run.core(), callback, run.every)

    def wrap(values):
        if source is not None and source.home is not None:
            values["embedding"] = source.taken(values["embedding"])
        return _results.UMAPResult(UMAP, values)

    return finished(outcome, wrap)
