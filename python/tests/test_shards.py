# SPDX-License-Identifier: Apache-2.0
"""The binding of k-means over shards: requests and responses as bytes; the memory that workers need."""

import warnings

import numpy as np
import pytest

import dunlin
from dunlin import _core
from dunlin._shards.memory import bytes_of_worker, check_memory
from dunlin._shards.methods import ClusterMethod, MixtureMethod

ROWS = 1024  # of a chunk
EIGHT = ClusterMethod({"clusters": 8, "metric": "euclidean"})


@pytest.fixture
def rows():
    generator = np.random.default_rng(1)
    return np.ascontiguousarray(generator.normal(size=(4000, 3)) + generator.integers(0, 9, (4000, 1)), np.float32)


def shards_of(rows, count, metric="euclidean", weights=None):
    shards = [_core.Shard(metric=metric, threads=1) for _ in range(count)]
    for number, first in enumerate(range(0, len(rows), ROWS)):
        own = slice(first, first + ROWS)
        part = None if weights is None else np.ascontiguousarray(weights[own])
        shards[number % count].add(first, np.ascontiguousarray(rows[own]), part)  # the shard keeps the array alive
    return shards


def run_over(ask, rows, weighted=False, seed=1, clusters=5, start="plusplus", metric="euclidean", **driving):
    values, raised = _core.kmeans_over(
        ask,
        *rows.shape,
        weighted,
        None,
        {"clusters": clusters, "start": start, "metric": metric},
        {"seed": seed, "threads": 1},
        None,
        chunk_rows=ROWS,
        **driving,
    )
    assert raised is None
    return values


def same(values, alone):
    return (
        values["labels"].tobytes() == alone.labels.tobytes()
        and values["centers"].tobytes() == alone.centers.tobytes()
        and values["inertia"] == alone.inertia
        and values["n_iter"] == alone.n_iter
    )


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_bytes_of_one_process(count, metric, rows):
    weights = np.arange(4000, dtype=np.float32) % 7
    shards = shards_of(rows, count, metric, weights)
    values = run_over(lambda request: [r for s in shards for r in s.answer(request)], rows, True, metric=metric)
    assert same(values, dunlin.kmeans(rows, 5, metric=metric, sample_weight=weights, seed=1))


def test_messages_describe_themselves(rows):
    shard, kinds = shards_of(rows, 1)[0], []

    def ask(request):
        asked = _core.describe_message(request)
        assert asked["chunk"] is None and asked["rows"] is None
        kinds.append(asked["kind"])
        responses = shard.answer(request)
        found = [_core.describe_message(response) for response in responses]
        assert [one["chunk"] for one in found] == [0, 1024, 2048, 3072]
        assert [one["rows"] for one in found] == [1024, 1024, 1024, 928]
        assert all(one["step"] == asked["step"] and one["epoch"] == 7 for one in found)
        assert shard.answer(request, [2048]) == responses[2:3]
        assert shard.answer(request, []) == []
        return reversed(responses)

    values = run_over(ask, rows, epoch=7, labels=False)
    assert kinds[:2] == ["survey", "measure"] and kinds[-1] == "labels" and "assign" in kinds
    assert values["labels"] is None
    labels = np.concatenate([_core.labels_of(each) for each in shard.answer(values["labels_request"])])
    assert labels.tobytes() == dunlin.kmeans(rows, 5, seed=1).labels.tobytes()
    assert shard.chunks() == [(0, 1024), (1024, 1024), (2048, 1024), (3072, 928)]
    shard.remove(1024)
    with pytest.raises(dunlin.InputError, match="no chunk that begins at row 1024"):
        shard.answer(values["labels_request"], [1024])


def test_a_run_resumes(rows):
    shard, states = shards_of(rows, 1)[0], []
    alone = dunlin.kmeans(rows, 5, seed=1)
    assert same(run_over(shard.answer, rows, on_checkpoint=states.append), alone)
    for state in states:
        fresh = shards_of(rows, 1)[0]
        assert same(run_over(fresh.answer, rows, resume=state), alone)


def choose_over(ask, rows, callback=None, **driving):
    run = {"seed": 1, "threads": 1}
    return _core.kmeans_over(ask, *rows.shape, False, None, {"clusters": 2}, run, callback, chunk_rows=ROWS, **driving)


