# SPDX-License-Identifier: Apache-2.0
"""The protocol of workers and chunks, on a simulated clock: no process, no engine."""

import queue
import random
from collections import Counter

import pytest

from dunlin._errors import DeviceError, FileError, NoDeviceError
from dunlin._shards.files import rows_of_chunk
from dunlin._shards.records import ClusterLost, Disagreement, OutOfReach, StopRequested, balanced
from dunlin._shards.schedule import MIN_WAIT, Coordinator
from dunlin._shards.transport import DaskTransport
from simulated_cluster import SimulatedCluster, response_of

ROWS = [1 << 20] * 5 + [12345]


def coordinator(cluster, **options):
    events = []
    options.setdefault("log", lambda event, **facts: events.append({"event": event, **facts}))
    made = Coordinator(cluster.rows, cluster, kind_of=lambda request: "look", **options)
    made.events = events
    return made


def ask_all(driver, cluster, rounds, faults=()):
    """Rounds of requests; faults: {round: function}. Checks that every chunk is counted once a round."""
    for t in range(rounds):
        if t in dict(faults):
            dict(faults)[t]()
        found = driver.ask(f"t{t}")
        assert found == {c: response_of(f"t{t}", c) for c in range(len(cluster.rows))}


def count(driver, event):
    return sum(each["event"] == event for each in driver.events)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_chunk_is_asked_once_where_nothing_happens(workers):
    cluster = SimulatedCluster(ROWS)
    for k in range(workers):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 10)
    assert len(cluster.computed) == 10 * len(ROWS)
    assert count(driver, "read") == len(ROWS) and count(driver, "lost") == count(driver, "quarantined") == 0


def test_no_rows_and_no_chunks():
    cluster = SimulatedCluster([])
    cluster.add("w0")
    assert coordinator(cluster).ask("t") == {}
    empty = SimulatedCluster([0, 5])
    empty.add("w0")
    driver = coordinator(empty)
    ask_all(driver, empty, 2)


def test_a_killed_worker_s_chunks_go_to_the_others_at_once():
    cluster = SimulatedCluster(ROWS)
    for k in range(3):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    held = sum(name == "w1" for name in driver.owner.values())
    before = cluster.clock
    ask_all(driver, cluster, 3, {0: lambda: cluster.kill("w1")})
    assert count(driver, "read") == len(ROWS) + held and count(driver, "quarantined") == 0
    assert cluster.clock - before < 3 * 2 * sum(ROWS) * 1e-6 + 1


def test_a_frozen_worker_is_quarantined_asked_again_and_returns():
    cluster = SimulatedCluster(ROWS)
    for k in range(3):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    before = cluster.clock
    ask_all(driver, cluster, 1, {0: lambda: cluster.freeze("w2", 1000)})
    assert count(driver, "quarantined") == 1 and cluster.clock - before < 6 * MIN_WAIT + 10
    ask_all(driver, cluster, 3)
    cluster.clock += 1000
    ask_all(driver, cluster, 3)
    assert count(driver, "returned") == 1 and count(driver, "again") == 2 and "w2" in driver.owner.values()


def test_late_answers_of_a_frozen_worker_are_compared_and_not_counted():
    cluster = SimulatedCluster(ROWS)
    for k in range(2):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    ask_all(driver, cluster, 1, {0: lambda: cluster.freeze("w1", 30)})
    ask_all(driver, cluster, 40)
    assert count(driver, "again") > 0


def test_workers_that_disagree_end_the_run():
    cluster = SimulatedCluster(ROWS)
    for k in range(2):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    cluster.workers["w1"].lies = True
    cluster.freeze("w1", 60)
    with pytest.raises(Disagreement, match="workers w0 and w1 disagree on chunk"):
        for t in range(40):
            driver.ask(f"t{t}")


def test_a_worker_whose_gpu_fails_is_left_out_and_the_last_one_ends_the_run():
    cluster = SimulatedCluster(ROWS)
    for k in range(3):
        cluster.add(f"w{k}")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)

    def break_down(name):
        cluster.workers[name].broken = True

    with pytest.warns(UserWarning, match="worker w1 cannot take part: the GPU fell off the bus"):
        ask_all(driver, cluster, 5, {0: lambda: break_down("w1")})
    assert count(driver, "unusable") == count(driver, "lost") == 1 and "w1" not in driver.owner.values()
    with pytest.warns(UserWarning, match="worker w0"):
        ask_all(driver, cluster, 5, {0: lambda: break_down("w0")})
    break_down("w2")
    with pytest.raises(DeviceError, match="off the bus"):
        driver.ask("last")


