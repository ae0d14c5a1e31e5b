# SPDX-License-Identifier: Apache-2.0
"""The points as the driver knows them: where rows are, never the rows."""

import asyncio
import os

import numpy as np

from .. import _intake
from .._errors import Error, InputError, OptionError
from .actor import hand_over
from .files import chunks_of, describe_files, read_rows, sampled_rows
from .records import ClusterLost

PATIENCE = 60  # seconds for a file's header, or some of its rows


def _path(path):
    """Where a file is on a shared disk: relative paths are the driver's, or, if it has no such file, each worker's."""
    path = os.fspath(path)
    return os.path.abspath(path) if os.path.exists(path) else path


class FilePoints:
    """Rows of files that the workers read."""

    def __init__(self, client, paths, cols, weights):
        self.paths = [_path(path) for path in paths]
        self.files = _anywhere(client, describe_files, self.paths, cols)
        self.n, self.cols = sum(file.rows for file in self.files), self.files[0].cols
        self.dtype = np.dtype(self.files[0].dtype)
        self.bytes = sum(file.rows * file.row_bytes for file in self.files)
        self.client, self.weights = client, weights

    def sample(self):
        return _anywhere(self.client, read_rows, self.files, sampled_rows(self.n, self.cols))

    def chunks(self, step):
        weights = None
        if self.weights is not None:
            if not isinstance(self.weights, (str, os.PathLike)):
                raise OptionError(
                    "sample_weight must be the path of a .npy file where the rows are in files", option="sample_weight"
                )
            weights = _anywhere(self.client, describe_files, [_path(self.weights)], 1)
            if weights[0].rows != self.n or weights[0].cols != 1:
                raise InputError(
                    f"{self.weights} has {weights[0].rows} weights and there are {self.n} points; there must be one for each",
                    option="sample_weight",
                )
        return chunks_of(self.n, step, self.files, weights)

    def blocks(self, step):
        return None


class BlockPoints:
    """Rows of a dask.array, whose blocks stay among the workers."""

    def __init__(self, client, array, weights):
        if array.ndim != 2:
            raise InputError(f"X has {array.ndim} axes; it must have two, rows of points", option="X")
        if any(np.isnan(size) for size in array.shape):
            array = array.compute_chunk_sizes()
        self.client, self.array, self.paths = client, array, None
        self.n, self.cols = (int(size) for size in array.shape)
        self.dtype, self.bytes = array.dtype, self.n * self.cols * array.dtype.itemsize
        if hasattr(weights, "compute"):
            weights = weights.compute()
        self.weights = None
        if weights is not None:
            self.weights = np.ascontiguousarray(_intake.dense(weights, "sample_weight"), np.float32).reshape(-1)

    def sample(self):
        return _intake.dense(self.client.compute(self.array[sampled_rows(self.n, self.cols)], sync=True))

    def chunks(self, step):
        return chunks_of(self.n, step)

    def blocks(self, step):
        self.step = step
        parts = self.array.rechunk((step, -1)).to_delayed().reshape(-1)
        self.futures = self.client.compute(list(parts))
        return self

    async def give(self, client, run, chunk, name):
        """Hands a block to a worker; Dask computes it again where it was lost."""
        weights = None if self.weights is None else self.weights[chunk.place : chunk.place + chunk.rows]
        rows = await self._rows(client, chunk, name)
        where = {"workers": [name], "allow_other_workers": False, "pure": False}
        await client.gather(client.submit(hand_over, run, chunk, rows, weights, **where), asynchronous=True)

    async def _rows(self, client, chunk, name):
        return self.futures[chunk.place // self.step]


class RowPoints(BlockPoints):
    """Rows of the client's memory, sent to the workers chunk by chunk."""

    def __init__(self, client, array, weights):
        array = _intake.dense(array)
        if array.ndim != 2:
            raise InputError(f"X has {array.ndim} axes; it must have two, rows of points", option="X")
        super().__init__(client, array, weights)

    def sample(self):
        return np.ascontiguousarray(self.array[sampled_rows(self.n, self.cols)])

    def blocks(self, step):
        return self

    async def _rows(self, client, chunk, name):
        rows = np.ascontiguousarray(self.array[chunk.place : chunk.place + chunk.rows])
        return await client.scatter(rows, workers=[name], hash=False, asynchronous=True)


def _anywhere(client, function, *arguments):
    """The result of a function by any worker; the last one's error if all fail."""
    error = ClusterLost(f"the cluster had no workers for {PATIENCE} seconds; start some")
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        raise error from None
    for name in sorted(client.ncores()):
        try:
            return client.submit(function, *arguments, workers=[name], pure=False).result(timeout=PATIENCE)
        except Error as reason:
            error = reason
        except (TimeoutError, asyncio.TimeoutError):
            error = ClusterLost(f"worker {name} does not answer for {PATIENCE} seconds")
    raise error


def points_of(client, X, columns, weights):
    if isinstance(X, (str, os.PathLike)):
        X = [X]
    if isinstance(X, (list, tuple)) and X and all(isinstance(path, (str, os.PathLike)) for path in X):
        return FilePoints(client, X, columns, weights)
    if type(X).__module__.startswith("dask.array"):
        return BlockPoints(client, X, weights)
    return RowPoints(client, X, weights)
