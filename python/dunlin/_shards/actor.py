# SPDX-License-Identifier: Apache-2.0
"""What runs on a worker: one resident actor, which holds chunks of rows and answers requests about them."""

import dataclasses
import importlib
import threading
import time
import weakref

import numpy as np

from .. import _core
from .._errors import Error
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
    """The chunks that this process holds for one run, each in its own Shard; actors of older drivers share it."""

    def __init__(self, options):
        self.options = options
        self.core = importlib.import_module(options["core"])
        self.shards = {}

    def keep(self, numbers):
        for number in set(self.shards) - set(numbers):
            del self.shards[number]

    def answer(self, chunk, request):
        is_last = isinstance(request, LabelRequest)
        (response,) = self.shards[chunk.number].answer(request.message if is_last else request)
        if not is_last or request.path is None:
            return response
        write_labels(request.path, request.offset, chunk.place, self.core.labels_of(response))
        return b""

    def add(self, chunk, rows, weights):
        """Rows as they were read: they are narrowed by the sample that decides the offsets of columns."""
        if rows.dtype != np.float32 or not rows.flags.c_contiguous:
            rows = self._narrowed(np.ascontiguousarray(rows))
        if weights is not None:
            weights = np.ascontiguousarray(weights, np.float32)
        shard = self.core.Shard(**self.options["shard"] | {"threads": self.options["shard"]["threads"] or _threads_of_worker()})
        shard.add(chunk.first, rows, weights)
        self.shards[chunk.number] = shard

    def _narrowed(self, rows):
        if not rows.dtype.isnative:
            rows = rows.astype(rows.dtype.newbyteorder("="))
        how = {"threads": self.options["shard"].get("threads", 0), "memory": 0}
        values, _, raised = _core.narrow(rows, self.options["offsets"], how, self.options["sample"])
        if raised is not None:
            raise raised
        return values


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
    store.add(chunk, np.asarray(rows), weights)


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
        answer = Answer(begun=time.time())
        try:
            self._refuse_older(epoch)
            self.store.keep(keep)
            here = [chunk for chunk in chunks if self._is_here(chunk, answer)]
            begun = time.perf_counter()
            for chunk in here:
                answer.responses[chunk.number] = self.store.answer(chunk, request)
            answer.seconds = time.perf_counter() - begun
        except Error as error:
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
        if chunk.number in self.store.shards:
            return True
        begun = time.perf_counter()
        try:
            if chunk.parts is None:
                raise Unreadable(f"rows {chunk.place} to {chunk.place + chunk.rows}: the block is not there")
            rows, weights, answer.hashes[chunk.number] = read_chunk(chunk)
        except Unreadable as reason:
            answer.unreadable[chunk.number] = str(reason)
            return False
        self.store.add(chunk, rows, weights)
        answer.read[chunk.number] = time.perf_counter() - begun
        return True
