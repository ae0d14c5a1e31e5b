# SPDX-License-Identifier: Apache-2.0
"""k-means, mixtures of Gaussians and exact neighbors on the workers of a Dask cluster, with the bytes of one process, whatever
happens to the workers.

Each worker has one resident actor, which holds chunks of rows and answers the driver's requests about them. A worker
reads its own ranges of the files; blocks of a dask.array stay among the workers. docs/machines.md is the guide.
"""

import warnings

import numpy as np

from . import _match
from ._clusters import KMEANS_STARTS, assigned, centers_like
from ._densities import log_densities
from ._errors import InputError, OptionError
from ._groups import KMEANS, MIXTURE
from ._offsets import rows_with
from ._options import flag
from ._run import Run
from ._shards.checkpoint import Log
from ._shards.estimator import ClusterEstimator, refuse_other_words
from ._shards.methods import ClusterMethod, MixtureMethod
from ._shards.records import ClusterLost, Disagreement, Superseded
from ._shards.search import Search

__all__ = ["ClusterLost", "Disagreement", "GaussianMixture", "KMeans", "Log", "Superseded", "neighbors"]

MANY_CLUSTERS = 64  # from here on the rounds of k-means++, two or three a centroid, take longer than the iterations


class KMeans(ClusterEstimator):
    """dunlin.KMeans on the workers of a Dask cluster: the same clusters to the last bit, for any number of workers.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, random_state, metric, n_jobs
        As of dunlin.KMeans. From 64 clusters on, init='k-means||' needs far fewer rounds. ``n_jobs``: threads of each
        worker; None: those that Dask gives it.
    stop : {'shift', 'inertia', 'never'}, default 'shift'
        As of dunlin.kmeans.
    up_to : int, optional
        All numbers of clusters from ``n_clusters`` to this are tried, as by dunlin.choose_k; without ``sample_weight``
        and with an ``init`` that is drawn.
    criterion : {'bic', 'aic', 'silhouette'}, optional
        Criterion that selects the best of them; default 'bic'.
    verbose, callbacks
        As of dunlin.kmeans: ``callback(stage, done, total)``; a true value that it returns ends the run within 0.25 s, also
        while workers are out of reach.
    device : {'auto', 'cpu', 'cuda'}, default 'auto'
        Where workers compute. 'auto': those that see a GPU on that, if the data are large enough to gain; 'cuda': only workers
        that see one take part. Workers of both kinds give the same bytes. Of several GPUs of a machine each worker takes the
        first that CUDA_VISIBLE_DEVICES shows it; dask-cuda starts one worker for each.
    client : distributed.Client, optional
        The cluster; default: the current client. Its security options (TLS) are those of all messages.
    least_share : float, default 1.0
        Least fraction of the rows in reach; with fewer the run is suspended. Below 1 it goes on without chunks that no worker
        can read; ``share_`` is the fraction that counted.
    patience : float, default 60
        Seconds for which chunks may be out of reach before the run is suspended.
    checkpoint : path, optional
        A file that is written after each iteration. If it is there, the run goes on from it; it is removed at the end.
    labels : path, optional
        A .npy file into which the workers write the labels; all must reach it. Default: they are returned.

    Attributes
    ----------
    labels_, cluster_centers_, inertia_, n_iter_
        As of dunlin.KMeans. ``labels_`` is a memory map of the file if there is one. A run that was stopped has the centers
        of its last complete iteration, none before the first, and no labels (None); ``predict`` finds these, and fit()
        goes on from a checkpoint.
    curve_ : list of tuple
        With ``up_to``: (clusters, inertia, value) of each number.
    counts_, stopped_
        Rows of each cluster; why the iteration ended.
    share_, workers_ : float, int
        Part of the rows that counted; workers that took part.
    devices_ : dict
        'cpu' or 'cuda' for the address of each worker that answered.
    events_ : list of dict
        What happened, with seconds since the beginning.
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        stop="shift",
        up_to=None,
        criterion=None,
        verbose=0,
        callbacks=None,
        random_state=None,
        metric="euclidean",
        n_jobs=None,
        device="auto",
        client=None,
        least_share=1.0,
        patience=60.0,
        checkpoint=None,
        labels=None,
    ):
        self.n_clusters, self.init, self.n_init, self.max_iter, self.tol = n_clusters, init, n_init, max_iter, tol
        self.stop, self.random_state, self.metric, self.n_jobs = stop, random_state, metric, n_jobs
        self.device = device
        self.up_to, self.criterion, self.verbose, self.callbacks = up_to, criterion, verbose, callbacks
        self.client, self.least_share, self.patience = client, least_share, patience
        self.checkpoint, self.labels = checkpoint, labels

    def fit(self, X, y=None, sample_weight=None, *, columns=None):
        """Computes the clusters.

        Parameters
        ----------
        X : path, list of paths, dask.array, dask.dataframe, or array or table
            .npy files (or, with ``columns``, raw float32 rows) that every worker can read; their rows are joined.
        y
            Ignored, as in scikit-learn.
        sample_weight : array, or path of a .npy file where X is in files, optional
        columns : int, optional
            Of raw files.

        Where both have names, ``sample_weight`` is matched with the rows of X, and columns of ``init`` with those of X.
        """
        refuse_other_words(y)
        self._check(sample_weight)
        centers = None if isinstance(self.init, str) else centers_like(self.init, _match.columns_of(X), "init")
        method = ClusterMethod(self._options(), centers, self.up_to, self.criterion)
        self._take(*self._run(method, KMEANS, X, columns, sample_weight))
        return self

    def fit_predict(self, X, y=None, sample_weight=None, *, columns=None):
        """The labels of fit()."""
        return self.fit(X, y, sample_weight=sample_weight, columns=columns).labels_

    def predict(self, X):
        """The nearest center of each row, in this process. Columns of a table are put in the order of those that were
        fitted."""
        X, like = self._in_fitted_order(X), rows_with(self.shift_, self.n_features_in_)
        return assigned(X, self.cluster_centers_, self.metric, Run({}), like)["labels"]

    def _check(self, sample_weight):
        if self.up_to is None:
            if self.criterion is not None:
                raise InputError("criterion is read only with up_to; leave it out", option="criterion")
            return
        if self.up_to < 1:
            raise InputError(f"up_to is {self.up_to}; it must be at least 1", option="up_to")
        if not isinstance(self.init, str):
            raise OptionError("up_to tries several numbers of clusters; init must be a word, not centers", option="init")
        if sample_weight is not None:
            raise OptionError("up_to is for rows without weights; leave sample_weight out", option="sample_weight")

    def _options(self):
        """Options of the library, under its names."""
        start = self.init if isinstance(self.init, str) else None
        restarts = self.n_init
        if restarts == "auto":
            restarts = 10 if start == "random" else 1
        options = {
            "clusters": int(self.n_clusters),
            "metric": self.metric,
            "restarts": int(restarts),
            "iterations": int(self.max_iter),
            "stop": self.stop,
        }
        if self.stop != "never":
            options["tolerance"] = float(self.tol)
        if start is not None:
            options["start"] = KMEANS_STARTS.get(start, start)
            most = self.up_to or self.n_clusters
            if options["start"] == "plusplus" and most >= MANY_CLUSTERS:
                warnings.warn(
                    f"k-means++ asks all workers two or three times for each of the {most} centers; init='k-means||' "
                    "needs some twenty requests",
                    stacklevel=3,
                )
        return options

    def _take(self, result, run):
        self.cluster_centers_ = run.in_units_of_points(result["centers"])
        self.inertia_, self.counts_ = result["inertia"], result["counts"]
        if self.stopped_ != "cancelled":  # as dunlin.KMeans counts: also the iteration that finds no label changed
            self.n_iter_ = min(max(1, self.n_iter_ + (self.stopped_ == "converged")), self.max_iter)
        if self.up_to is not None:
            self.curve_ = result["curve"]


class GaussianMixture(ClusterEstimator):
    """dunlin.mixture on the workers of a Dask cluster: the same components to the last bit, for any number of workers.

    Parameters
    ----------
    n_components, covariance_type, tol, reg_covar, max_iter
        As of dunlin.mixture; ``covariance_type`` is 'full' or 'diag', and the unit of ``reg_covar`` is 'spread'.
    device
        As of dunlin.dask.KMeans, for the initial k-means; the mixture itself is computed on the workers' CPUs.
    random_state, n_jobs, verbose, callbacks, client, least_share, patience, checkpoint, labels
        As of dunlin.dask.KMeans.

    Attributes
    ----------
    labels_ : array
        The likeliest component of each row; a memory map of the file if there is one.
    weights_, means_, covariances_
        Of the components. A run that was stopped has those of its last complete iteration, none before the first, and no
        labels (None); ``predict`` finds these, and fit() goes on from a checkpoint.
    lower_bound_, bic_ : float
        Log likelihood of a row, in nats; BIC.
    n_iter_, converged_, stopped_
        Iterations; whether and why they ended.
    share_, workers_, devices_, events_
        As of dunlin.dask.KMeans.
    """

    def __init__(
        self,
        n_components=8,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        verbose=0,
        callbacks=None,
        random_state=None,
        n_jobs=None,
        device="auto",
        client=None,
        least_share=1.0,
        patience=60.0,
        checkpoint=None,
        labels=None,
    ):
        self.n_components, self.covariance_type, self.tol = n_components, covariance_type, tol
        self.reg_covar, self.max_iter, self.verbose, self.callbacks = reg_covar, max_iter, verbose, callbacks
        self.random_state, self.n_jobs, self.device, self.client = random_state, n_jobs, device, client
        self.least_share, self.patience, self.checkpoint, self.labels = least_share, patience, checkpoint, labels

    def fit(self, X, y=None, *, columns=None):
        """Fits the mixture.

        Parameters
        ----------
        X, y, columns
            As of dunlin.dask.KMeans.
        """
        refuse_other_words(y)
        if self.covariance_type not in ("full", "diag"):
            raise InputError(
                f"covariance_type is {self.covariance_type!r}; it must be 'full' or 'diag'", option="covariance_type"
            )
        options = {
            "components": int(self.n_components),
            "covariance": "full" if self.covariance_type == "full" else "diagonal",
            "iterations": int(self.max_iter),
            "tolerance": float(self.tol),
            "floor": float(self.reg_covar),
        }
        result, run = self._run(MixtureMethod(options), MIXTURE, X, columns, None)
        self.weights_, self.covariances_ = result["weights"], result["covariances"]
        self.means_ = run.in_units_of_points(result["means"])
        self.lower_bound_, self.bic_ = result["log_likelihood"], result["bic"]
        self.converged_ = self.stopped_ == "converged"
        return self

    def fit_predict(self, X, y=None, *, columns=None):
        """The labels of fit()."""
        return self.fit(X, y, columns=columns).labels_

    def predict(self, X):
        """The likeliest component of each row, in this process, with the components as they were rounded to float32. Columns
        of a table are put in the order of those that were fitted."""
        return np.argmax(self._log_densities(X), axis=1).astype(np.int32)

    def predict_proba(self, X):
        """Responsibilities of the components for each row, in this process."""
        logs = self._log_densities(X)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def _log_densities(self, X):
        return log_densities(self._in_fitted_order(X), self.weights_, self.means_, self.covariances_)


def neighbors(
    X,
    n_neighbors=15,
    *,
    metric="euclidean",
    include_self=False,
    columns=None,
    callbacks=None,
    verbose=0,
    n_jobs=None,
    client=None,
    patience=60.0,
    checkpoint=None,
):
    """The nearest neighbors of each row, found exactly: dunlin.neighbors(X, method='exact') to the last bit.

    All rows pass through the driver, a block at a time, and each block goes to every worker: it pays with many columns, where
    the search takes minutes. Workers may die, freeze, join and return.

    Parameters
    ----------
    X, columns
        As of KMeans.fit().
    n_neighbors, include_self
        As of dunlin.neighbors.
    metric : {'euclidean', 'manhattan', 'inner-product'}
        Cosine and correlation are refused: rows of equal direction all get the distances of the first such row in the whole
        data, and a worker cannot determine that row. Scale the rows to length 1 and use euclidean.
    callbacks, verbose, n_jobs, client, patience
        As of KMeans. A run that is stopped has no lists; with a checkpoint the next call goes on.
    checkpoint : path, optional
        A file that is written after each block of 4,096 rows, and beside it the lists so far. If it is there, the search goes
        on from it. Both are removed at the end.

    Returns
    -------
    NeighborsResult
        As of dunlin.neighbors, with ``ids`` of a table, ``workers``, how many took part, and ``events``, as KMeans.events_.
    """
    search = Search(n_neighbors, metric, verbose, callbacks, n_jobs, client, patience, checkpoint)
    return search.neighbors(X, columns, flag(include_self, "include_self"))
