# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask on real processes: progress, runs that are stopped, drivers and schedulers that die, checkpoints."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
import distributed  # noqa: E402
from dask_processes import Processes, environment, wait_for  # noqa: E402
from dunlin import dask as engine  # noqa: E402
from dunlin._shards import checkpoint as checkpoints  # noqa: E402
from dask_cases import ALONE, At, count, expect_same, KMeans, OPTIONS  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures


# Progress and a stop


def test_progress_and_a_stop_at_an_iteration(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    told = []
    model = KMeans(client=client, callbacks=lambda *progress: told.append(progress), **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert [stage for k, (stage, _, _) in enumerate(told) if k == 0 or told[k - 1][0] != stage] == [
        "start",
        "optimize",
        "labels",
    ]
    assert ("optimize", 25, 25) in told and told[-1] == ("labels", 1, 1)

    client.run(delayed_core.delay, 0.01)
    model = KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS)
    model.callbacks = lambda stage, done, total: stage == "optimize" and done >= 4
    model.fit(path)
    client.run(delayed_core.delay, 0.0)
    stopped = model.result_["n_iter"]
    assert model.stopped_ == "cancelled" and 4 <= stopped < 25 and model.labels_ is None
    wanted = dunlin.kmeans(X, **{**ALONE, "max_iter": stopped})
    assert model.cluster_centers_.tobytes() == wanted.centers.tobytes()
    assert model.predict(X).tobytes() == wanted.labels.tobytes()
    expect_same(KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path), dunlin.kmeans(X, **ALONE))
    assert not (tmp_path / "run.ckpt").exists()


@pytest.mark.parametrize("how", ["gone", "frozen", "before the start"])
def test_a_stop_while_the_driver_waits(cluster, client, points, monkeypatch, how):
    """No worker answers, and the run would wait for a minute."""
    X, path = points
    cluster.ensure(client, 1)
    victim, asked = next(iter(cluster.workers)), {}

    def silence():
        (cluster.kill if how == "gone" else cluster.freeze)(victim)
        asked["silent"] = True

    def stop(stage, done, total):
        if "silent" in asked:
            asked["count"] = asked.get("count", 0) + 1
            if asked["count"] == 20:  # it is told progress at least ten times a second
                asked["time"] = time.monotonic()
                return True
        return False

    At(monkeypatch, [("answered", 1 if how == "before the start" else 25, silence)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(client=client, patience=0.1, callbacks=stop, **OPTIONS).fit(path)
    assert model.stopped_ == "cancelled" and model.labels_ is None and asked["count"] == 20
    assert time.monotonic() - asked["time"] < 5  # a wait for the worker takes ten times as long
    assert model.cluster_centers_.shape == ((0, 3) if how == "before the start" else (5, 3))
    if victim in cluster.workers:
        cluster.thaw(victim)


def test_ctrl_c_while_the_driver_waits(cluster, client, points, monkeypatch, tmp_path, interruptible):
    X, path = points
    cluster.ensure(client, 1)
    victim = next(iter(cluster.workers))

    def silence():
        cluster.kill(victim)
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()

    At(monkeypatch, [("answered", 25, silence)])
    with pytest.raises(KeyboardInterrupt):
        KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path)
    cluster.ensure(client, 1)
    expect_same(KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path), dunlin.kmeans(X, **ALONE))


def test_an_exception_of_a_callback_ends_the_run(cluster, client, points):
    cluster.ensure(client, 2)

    def fail(stage, done, total):
        if stage == "optimize" and done >= 3:
            raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback"):
        KMeans(client=client, callbacks=fail, **OPTIONS).fit(points[1])


# Drivers and schedulers that die

DRIVER = """
import sys
import time
import distributed
from dunlin._shards import checkpoint as checkpoints
from dask_cases import OPTIONS, KMeans
address, path, checkpoint = sys.argv[1:]
save = checkpoints.Checkpoint.save
def slowly(self, state):
    save(self, state)
    print("saved", flush=True)
    time.sleep(0.05)
checkpoints.Checkpoint.save = slowly
with distributed.Client(address) as client:
    KMeans(client=client, checkpoint=checkpoint, **OPTIONS).fit(path)
"""


