# SPDX-License-Identifier: Apache-2.0
"""kmeans(), assign(), choose_k(), mixture(), choose_mixture()."""

import numpy as np

from . import _cells, _core, _device, _intake, _match, _results
from ._anndata import USE_REP, annotated
from ._errors import InputError, OptionError
from ._given import say_if_distances
from ._groups import KMEANS, MIXTURE, NORMALIZE, POINTS_OWN, known_names
from ._kinds import is_anndata, recorded
from ._options import flag, refuse_unknown, translating, with_options
from ._run import CHECKPOINT, OWN, RUN, Run, finished, say


KMEANS_STARTS = {"k-means++": "plusplus", "k-means||": "parallel", "scalable-k-means++": "parallel"}


@with_options(
    KMEANS,
    NORMALIZE,
    RUN,
    CHECKPOINT,
    own=POINTS_OWN
    + """
sample_weight : array of shape (n,), optional
    A row of weight 2 counts as two rows.
"""
    + USE_REP
    + OWN,
)
def kmeans(X, n_clusters=8, *, sample_weight=None, use_rep=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """Clusters points by k-means (Lloyd 1982). Sums are exact: the result is the same for any number of threads.

    ``init`` may be an array of shape (n_clusters, d) or the result of kmeans(), or 'k-means++' and 'k-means||', as the
    option's values are called elsewhere. Where X and ``init`` have names of columns, those of ``init`` are put in the order
    of X's.

    Returns
    -------
    KMeansResult
        ``labels``, ``ids`` (names of the rows, where X has them), ``centers`` in the units of X, ``counts``, ``inertia``.

    Examples
    --------
    >>> import dunlin
    >>> sorted(dunlin.kmeans([[0.0], [0.1], [9.0]], 2).counts.tolist())
    [1, 2]
    """
    known = known_names(KMEANS, NORMALIZE, CHECKPOINT, own=("sample_weight", "use_rep"))
    options.update(n_clusters=n_clusters, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks, checkpoints=True, scaling=options.pop("normalize", None))
    centers = options.get("init")
    if isinstance(centers, str) or centers is None:
        if isinstance(centers, str):
            options["init"] = KMEANS_STARTS.get(centers, centers)
        centers = None
    else:
        options.pop("init")
    chosen = KMEANS.take(options)
    refuse_unknown("kmeans", options, known)
    with translating(KMEANS, RUN, CHECKPOINT):
        metric = chosen.get("metric") or "euclidean"
        sparse = chosen.get("method") != "sequential"
        X = annotated(X, use_rep)
        of, columns = _match.rows_of(X), _match.columns_of(X)
        say_if_distances(X, "kmeans")
        if centers is not None:
            centers = centers_like(centers, columns, "init")
        if sample_weight is not None:
            sample_weight = _match.column(sample_weight, of, "sample_weight")
        if run.scaling != "none":
            _refuse_scaling_of_new_rows(centers, chosen)
            if sample_weight is not None:
                say("normalize scales columns by all rows alike, whatever their sample_weight")
        points = _intake.points(X, run, metric=metric, in_place=stays_on_gpu(chosen), sparse=sparse)
        found = cluster(points, centers, sample_weight, chosen, run, {"ids": of.ids, "columns": columns}, recorded(X))
        say_if_few_distinct(points.values, len(found.counts), "clusters")
        return found


def _refuse_scaling_of_new_rows(centers, chosen):
    """Raises InputError where rows are only assigned to given centers: scales would be those of the rows themselves."""
    if centers is not None and chosen.get("iterations") == 0:
        raise InputError(
            "normalize scales these rows by themselves, and with max_iter 0 they are only assigned to init, whose scales are "
            "not known; give the result of kmeans() to assign(), which has them",
            option="normalize",
        )


def say_if_few_distinct(values, parts, name):
    """Says that there are fewer distinct rows than clusters or components; of a dense array in the memory of the host."""
    few = _core.few_distinct(values, parts, name) if type(values) is np.ndarray else ""
    if few:
        say(few)


def centers_like(centers, columns, name):
    """Centers, also those of a result, with their columns in the order of the names `columns`; of a table the array."""
    names = _match.columns_of(centers)
    if isinstance(centers, _results.KMeansResult):
        centers = centers.centers
    order = _match.column_order(names, columns, name, "X")
    centers = centers if order is None else _match.take_columns(centers, order)
    return centers if _cells.columns_in(centers) is None else _cells.numbers(centers, name)


def stays_on_gpu(chosen):
    """Whether a GPU clusters points in its memory; method sequential is for the host."""
    return chosen.get("method") != "sequential"


def cluster(points, centers, sample_weight, chosen, run, known=None, made_from=()):
    """k-means of points that are narrowed already; centers in the units of their source. known: attributes of the result
    that are known before. made_from: options of an AnnData."""
    values = points.values
    if centers is not None:
        centers = in_frame_of(centers, points, "init")
        if "clusters" in chosen and centers.shape[0] != chosen["clusters"]:
            raise InputError(
                f"init has {centers.shape[0]} rows; it must have one for each of the {chosen['clusters']} clusters",
                option="init",
            )
    if sample_weight is not None:
        sample_weight = _intake.column(sample_weight, "sample_weight", len(values))
    outcome = _core.kmeans(_intake.core_of(values), centers, sample_weight, chosen, run.with_checkpoint(), run.callback())

    def wrap(result):
        result["labels"] = points.taken(result["labels"])
        result["centers"] = points.restored(points.taken(result["centers"]))
        result.update(known or {})
        result["options"] |= {"normalize": run.scaling, **dict(made_from)}
        result["_scaling"] = points.scaling
        return _results.KMeansResult(KMEANS, result)

    return finished(outcome, wrap)


def in_frame_of(centers, points, name):
    """Centroids less the shift of the points, times their scale, in double before they are narrowed."""
    array = _device.host(centers) if _device.is_on_gpu(centers) else _intake.dense(centers, name)
    if array.ndim != 2 or array.shape[1] != points.values.shape[1]:
        raise InputError(
            f"{name} has the shape {array.shape}; it must have {points.values.shape[1]} columns, as X has", option=name
        )
    if points.shift is not None:
        array = array.astype(np.float64) - points.shift
    if points.scaling is not None:
        array = array * points.scaling.scale
    return np.ascontiguousarray(array, np.float32)


def assign(X, centers, *, metric=None, use_rep=None, n_jobs=None, device="auto", memory=None):
    """The nearest of ``centers`` for each point.

    Parameters
    ----------
    X : array of shape (n, d)
        Points.
    centers : array of shape (k, d), or the result of kmeans()
        Centroids. Where both have names of columns, those of X are put in the order of the centers'. The columns of X are
        scaled as those of the points that a result is of.
    metric : {'euclidean', 'cosine'}, optional
        Distance between a point and a centroid; default: that of the result, else 'euclidean'.
    use_rep : str, optional
        Of an AnnData: 'X', or the key in obsm of the points. Default: that of the result, else as for kmeans().
    n_jobs, device, memory
        As for kmeans().

    Returns
    -------
    Assignment
        ``labels``, ``ids`` (names of the rows, where X has them), ``counts``, ``inertia``.
    """
    run = Run({"n_jobs": n_jobs, "device": device, "memory": memory})
    options = getattr(centers, "options", {})
    X = annotated(X, use_rep or options.get("use_rep") if is_anndata(X) else use_rep, options.get("n_pcs"))
    ids = _match.ids_of(X)
    X = _match.in_order_of(X, _match.columns_of(centers), "X", "centers")
    scaling = getattr(centers, "_scaling", None)
    metric = metric or options.get("metric") or "euclidean"
    centers = centers.centers if isinstance(centers, _results.KMeansResult) else centers
    centers = _device.host(centers) if _device.is_on_gpu(centers) else _intake.dense(centers, "centers")
    if scaling is not None:
        X = _intake.Points(_intake.scaled_rows(_intake._numbers(X, run, "X"), scaling, run), scaling.origin(), scaling=scaling)
    # Offsets of the centers, so that a row has one label in any call; of one center all have label 0, and float32 stays in place
    is_in_place = scaling is not None or _device.is_on_gpu(X) and str(X.dtype).endswith("float32") or _intake.is_narrow(X)
    like = np.asarray(centers, np.float64) if centers.ndim == 2 and len(centers) > 1 and not is_in_place else None
    return _results.Assignment({**assigned(X, centers, metric, run, like), "ids": ids})


def assigned(X, centers, metric, run, like):
    """A dict of labels, counts and inertia. like: as of _intake.points()."""
    points = _intake.points(X, run, metric=metric, in_place=True, sparse=True, like=like)
    centers = in_frame_of(centers, points, "centers")
    found = finished(_core.assign(_intake.core_of(points.values), centers, metric, run.core(), None), dict)
    found["labels"] = points.taken(found["labels"])
    return found


@with_options(
    KMEANS,
    NORMALIZE,
    RUN,
    CHECKPOINT,
    own=POINTS_OWN
    + """
most : int
    The largest number of clusters.
least : int, default 1
    The smallest.
criterion : {'bic', 'aic', 'silhouette'}, default 'bic'
    Criterion that compares numbers of clusters.
"""
    + USE_REP
    + OWN,
)
def choose_k(X, most, *, least=1, criterion="bic", use_rep=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """k-means with each number of clusters from ``least`` to ``most``; the best by a criterion.

    'bic' and 'aic' are those of spherical Gaussians of one variance. Each number has one more run than ``n_init``, from the
    centers of one cluster fewer and the row farthest from its own, so that the inertia never rises with the number.

    Returns
    -------
    KMeansChoice
        ``curve``: (clusters, inertia, value) of each number; ``best``: a KMeansResult.
    """
    known = known_names(KMEANS, NORMALIZE, CHECKPOINT, own=("most", "least", "criterion", "use_rep"))
    if "n_clusters" in options:
        raise OptionError("choose_k() takes least and most in place of n_clusters", option="n_clusters")
    options.update(n_clusters=least, n_jobs=n_jobs)
    run = Run(options, verbose, callbacks, checkpoints=True, scaling=options.pop("normalize", None))
    if isinstance(options.get("init"), str):
        options["init"] = KMEANS_STARTS.get(options["init"], options["init"])
    chosen = KMEANS.take(options)
    refuse_unknown("choose_k", options, known)
    with translating(KMEANS, RUN, CHECKPOINT):
        X = annotated(X, use_rep)
        say_if_distances(X, "kmeans")
        points = _intake.points(X, run, metric=chosen.get("metric") or "euclidean")
        of_core = _core.choose_k(points.values, most, criterion, chosen, run.with_checkpoint(), run.callback())
        curve, best, last, raised = of_core
        if last:
            say(last)
        best["centers"] = points.restored(best["centers"])
        say_if_few_distinct(points.values, len(best["counts"]), "clusters")
        best["options"] |= {"normalize": run.scaling, **recorded(X)}
        best["_scaling"] = points.scaling
        best["ids"], best["columns"] = _match.ids_of(X), _match.columns_of(X)
        return finished(
            ((curve, best), raised), lambda both: _results.KMeansChoice(both[0], _results.KMeansResult(KMEANS, both[1]))
        )


@with_options(
    MIXTURE,
    NORMALIZE,
    RUN,
    own=POINTS_OWN
    + """
responsibilities : bool, default False
    Whether the result has the probability of each component for each row.
"""
    + USE_REP
    + OWN,
)
def mixture(X, n_components=8, *, responsibilities=False, use_rep=None, callbacks=None, verbose=0, n_jobs=None, **options):
    """A mixture of Gaussians by expectation and maximization (Dempster, Laird and Rubin 1977), started by k-means.

    ``covariance_type`` may be 'diag' for 'diagonal'.

    Returns
    -------
    MixtureResult
        ``labels``, ``ids`` (names of the rows, where X has them), ``weights``, ``means`` in the units of X, ``covariances``
        (k, d, d), diagonal (k, d), spherical (k,) or tied (d, d), in the units of X (spherical of scaled columns: (k, d)),
        ``log_likelihood`` of a row, ``bic``, ``aic``; ``responsibilities`` (n, k) where they are wanted.
    """
    known = known_names(MIXTURE, NORMALIZE, own=("responsibilities", "use_rep"))
    options.update(n_components=n_components, n_jobs=n_jobs)
    run, chosen = _run_of_mixture("mixture", options, known, verbose, callbacks)
    with translating(MIXTURE, RUN):
        X = annotated(X, use_rep)
        points, more = _points_of_mixture(X, run, responsibilities)
        outcome = _core.mixture(points.values, chosen, run.core(), run.callback(), *more)
        say_if_few_distinct(points.values, chosen.get("components") or 8, "components")
        return finished(outcome, lambda result: _mixture_result(result, X, points, run))


def _run_of_mixture(name, options, known, verbose, callbacks):
    """(the run, the options of the method) that are given to a function of mixtures."""
    if options.get("covariance_type") == "diag":
        options["covariance_type"] = "diagonal"
    run = Run(options, verbose, callbacks, scaling=options.pop("normalize", None))
    chosen = MIXTURE.take(options)
    refuse_unknown(name, options, known)
    return run, chosen


def _points_of_mixture(X, run, responsibilities):
    """(the points, what the binding is given after the callback)."""
    say_if_distances(X, "mixture")
    points = _intake.points(X, run)
    wanted = flag(responsibilities, "responsibilities")
    scale = [] if points.scaling is None else points.scaling.scale.tolist()
    return points, (wanted, points.columns, scale)


def _mixture_result(result, X, points, run):
    result["options"] |= {"normalize": run.scaling, **recorded(X)}
    result["means"], result["ids"] = points.restored(result["means"]), _match.ids_of(X)
    return _results.MixtureResult(MIXTURE, result)


@with_options(
    MIXTURE,
    NORMALIZE,
    RUN,
    own=POINTS_OWN
    + """
most : int
    The largest number of components.
least : int, default 1
    The smallest.
criterion : {'bic', 'aic'}, default 'bic'
    Criterion that compares numbers of components.
responsibilities : bool, default False
    Whether ``best`` has the probability of each component for each row.
"""
    + USE_REP
    + OWN,
)
def choose_mixture(
    X,
    most,
    *,
    least=1,
    criterion="bic",
    responsibilities=False,
    use_rep=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    **options,
):
    """A mixture with each number of components from ``least`` to ``most``; the best by a criterion.

    Each number has one more run than ``n_init``, from the best mixture of one component fewer with one component in two
    halves, so that the likelihood never falls with the number.

    Returns
    -------
    MixtureChoice
        ``curve``: (components, log likelihood of a row, free parameters, BIC, AIC) of each number; ``best``: a
        MixtureResult.

    Examples
    --------
    >>> import dunlin
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> len(dunlin.choose_mixture(X, 3, covariance_type="tied").best.weights)
    2
    """
    known = known_names(MIXTURE, NORMALIZE, own=("most", "least", "criterion", "responsibilities", "use_rep"))
    if "n_components" in options:
        raise OptionError("choose_mixture() takes least and most in place of n_components", option="n_components")
    options.update(n_components=least, n_jobs=n_jobs)
    run, chosen = _run_of_mixture("choose_mixture", options, known, verbose, callbacks)
    with translating(MIXTURE, RUN):
        X = annotated(X, use_rep)
        points, more = _points_of_mixture(X, run, responsibilities)
        curve, best, last, raised = _core.choose_mixture(
            points.values, most, criterion, chosen, run.core(), run.callback(), *more
        )
        for sentence in [last, *best.pop("said")]:
            if sentence:
                say(sentence)
        say_if_few_distinct(points.values, max(len(best["weights"]), 1), "components")
        return finished(
            ((curve, best), raised), lambda both: _results.MixtureChoice(both[0], _mixture_result(both[1], X, points, run))
        )
