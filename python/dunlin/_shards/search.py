# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask.neighbors."""

import warnings

import numpy as np

from .._errors import InputError, OptionError
from .._groups import NEIGHBORS
from .._results import NeighborsResult
from .estimator import ClusterEstimator
from .lists import Lists
from .methods import NeighborsMethod


class Search(ClusterEstimator):
    """A search as what a run over shards needs to know of it."""

    least_share, labels, device, random_state = 1.0, None, "cpu", 1

    def __init__(self, n_neighbors, metric, verbose, callbacks, n_jobs, client, patience, checkpoint):
        self.n_neighbors, self.metric, self.verbose, self.callbacks = n_neighbors, metric, verbose, callbacks
        self.n_jobs, self.client, self.patience, self.checkpoint = n_jobs, client, patience, checkpoint

    def neighbors(self, X, columns, include_self):
        lists = Lists(
            self._wanted(),
            self.checkpoint,
            lambda event, **facts: self._log(event, **facts),
            lambda text: warnings.warn(text, stacklevel=2),
        )
        method = NeighborsMethod({"k": lists.wanted, "metric": self.metric, "method": "exact"}, lists)
        complete = False
        try:
            values, run = self._run(method, NEIGHBORS, X, columns, None)
            complete = self.stopped_ != "cancelled"
        finally:
            lists.close(complete)
        n = self.n_samples_ if complete else 0
        indices, distances = (lists.indices, lists.distances) if complete else (np.empty((0, 0)), np.empty((0, 0)))
        offsets = np.arange(n + 1, dtype=np.int64) * indices.shape[1]
        targets = indices.reshape(-1).astype(np.int32, copy=False)
        values["graph"] = (offsets, targets, distances.reshape(-1).astype(np.float32, copy=False))
        found = NeighborsResult(NEIGHBORS, values, include_self, points=self.n_samples_, ids=None if self._rows is None else self._rows.ids)
        found.workers, found.events = self.workers_, self.events_
        return found

    def _wanted(self):
        if isinstance(self.n_neighbors, bool) or not hasattr(self.n_neighbors, "__index__"):
            raise OptionError(f"n_neighbors is {self.n_neighbors!r}; it must be a whole number", option="n_neighbors")
        if self.n_neighbors < 1:
            raise InputError(f"n_neighbors is {self.n_neighbors}; it must be at least 1", option="n_neighbors")
        return int(self.n_neighbors)
