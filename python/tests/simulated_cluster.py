# SPDX-License-Identifier: Apache-2.0
"""A transport in memory with a simulated clock: workers that crash, freeze, slow down, join, lie or lose files."""

import heapq
import random

from dunlin._errors import DeviceError
from dunlin._shards.records import Answer


def response_of(request, chunk):
    """What a worker with intact rows answers."""
    return f"{request}/{chunk}/{hash((request, chunk)) & 0xFFFF}"


class SimulatedWorker:
    def __init__(self, cluster, name, speed):
        self.cluster, self.name, self.speed = cluster, name, speed
        self.alive, self.frozen_until, self.free_at = True, 0.0, 0.0
        self.without = set()  # chunks whose file it has not
        self.lies = False
        self.broken = False  # its GPU
        self.unusable = None  # why it makes no actor
        self.holds = set()
        self.generation = 0
        self.gone_at = 0.0  # when the engine takes it off its list


class SimulatedCluster:
    """``rows``: of each chunk. A row takes 1e-6 seconds to compute and as long to read."""

    def __init__(self, rows, seed=0):
        self.rows, self.random = rows, random.Random(seed)
        self.clock, self.count, self.queue = 0.0, 0, []
        self.workers = {}
        self.computed = []  # (request, chunk, worker)
        self.script = []  # (round, action)

    # The faults

    def add(self, name, speed=1.0, delay=0.0):
        self.workers[name] = SimulatedWorker(self, name, speed)
        self.at(self.clock + delay, ("appeared", name, 1))

    def kill(self, name, notice=0.1):
        worker = self.workers[name]
        worker.alive = False
        worker.generation += 1
        worker.gone_at = self.clock + notice
        self.at(worker.gone_at, ("gone", name, "killed"))

    def restart(self, name, delay=0.0):
        """A new process of the same name; the engine lists it once it has noticed the death of the old one."""
        worker = self.workers[name]
        worker.alive, worker.holds, worker.free_at, worker.frozen_until = True, set(), 0.0, 0.0
        self.at(max(self.clock, worker.gone_at) + delay, ("appeared", name, 1))

    def freeze(self, name, seconds):
        self.workers[name].frozen_until = self.clock + seconds

    def cut(self, name, notice=0.0):
        """The connection breaks; the process lives on, without its rows."""
        worker = self.workers[name]
        worker.generation += 1
        worker.holds = set()
        worker.gone_at = self.clock + notice
        self.at(worker.gone_at, ("gone", name, "connection lost"))
        self.at(worker.gone_at + 3 * self.random.random(), ("appeared", name, 1))

    # What the coordinator calls

    def now(self):
        return self.clock

    def start(self, name):
        worker = self.workers[name]
        if worker.alive and worker.unusable is not None:
            self.later(name, 0.08, ("unusable", name, worker.unusable))
        elif worker.alive:
            self.later(name, 0.08, ("joined", name))

    def ping(self, name):
        worker = self.workers[name]
        if worker.alive:
            self.later(name, max(0.0, worker.free_at - self.clock) + 0.001, ("pong", name))

    def pulse(self, name):
        if self.workers[name].alive:
            self.later(name, 0.001, ("alive", name))

    def send(self, name, ticket, request, chunks, keep):
        worker = self.workers[name]
        if not worker.alive:
            return
        worker.holds &= set(keep)
        answer = Answer()
        if worker.broken:
            answer.error, answer.broken = DeviceError("the GPU fell off the bus"), True
            chunks = []
        seconds = reading = 0.0
        for chunk in chunks:
            if chunk in worker.without:
                answer.unreadable[chunk] = f"file of chunk {chunk}: no such file"
                continue
            if chunk not in worker.holds:
                reading += self.rows[chunk] * 1e-6
                answer.read[chunk] = self.rows[chunk] * 1e-6
                worker.holds.add(chunk)
            seconds += self.rows[chunk] * 1e-6 / worker.speed
            answer.responses[chunk] = response_of(request, chunk) + ("?" if worker.lies else "")
            self.computed.append((request, chunk, name))
        answer.seconds = seconds
        begun = max(self.clock + 0.001, worker.free_at, worker.frozen_until)
        worker.free_at = begun + seconds + reading
        answer.begun, answer.ended = begun, worker.free_at
        self.later(name, worker.free_at - self.clock, ("answered", name, ticket, answer))

    def wait(self, until):
        if self.clock > 1e6:
            raise AssertionError("the run does not end")
        while self.queue:
            when, _, generation, event = self.queue[0]
            worker = self.workers[event[1]]
            if generation is not None:
                if generation != worker.generation:
                    heapq.heappop(self.queue)
                    continue
                if worker.frozen_until > when:  # it is said when the process wakes up
                    heapq.heappop(self.queue)
                    self.count += 1
                    heapq.heappush(self.queue, (worker.frozen_until, self.count, generation, event))
                    continue
            if when > until:
                break
            heapq.heappop(self.queue)
            self.clock = max(self.clock, when)
            return [event]
        self.clock = max(self.clock, until)
        return []

    def at(self, when, event):
        self.count += 1
        heapq.heappush(self.queue, (when, self.count, None, event))

    def later(self, name, seconds, event):
        self.count += 1
        worker = self.workers[name]
        heapq.heappush(self.queue, (self.clock + seconds, self.count, worker.generation, event))
