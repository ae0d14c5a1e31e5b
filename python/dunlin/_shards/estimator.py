# SPDX-License-Identifier: Apache-2.0
"""What the estimators of dunlin.dask have in common."""

import importlib
import os

import numpy as np

from .. import _match
from .._errors import InputError
from .._options import translating
from .._run import Run as HowToRun
from .checkpoint import Log
from .memory import check_memory
from .points import named_rows, points_of, weights_of
from .run import Run, step_of

try:
    from sklearn.base import BaseEstimator
except ImportError:
    BaseEstimator = object


DEVICES = ("auto", "cpu", "cuda")
LARGE_ENOUGH = 1e8  # numbers times clusters: as of one process


def refuse_other_words(y):
    """Raises InputError for a y that can be no target of the rows, such as what was meant for another parameter."""
    if y is not None and (isinstance(y, (str, bytes, os.PathLike)) or not hasattr(y, "__len__")):
        raise InputError(
            f"y is {y!r}, and nothing reads it; leave it out, or give sample_weight or columns by name", option="y"
        )


class ClusterEstimator(BaseEstimator):
    """An estimator with ``client``, ``least_share``, ``patience``, ``checkpoint``, ``labels`` and how to run."""

    # Of the tests and the bench: another implementation of shards; smaller chunks; another log
    _core_module, _chunk_rows, _log_class = "dunlin._core", 0, Log

    def _run(self, method, group, X, columns, weights):
        """(result, Run); sets the attributes that all results have. ``group``: names of the options in errors."""
        if not 0 < self.least_share <= 1:
            raise InputError(
                f"least_share is {self.least_share}; it must be above 0 and at most 1", option="least_share"
            )
        if not self.patience >= 0:
            raise InputError(f"patience is {self.patience}; it must be at least 0 seconds", option="patience")
        client, core, log = self._client(), importlib.import_module(self._core_module), self._log_class()
        self._log = log
        rows = self._rows = named_rows(client, X)
        if weights is not None and rows is not None:
            weights = weights_of(client, weights, rows)
        data = points_of(client, X, columns, weights)
        if data.n == 0 or data.cols == 0:
            raise InputError(f"X has the shape ({data.n}, {data.cols}); there must be rows and columns", option="X")
        self.seed_ = self._seed()
        settings = self._settings(core, data, method)
        check_memory(core, client, data, method, settings["step"], settings["threads"])
        data.say_if_distances(method.function)
        run = Run(core, data, method, settings, client, log)
        try:
            with translating(group):
                result = run.result()
        finally:
            self.events_ = log.events
            run.close()
        self.result_, self.stopped_, self.n_iter_ = result, result["stopped"], result["n_iter"]
        self.share_, self.labels_ = run.share, run.labels
        self.n_features_in_, self.n_samples_ = data.cols, data.n
        self._remember_columns(X)
        self.shift_, self.workers_ = run.shift, len(run.coordinator.workers)
        self.devices_ = {name: w.device for name, w in run.coordinator.workers.items() if w.device is not None}
        self.threads_ = sum(worker.power for worker in run.coordinator.workers.values())
        return result, run

    def _remember_columns(self, X):
        names = _match.columns_of(X)
        self.__dict__.pop("feature_names_in_", None)
        if isinstance(names, list):
            self.feature_names_in_ = np.array(names, object)

    def _in_fitted_order(self, X):
        """X, in this process, with its columns in the order of those that were fitted, where both have names."""
        if hasattr(X, "compute") and hasattr(X, "dask"):
            X = X.compute() if self.client is None else self.client.compute(X, sync=True)
        fitted = getattr(self, "feature_names_in_", None)
        return X if fitted is None else _match.in_order_of(X, fitted.tolist(), "X", "what was fitted")

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

    def _seed(self):
        if self.random_state is None:
            return int(np.random.randint(2**31 - 1))
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(self.random_state.randint(2**31 - 1))

    def _device_for(self, data, method):
        """'auto' is the CPU where an iteration takes less time than a GPU needs to begin."""
        device = getattr(self, "device", "cpu")
        if device not in DEVICES:
            raise InputError(f"device is {device!r}; it must be 'auto', 'cpu' or 'cuda'", option="device")
        if device == "auto" and data.n * data.cols * method.width(data.cols) < LARGE_ENOUGH:
            return "cpu"
        return device

    def _settings(self, core, data, method):
        """How to run; nothing here but the seed changes the result."""
        how = HowToRun({"n_jobs": self.n_jobs}, self.verbose, self.callbacks)
        return {
            "core": self._core_module,
            "step": step_of(core, data, method, self._chunk_rows),
            "seed": self.seed_,
            "threads": how.threads,
            "device": self._device_for(data, method),
            "callback": how.callback(),
            "least_share": self.least_share,
            "patience": self.patience,
            "checkpoint": self.checkpoint,
            "labels": self.labels,
        }
