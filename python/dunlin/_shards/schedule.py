# SPDX-License-Identifier: Apache-2.0
"""Assignment of chunks of rows to workers that join, freeze, slow down, vanish and return.

Knows no engine. A transport (transport.py; the tests' has a simulated clock) has

    now()                                          seconds, of a clock that does not go back
    start(worker)                                  makes the worker's actor: "joined" or "unusable" follows
    send(worker, ticket, request, chunks, keep)    asks for these chunks; chunks outside ``keep`` may be forgotten
    ping(worker)                                   "pong" follows once the worker has ended all earlier calls
    pulse(worker)                                  "alive" follows at once while the process runs, also during a call
    wait(until)                                    events; an empty list at the time ``until``

and its events are

    ("appeared", worker, power)         the engine lists the worker; power: of its threads, for the first deal
    ("gone", worker, reason)            it lists it no more
    ("joined", worker), ("unusable", worker, reason)
    ("answered", worker, ticket, Answer)
    ("failed", worker, ticket, reason)  the connection broke during the call
    ("pong", worker), ("silent", worker, reason), ("alive", worker)
"""

import statistics
import warnings
from collections import deque

from .._errors import FileError, NoDeviceError
from .records import Call, ClusterLost, OutOfReach, Round, Worker, balanced, longest_time

MIN_WAIT = 2.0  # seconds without an answer that are never suspicious
SLOW = 5.0  # times its median: a worker that takes longer is quarantined
UNEVEN = 1.3  # slowest worker over the mean of all: chunks are dealt again ...
UNEVEN_SECONDS = 0.02  # and so many more than the mean; less is lost among the engine's own milliseconds ...
UNEVEN_ROUNDS = 3  # ... after so many rounds in a row,
MIN_GAIN = 0.1  # if a round becomes shorter by this part,
PAYBACK = 20  # and the time of reading is saved within so many rounds
JOIN_AGAIN = 30.0  # seconds after which an actor that is not there is made again


