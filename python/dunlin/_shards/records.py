# SPDX-License-Identifier: Apache-2.0
"""What the schedule of chunks keeps: workers, calls, rounds, answers; and which chunks to move for even times."""

import statistics
from collections import deque
from dataclasses import dataclass, field

from .._errors import Error


class Superseded(Error, RuntimeError):
    """A newer driver has taken the run over."""


class Disagreement(Error, RuntimeError):
    """Two workers gave different answers for the same chunk: memory or data of one are damaged."""


class ClusterLost(Error, ConnectionError):
    """The scheduler cannot be reached."""


class StopRequested(Exception):
    """The run is to stop; what was asked is left unanswered."""


class OutOfReach(Exception):
    """Chunks that no worker can read any more; the others are enough to go on."""

    def __init__(self, chunks):
        super().__init__(f"chunks {chunks} are out of reach")
        self.chunks = chunks


@dataclass
class Answer:
    """What a worker sends back for one call."""

    responses: dict = field(default_factory=dict)  # chunk: bytes
    unreadable: dict = field(default_factory=dict)  # chunk: sentence with file, range and reason
    seconds: float = 0.0  # of work, reading not counted
    begun: float = 0.0  # by the worker's clock
    ended: float = 0.0
    read: dict = field(default_factory=dict)  # chunk: seconds, of those it did not hold
    hashes: dict = field(default_factory=dict)  # chunk: of the bytes read
    error: BaseException | None = None  # ends the run,
    broken: bool = False  # unless it is of this worker's device, and there are other workers
    device: str = "cpu"


@dataclass
class Call:
    ticket: int
    worker: str
    round: "Round"
    chunks: list
    rows: int
    begun: float  # when the worker could begin
    reads: bool  # some chunk is not there yet
    pulsed: float | None = None  # a pulse is on its way
    alive: float | None = None  # the last pulse that came back


class Round:
    """One request to all chunks."""

    def __init__(self, number, request, kind):
        self.number, self.request, self.kind = number, request, kind
        self.answers = {}  # chunk: (worker, bytes)
        self.seconds = {}  # worker: seconds of work

    def take(self, chunk, worker, response):
        """Counts the first response of a chunk; True: there was one, with which this one agrees."""
        if chunk not in self.answers:
            self.answers[chunk] = worker, response
            return False
        other, first = self.answers[chunk]
        if first != response:
            raise Disagreement(
                f"workers {other} and {worker} disagree on chunk {chunk}: the memory of one is damaged, or their files differ; "
                "run again without one of them"
            )
        return True


class Worker:
    def __init__(self, name, power):
        self.name, self.power = name, power
        self.state = "joining"
        self.calls = deque()
        self.rates = {}  # kind: rows a second, the last rounds
        self.holds = set()
        self.ever_held = set()
        self.unreadable = {}  # chunk: sentence
        self.retry_at = None
        self.device = None  # of its answers
        self.reason = None  # why it is unusable

    def rate(self, kind):
        return statistics.median(self.rates[kind]) if self.rates.get(kind) else None


def longest_time(rows, owner, rates):
    """Seconds of the worker that ends last."""
    load = dict.fromkeys(rates, 0)
    for chunk, worker in owner.items():
        load[worker] += rows[chunk]
    return max(load[worker] / rates[worker] for worker in rates)


def balanced(rows, owner, rates, readable, holds):
    """Chunks moved one by one from the worker that ends last to where it lowers the longest time; a new dictionary.

    ``rates``: rows a second of each worker. ``readable(worker, chunk)``; ``holds(worker, chunk)`` breaks ties.
    """
    owner = dict(owner)
    load = {worker: 0 for worker in rates}
    for chunk, worker in owner.items():
        load[worker] += rows[chunk]
    for _ in range(2 * len(owner)):
        last = max(load, key=lambda w: (load[w] / rates[w], w))
        longest = load[last] / rates[last]
        best = None
        for chunk in (c for c, w in owner.items() if w == last):
            for worker in load:
                if worker == last or not readable(worker, chunk):
                    continue
                longer = max((load[worker] + rows[chunk]) / rates[worker], (load[last] - rows[chunk]) / rates[last])
                move = (longer, not holds(worker, chunk), chunk, worker)
                if longer < longest * (1 - 1e-9) and (best is None or move < best):
                    best = move
        if best is None:
            break
        _, _, chunk, worker = best
        load[last] -= rows[chunk]
        load[worker] += rows[chunk]
        owner[chunk] = worker
    return owner