def test_workers_of_which_none_can_take_part_end_the_run():
    for reason, kind in (("NoDeviceError: device cuda: no GPU", NoDeviceError), ("ImportError: no dunlin", ClusterLost)):
        cluster = SimulatedCluster(ROWS)
        for k in range(2):
            cluster.add(f"w{k}")
            cluster.workers[f"w{k}"].unusable = reason
        with pytest.warns(UserWarning, match="w0 cannot take part"), pytest.raises(kind, match="none of the 2 workers .*w1"):
            coordinator(cluster).ask("first")
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0"), cluster.add("w1")
    cluster.workers["w0"].unusable = "NoDeviceError: device cuda: no GPU"
    driver = coordinator(cluster)
    with pytest.warns(UserWarning, match="w0 cannot take part"):
        ask_all(driver, cluster, 3)
    assert set(driver.owner.values()) == {"w1"}


def test_the_last_worker_is_not_quarantined_while_its_process_lives():
    cluster = SimulatedCluster([1 << 25])
    cluster.add("w0", speed=0.01)  # an hour a round
    driver = coordinator(cluster)
    ask_all(driver, cluster, 2)
    assert count(driver, "quarantined") == 0 and len(cluster.computed) == 2


def test_a_worker_that_joins_gets_its_share_at_the_next_request():
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    cluster.add("w1")
    cluster.clock += 1
    ask_all(driver, cluster, 2)  # it joins during the first of these
    owned = Counter(driver.owner.values())
    assert owned["w1"] >= 2 and count(driver, "read") == len(ROWS) + owned["w1"]


def test_a_slow_worker_gets_fewer_rows():
    cluster = SimulatedCluster([1 << 20] * 22)
    cluster.add("fast"), cluster.add("slow")
    driver = coordinator(cluster)
    ask_all(driver, cluster, 3)
    cluster.workers["slow"].speed = 0.1
    ask_all(driver, cluster, 30)
    owned = Counter(driver.owner.values())
    assert owned["slow"] <= 3 and owned["fast"] >= 19
    before = cluster.clock
    ask_all(driver, cluster, 10)
    assert cluster.clock - before < 1.5 * 10 * 22 * (1 << 20) * 1e-6  # of what the fast one needs alone


def test_even_workers_keep_their_chunks():
    cluster = SimulatedCluster([1 << 20] * 9)
    for k in range(3):
        cluster.add(f"w{k}", speed=1 + 0.05 * k)
    driver = coordinator(cluster)
    ask_all(driver, cluster, 50)
    assert count(driver, "dealt") == 9 == count(driver, "read")


def test_a_file_that_one_worker_lacks_is_read_by_another():
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0"), cluster.add("w1")
    cluster.workers["w0"].without = {0, 1, 2}
    driver = coordinator(cluster)
    ask_all(driver, cluster, 2)
    assert all(driver.owner[c] == "w1" for c in (0, 1, 2))
    ask_all(driver, cluster, 40)  # chunks that w0 was not asked for are tried there once, for the balance
    assert all(driver.owner[c] == "w1" for c in (0, 1, 2)) and count(driver, "unreadable") == 3


def test_a_file_that_all_lack_is_one_error():
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0"), cluster.add("w1")
    for worker in cluster.workers.values():
        worker.without = {3}
    with pytest.raises(
        FileError, match="chunk 3 cannot be read by any worker: file of chunk 3: no such file, on worker w0; .*w1"
    ):
        coordinator(cluster).ask("t0")


def test_chunks_that_only_a_lost_worker_had_suspend_the_run_until_it_is_back():
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0"), cluster.add("w1")
    cluster.workers["w0"].without = {3}
    driver = coordinator(cluster, patience=60)
    ask_all(driver, cluster, 2)
    cluster.kill("w1")
    cluster.workers["w2"] = type(cluster.workers["w0"])(cluster, "w2", 1.0)
    cluster.at(cluster.clock + 500, ("appeared", "w2", 1))
    with pytest.warns(UserWarning, match="suspended: 80.* of the rows can be reached, least_share is 100"):
        ask_all(driver, cluster, 2)
    assert cluster.clock > 500 and count(driver, "suspended") == count(driver, "resumed") == 1


def test_where_less_is_enough_the_driver_is_told_what_is_out_of_reach():
    cluster = SimulatedCluster(ROWS)
    cluster.add("w0"), cluster.add("w1")
    cluster.workers["w0"].without = {3}
    driver = coordinator(cluster, patience=60, least_share=0.75)
    ask_all(driver, cluster, 2)
    cluster.kill("w1")
    with pytest.raises(OutOfReach) as raised:
        ask_all(driver, cluster, 2)
    assert raised.value.chunks == [3] and cluster.clock > 60


