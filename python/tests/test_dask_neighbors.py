# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask.neighbors beside dunlin.neighbors: the same bytes, also with workers that die, freeze and join."""

import errno
import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
from dask_processes import environment  # noqa: E402
from dunlin import dask as engine  # noqa: E402
from dunlin._shards import schedule  # noqa: E402
from dunlin._shards.search import Search  # noqa: E402
from dask_cases import SLOW, At  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(Search, "_chunk_rows", 1024)
    monkeypatch.setattr(Search, "_core_module", "delayed_core")


def expect_same(found, wanted):
    assert found.indices.dtype == np.int32 and found.distances.dtype == np.float32
    assert found.indices.tobytes() == wanted.indices.tobytes() and found.indices.shape == wanted.indices.shape
    assert found.distances.tobytes() == wanted.distances.tobytes()
    assert found.stopped == "converged" and found.recall == 1


def count(found, event):
    return sum(each["event"] == event for each in found.events)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "inner-product"])
def test_files_and_arrays_have_the_lists_of_one_process(cluster, client, points, metric):
    cluster.ensure(client, 2)
    X, path = points
    wanted = dunlin.neighbors(X, 7, metric=metric, method="exact")
    found = engine.neighbors(path, 7, metric=metric, client=client)
    expect_same(found, wanted)
    assert found.workers == 2 and count(found, "read") == 7
    assert (found.to_csr() != wanted.to_csr()).nnz == 0
    expect_same(engine.neighbors(X, 7, metric=metric, client=client), wanted)


def test_a_dask_array_and_include_self(cluster, client, points):
    array = pytest.importorskip("dask.array")
    cluster.ensure(client, 2)
    X, _ = points
    with client.as_current():
        found = engine.neighbors(array.from_array(X, chunks=(900, 2)), 5, include_self=True, client=client)
    wanted = dunlin.neighbors(X, 5, include_self=True, method="exact")
    assert found.indices.tobytes() == wanted.indices.tobytes() and found.distances.tobytes() == wanted.distances.tobytes()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "inner-product"])
def test_float64_is_shifted_as_in_one_process(cluster, client, points, metric):
    cluster.ensure(client, 2)
    X = points[0][:2500].astype(np.float64) + [1e4, 0, -3e5]
    expect_same(engine.neighbors(X, 4, metric=metric, client=client), dunlin.neighbors(X, 4, metric=metric, method="exact"))


@pytest.mark.parametrize("n", [1, 2, 5, 1024, 1025])
def test_few_rows_copies_and_more_neighbors_than_rows(cluster, client, n):
    cluster.ensure(client, 2)
    X = np.floor(np.random.default_rng(n).normal(size=(n, 2)) * 2).astype(np.float32)
    expect_same(engine.neighbors(X, 9, client=client), dunlin.neighbors(X, 9, method="exact"))


@pytest.mark.parametrize("seed", range(12 if SLOW else 4))
def test_a_kill_at_a_random_moment(cluster, client, points, monkeypatch, seed):
    X, path = points
    cluster.ensure(client, 3)
    pick = random.Random(seed)
    victim = pick.choice(sorted(cluster.workers))
    At(monkeypatch, [(pick.choice(["sent", "answer"]), pick.randint(1, 18), lambda: cluster.kill(victim))])
    found = engine.neighbors(path, 6, client=client)
    expect_same(found, dunlin.neighbors(X, 6, method="exact"))
    assert victim not in cluster.workers and count(found, "read") <= 14


def test_a_frozen_worker_is_replaced_and_a_new_one_joins(cluster, client, points, monkeypatch):
    X, path = points
    cluster.ensure(client, 2)
    victim = sorted(cluster.workers)[0]
    monkeypatch.setattr(schedule, "MIN_WAIT", 2.0)
    At(
        monkeypatch,
        [
            ("answered", 4, lambda: cluster.freeze(victim)),
            ("quarantined", 1, lambda: (cluster.add("joins"), threading.Timer(1.0, cluster.thaw, [victim]).start())),
        ],
    )
    found = engine.neighbors(path, 6, client=client)
    cluster.thaw(victim)
    expect_same(found, dunlin.neighbors(X, 6, method="exact"))
    assert count(found, "quarantined") >= 1
    time.sleep(1.2)  # the timer


