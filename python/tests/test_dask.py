# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask on real processes that are killed, frozen, added and cut off: the bytes of one process, and counts of what was
lost. No test depends on a time, but for a stop. test_shard_schedule.py has the protocol without processes."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import dunlin

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
from dask_processes import Processes, environment, wait_for  # noqa: E402
from dunlin import dask as engine  # noqa: E402
from dunlin._shards import checkpoint as checkpoints, schedule  # noqa: E402


class KMeans(engine.KMeans):
    """Small chunks, and workers that the tests can slow down."""

    _core_module, _chunk_rows = "delayed_core", 1024


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    processes = Processes(tmp_path_factory.mktemp("cluster"))
    for name in ("a", "b"):
        processes.add(name)
    yield processes
    processes.close()


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster.address, set_as_default=False) as made:
        wait_for(lambda: len(made.ncores()) == 2)
        yield made


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """6,500 points around 5 centers: 7 chunks; and their file."""
    generator = np.random.default_rng(4)
    X = generator.normal(size=(6500, 3)) + generator.normal(size=(5, 3))[generator.integers(5, size=6500)] * 2
    path = tmp_path_factory.mktemp("points") / "points.npy"
    np.save(path, X.astype(np.float32))
    return X.astype(np.float32), str(path)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """On a busy machine nobody is taken for frozen, and all workers are there at the first request."""
    monkeypatch.setattr(schedule, "MIN_WAIT", 60.0)


SLOW = bool(os.environ.get("DUNLIN_SLOW"))  # tests that wait for the timeouts of others, too
OPTIONS = {"n_clusters": 5, "random_state": 3, "max_iter": 25, "stop": "never"}
ALONE = {"n_clusters": 5, "seed": 3, "max_iter": 25, "stop": "never"}


def expect_same(found, wanted):
    assert found.cluster_centers_.dtype == wanted.centers.dtype
    assert found.cluster_centers_.tobytes() == wanted.centers.tobytes()
    assert found.labels_.tobytes() == wanted.labels.tobytes()
    assert found.inertia_ == wanted.inertia and found.counts_.tolist() == wanted.counts.tolist()


def count(model, event):
    return sum(each["event"] == event for each in model.events_)


class At:
    """Calls a function when the n-th event of a kind is logged; in place of the engine's Log."""

    def __init__(self, monkeypatch, actions):
        self.left, self.seen = list(actions), {}

        class Watching(checkpoints.Log):
            def __call__(log, event, **facts):
                checkpoints.Log.__call__(log, event, **facts)
                self.happened(event)

        monkeypatch.setattr(engine, "Log", Watching)

    def happened(self, event):
        self.seen[event] = self.seen.get(event, 0) + 1
        for action in [a for a in self.left if a[:2] == (event, self.seen[event])]:
            self.left.remove(action)
            action[2]()