def test_balanced_by_hand():
    always = lambda worker, chunk: True  # noqa: E731
    never = lambda worker, chunk: False  # noqa: E731
    # three equal chunks on one of two equal workers: one moves; another move would not shorten the round
    assert sorted(
        balanced([10, 10, 10], dict.fromkeys(range(3), "a"), {"a": 1.0, "b": 1.0}, always, never).values()
    ) == ["a", "a", "b"]
    # b is four times as fast: 2 and 8 of ten chunks
    after = balanced([1] * 10, dict.fromkeys(range(10), "a"), {"a": 1.0, "b": 4.0}, always, never)
    assert Counter(after.values()) == {"a": 2, "b": 8}
    assert balanced([1] * 10, dict.fromkeys(range(10), "a"), {"a": 1.0, "b": 4.0}, never, never) == dict.fromkeys(
        range(10), "a"
    )
    # what b holds moves first
    after = balanced([1, 1], {0: "a", 1: "a"}, {"a": 1.0, "b": 1.0}, always, lambda w, c: (w, c) == ("b", 1))
    assert after == {0: "a", 1: "b"}


def test_rows_of_a_chunk_by_hand():
    assert rows_of_chunk(10, 1 << 23, 4) == rows_of_chunk(40_000, 1 << 23, 8) == 1024
    assert rows_of_chunk(10_000_000, 1 << 23, 4) == 1 << 18  # 39 chunks
    assert rows_of_chunk(10**9, 1 << 23, 4) == 1 << 23  # 120
    assert rows_of_chunk(100_000, 1 << 17, 1024) == 1 << 15 and rows_of_chunk(10**6, 1024, 10**4) == 1024


def one_schedule(seed):
    """A run of some rounds among random faults; at least one worker is sound from some time on."""
    pick = random.Random(seed)
    rows = [pick.choice([0, 1, 1000, 1 << 18, 1 << 20]) for _ in range(pick.randint(1, 7))]
    cluster = SimulatedCluster(rows, seed)
    for k in range(pick.randint(1, 4)):
        cluster.add(f"w{k}", speed=pick.choice([1.0, 1.0, 0.3, 3.0]), delay=pick.choice([0, 0, 0.05, 5]))
    driver = coordinator(cluster, patience=pick.choice([1, 60]))
    rounds = pick.randint(1, 12)
    for t in range(rounds):
        for _ in range(pick.choice([0, 0, 1, 1, 2, 3])):
            name = pick.choice(list(cluster.workers))
            fault = pick.choice(["kill", "freeze", "long", "cut", "slow", "add", "return"])
            if fault == "kill" and cluster.workers[name].alive:
                cluster.kill(name, notice=pick.choice([0.0, 0.1, 30]))
            elif fault in ("freeze", "long"):
                cluster.freeze(name, pick.choice([0.5, 3, 10]) if fault == "freeze" else 300)
            elif fault == "cut" and cluster.workers[name].alive:
                cluster.cut(name, notice=pick.choice([0.0, 0.1, 10]))
            elif fault == "slow":
                cluster.workers[name].speed = pick.choice([0.1, 1.0])
            elif fault == "add":
                cluster.add(f"w{len(cluster.workers)}", delay=pick.choice([0, 1]))
            elif fault == "return" and not cluster.workers[name].alive:
                cluster.restart(name, delay=pick.choice([0, 2]))
        if not any(w.alive for w in cluster.workers.values()):
            cluster.add(f"w{len(cluster.workers)}")
        ask_all(driver, cluster, 1)
    return driver, cluster


def test_thousands_of_schedules_lose_nothing_and_count_nothing_twice(recwarn):
    faults = Counter()
    for seed in range(10000):
        driver, cluster = one_schedule(seed)
        faults.update(each["event"] for each in driver.events)
    # the schedules reach every state
    for event in ("lost", "quarantined", "returned", "active", "dealt", "again", "suspended", "resumed"):
        assert faults[event] > 50, (event, faults)


def test_a_wait_ends_where_the_run_is_to_stop():
    transport = object.__new__(DaskTransport)
    transport.events, looks = queue.SimpleQueue(), []
    transport.should_stop = lambda: looks.append(transport.now()) or len(looks) == 4
    with pytest.raises(StopRequested):
        transport.wait(transport.now() + 3600)
    assert len(looks) == 4
    transport.should_stop = lambda: False
    assert transport.wait(transport.now()) == []
    transport.events.put(("pong", "w"))
    transport.events.put(("alive", "w"))
    assert transport.wait(transport.now() + 3600) == [("pong", "w"), ("alive", "w")]
    assert transport.wait(transport.now() + 0.01) == []
