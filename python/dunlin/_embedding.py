# SPDX-License-Identifier: Apache-2.0
"""The functions of neighbor embeddings: tsne(), umap(), pacmap()."""

from ._groups import NORMALIZE, PACMAP, TSNE, UMAP
from ._methods import METHODS, as_text, len_of, map_of, perplexity_options  # noqa: F401  len_of, ...: of other modules
from ._options import with_options
from ._umap_annotated import umap_of_annotated
from ._run import CHECKPOINT, OWN, RUN

_POINTS = """
X : array of shape (n, d){optional}
    Points: NumPy, a table of pandas, polars or pyarrow, an array on a GPU (CuPy, torch, JAX: the result is one, too), or
    a sparse matrix. float64 and other types are narrowed to float32 in parallel, columns far from zero less their offset.
knn : sparse matrix, (indices, distances), or NeighborsResult, optional
    The nearest neighbors of each point, with distances{knn}. Of longer lists the nearest ``n_neighbors`` are read.
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
    _POINTS.format(optional=", optional", knn=": of longer lists the nearest ``n_neighbors``")
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
    _POINTS.format(optional=", optional", knn=": of longer lists the nearest ``n_neighbors``")
    + """
memberships : sparse matrix, optional
    Symmetric memberships in [0, 1], such as umap-learn's graph_, in place of X. Of them ``init`` is 'spectral' (default),
    'random' or an array.
neighbors_key : str, optional
    Of an AnnData: the key in uns of a graph of neighbors, as of scanpy.pp.neighbors, whose connectivities are the memberships;
    nothing is searched. min_dist is then 0.5, and above 10,000 rows n_epochs 200, as in scanpy.tl.umap.
labels : array of shape (n,), optional
    Classes of the points for ``labels_weight``; -1, or a missing value (None, NaN, pandas.NA, a mask, ''): unknown.
preset : {'umap-learn', 'largevis', 'neg-tsne'}, optional
    Constants of another method. Other parameters override it.
"""
    + _MORE
)
_PACMAP_OWN = _POINTS.format(optional="", knn=", from which near pairs are chosen") + _MORE


@with_options(TSNE, NORMALIZE, RUN, CHECKPOINT, own=_TSNE_OWN)
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

    ``init`` may be an array of shape (n, n_components), which is taken as it is, or scaled with an InputWarning if it
    is far wider than maps are. ``learning_rate`` and ``perplexity`` may be 'auto', and ``anchor`` an array of that shape
    with a place per point (NaN: none). Where both have names, ``init``, ``fixed``, ``grow``, ``anchor``,
    ``point_weights``, ``knn`` and ``affinities`` are matched with the rows of X by name.

    Returns
    -------
    TSNEResult
        ``embedding``, ``ids`` (names of its rows, where X has them), ``kl``, ``n_iter``, ``stopped``, ``options`` as
        they were used, ``seconds`` by stage.

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
        METHODS["tsne"],
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


@with_options(UMAP, NORMALIZE, RUN, CHECKPOINT, own=_UMAP_OWN)
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
    neighbors_key=None,
    key_added=None,
    callbacks=None,
    callbacks_every_iters=50,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A UMAP of points (McInnes, Healy and Melville 2018).

    The expected effect of umap-learn's samples is summed over all pairs: the same seed gives the same map for any number
    of threads. ``init`` may be an array of shape (n, n_components), which is taken as it is, or scaled with an
    InputWarning if it is far wider than maps are. Where both have names, ``init``, ``fixed``, ``grow``, ``labels`` and
    ``knn`` are matched with the rows of X by name.

    Returns
    -------
    UMAPResult
        ``embedding``, ``ids`` (names of its rows, where X has them), ``cross_entropy``, ``n_iter``, ``stopped``, ``options``
        as they were used, ``seconds`` by stage.

    Examples
    --------
    >>> import numpy as np, dunlin
    >>> X = np.random.default_rng(0).normal(size=(200, 10))
    >>> dunlin.umap(X, n_neighbors=10).embedding.shape
    (200, 2)
    """
    how = {"preset": preset, "callbacks": callbacks, "every": callbacks_every_iters, "verbose": verbose, "n_jobs": n_jobs}
    given = {"labels": labels, "fixed": fixed, "grow": grow, "use_rep": use_rep}
    if neighbors_key is not None:
        given |= {"knn": knn, "memberships": memberships}
        return umap_of_annotated(X, neighbors_key, key_added, given, options, how)
    return map_of(METHODS["umap"], X, knn, memberships, options, **given, key_added=key_added, **how)


@with_options(PACMAP, NORMALIZE, RUN, CHECKPOINT, own=_PACMAP_OWN)
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
    it is, or scaled with an InputWarning if it is far wider than maps are, ``num_iters`` three numbers, those of the
    phases. Where both have names, ``init``, ``fixed``, ``grow`` and ``knn`` are matched with the rows of X by name.

    Returns
    -------
    PaCMAPResult
        ``embedding``, ``ids`` (names of its rows, where X has them), ``loss``, ``n_iter``, ``stopped``, ``options`` as
        they were used, ``seconds`` by stage.

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
        METHODS["pacmap"],
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