@pytest.mark.parametrize("criterion", ["bic", "silhouette"])
def test_the_number_of_clusters_is_chosen(rows, criterion):
    shard, states = shards_of(rows, 1)[0], []
    wanted = dunlin.choose_k(rows, 6, least=2, criterion=criterion, seed=1)
    options = {"up_to": 6, "criterion": criterion}
    values, raised = choose_over(shard.answer, rows, on_checkpoint=states.append, **options)
    assert raised is None and same(values, wanted.best) and values["curve"] == wanted.curve
    fresh = shards_of(rows, 1)[0]
    values, _ = choose_over(fresh.answer, rows, resume=states[len(states) // 2], **options)
    assert same(values, wanted.best) and values["curve"] == wanted.curve
    with pytest.raises(dunlin.InputError, match="another run"):
        choose_over(fresh.answer, rows, resume=states[-1], up_to=7, criterion=criterion)


def test_a_stop_ends_a_wait(rows):
    """ask() that waits learns of the stop, and nothing is asked after that."""
    shard, told, asked = shards_of(rows, 1)[0], [], []

    def ask(request):
        asked.append(_core.describe_message(request))
        if asked[-1]["iteration"] < 3:
            return shard.answer(request)
        while not _core.should_stop_waiting():
            pass
        return []

    def callback(stage, done, total, cost, coordinates):
        told.append((stage, done))
        return told.count(("optimize", 2)) == 5

    values, raised = choose_over(ask, rows, callback, ask_after_stop=False)
    assert raised is None and values["stopped"] == "cancelled" and values["n_iter"] == 2
    assert asked[-1]["iteration"] == 3 and told[-5:] == [("optimize", 2)] * 5
    wanted = dunlin.kmeans(rows, 2, seed=1, max_iter=2)
    assert values["centers"].tobytes() == wanted.centers.tobytes() and not len(values["counts"])
    assert not _core.should_stop_waiting()


def test_exceptions_of_the_callbacks_are_raised(rows):
    def ask(request):
        raise ConnectionError("worker 3 is away")

    with pytest.raises(ConnectionError, match="worker 3"):
        run_over(ask, rows)
    with pytest.raises(ZeroDivisionError):
        run_over(shards_of(rows, 1)[0].answer, rows, on_checkpoint=lambda state: 1 / 0)
    with pytest.raises(dunlin.InputError, match="truncated or changed"):
        run_over(lambda request: [request[:-1] + b"x"], rows)


def test_chunks_are_a_power_of_two():
    assert [_core.chunk_rows(cols) for cols in (2, 128, 10**6)] == [1 << 23, 1 << 17, 1024]


class Limited:
    """Workers with limits, as a client lists them: (threads, bytes)."""

    def __init__(self, *workers):
        self.workers = {f"w{k}": {"nthreads": t, "memory_limit": b} for k, (t, b) in enumerate(workers)}

    def scheduler_info(self, n_workers):
        return {"workers": self.workers}


class Rows:
    n, cols, dtype, weights, paths = 1 << 20, 16, np.dtype(np.float32), None, None


def test_limits_too_small_are_said_before_the_run():
    def check(*workers, rows=Rows):
        check_memory(_core, Limited(*workers), rows, EIGHT, 1 << 15, 1)

    values, kept = (1 << 20) * 64, (1 << 20) * 8 + (1 << 16)  # rows; labels and bounds
    sums = 32 * 4 * 8 * 17 * 8 + 8 * 17 * 8 + 16 * 1024  # of 32 chunks, and the workspace of one thread
    assert bytes_of_worker(_core, Rows, EIGHT, 1 << 15, 1.0, 1) == values + kept + sums
    assert bytes_of_worker(_core, Rows, EIGHT, 1 << 15, 0.5, 1) < (values + kept + sums) * 0.51
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check((1, values + kept + sums))
        check((1, 0), (1, 1000))  # one has no limit
        check()
    with pytest.raises(dunlin.OutOfMemoryError, match="the 2 workers may use"):
        check((1, values // 2), (1, values // 2))
    with pytest.warns(UserWarning, match="1 of 2 workers .* for example w0"):
        check((3, values // 2), (1, values))

    class Doubles(Rows):
        dtype = np.dtype(np.float64)

    assert bytes_of_worker(_core, Doubles, EIGHT, 1 << 15, 1.0, 1) == values + kept + sums + (1 << 15) * 128


def test_a_mixture_needs_the_sums_of_a_leaf_and_a_chunk_more():
    method = MixtureMethod({"components": 8, "covariance": "full", "iterations": 5, "tolerance": 0.1, "floor": 1e-6})
    clusters = _core.bytes_of_shard(4000, 3, False, 4, 8, 1)
    assert method.bytes_of_shard(_core, 4000, 3, False, 4, 1) > clusters + 4 * 8 * 13 * 8 + 1000 * 8
    assert method.width(3) == 8 * 3 and MixtureMethod({**method.options, "covariance": "diagonal"}).width(3) == 16


@pytest.mark.parametrize("form", ["full", "diagonal", "spherical", "tied"])
def test_a_mixture_has_the_bytes_of_one_process(form, rows):
    shards = shards_of(rows, 3)
    states = []
    options = {"components": 3, "covariance": form, "iterations": 6}

    def over(**driving):
        values, raised = _core.mixture_over(
            lambda request: [response for shard in shards for response in shard.answer(request)],
            *rows.shape,
            options,
            {"seed": 1, "threads": 1},
            None,
            chunk_rows=ROWS,
            **driving,
        )
        assert raised is None
        return values

    alone = dunlin.mixture(rows, 3, covariance_type=form, max_iter=6, seed=1)
    first = over(on_checkpoint=states.append)
    for values in (first, over(resume=states[-2], epoch=2)):
        assert values["covariances"].tobytes() == alone.covariances.tobytes()
        assert values["labels"].tobytes() == alone.labels.tobytes()
        assert values["log_likelihood"] == alone.log_likelihood