class Coordinator:
    """Gets an answer for every chunk, whatever the workers do; the first one counts.

    ``rows``: of each chunk. ``kind_of(request)``: calls of a kind take times that can be compared. ``fits(request,
    response, chunk)``: whether a response is to this request, by epoch, number and chunk. ``log(event, **facts)``.
    """

    def __init__(self, rows, transport, *, least_share=1.0, patience=60.0, kind_of=None, fits=None, log=None):
        self.rows, self.transport = list(rows), transport
        self.least_share, self.patience = least_share, patience
        self.kind_of = kind_of or (lambda request: "")
        self.fits = fits or (lambda request, response, chunk: True)
        self.log = log or (lambda event, **facts: None)
        self.workers, self.owner = {}, {}
        self.calls = {}
        self.tickets = self.rounds = 0
        self.deal_again, self.uneven = False, 0
        self.missing_since, self.suspended = None, False
        self.read_rows = self.read_seconds = 0
        self.spent = {}  # kind: seconds of all workers

    def active(self):
        return [w for w in self.workers.values() if w.state == "active"]

    # One request

    def ask(self, request):
        """{chunk: bytes} of all chunks."""
        self.rounds += 1
        round = Round(self.rounds, request, self.kind_of(request))
        self._gather_workers()
        if self.deal_again and self.owner:
            self._deal_evenly(round.kind)
        self.log("ask", round=round.number, kind=round.kind)
        while True:
            self._assign(round)
            if len(round.answers) == len(self.rows):
                break
            self._take(self.transport.wait(self._next_look(round)))
            self._retry_lost()
            self._check_calls(round)
            self._check_reach(round)
        self._end(round)
        return {chunk: response for chunk, (_, response) in sorted(round.answers.items())}

    def _end(self, round):
        self.missing_since = None
        if self.suspended:
            self.suspended = False
            self.log("resumed", round=round.number)
        self.log("answered", round=round.number, kind=round.kind)
        self._judge_balance(round)

    def _gather_workers(self):
        """What happened since the last request; before the first one, actors that are being made are waited for."""
        self._take(self.transport.wait(self.transport.now()))
        until = None
        while not self.owner and (not self.active() or any(w.state == "joining" for w in self.workers.values())):
            if self.active() and until is None:
                until = self.transport.now() + MIN_WAIT
            if until is not None and self.transport.now() >= until:
                break
            self._check_reach(None)
            self._take(self.transport.wait(until or self.transport.now() + MIN_WAIT))
            self._retry_lost()

    # Dealing

    def _can_read(self, worker, chunk):
        return chunk not in worker.unreadable

    def _rates(self, kind):
        """Rows a second of the active workers; one that is new has the mean of the others for each thread."""
        active = self.active()
        known = {w.name: w.rate(kind) for w in active if w.rate(kind)}
        power = sum(w.power for w in active if w.name in known)
        one = sum(known.values()) / power if known else 1.0
        return {w.name: known.get(w.name, one * w.power) for w in active}

    def _assign(self, round):
        """Requests chunks that no worker is computing: at first all, later those of workers that are lost or late."""
        coming = set()
        for call in self.calls.values():
            if call.round is round and self.workers[call.worker].state == "active":
                coming.update(call.chunks)
        waiting = [c for c in range(len(self.rows)) if c not in round.answers and c not in coming]
        if not waiting or not self.active():
            return
        rates = self._rates(round.kind)
        load = {name: 0 for name in rates}
        for chunk, name in self.owner.items():
            if name in load:
                load[name] += self.rows[chunk]
        asked = {}
        for chunk in sorted(waiting, key=lambda c: (-self.rows[c], c)):
            name = self.owner.get(chunk)
            if name not in rates or not self._can_read(self.workers[name], chunk):
                able = [w for w in self.active() if self._can_read(w, chunk)]
                if not able:
                    continue
                before = name
                name = min(
                    able,
                    key=lambda w: ((load[w.name] + self.rows[chunk]) / rates[w.name], chunk not in w.holds, w.name),
                ).name
                load[name] += self.rows[chunk]
                self.owner[chunk] = name
                self.log("dealt", chunk=chunk, worker=name, before=before, round=round.number)
            asked.setdefault(name, []).append(chunk)
        for name, chunks in asked.items():
            self._send(self.workers[name], sorted(chunks), round)

    def _send(self, worker, chunks, round):
        self.tickets += 1
        keep = {c for c, name in self.owner.items() if name == worker.name} | set(chunks)
        worker.holds &= keep
        rows = sum(self.rows[c] for c in chunks)
        reads = any(c not in worker.holds for c in chunks)
        call = Call(self.tickets, worker.name, round, chunks, rows, self.transport.now(), reads)
        self.calls[call.ticket] = call
        worker.calls.append(call)
        self.log("sent", worker=worker.name, round=round.number, chunks=chunks)
        self.transport.send(worker.name, call.ticket, round.request, chunks, sorted(keep))

    def _judge_balance(self, round):
        """After a round: whether the slowest worker has taken too long for some rounds."""
        times = list(round.seconds.values())
        for seconds in times:
            self.spent[round.kind] = self.spent.get(round.kind, 0) + seconds
        if len(times) < 2 or round.kind != max(self.spent, key=self.spent.get):
            return
        mean = statistics.mean(times)
        self.uneven = self.uneven + 1 if max(times) > max(UNEVEN * mean, mean + UNEVEN_SECONDS) else 0
        if self.uneven >= UNEVEN_ROUNDS:
            self.uneven = 0
            self._deal_evenly(round.kind, only_if_it_pays=True)

    def _deal_evenly(self, kind, only_if_it_pays=False):
        self.deal_again = False
        rates = self._rates(kind if self.spent.get(kind) else max(self.spent, key=self.spent.get, default=kind))
        mine = {c: name for c, name in self.owner.items() if name in rates}
        if len(rates) < 2 or not mine:
            return
        after = balanced(
            self.rows,
            mine,
            rates,
            lambda name, c: self._can_read(self.workers[name], c),
            lambda name, c: c in self.workers[name].holds,
        )
        moved = [c for c in mine if after[c] != mine[c]]
        if only_if_it_pays and not self._pays(mine, after, moved, rates):
            return
        for chunk in moved:
            self.log("dealt", chunk=chunk, worker=after[chunk], before=mine[chunk], round=self.rounds)
        self.owner.update(after)

    def _pays(self, before, after, moved, rates):
        gain = longest_time(self.rows, before, rates) - longest_time(self.rows, after, rates)
        unread = sum(self.rows[c] for c in moved if c not in self.workers[after[c]].holds)
        cost = unread * self.read_seconds / self.read_rows if self.read_rows else 0
        return gain > MIN_GAIN * longest_time(self.rows, before, rates) and gain * PAYBACK > cost

    # What the transport reports

    def _take(self, events):
        for event, name, *facts in events:
            if event == "appeared":
                self._appeared(name, facts[0])
            elif name in self.workers:
                getattr(self, "_" + event)(self.workers[name], *facts)

    def _appeared(self, name, power):
        worker = self.workers.get(name)
        if worker is not None and worker.state not in ("lost", "unusable"):
            return
        worker = self.workers[name] = Worker(name, max(power, 1))
        worker.retry_at = self.transport.now() + JOIN_AGAIN
        self.log("joining", worker=name)
        self.transport.start(name)

    def _joined(self, worker):
        if worker.state != "joining":
            return
        worker.state, worker.retry_at = "active", None
        self.deal_again = bool(self.owner)
        self.log("active", worker=worker.name)

    def _unusable(self, worker, reason):
        worker.state, worker.retry_at, worker.reason = "unusable", None, reason
        self.log("unusable", worker=worker.name, reason=reason)
        warnings.warn(f"worker {worker.name} cannot take part: {reason}", stacklevel=2)

    def _gone(self, worker, reason):
        self._lose(worker, reason)
        worker.retry_at = None

    def _failed(self, worker, ticket, reason):
        if ticket not in self.calls:
            return
        if worker.state == "quarantined":  # the engine has given the call up; the worker may still wake up
            self._forget(self.calls[ticket])
        else:
            self._lose(worker, reason)
            worker.retry_at = self.transport.now() + 1.0

    def _lose(self, worker, reason):
        if worker.state == "lost":
            return
        worker.state = "lost"
        worker.holds = set()
        for call in list(worker.calls):
            self._forget(call)
        self.log("lost", worker=worker.name, reason=reason)

    def _others(self, worker):
        """Whether there are, or may soon be, workers that can take over."""
        return any(w is not worker and w.state != "unusable" for w in self.workers.values())

    def _forget(self, call):
        self.calls.pop(call.ticket, None)
        worker = self.workers[call.worker]
        if call in worker.calls:
            worker.calls.remove(call)

    def _retry_lost(self):
        """A connection broke, but the engine still lists the worker: it gets a new actor. So does one that never joined."""
        for worker in list(self.workers.values()):
            if worker.retry_at is not None and self.transport.now() >= worker.retry_at:
                worker.state = "lost"
                self._appeared(worker.name, worker.power)

    def _pong(self, worker):
        if worker.state == "quarantined":
            worker.state = "active"
            self.deal_again = True
            self.log("returned", worker=worker.name)

    def _silent(self, worker, reason):
        if worker.state == "quarantined":
            self.transport.ping(worker.name)

    def _alive(self, worker):
        for call in worker.calls:
            call.pulsed = None
            call.alive = self.transport.now()

    def _answered(self, worker, ticket, answer):
        call = self.calls.get(ticket)
        if call is None or worker.name != call.worker:
            return
        if answer.error is not None:
            if not answer.broken or not self._others(worker):
                raise answer.error
            self._lose(worker, str(answer.error))
            self._unusable(worker, str(answer.error))
            return
        worker.device = answer.device
        self._forget(call)
        if worker.calls:
            worker.calls[0].begun = self.transport.now()
        for chunk, seconds in answer.read.items():
            self.read_rows += self.rows[chunk]
            self.read_seconds += seconds
            self.log("read", worker=worker.name, chunk=chunk, took=seconds)
        for chunk, why in answer.unreadable.items():
            worker.unreadable[chunk] = why
            self.log("unreadable", worker=worker.name, chunk=chunk, reason=why)
        self._count(worker, call, answer)

    def _count(self, worker, call, answer):
        round = call.round
        got = {c: r for c, r in answer.responses.items() if c in call.chunks and self.fits(round.request, r, c)}
        worker.holds.update(got)
        worker.ever_held.update(got)
        for chunk, response in got.items():
            if round.take(chunk, worker.name, response):
                self.log("again", worker=worker.name, chunk=chunk, round=round.number)
        rows = sum(self.rows[c] for c in got)
        if rows and answer.seconds > 0:
            worker.rates.setdefault(round.kind, deque(maxlen=9)).append(rows / answer.seconds)
            round.seconds[worker.name] = round.seconds.get(worker.name, 0) + answer.seconds
        facts = {"begun": answer.begun, "ended": answer.ended, "chunks": sorted(got)}
        self.log("answer", worker=worker.name, round=round.number, **facts)

    # Workers that are late, chunks out of reach

    def _limit(self, worker, call):
        """Seconds after which the worker is late, or None: how long it takes is not known."""
        rate = worker.rate(call.round.kind)
        if rate is None or call.reads or len(self.active()) < 2:
            return None
        return max(MIN_WAIT, SLOW * call.rows / rate)

    def _due(self, worker):
        """(when, what) is next for the first call of an active worker."""
        call = worker.calls[0]
        limit = self._limit(worker, call)
        if limit is not None:
            return call.begun + limit, "quarantine"
        if call.pulsed is not None:
            return call.pulsed + MIN_WAIT, "quarantine"
        return max(call.begun, call.alive or 0) + MIN_WAIT, "pulse"

    def _check_calls(self, round):
        now = self.transport.now()
        for worker in self.active():
            if not worker.calls:
                continue
            when, what = self._due(worker)
            if now < when:
                continue
            if what == "pulse":
                worker.calls[0].pulsed = now
                self.transport.pulse(worker.name)
            else:
                worker.state = "quarantined"
                self.log("quarantined", worker=worker.name, round=round.number)
                self.transport.ping(worker.name)

    def _next_look(self, round):
        now = self.transport.now()
        times = [self._due(w)[0] for w in self.active() if w.calls]
        times += [w.retry_at for w in self.workers.values() if w.retry_at is not None]
        if self.missing_since is not None and not self.suspended:
            times.append(self.missing_since + self.patience)
        return max(now, min(times, default=now + MIN_WAIT))

    def _missing(self, round):
        """Chunks that no active worker can read."""
        answered = set() if round is None else round.answers.keys()
        active = self.active()
        open = [c for c in range(len(self.rows)) if c not in answered]
        return [c for c in open if not any(self._can_read(w, c) for w in active)]

    def _check_reach(self, round):
        """Suspends the run, or raises OutOfReach, if chunks are out of reach for too long."""
        missing = self._missing(round)
        if not missing:
            self.missing_since = None
            return
        self._refuse_unusable()
        self._refuse_unreadable(missing)
        now = self.transport.now()
        if self.missing_since is None:
            self.missing_since = now
            self.log("out of reach", chunks=missing)
        if now < self.missing_since + self.patience:
            return
        share = 1 - sum(self.rows[c] for c in missing) / max(sum(self.rows), 1)
        if self.least_share <= share < 1:
            raise OutOfReach(missing)
        if not self.suspended:
            self.suspended = True
            self.log("suspended", chunks=missing)
            warnings.warn(
                f"suspended: {share:.2%} of the rows can be reached, least_share is {self.least_share:.2%}; the run goes on "
                "when workers that hold the others are back",
                stacklevel=2,
            )

    def _refuse_unusable(self):
        """Workers of which none can take part end the run."""
        reasons = {w.name: w.reason for w in self.workers.values() if w.state == "unusable"}
        if not reasons or len(reasons) < len(self.workers):
            return
        words = "; ".join(f"{name}: {reason}" for name, reason in sorted(reasons.items()))
        kind = NoDeviceError if all("NoDeviceError" in reason for reason in reasons.values()) else ClusterLost
        raise kind(f"none of the {len(reasons)} workers can take part: {words}")

    def _refuse_unreadable(self, missing):
        """A chunk that every worker tried in vain ends the run, unless one that had it may come back."""
        if any(w.state == "joining" for w in self.workers.values()) or not self.active():
            return
        for chunk in missing:
            away = [w for w in self.workers.values() if w.state in ("lost", "quarantined") and chunk in w.ever_held]
            reasons = {w.name: w.unreadable[chunk] for w in self.active() if chunk in w.unreadable}
            if not away and reasons:
                words = "; ".join(f"{why}, on worker {name}" for name, why in reasons.items())
                raise FileError(f"chunk {chunk} cannot be read by any worker: {words}")