# Undisturbed


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_bytes_of_one_process(cluster, client, points, workers):
    cluster.ensure(client, workers)
    X, path = points
    model = KMeans(client=client, **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert model.share_ == 1 and count(model, "read") == 7 and count(model, "lost") == 0


def test_every_kind_of_input_gives_the_same(cluster, client, points, tmp_path):
    import dask.array

    cluster.ensure(client, 2)
    X, path = points
    wanted = dunlin.kmeans(X, **ALONE)
    np.save(tmp_path / "a.npy", X[:2222]), np.save(tmp_path / "b.npy", X[2222:])
    X.tofile(tmp_path / "raw.f32")
    model = KMeans(client=client, **OPTIONS)
    expect_same(model.fit([tmp_path / "a.npy", tmp_path / "b.npy"]), wanted)
    expect_same(model.fit(str(tmp_path / "raw.f32"), columns=3), wanted)
    expect_same(model.fit(X), wanted)
    expect_same(model.fit(dask.array.from_array(X, chunks=(1700, 2))), wanted)


def test_labels_are_written_by_the_workers(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    model = KMeans(client=client, labels=tmp_path / "labels.npy", **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert np.load(tmp_path / "labels.npy").tobytes() == model.labels_.tobytes()


def test_a_stop_leaves_a_former_file_of_labels(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    (tmp_path / "labels.npy").write_bytes(b"former")
    model = KMeans(client=client, labels=tmp_path / "labels.npy", callbacks=lambda stage, *_: stage == "labels", **OPTIONS)
    model.fit(points[1])
    assert model.stopped_ == "cancelled" and model.labels_ is None
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("labels.npy", b"former")]


def test_float64_is_shifted_by_the_rows_that_decide_in_one_process(cluster, client, points, tmp_path):
    import dask.array

    cluster.ensure(client, 2)
    X = points[0].astype(np.float64) + [1e6, 0, -3e7]
    np.save(tmp_path / "far.npy", X)
    wanted = dunlin.kmeans(X, **ALONE)
    assert wanted.centers.dtype == np.float64
    for source in (tmp_path / "far.npy", dask.array.from_array(X, chunks=(1000, 3)), X):
        expect_same(KMeans(client=client, **OPTIONS).fit(source), wanted)


def test_weights(cluster, client, points, tmp_path):
    cluster.ensure(client, 2)
    X, path = points
    weights = np.random.default_rng(1).uniform(0.5, 4, len(X)).astype(np.float32)
    np.save(tmp_path / "weights.npy", weights)
    wanted = dunlin.kmeans(X, sample_weight=weights, **ALONE)
    model = KMeans(client=client, **OPTIONS)
    expect_same(model.fit(path, sample_weight=str(tmp_path / "weights.npy")), wanted)
    expect_same(model.fit(X, sample_weight=weights), wanted)
    with pytest.raises(dunlin.OptionError, match="must be the path"):
        model.fit(path, sample_weight=weights)


def test_what_cannot_be_done_is_said(cluster, client, points, tmp_path):
    X, path = points
    (tmp_path / "points.csv").write_text("1,2\n3,4\n")
    model = KMeans(client=client, **OPTIONS)
    with pytest.raises(dunlin.InputError, match="is not a .npy file; give columns=d"):
        model.fit(tmp_path / "points.csv")
    with pytest.raises(dunlin.FileError, match="nowhere.npy cannot be read: No such file"):
        model.fit("nowhere.npy")
    np.save(tmp_path / "fortran.npy", np.asfortranarray(X[:100]))
    with pytest.raises(dunlin.FileError, match="Fortran order"):
        model.fit(tmp_path / "fortran.npy")
    with open(path, "rb") as file:
        (tmp_path / "short.npy").write_bytes(file.read()[:-4])
    with pytest.raises(dunlin.FileError, match="short.npy is truncated"):
        model.fit(tmp_path / "short.npy")
    with pytest.raises(dunlin.InputError, match="least_share is 0"):
        KMeans(client=client, least_share=0).fit(path)
    with pytest.raises(dunlin.InputError, match="must be rows and columns"):
        model.fit(np.zeros((0, 3), np.float32))
    with pytest.warns(UserWarning, match=r"init='k-means\|\|' needs"):
        KMeans(client=client, n_clusters=64, random_state=1, max_iter=1).fit(path)


# The number of clusters


@pytest.mark.parametrize("criterion", ["bic", "aic", "silhouette"])
def test_the_number_of_clusters_is_chosen_as_in_one_process(cluster, client, points, criterion):
    cluster.ensure(client, 2)
    X, path = points
    wanted = dunlin.choose_k(X, 6, least=2, criterion=criterion, seed=3, max_iter=9)
    model = KMeans(client=client, n_clusters=2, up_to=6, criterion=criterion, random_state=3, max_iter=9, n_init=1)
    expect_same(model.fit(path), wanted.best)
    assert model.curve_ == wanted.curve and [clusters for clusters, _, _ in model.curve_] == [2, 3, 4, 5, 6]
    # the first center of each number and, for the silhouette alone, once the rows of the sample
    kinds = [each["kind"] for each in model.events_ if each["event"] == "ask"]
    assert kinds.count("rows") == 5 + (criterion == "silhouette")
    assert count(model, "read") == 7


def test_a_choice_of_float64_survives_a_kill(cluster, client, points, monkeypatch, tmp_path):
    cluster.ensure(client, 3)
    X = points[0].astype(np.float64) + [1e6, 0, -3e7]
    np.save(tmp_path / "far.npy", X)
    wanted = dunlin.choose_k(X, 5, least=2, criterion="silhouette", seed=3)
    victim = sorted(cluster.workers)[0]
    At(monkeypatch, [("answered", 60, lambda: cluster.kill(victim))])
    model = KMeans(client=client, n_clusters=2, up_to=5, criterion="silhouette", random_state=3, n_init=1)
    expect_same(model.fit(tmp_path / "far.npy"), wanted.best)
    assert model.curve_ == wanted.curve and victim not in cluster.workers


@pytest.mark.filterwarnings("ignore:k-means")
def test_what_cannot_be_chosen_is_said(cluster, client, points):
    X, path = points
    for options, sentence in (
        ({"up_to": 4}, "from 5 to 4"),
        ({"up_to": 6501}, "there are 6500 points"),
        ({"up_to": 0}, "up_to is 0"),
        ({"criterion": "bic"}, "only with up_to"),
        ({"up_to": 6, "criterion": "gap"}, "criterion"),
    ):
        with pytest.raises(dunlin.InputError, match=sentence):
            KMeans(client=client, **OPTIONS, **options).fit(path)
    with pytest.raises(dunlin.OptionError, match="must be a word"):
        KMeans(client=client, init=X[:5], up_to=6, **OPTIONS).fit(path)
    with pytest.raises(dunlin.OptionError, match="without weights"):
        KMeans(client=client, up_to=6, **OPTIONS).fit(X, sample_weight=np.ones(len(X)))


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


# Workers that die, freeze, join


@pytest.mark.parametrize("seed", range(6))
def test_kill_at_a_random_moment(cluster, client, points, monkeypatch, seed):
    X, path = points
    cluster.ensure(client, 3)
    pick = random.Random(seed)
    victim, moment = pick.choice(sorted(cluster.workers)), pick.randint(1, 110)
    At(monkeypatch, [(pick.choice(["sent", "answer"]), moment, lambda: cluster.kill(victim))])
    model = KMeans(client=client, **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    # nothing is asked twice but what the dead worker had: a loss costs at most one iteration, its chunks are read once more
    lost = count(model, "read") - 7
    assert lost <= 7 and count(model, "ask") == count(model, "answered")
    assert victim not in cluster.workers


def test_a_frozen_worker_is_replaced_and_returns(cluster, client, points, monkeypatch):
    X, path = points
    cluster.ensure(client, 2)
    victim = sorted(cluster.workers)[0]
    address = cluster.names(client)[victim]
    monkeypatch.setattr(schedule, "MIN_WAIT", 2.0)
    client.run(delayed_core.delay, 0.02, workers=list(client.ncores()))
    At(
        monkeypatch,
        [
            ("answered", 5, lambda: cluster.freeze(victim)),
            ("quarantined", 1, lambda: threading.Timer(1.0, cluster.thaw, [victim]).start()),
        ],
    )
    try:
        model = KMeans(client=client, **{**OPTIONS, "max_iter": 60}).fit(path)
    finally:
        client.run(delayed_core.delay, 0.0)
    expect_same(model, dunlin.kmeans(X, **{**ALONE, "max_iter": 60}))
    assert count(model, "quarantined") >= 1 and count(model, "returned") >= 1
    assert address in {each["worker"] for each in model.events_ if each["event"] == "quarantined"}


def test_a_worker_that_joins_takes_its_share(cluster, client, points, monkeypatch):
    X, path = points
    cluster.ensure(client, 1)
    client.run(delayed_core.delay, 0.02)

    def add_one_as_slow():
        cluster.ensure(client, 2)
        client.run(delayed_core.delay, 0.02)

    At(monkeypatch, [("answered", 3, add_one_as_slow)])
    model = KMeans(client=client, **OPTIONS).fit(path)
    client.run(delayed_core.delay, 0.0)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    last = [each for each in model.events_ if each["event"] == "sent"][-2:]
    assert len({each["worker"] for each in last}) == 2
    assert 7 + 3 <= count(model, "read") <= 7 + 6  # three of the seven chunks move


def test_all_workers_gone_suspends_and_a_new_one_ends_the_run(cluster, client, points, monkeypatch):
    X, path = points
    cluster.ensure(client, 1)
    victim = next(iter(cluster.workers))
    At(monkeypatch, [("answered", 6, lambda: cluster.kill(victim)), ("suspended", 1, lambda: cluster.add("late"))])
    with pytest.warns(UserWarning, match="suspended: 0.00% of the rows"):
        model = KMeans(client=client, patience=0.5, **OPTIONS).fit(path)
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert count(model, "suspended") == count(model, "resumed") == 1 and count(model, "read") == 14


def test_a_slow_worker_gets_fewer_rows(cluster, client, tmp_path):
    cluster.ensure(client, 2)
    X = np.random.default_rng(0).normal(size=(20_000, 2)).astype(np.float32)
    np.save(tmp_path / "points.npy", X)
    slow = sorted(client.ncores())[0]
    client.run(delayed_core.delay, 0.03, workers=[slow])
    client.run(delayed_core.delay, 0.003, workers=sorted(client.ncores())[1:])
    model = KMeans(client=client, **{**OPTIONS, "max_iter": 40}).fit(tmp_path / "points.npy")
    client.run(delayed_core.delay, 0.0)
    expect_same(model, dunlin.kmeans(X, **{**ALONE, "max_iter": 40}))
    sent = [each for each in model.events_ if each["event"] == "sent"]
    last = {each["worker"]: len(each["chunks"]) for each in sent if each["round"] == sent[-1]["round"] - 3}
    assert last.get(slow, 0) <= 6


# Files that change


@pytest.fixture
def two_folders(cluster, client, points, tmp_path):
    """Workers whose folders have their own copy of points.npy."""
    cluster.ensure(client, 0)
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "points.npy", points[0])
        cluster.add(name, cwd=tmp_path / name)
    wait_for(lambda: len(client.ncores()) == 2)
    return tmp_path


def spoil(path, how):
    if how == "missing":
        os.unlink(path)
    elif how == "truncated":
        os.truncate(path, os.path.getsize(path) - 4000 * 12)
    elif how == "unreadable":
        os.unlink(path), os.mkdir(path)
    else:  # the last rows of all chunks, or of the last one
        chunk = 1024 * 12
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            for end in range(size, 200, -chunk) if how == "changed" else [size]:
                file.seek(end - 100)
                file.write(b"\1" * 100)


@pytest.mark.parametrize("how", ["missing", "truncated", "unreadable", "changed"])
def test_a_file_spoiled_on_one_worker_is_read_by_another(cluster, client, points, two_folders, monkeypatch, how):
    X = points[0]
    At(
        monkeypatch,
        [
            ("answered", 4, lambda: (spoil(two_folders / "right" / "points.npy", how), cluster.kill("left"))),
            ("unreadable", 1, lambda: cluster.add("third", cwd=two_folders / "left")),
        ],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KMeans(client=client, patience=0.1, **OPTIONS).fit("points.npy")
    expect_same(model, dunlin.kmeans(X, **ALONE))
    assert count(model, "unreadable") >= 1


def test_a_file_spoiled_everywhere_is_one_error(cluster, client, points, two_folders, monkeypatch):
    def spoil_both():
        for name in ("left", "right"):
            spoil(two_folders / name / "points.npy", "changed")

    def stop_here():
        raise KeyboardInterrupt

    At(monkeypatch, [("answered", 25, spoil_both), ("answered", 26, stop_here)])
    model = KMeans(client=client, checkpoint=two_folders / "run.ckpt", **OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        model.fit("points.npy")
    cluster.ensure(client, 0)  # what they hold in memory is sound
    for name in ("left", "right"):
        cluster.add(name, cwd=two_folders / name)
    wait_for(lambda: len(client.ncores()) == 2)
    with pytest.raises(
        dunlin.FileError, match=r"chunk \d .* points.npy, bytes \d+ to \d+: the content changed .* worker tcp"
    ):
        model.fit("points.npy")


# Drivers and schedulers that die

DRIVER = """
import sys
import time
import distributed
from dunlin._shards import checkpoint as checkpoints
from test_dask import OPTIONS, KMeans
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


def test_where_less_is_enough_the_run_begins_again_with_the_rest(cluster, client, points, two_folders, monkeypatch):
    X = points[0]

    def add_one_with_a_bad_end():
        spoil(two_folders / "right" / "points.npy", "changed at the end")
        cluster.add("right", cwd=two_folders / "right")

    cluster.kill("right")
    wait_for(lambda: len(client.ncores()) == 1)
    client.run(delayed_core.delay, 0.02)
    At(
        monkeypatch,
        [("answered", 3, add_one_with_a_bad_end), ("active", 2, lambda: cluster.kill("left"))],
    )
    with pytest.warns(UserWarning, match="begins again with 94.52% of the rows"):
        model = KMeans(client=client, patience=1, least_share=0.9, **OPTIONS).fit("points.npy")
    wanted = dunlin.kmeans(X[:6144], **ALONE)
    assert model.cluster_centers_.tobytes() == wanted.centers.tobytes() and model.share_ == 6144 / 6500
    assert model.labels_[:6144].tobytes() == wanted.labels.tobytes() and (model.labels_[6144:] == -1).all()


# Links that are cut


def in_namespace(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True).returncode == 0


@pytest.fixture
def two_networks(tmp_path):
    """A worker's network namespace, and the link to it."""
    name = f"dunlin{os.getpid()}"
    here, there = f"dh{os.getpid()}"[:15], f"dt{os.getpid()}"[:15]
    made = (
        in_namespace("netns", "add", name)
        and in_namespace("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        and in_namespace("addr", "add", "10.97.13.1/24", "dev", here)
        and in_namespace("link", "set", here, "up")
        and in_namespace("-n", name, "addr", "add", "10.97.13.2/24", "dev", there)
        and in_namespace("-n", name, "link", "set", there, "up")
        and in_namespace("-n", name, "link", "set", "lo", "up")
    )
    try:
        if not made:
            pytest.skip("network namespaces cannot be made: this needs root and the package iproute2")
        yield name, here
    finally:
        in_namespace("link", "del", here), in_namespace("netns", "del", name)


@pytest.mark.skipif(not SLOW, reason="DUNLIN_SLOW is not set: TCP decides when it tries again, after up to minutes")
def test_a_link_that_is_cut_and_healed(points, tmp_path, two_networks, monkeypatch):
    X, path = points
    name, link = two_networks
    processes = Processes(tmp_path, host="10.97.13.1")
    try:
        processes.add("near")
        processes.add("far", prefix=["ip", "netns", "exec", name])
        with distributed.Client(processes.address, set_as_default=False) as client:
            wait_for(lambda: len(client.ncores()) == 2)
            client.run(delayed_core.delay, 0.01)
            monkeypatch.setattr(schedule, "MIN_WAIT", 2.0)
            At(
                monkeypatch,
                [
                    ("answered", 6, lambda: in_namespace("link", "set", link, "down")),
                    ("quarantined", 1, lambda: threading.Timer(3, in_namespace, ["link", "set", link, "up"]).start()),
                ],
            )
            model = KMeans(client=client, **{**OPTIONS, "max_iter": 120}).fit(path)
    finally:
        processes.close()
    expect_same(model, dunlin.kmeans(X, **{**ALONE, "max_iter": 120}))
    assert count(model, "quarantined") + count(model, "lost") >= 1


# The command


@pytest.mark.parametrize("more_options", [[], ["--up-to", "7", "--criterion", "silhouette"]])
def test_the_command_has_the_files_and_the_report_of_the_plain_one(
    cluster, client, points, tmp_path, monkeypatch, more_options
):
    X, path = points
    cluster.ensure(client, 2)
    monkeypatch.chdir(tmp_path)
    options = ["--clusters", "5", "--seed", "3", "--iterations", "20", "--quiet", *more_options]
    command = [sys.executable, "-m", "dunlin", "kmeans", path, *options]
    for name, more in (("one", []), ("many", ["--scheduler", cluster.address])):
        files = [
            "-o",
            f"{name}.csv",
            "-o",
            f"{name}.npy",
            "--centroids",
            f"{name}.centroids.csv",
            "--report",
            f"{name}.json",
        ]
        done = subprocess.run([*command, *files, *more], env=environment(), capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "" and done.stderr == "", done
    for suffix in (".csv", ".npy", ".centroids.csv"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"many{suffix}").read_bytes(), suffix
    one, many = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "many"))
    assert many["cluster"]["workers"] == 2 and many["cluster"]["share"] == 1
    for key in ("options", "iterations", "stopped", "quality", "counts", "method", "command", "dunlin", "curve"):
        assert one.get(key) == many.get(key), key
    assert ("curve" in one) == ("--up-to" in more_options)
    for words, sentence in (
        (["--method", "sequential"], "--method is not for a cluster"),
        (["--up-to", "9", "--weights", "w.npy"], "--up-to excludes"),
        (["--criterion", "aic"], "--criterion needs --up-to") if not more_options else (["--up-to", "4"], "from 5 to 4"),
    ):
        refused = subprocess.run(
            [*command, "--scheduler", cluster.address, *words], env=environment(), capture_output=True, text=True
        )
        assert refused.returncode == 2 and sentence in refused.stderr, refused


def test_the_examples_of_the_page_run(cluster, client, tmp_path, monkeypatch):
    import re

    cluster.ensure(client, 2)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DUNLIN_SCHEDULER", cluster.address)
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "distributed.md")
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    names = {}
    for block in blocks:
        exec(compile(block, "distributed.md", "exec"), names)
    names["client"].close()
    assert len(blocks) == 3
