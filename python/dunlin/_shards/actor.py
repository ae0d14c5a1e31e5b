# SPDX-License-Identifier: Apache-2.0
"""What runs on a worker: one resident actor, which holds chunks of rows and answers requests about them."""

import dataclasses
import importlib
import threading
import time
import weakref

import numpy as np

from .. import _core, _intake
from .._errors import DeviceError
from .files import Unreadable, read_chunk, write_labels
from .records import Answer, Superseded

_stores = weakref.WeakValueDictionary()  # of this process: run: Store
_epochs = {}  # run: the newest driver's epoch
_lock = threading.Lock()


@dataclasses.dataclass
class LabelRequest:
    """The last request, for labels, which are returned or written into a file (``path``, first byte)."""

    message: bytes
    path: str | None
    offset: int


class Store:
    """The chunks that this process holds for one run, in one Shard; actors of older drivers share it."""

    def __init__(self, options):
        self.options = options
        self.core = importlib.import_module(options["core"])
        shard = dict(options["shard"])
        shard["threads"] = shard["threads"] or _threads_of_worker()
        self.device = shard["device"] = _device_here(shard["device"])
        self.shard, self.firsts = self.core.Shard(**shard), {}

    def keep(self, numbers):
        for number in set(self.firsts) - set(numbers):
            self.shard.remove(self.firsts.pop(number))

    def answer(self, chunks, request):
        """{chunk: response}"""
        is_last = isinstance(request, LabelRequest)
        firsts = [chunk.first for chunk in chunks]
        found = self.shard.answer(request.message if is_last else request, firsts) if firsts else []
        by_first = {self.core.describe_message(response)["chunk"]: response for response in found}
        responses = {chunk.number: by_first[chunk.first] for chunk in chunks}
        if is_last and request.path is not None:
            for chunk in chunks:
                labels = self.core.labels_of(responses[chunk.number])
                write_labels(request.path, request.offset, chunk.place, labels)
                responses[chunk.number] = b""
        return responses

    def add(self, chunk, rows, weights):
        """Rows as they were read: they are narrowed by the sample that decides the offsets of columns."""
        if rows.dtype != np.float32 or not rows.flags.c_contiguous:
            rows = self._narrowed(np.ascontiguousarray(rows))
        if weights is not None:
            weights = np.ascontiguousarray(weights, np.float32)
        self.shard.add(chunk.first, rows, weights)
        self.firsts[chunk.number] = chunk.first

    def _narrowed(self, rows):
        if not rows.dtype.isnative:
            rows = rows.astype(rows.dtype.newbyteorder("="))
        how = {"threads": self.options["shard"].get("threads", 0), "memory": 0}
        values, _, raised = _core.narrow(rows, self.options["offsets"], how, self.options["sample"])
        if raised is not None:
            raise raised
        return values


def _device_here(device):
    """'auto': the GPU where this process sees one."""
    if device != "auto":
        return device
    return "cuda" if _core.gpus() else "cpu"


def _threads_of_worker():
    """Those that Dask gives this worker: several workers may share a machine."""
    from distributed import get_worker

    try:
        return get_worker().state.nthreads
    except (ValueError, AttributeError):
        return 0


def _store_of(run, options=None):
    with _lock:
        store = _stores.get(run)
        if store is None and options is not None:
            store = _stores[run] = Store(options)
        return store


def hand_over(run, chunk, rows, weights):
    """A task: gives a block that the engine holds to the actor of this process."""
    store = _store_of(run)
    if store is None:
        raise RuntimeError("there is no actor in this process")
    store.add(chunk, _intake.dense(rows, f"X from row {chunk.place} on"), weights)


class ShardActor:
    """One a worker. Calls come one after another, but for ``pulse``, which is answered during a call."""

    def __init__(self, run, options):
        self.run, self.store = run, _store_of(run, options)

    async def pulse(self):
        return True

    def ping(self):
        return True

    def answer(self, epoch, request, chunks, keep):
        """An Answer with one response for each of ``chunks``. Chunks that are not here are read."""
        answer = Answer(begun=time.time(), device=self.store.device)
        try:
            self._refuse_older(epoch)
            self.store.keep(keep)
            here = [chunk for chunk in chunks if self._is_here(chunk, answer)]
            begun = time.perf_counter()
            answer.responses = self.store.answer(here, request)
            answer.seconds = time.perf_counter() - begun
        except DeviceError as error:  # of the driver's own checks too, which are no fault of a GPU
            answer.error, answer.broken = error, self.store.device == "cuda"
        except Exception as error:  # noqa: BLE001  it ends the run, on the driver
            answer.error = error
        answer.ended = time.time()
        return answer

    def _refuse_older(self, epoch):
        with _lock:
            newest = _epochs.get(self.run, 0)
            if epoch < newest:
                raise Superseded(f"another driver has taken the run over (epoch {newest}; this one has {epoch})")
            _epochs[self.run] = epoch

    def _is_here(self, chunk, answer):
        if chunk.number in self.store.firsts:
            return True
        begun = time.perf_counter()
        try:
            if chunk.parts is None:
                raise Unreadable(f"rows {chunk.place} to {chunk.place + chunk.rows}: the block is not there")
            rows, weights, found = read_chunk(chunk)
            self.store.add(chunk, rows, weights)
        except Unreadable as reason:
            answer.unreadable[chunk.number] = str(reason)
            return False
        except MemoryError as reason:
            why = str(reason) or "the memory does not suffice"
            answer.unreadable[chunk.number] = f"rows {chunk.place} to {chunk.place + chunk.rows}: {why}"
            return False
        answer.hashes[chunk.number] = found
        answer.read[chunk.number] = time.perf_counter() - begun
        return True
