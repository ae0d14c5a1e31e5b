# SPDX-License-Identifier: Apache-2.0
"""k-means over shards in plain NumPy, with the surface of the library's: what the tests of the engine need of it.

Coordinates become 40-bit integers by one scale, so that sums do not depend on the order. A shard answers from the request
alone; what it remembers only saves time.
"""

import pickle
import time
import zlib

import numpy as np

STEP = 1000  # rows of a chunk
DELAY = {"seconds": 0.0}  # of each answer: the tests' slow worker


def chunk_rows(cols):
    return STEP


def _message(kind, epoch, step, chunk=None, rows=0, **body):
    head = {
        "kind": kind,
        "epoch": epoch,
        "step": step,
        "iteration": body.get("iteration", 0),
        "chunk": chunk,
        "rows": rows,
    }
    return pickle.dumps((head, body), 4)


def describe_message(message):
    return pickle.loads(message)[0]


def labels_of(response):
    return pickle.loads(response)[1]["labels"]


def _nearest(rows, centers):
    squares = ((rows[:, None, :].astype(np.float64) - centers[None].astype(np.float64)) ** 2).sum(2)
    nearest = squares.argmin(1)
    return nearest.astype(np.int32), squares[np.arange(len(rows)), nearest]


class Shard:
    def __init__(self, metric="euclidean", threads=0):
        self.parts = {}

    def add(self, first, rows, weights=None):
        assert rows.dtype == np.float32 and rows.ndim == 2
        self.parts[first] = rows, weights

    def remove(self, first):
        del self.parts[first]

    def answer(self, request, chunks=None):
        head, body = pickle.loads(request)
        wanted = sorted(self.parts if chunks is None else chunks)
        time.sleep(DELAY["seconds"] * len(wanted))
        return [self._one(head, body, first, *self.parts[first]) for first in wanted]

    def _one(self, head, body, first, rows, weights):
        found = getattr(self, "_" + head["kind"])(first, rows, 1.0 if weights is None else weights, **body)
        return _message(head["kind"], head["epoch"], head["step"], first, len(rows), **found)

    def _measure(self, first, rows, weights):
        return {"largest": float(np.abs(rows).max()) if rows.size else 0.0, "hash": zlib.crc32(rows.tobytes())}

    def _rows(self, first, rows, weights, numbers):
        return {"found": {n: rows[n - first] for n in numbers if first <= n < first + len(rows)}}

    def _labels(self, first, rows, weights, centers):
        return {"labels": _nearest(rows, centers)[0]}

    def _look(self, first, rows, weights, before, centers, scale):
        nearest, squares = _nearest(rows, centers)
        changed = len(rows) if before is None else int((nearest != _nearest(rows, before)[0]).sum())
        weight = np.broadcast_to(np.rint(np.asarray(weights, np.float64) * 256).astype(np.int64), (len(rows),))
        whole = np.rint(rows.astype(np.float64) * scale).astype(np.int64) * weight[:, None]
        sums = np.zeros((len(centers), rows.shape[1] + 1), np.int64)
        np.add.at(sums[:, :-1], nearest, whole)
        np.add.at(sums[:, -1], nearest, weight)
        inertia = int(np.rint(squares * 2.0**20).astype(np.int64) @ weight)
        return {"sums": sums, "changed": changed, "inertia": inertia}


def kmeans_over(
    ask, n, cols, weighted, centroids, options, run, callback, chunk_rows=0, epoch=1, labels=True, on_checkpoint=None, resume=None
):  # fmt: skip
    steps = iter(range(1, 1 << 30))

    def answers(kind, **body):
        step = next(steps)
        found = [pickle.loads(each) for each in ask(_message(kind, epoch, step, **body))]
        heads, bodies = zip(*found)
        assert sorted(head["chunk"] for head in heads) == list(range(0, n, STEP)), heads
        assert all((head["epoch"], head["step"]) == (epoch, step) for head in heads)
        return bodies

    if resume is None:
        largest = max(each["largest"] for each in answers("measure"))
        scale = 2.0 ** (30 - np.frexp(largest)[1])
        numbers = sorted(np.random.default_rng(run["seed"]).choice(n, options["clusters"], replace=False).tolist())
        rows = {}
        for each in answers("rows", numbers=numbers):
            rows.update(each["found"])
        centers = np.array([rows[number] for number in numbers]) if centroids is None else centroids
        before, done = None, 0
    else:
        scale, before, centers, done = pickle.loads(resume)
    stopped = "budget"
    while done < options["iterations"]:
        found = answers("look", before=before, centers=centers, scale=scale)
        changed, sums = sum(each["changed"] for each in found), sum(each["sums"] for each in found)
        if options["stop"] != "never" and changed == 0:
            stopped = "converged"
            break
        held = sums[:, -1:] > 0
        moved = np.where(held, sums[:, :-1] / np.maximum(sums[:, -1:], 1) / scale, centers).astype(np.float32)
        before, centers, done = centers, moved, done + 1
        if on_checkpoint is not None:
            on_checkpoint(pickle.dumps((scale, before, centers, done), 4))
    last = answers("look", before=before, centers=centers, scale=scale)
    sums = sum(each["sums"] for each in last)
    return {
        "centers": centers,
        "counts": sums[:, -1] // 256,
        "inertia": sum(each["inertia"] for each in last) / 2.0**28,
        "n_iter": done,
        "stopped": stopped,
        "labels": None,
        "labels_request": _message("labels", epoch, next(steps), centers=centers),
    }, None


def kmeans(X, weights=None, **options):
    """The same in one process: one shard with all chunks."""
    shard = Shard()
    for first in range(0, len(X), STEP):
        part = None if weights is None else weights[first : first + STEP]
        shard.add(first, np.ascontiguousarray(X[first : first + STEP], np.float32), part)
    run = {"seed": options.pop("seed")}
    result, _ = kmeans_over(shard.answer, len(X), X.shape[1], weights is not None, None, options, run, None)
    result["labels"] = _nearest(X.astype(np.float32), result["centers"])[0]
    return result