def test_progress_and_a_stop_within_a_quarter_of_a_second(cluster, client, points, monkeypatch):
    cluster.ensure(client, 1)
    victim = next(iter(cluster.workers))
    seen = []
    engine.neighbors(points[1], 3, client=client, callbacks=lambda *told: seen.append(told))
    assert {stage for stage, _, _ in seen} == {"neighbors"} and seen[-1][1:] == (6500, 6500)
    asked = {}

    def stop(stage, done, total):
        if cluster.workers and count_of_events["answered"] < 4:
            return False
        asked.setdefault("time", time.monotonic())
        return True

    count_of_events = {"answered": 0}

    def silence():
        count_of_events["answered"] = 4
        cluster.freeze(victim)

    At(monkeypatch, [("answered", 4, silence)])
    found = engine.neighbors(points[1], 3, client=client, callbacks=stop)
    assert time.monotonic() - asked["time"] < 2  # 0.25 on an idle machine; to wait for the worker takes a minute
    cluster.thaw(victim)
    assert found.stopped == "cancelled" and found.indices.shape == (0, 0) and found.to_csr().nnz == 0


DRIVER = """
import sys
import time
import distributed
from dunlin import dask as engine
from dunlin._shards import checkpoint as checkpoints
from dunlin._shards.search import Search
Search._chunk_rows, Search._core_module = 1024, "delayed_core"
address, path, checkpoint = sys.argv[1:]
save = checkpoints.Checkpoint.save
def slowly(self, state):
    save(self, state)
    print("saved", flush=True)
    time.sleep(1 if state else 0)
checkpoints.Checkpoint.save = slowly
with distributed.Client(address) as client:
    engine.neighbors(path, 6, client=client, checkpoint=checkpoint)
"""


def test_a_killed_driver_s_search_goes_on_from_its_last_block(cluster, client, points, tmp_path):
    X, path = points
    cluster.ensure(client, 2)
    checkpoint = tmp_path / "run.ckpt"
    command = [sys.executable, "-c", DRIVER, cluster.address, path, str(checkpoint)]
    driver = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    for _ in range(2):  # before the first block, and after it
        assert driver.stdout.readline() == "saved\n"
    driver.kill(), driver.wait()
    assert sorted(os.listdir(tmp_path)) == ["run.ckpt", "run.ckpt.1.lists"]
    with pytest.raises(dunlin.InputError, match="checkpoint of another run: its neighbors"):
        engine.neighbors(path, 5, client=client, checkpoint=checkpoint)
    found = engine.neighbors(path, 6, client=client, checkpoint=checkpoint)
    expect_same(found, dunlin.neighbors(X, 6, method="exact"))
    assert count(found, "resumed from checkpoint") == 1
    kinds = [each["kind"] for each in found.events if each["event"] == "ask"]
    assert kinds.count("nearest") == 1  # of two blocks
    assert os.listdir(tmp_path) == []


def test_a_stop_keeps_the_checkpoint_and_damaged_lists_are_named(cluster, client, points, tmp_path, monkeypatch):
    X, path = points
    cluster.ensure(client, 2)
    checkpoint = tmp_path / "run.ckpt"
    with monkeypatch.context() as slow:  # longer than the time between two calls of the callback
        At(slow, [("ask", number, lambda: time.sleep(0.3)) for number in range(1, 40)])
        stopped = engine.neighbors(path, 6, client=client, checkpoint=checkpoint, callbacks=lambda stage, done, _: done >= 4096)
    assert stopped.stopped == "cancelled"
    (lists,) = [name for name in os.listdir(tmp_path) if name.endswith(".lists")]
    whole = (tmp_path / lists).read_bytes()
    assert len(whole) == 4096 * 6 * 8
    (tmp_path / lists).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(dunlin.FileError, match="has the lists of 2048 rows, and its checkpoint says 4096"):
        engine.neighbors(path, 6, client=client, checkpoint=checkpoint)
    (tmp_path / lists).write_bytes(whole + b"what came after the checkpoint")
    expect_same(engine.neighbors(path, 6, client=client, checkpoint=checkpoint), dunlin.neighbors(X, 6, method="exact"))
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_a_warning(cluster, client, points, tmp_path, monkeypatch):
    X, path = points
    cluster.ensure(client, 2)
    calls = []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match="lists cannot be written: the disk is full"):
        found = engine.neighbors(path, 6, client=client, checkpoint=tmp_path / "run.ckpt")
    expect_same(found, dunlin.neighbors(X, 6, method="exact"))
    assert count(found, "checkpoint failed") == 1


def test_what_cannot_be_done_is_said(cluster, client, points):
    cluster.ensure(client, 1)
    X, path = points
    for options, sentence in (
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"metric": "cosine"}, "scale the rows to length 1"),
        ({"metric": "hamming"}, "metric"),
        ({"patience": -1}, "patience is -1"),
    ):
        with pytest.raises(dunlin.InputError, match=sentence):
            engine.neighbors(path, **{"client": client, **options})
    with pytest.raises(dunlin.OptionError, match="whole number"):
        engine.neighbors(path, 2.5, client=client)
    bad = X.copy()
    bad[4100, 1] = np.nan
    with pytest.raises(dunlin.InputError, match="row 4100"):
        engine.neighbors(bad, 3, client=client)
