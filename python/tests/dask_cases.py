# SPDX-License-Identifier: Apache-2.0
"""What the tests of dunlin.dask share: processes, points, runs, and actions at events of a run."""

import os

import numpy as np
import pytest

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

from dask_processes import Processes, wait_for  # noqa: E402
from dunlin import dask as engine  # noqa: E402
from dunlin._shards import checkpoint as checkpoints, schedule  # noqa: E402
from dunlin._shards.estimator import ClusterEstimator  # noqa: E402


class KMeans(engine.KMeans):
    """Small chunks, and workers that the tests can slow down."""

    _core_module, _chunk_rows = "delayed_core", 1024


class GaussianMixture(engine.GaussianMixture):
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
    """Long time limits: on a busy machine no worker counts as frozen, and all have joined by the first request."""
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

        monkeypatch.setattr(ClusterEstimator, "_log_class", Watching)

    def happened(self, event):
        self.seen[event] = self.seen.get(event, 0) + 1
        for action in [a for a in self.left if a[:2] == (event, self.seen[event])]:
            self.left.remove(action)
            action[2]()
