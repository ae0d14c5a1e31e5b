# SPDX-License-Identifier: Apache-2.0
"""dunlin.dask on real processes that are killed, frozen, added and cut off: the bytes of one process, and counts of what was
lost. No test depends on a time, but for a stop. test_shard_schedule.py has the protocol without processes."""

import os
import random
import re
import threading
import warnings

import numpy as np
import pytest

import dunlin

pytest.importorskip("distributed", reason="the package distributed is not installed")

import delayed_core  # noqa: E402
import distributed  # noqa: E402
from dask_processes import wait_for  # noqa: E402
from dunlin._shards import schedule  # noqa: E402
from dask_cases import ALONE, At, count, expect_same, KMeans, OPTIONS, SLOW  # noqa: E402
from dask_cases import client, cluster, patience, points  # noqa: E402, F401  fixtures


# Workers that die, freeze, join


@pytest.mark.parametrize("seed", range(20 if SLOW else 6))
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
