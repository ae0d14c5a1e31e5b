# SPDX-License-Identifier: Apache-2.0
"""k-means on the workers of a Dask cluster, with the bytes of one process, whatever happens to the workers.

Each worker has one resident actor, which holds chunks of rows and answers the driver's requests about them. A worker
reads its own ranges of the files; blocks of a dask.array stay among the workers. docs/distributed.md is the guide.
"""

import importlib
import warnings

import numpy as np

from ._clusters import KMEANS_STARTS, assign
from ._errors import InputError, OptionError
from ._groups import KMEANS
from ._options import translating
from ._run import Run as HowToRun
from ._shards.checkpoint import Log
from ._shards.memory import check_memory
from ._shards.points import points_of
from ._shards.records import ClusterLost, Disagreement, Superseded
from ._shards.run import Run, step_of

try:
    from sklearn.base import BaseEstimator
except ImportError:
    BaseEstimator = object

__all__ = ["ClusterLost", "Disagreement", "KMeans", "Superseded"]

MANY_CLUSTERS = 64  # from here on the rounds of k-means++, two or three a centroid, take longer than the iterations


class KMeans(BaseEstimator):
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
        What says which of them is best; default 'bic'.
    verbose, callbacks
        As of dunlin.kmeans: ``callback(stage, done, total)``; a true value that it returns ends the run within 0.25 s, also
        while workers are out of reach.
    client : distributed.Client, optional
        The cluster; default: the current client. Its security options (TLS) are those of all messages.
    least_share : float, default 1.0
        Part of the rows without which the run is suspended. Below 1 it goes on without chunks that nobody can read any more;
        ``share_`` says how much counted.
    patience : float, default 60
        Seconds for which chunks may be out of reach before that.
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
        client=None,
        least_share=1.0,
        patience=60.0,
        checkpoint=None,
        labels=None,
    ):
        self.n_clusters, self.init, self.n_init, self.max_iter, self.tol = n_clusters, init, n_init, max_iter, tol
        self.stop, self.random_state, self.metric, self.n_jobs = stop, random_state, metric, n_jobs
        self.up_to, self.criterion, self.verbose, self.callbacks = up_to, criterion, verbose, callbacks
        self.client, self.least_share, self.patience = client, least_share, patience
        self.checkpoint, self.labels = checkpoint, labels

    # Of the tests: another implementation of shards; smaller chunks
    _core_module, _chunk_rows = "dunlin._core", 0

    def fit(self, X, y=None, sample_weight=None, *, columns=None):
        """Computes the clusters.

        Parameters
        ----------
        X : path, list of paths, dask.array or array
            .npy files (or, with ``columns``, raw float32 rows) that every worker can read; their rows are joined.
        sample_weight : array, or path of a .npy file where X is in files, optional
        columns : int, optional
            Of raw files.
        """
        self._check(sample_weight)
        client = self._client()
        core = importlib.import_module(self._core_module)
        log = Log()
        data = points_of(client, X, columns, sample_weight)
        if data.n == 0 or data.cols == 0:
            raise InputError(f"X has the shape ({data.n}, {data.cols}); there must be rows and columns", option="X")
        options, settings = self._options(), self._settings(core, data)
        check_memory(core, client, data, self.up_to or self.n_clusters, settings["step"], settings["threads"])
        run = Run(core, data, options, settings, client, log)
        try:
            with translating(KMEANS):
                result = run.clusters()
        finally:
            self.events_ = log.events
            run.close()
        self._take(result, run)
        return self

    def fit_predict(self, X, y=None, sample_weight=None, *, columns=None):
        """The labels of fit()."""
        return self.fit(X, sample_weight=sample_weight, columns=columns).labels_

    def predict(self, X):
        """The nearest center of each row, in this process."""
        return assign(X, self.cluster_centers_, metric=self.metric).labels

    def _client(self):
        if self.client is not None:
            return self.client
        try:
            from distributed import get_client
        except ImportError:
            raise ImportError("dunlin.dask needs the package distributed (pip install 'dunlin-maps[dask]')") from None
        try:
            return get_client()
        except ValueError:
            raise InputError(
                "there is no Dask client; make one, distributed.Client('tcp://host:8786'), or give client=",
                option="client",
            ) from None

    def _check(self, sample_weight):
        if not 0 < self.least_share <= 1:
            raise InputError(
                f"least_share is {self.least_share}; it must be above 0 and at most 1", option="least_share"
            )
        if not self.patience >= 0:
            raise InputError(f"patience is {self.patience}; it must be at least 0 seconds", option="patience")
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

    def _seed(self):
        if self.random_state is None:
            return int(np.random.randint(2**31 - 1))
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(self.random_state.randint(2**31 - 1))

    def _options(self):
        """Options of the library, under its names."""
        start = self.init if isinstance(self.init, str) else None
        restarts = self.n_init
        if restarts == "auto":
            restarts = 10 if start == "random" else 1
        self.seed_ = self._seed()
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

    def _settings(self, core, data):
        """How to run; nothing here but the seed, the first centers and the choice of their number changes the result."""
        how = HowToRun({"n_jobs": self.n_jobs}, self.verbose, self.callbacks)
        return {
            "core": self._core_module,
            "step": step_of(core, data, self.up_to or self.n_clusters, self._chunk_rows),
            "seed": self.seed_,
            "threads": how.threads,
            "callback": how.callback(),
            "up_to": self.up_to,
            "criterion": self.criterion,
            "centers": None if isinstance(self.init, str) else self.init,
            "least_share": self.least_share,
            "patience": self.patience,
            "checkpoint": self.checkpoint,
            "labels": self.labels,
        }

    def _take(self, result, run):
        centers = result["centers"].reshape(-1, run.data.cols)  # none: stopped before the first iteration
        if run.shift is not None:
            centers = centers.astype(np.float64) + run.shift
        kind = np.float64 if run.data.dtype == np.float64 else np.float32
        self.cluster_centers_ = np.ascontiguousarray(centers, kind)
        self.inertia_, self.counts_ = result["inertia"], result["counts"]
        self.stopped_, self.result_ = result["stopped"], result
        self.n_iter_ = result["n_iter"]
        if self.stopped_ != "cancelled":  # as dunlin.KMeans counts: also the iteration that finds no label changed
            self.n_iter_ = min(max(1, self.n_iter_ + (self.stopped_ == "converged")), self.max_iter)
        if self.up_to is not None:
            self.curve_ = result["curve"]
        self.share_, self.labels_ = run.share, run.labels
        self.n_features_in_, self.n_samples_ = run.data.cols, run.data.n
        self.shift_, self.workers_ = run.shift, len(run.coordinator.workers)
        self.threads_ = sum(worker.power for worker in run.coordinator.workers.values())
