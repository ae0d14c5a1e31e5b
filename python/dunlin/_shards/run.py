# SPDX-License-Identifier: Apache-2.0
"""One fit over a Dask cluster: chunks, transport, coordinator, checkpoint, and the library's iteration on top."""

import math
import os
import time
import uuid
import warnings

import numpy as np

from .. import _core
from .._errors import InputError
from .._output import replacing
from .._run import finished
from .actor import LabelRequest
from .checkpoint import Checkpoint
from .files import create_labels, rows_of_chunk, without
from .records import OutOfReach, StopRequested
from .schedule import Coordinator
from .transport import DaskTransport


TELL = 0.05  # seconds between two reports of progress, as of the library


def step_of(core, data, method, chunk_rows=0):
    """Rows of a chunk; ``chunk_rows``: of the tests."""
    return chunk_rows or rows_of_chunk(data.n, core.chunk_rows(data.cols), method.width(data.cols))


class Run:
    """``method``: what is computed, of methods.py. ``settings``: estimator.ClusterEstimator._settings()."""

    def __init__(self, core, data, method, settings, client, log):
        self.core, self.data, self.method, self.settings, self.client, self.log = (
            core,
            data,
            method,
            settings,
            client,
            log,
        )
        self.step = settings["step"]
        self.offsets = method.offsets
        self.sample = None if data.dtype == np.float32 else np.ascontiguousarray(data.sample())
        self.shift, self.share, self.labels = self._shift(), 1.0, None
        chunks = data.chunks(self.step)
        self.checkpoint = Checkpoint(settings["checkpoint"], log, lambda text: warnings.warn(text, stacklevel=6))
        self.state = self.checkpoint.begin(self._header(len(chunks)))
        for chunk, known in zip(chunks, self.checkpoint.header["hashes"]):
            chunk.hash = known
        self.blocks = data.blocks(self.step)
        self._connect(chunks, self.checkpoint.header["run"], self.checkpoint.header["epoch"])

    def _shift(self):
        """What is subtracted from the columns: by the same rows, and by the same rule, as the readers of files."""
        if self.sample is None or self.offsets != "subtract":
            return None
        _, shift, raised = _core.narrow(self.sample, self.offsets, {"threads": 1, "memory": 0}, None)
        if raised is not None:
            raise raised
        return shift

    def _header(self, chunks):
        """What must agree for a checkpoint to be of this run."""
        return {
            "run": uuid.uuid4().hex[:12],
            "n": self.data.n,
            "cols": self.data.cols,
            "files": self.data.paths,
            "seed": self.settings["seed"],
            **self.method.header(),
            "hashes": [None] * chunks,
        }

    def _connect(self, chunks, name, epoch):
        self.chunks = chunks
        worker = {
            "core": self.settings["core"],
            "shard": {
                "metric": self.method.metric,
                "threads": self.settings["threads"],
                "device": self.settings["device"],
            },
            "offsets": self.offsets,
            "sample": self.sample,
        }
        self.transport = DaskTransport(self.client, name, worker, chunks, self.blocks)
        self.transport.epoch = epoch
        self.coordinator = Coordinator(
            [chunk.rows for chunk in chunks],
            self.transport,
            least_share=self.settings["least_share"],
            patience=self.settings["patience"],
            kind_of=self._kind_of,
            fits=self._fits,
            log=self.log,
        )

    def close(self):
        self.transport.close()

    # The iteration

    def result(self):
        """What the library returns; ``labels`` is set too."""
        while True:
            try:
                return self._fit()
            except OutOfReach as reason:
                self._begin_without(reason.chunks)

    def _fit(self):
        self.transport.should_stop = self.core.should_stop_waiting
        run = {"threads": 1, "seed": self.settings["seed"], "memory": 0, "device": "cpu"}
        outcome = self.method.over(
            self.core,
            self._ask,
            sum(chunk.rows for chunk in self.chunks),
            self.data.cols,
            self.data.weights is not None,
            self.shift,
            run,
            self.settings["callback"],
            chunk_rows=self.step,
            epoch=self.transport.epoch,
            labels=False,
            ask_after_stop=False,
            on_checkpoint=self._save,
            resume=self.state,
        )
        result = finished(outcome, dict)
        request = result.pop("labels_request", None)
        if request is not None and result["stopped"] != "cancelled":
            try:
                self.labels = self._labels(request)
            except StopRequested:
                result["stopped"] = "cancelled"
        if result["stopped"] != "cancelled":
            self.checkpoint.remove()
        return result

    def _ask(self, request):
        try:
            return list(self.coordinator.ask(request).values())
        except StopRequested:  # the library asks for no more
            return []

    def _progress_of_labels(self):
        """should_stop() while labels are written: there is no run of the library any more that tells it."""
        callback, told = self.settings["callback"], -math.inf
        if callback is None:
            return lambda: False

        def should_stop():
            nonlocal told
            if time.monotonic() - told < TELL:
                return False
            told = time.monotonic()
            return bool(callback("labels", 0, 1, math.nan, None))

        return should_stop

    def _save(self, state):
        self.checkpoint.header["hashes"] = [chunk.hash for chunk in self.chunks]
        self.checkpoint.save(state)

    def _begin_without(self, numbers):
        """From the start on the rows that are left, whose clusters are those of a run that never had the others."""
        self.transport.close()
        kept = without(self.chunks, numbers, self.step)
        self.share = sum(chunk.rows for chunk in kept) / self.data.n
        self.log("dropped", chunks=numbers, share=self.share)
        warnings.warn(
            f"the run begins again with {self.share:.2%} of the rows; the others are out of reach", stacklevel=4
        )
        self.checkpoint.remove()
        self.checkpoint.path, self.state = None, None
        self._connect(kept, uuid.uuid4().hex[:12], 1)

    def in_units_of_points(self, values):
        """Rows, such as centers: with the shift of the points, and their type."""
        rows = values.reshape(-1, self.data.cols)  # none: stopped before the first iteration
        if self.shift is not None:
            rows = rows.astype(np.float64) + self.shift
        return np.ascontiguousarray(rows, np.float64 if self.data.dtype == np.float64 else np.float32)

    # Messages

    def _message(self, request):
        return request.message if isinstance(request, LabelRequest) else request

    def _kind_of(self, request):
        return self.core.describe_message(self._message(request))["kind"]

    def _fits(self, request, response, chunk):
        if isinstance(request, LabelRequest) and request.path is not None:
            return response == b""
        asked = self.core.describe_message(self._message(request))
        try:
            found = self.core.describe_message(response)
        except InputError:  # damaged on its way
            return False
        same = all(found[name] == asked[name] for name in ("epoch", "step"))
        return same and found["chunk"] == self.chunks[chunk].first

    def _labels(self, message):
        """By the workers, into the file or through their answers."""
        path = None if self.settings["labels"] is None else os.path.abspath(self.settings["labels"])
        self.transport.should_stop = self._progress_of_labels()
        if path is None:
            found = self.coordinator.ask(LabelRequest(message, None, 0))
        else:  # a stop leaves a former file as it is
            with replacing(path) as file:
                self.coordinator.ask(LabelRequest(message, file.name, create_labels(file.name, self.data.n)))
        if self.settings["callback"] is not None:
            self.settings["callback"]("labels", 1, 1, math.nan, None)
        if path is not None:
            return np.load(path, mmap_mode="r")
        labels = np.full(self.data.n, -1, np.int32)  # -1: rows that the run went on without
        for number, response in found.items():
            place = self.chunks[number].place
            labels[place : place + self.chunks[number].rows] = self.core.labels_of(response)
        return labels