def test_a_killed_driver_s_run_goes_on_from_its_last_iteration(cluster, client, points, tmp_path):
    X, path = points
    cluster.ensure(client, 2)
    checkpoint = tmp_path / "run.ckpt"
    command = [sys.executable, "-c", DRIVER, cluster.address, path, str(checkpoint)]
    driver = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
    for _ in range(9):
        assert driver.stdout.readline() == "saved\n"
    driver.kill()
    driver.wait()
    assert checkpoints.read_checkpoint(checkpoint)[0]["epoch"] == 1
    model = KMeans(client=client, checkpoint=checkpoint, **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    iterations = sum(each["event"] == "answered" and each["kind"] == "assign" for each in model.events_)
    assert (
        iterations <= 25 - 9 + 2 and not checkpoint.exists()
    )  # the rest, at most one again, and the last one for the inertia


def test_a_killed_scheduler_ends_the_run_and_another_cluster_goes_on(points, tmp_path, monkeypatch):
    X, path = points
    checkpoint = tmp_path / "run.ckpt"
    for k in range(2):
        folder = tmp_path / f"cluster{k}"
        folder.mkdir()
        processes = Processes(folder)
        processes.add("a")
        try:
            with distributed.Client(processes.address, set_as_default=False, timeout=10) as client:
                wait_for(lambda: len(client.ncores()) == 1)
                model = KMeans(client=client, checkpoint=checkpoint, **OPTIONS)
                if k == 0:
                    At(monkeypatch, [("answered", 25, processes.scheduler.kill)])
                    with pytest.raises(engine.ClusterLost, match="cannot be reached"):
                        model.fit(path)
                else:
                    monkeypatch.undo()
                    model.fit(path)
        finally:
            processes.close()
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert model.events_[0]["event"] == "resumed from checkpoint" and model.events_[0]["epoch"] == 2


def test_the_older_of_two_drivers_is_refused(cluster, client, points, tmp_path, monkeypatch):
    X, path = points
    cluster.ensure(client, 2)
    checkpoint = tmp_path / "run.ckpt"
    newer = {}

    def take_over():
        def fit():
            with distributed.Client(cluster.address, set_as_default=False) as other:
                newer["model"] = KMeans(client=other, checkpoint=checkpoint, **OPTIONS).fit(path)

        thread = threading.Thread(target=fit)
        thread.start()
        newer["thread"] = thread
        wait_for(lambda: checkpoints.read_checkpoint(checkpoint)[0]["epoch"] == 2)

    At(monkeypatch, [("answered", 25, take_over)])
    with pytest.raises(engine.Superseded, match=r"epoch 2"):
        KMeans(client=client, checkpoint=checkpoint, **OPTIONS).fit(path)
    newer["thread"].join()
    expect_same(newer["model"], dunlin.kmeans(X, **ALONE))


def test_a_full_disk_is_a_warning(cluster, client, points, tmp_path, monkeypatch):
    X, path = points
    cluster.ensure(client, 1)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints.os, "fsync", full)
    with pytest.warns(UserWarning, match="the disk is full; the run goes on without it"):
        model = KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert count(model, "checkpoint failed") >= 25 and not list(tmp_path.iterdir())


def test_a_checkpoint_of_another_run_is_refused(cluster, client, points, tmp_path, monkeypatch):
    path = points[1]
    cluster.ensure(client, 1)

    def stop_here():
        raise KeyboardInterrupt

    At(monkeypatch, [("answered", 25, stop_here)])
    with pytest.raises(KeyboardInterrupt):
        KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **OPTIONS).fit(path)
    other = {**OPTIONS, "random_state": 4}
    with pytest.raises(dunlin.InputError, match="checkpoint of another run: its seed is 3 and not 4"):
        KMeans(client=client, checkpoint=tmp_path / "run.ckpt", **other).fit(path)
    (tmp_path / "text").write_text("x")
    with pytest.raises(dunlin.FileError, match="is no checkpoint"):
        KMeans(client=client, checkpoint=tmp_path / "text", **OPTIONS).fit(path)
