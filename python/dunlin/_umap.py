# SPDX-License-Identifier: Apache-2.0
"""umap()."""

from . import _results
from ._embedding import Method, map_of
from ._groups import UMAP
from ._options import with_options
from ._run import OWN, RUN

METHOD = Method("umap", UMAP, _results.UMAPResult, edges="memberships", own=("memberships", "labels", "preset"))

_OWN = (
    """
X : array of shape (n, d), optional
    Points, as for tsne().
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances.
memberships : sparse matrix, optional
    Symmetric memberships in [0, 1], such as umap-learn's graph_, in place of X. Needs an array for ``init``.
labels : array of shape (n,), optional
    Classes of the points for ``labels_weight``; -1, NaN, None or '': unknown.
preset : {'umap-learn', 'largevis', 'neg-tsne'}, optional
    Constants of another method. Other parameters override it.
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
    labels=None,
    preset=None,
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
        METHOD,
        X,
        knn,
        memberships,
        options,
        preset=preset,
        labels=labels,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )
