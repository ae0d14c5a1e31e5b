# SPDX-License-Identifier: Apache-2.0
"""The transport of schedule.py over Dask: coroutines on the client's loop put events into a queue."""

import asyncio
import queue
import time
import uuid

from .actor import ShardActor
from .records import Answer, ClusterLost, StopRequested
from .versions import why_unfit

POLL = 0.2  # seconds between two looks at the scheduler's list of workers
LOOK = 0.1  # seconds between two looks at whether the run is to stop


def is_of_the_engine(error):
    """Whether an exception says that a worker is gone, and not that the work failed."""
    if isinstance(error, RuntimeError):
        return "holding Actor was lost" in str(error) or "no actor in this process" in str(error)
    return isinstance(error, (OSError, KeyError, asyncio.TimeoutError)) or type(error).__name__ == "KilledWorker"


class DaskTransport:
    """``options``: of the actors. ``blocks``: gives a worker a chunk that is in no file (points.py).

    ``should_stop()`` is called ten times a second or more while the driver waits, and tells progress, too.
    """

    def __init__(self, client, run, options, chunks, blocks=None):
        self.client, self.run, self.options, self.chunks = client, run, options, chunks
        self.blocks, self.epoch = blocks, 1
        self.events = queue.SimpleQueue()
        self.actors, self.futures, self.given, self.tasks = {}, {}, {}, set()
        self.known, self.closed = {}, False
        self.should_stop = lambda: False
        self._spawn(self._watch())

    def now(self):
        return time.monotonic()

    def wait(self, until):
        found = self._next(until)
        for event in found:
            if event[0] == "cluster lost":
                raise ClusterLost(
                    f"the scheduler at {self._address()} cannot be reached ({event[1]}); with a checkpoint, fit() on a new "
                    "cluster goes on from the last iteration"
                )
        return found

    def _next(self, until):
        found = []
        while not found:
            if self.should_stop():
                raise StopRequested
            left = until - self.now()
            try:
                found.append(self.events.get(timeout=max(0.0, min(left, LOOK))))
                while True:
                    found.append(self.events.get_nowait())
            except queue.Empty:
                if left <= 0:
                    break
        return found

    def start(self, name):
        self._spawn(self._start(name))

    def send(self, name, ticket, request, chunks, keep):
        self._spawn(self._send(name, ticket, request, chunks, keep))

    def ping(self, name):
        self._spawn(self._ping(name))

    def pulse(self, name):
        self._spawn(self._pulse(name))

    def close(self):
        """Workers forget the chunks when the last actor of the run is gone."""
        self.closed = True

        def end():
            for task in self.tasks:
                task.cancel()
            for future in self.futures.values():
                future.release()
            self.futures, self.actors = {}, {}

        self.client.loop.add_callback(end)

    def _address(self):
        return getattr(getattr(self.client, "scheduler", None), "address", "an unknown address")

    def _spawn(self, coroutine):
        def begin():
            if self.closed:
                coroutine.close()
                return
            task = asyncio.ensure_future(coroutine)
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        self.client.loop.add_callback(begin)

    async def _watch(self):
        while not self.closed:
            try:
                if self.client.status != "running":
                    raise OSError(f"the client is {self.client.status}")
                found = await asyncio.wait_for(self.client.scheduler.ncores(workers=None), 2)
            except asyncio.TimeoutError:  # a busy scheduler
                continue
            except Exception as error:  # noqa: BLE001  whatever it is, the run ends with a sentence
                self.events.put(("cluster lost", str(error) or type(error).__name__))
                return
            for name in self.known.keys() - found.keys():
                self._forget(name)
                self.events.put(("gone", name, "the scheduler lists it no more"))
            for name in found.keys() - self.known.keys():
                self.events.put(("appeared", name, found[name]))
            self.known = found
            await asyncio.sleep(POLL)

    def _forget(self, name):
        self.actors.pop(name, None)
        self.given.pop(name, None)
        future = self.futures.pop(name, None)
        if future is not None:
            future.release()

    async def _start(self, name):
        self._forget(name)
        reason = await why_unfit(self.client, name)
        if reason is not None:
            if name in self.known:
                self.events.put(("unusable", name, reason))
            return
        try:
            with self.client.as_current():
                key = f"dunlin-{self.run}-{uuid.uuid4().hex[:8]}"
                future = self.client.submit(
                    ShardActor,
                    self.run,
                    self.options,
                    actor=True,
                    key=key,
                    workers=[name],
                    allow_other_workers=False,
                    pure=False,
                )
                self.futures[name] = future
                actor = await self.client.gather(future, asynchronous=True)
        except Exception as error:  # noqa: BLE001  the worker cannot make it: say why
            if name in self.known:
                self.events.put(("unusable", name, f"{type(error).__name__}: {error}"))
            return
        self.actors[name], self.given[name] = actor, set()
        self.events.put(("joined", name))

    async def _send(self, name, ticket, request, chunks, keep):
        try:
            actor = self.actors[name]
            with self.client.as_current():
                if self.blocks is not None:
                    self.given[name] &= set(keep)
                    for number in chunks:
                        if number not in self.given[name]:
                            await self.blocks.give(self.client, self.run, self.chunks[number], name)
                            self.given[name].add(number)
                answer = await actor.answer(self.epoch, request, [self.chunks[c] for c in chunks], keep)
        except asyncio.CancelledError:  # of this run, or of a block that is lost
            self.events.put(("failed", name, ticket, "cancelled"))
            return
        except Exception as error:  # noqa: BLE001
            if is_of_the_engine(error):
                self.events.put(("failed", name, ticket, f"{type(error).__name__}: {error}"))
                return
            answer = Answer(error=error)
        self._keep_hashes(answer)
        self.events.put(("answered", name, ticket, answer))

    def _keep_hashes(self, answer):
        """The first hash of a chunk counts; a worker that read other bytes at the same time has no answer."""
        for number, found in answer.hashes.items():
            chunk = self.chunks[number]
            if chunk.hash is None:
                chunk.hash = found
            elif chunk.hash != found and number in answer.responses:
                del answer.responses[number]
                answer.unreadable[number] = f"{chunk.parts[0].path}: its content differs from what another worker read"

    async def _ping(self, name):
        try:
            await self.actors[name].ping()
        except Exception as error:  # noqa: BLE001
            await asyncio.sleep(1.0)
            self.events.put(("silent", name, str(error)))
            return
        self.events.put(("pong", name))

    async def _pulse(self, name):
        try:
            await self.actors[name].pulse()
        except Exception:  # noqa: BLE001  no pulse
            return
        self.events.put(("alive", name))
