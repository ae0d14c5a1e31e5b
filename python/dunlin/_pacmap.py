# SPDX-License-Identifier: Apache-2.0
"""pacmap()."""

from . import _results
from ._embedding import Method, map_of
from ._groups import PACMAP
from ._options import with_options
from ._run import OWN, RUN

METHOD = Method("pacmap", PACMAP, _results.PaCMAPResult)

_OWN = (
    """
X : array of shape (n, d)
    Points, as for tsne().
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances, from which near pairs are chosen.
use_rep : str, optional
    Of an AnnData: the key in obsm of the points, such as 'X_pca'; default: its X.
key_added : str, optional
    Of an AnnData: write the map to obsm[key_added] and the options to uns[key_added]. Default: nothing is written.
callbacks_every_iters : int, default 50
    Iterations between two calls of ``callbacks``.
"""
    + OWN
)


def as_text(phases):
    """Iterations of the three phases as the library takes them."""
    return phases if phases is None or isinstance(phases, str) else ",".join(str(int(length)) for length in phases)


@with_options(PACMAP, RUN, own=_OWN)
def pacmap(
    X,
    *,
    knn=None,
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
        METHOD,
        X,
        knn,
        None,
        options,
        use_rep=use_rep,
        key_added=key_added,
        callbacks=callbacks,
        every=callbacks_every_iters,
        verbose=verbose,
        n_jobs=n_jobs,
    )
