# SPDX-License-Identifier: Apache-2.0
"""The points as the driver knows them: where rows are, never the rows."""

import asyncio
import os

import numpy as np

from .. import _cells, _given, _intake, _match, _sparse
from .._errors import Error, InputError, OptionError
from .._run import Run as HowToRun
from .actor import hand_over
from .files import chunks_of, describe_files, extremes_of, read_rows, sampled_rows
from .records import ClusterLost
from .versions import fit_workers

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
        if self.n and self.cols and self.dtype.kind in "iu" and _cells.may_be_alike(self.sample()):
            _cells.refuse_alike(*_anywhere(client, extremes_of, self.files, patience=None), "X")

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

    def say_if_distances(self, function):
        """As the function of this name says it, by some rows: the files may be larger than the driver's memory."""
        if self.n == self.cols:
            _given.say_if_distances(self.sample()[:, sampled_rows(self.n, self.cols)], function)


class BlockPoints:
    """Rows of a dask.array, whose blocks stay among the workers."""

    def __init__(self, client, array, weights):
        if array.ndim != 2:
            raise InputError(f"X has {array.ndim} axes; it must have two, rows of points", option="X")
        if any(np.isnan(size) for size in array.shape):
            with client.as_current():
                array = array.compute_chunk_sizes()
        self.client, self.array, self.paths = client, self._numbers(client, array), None
        self.n, self.cols = (int(size) for size in array.shape)
        self.dtype, self.bytes = self.array.dtype, self.n * self.cols * self.array.dtype.itemsize
        self._require_told_apart()
        self.weights = None if weights is None else _intake.column(weights, "sample_weight", self.n)

    def _numbers(self, client, array):
        """The array as one of numbers that the workers narrow, by the rules of arrays of one process."""
        kind = array.dtype.kind
        if _cells.say_times(array, "X") and client.compute(array.map_blocks(np.isnat, dtype=bool).any(), sync=True):
            raise InputError("X has a missing time (NaT); leave the row out or fill the value in", option="X")
        if kind in "mM":
            return array.astype(np.int64).astype(np.float64)
        return array.astype(np.uint8) if kind == "b" else array

    def _require_told_apart(self):
        if self.n and self.cols and _cells.may_be_alike(self.sample()):
            _cells.refuse_alike(*self.client.compute([self.array.min(0), self.array.max(0)], sync=True), "X")

    def say_if_distances(self, function):
        """As the function of this name says it."""
        array, dask_array = self.array, _dask_array()
        if self.n != self.cols or self.n < _given.FEWEST:
            return
        if self.client.compute(dask_array.diag(array).any(), sync=True):
            return
        apart = dask_array.fabs(array - array.T).max()
        least, largest, apart = self.client.compute([array.min(), array.max(), apart], sync=True)
        if least >= 0 and 0 < largest < np.inf and apart <= 1e-5 * largest:
            _given.say_distances(function)

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
        array = _intake.dense(array) if _sparse.is_sparse(array) else _intake._numbers(array, HowToRun({}), "X")
        super().__init__(client, array, weights)

    def _numbers(self, client, array):
        return array

    def _require_told_apart(self):
        pass

    def say_if_distances(self, function):
        _given.say_if_distances(self.array, function)

    def sample(self):
        return np.ascontiguousarray(self.array[sampled_rows(self.n, self.cols)])

    def blocks(self, step):
        return self

    async def _rows(self, client, chunk, name):
        rows = np.ascontiguousarray(self.array[chunk.place : chunk.place + chunk.rows])
        return await client.scatter(rows, workers=[name], hash=False, asynchronous=True)


def _anywhere(client, function, *arguments, patience=PATIENCE):
    """The result of a function by any worker; the last one's error if all fail."""
    error = ClusterLost(f"the cluster had no workers for {PATIENCE} seconds; start some")
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except (TimeoutError, asyncio.TimeoutError):
        raise error from None
    for name in fit_workers(client):
        try:
            return client.submit(function, *arguments, workers=[name], pure=False).result(timeout=patience)
        except Error as reason:
            error = reason
        except (TimeoutError, asyncio.TimeoutError):
            error = ClusterLost(f"worker {name} does not answer for {patience} seconds")
    raise error


def named_rows(client, X):
    """The _match.Rows of X; None of files. The index of a dask.dataframe is brought here."""
    if are_paths(X):
        return None
    return _match.rows_of(client.compute(X.index, sync=True).to_series() if _is_frame(X) else X)


def weights_of(client, weights, rows):
    """One weight per row in the order of the rows, as _match.column matches them."""
    if _is_frame(weights) or _is_blocks(weights):
        weights = client.compute(weights, sync=True)
    return _match.column(weights, rows, "sample_weight")


def points_of(client, X, columns, weights):
    if are_paths(X):
        return FilePoints(client, [X] if isinstance(X, (str, os.PathLike)) else X, columns, weights)
    if columns is not None:
        raise InputError("columns is the number of columns of raw files, and X is none; leave it out", option="columns")
    if _is_frame(X):
        # What is no array of numbers is read as tables of one process are
        dtypes = list(X.dtypes)
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in "fiu" for dtype in dtypes)
        X = X.to_dask_array() if plain else client.compute(X, sync=True)
    return BlockPoints(client, X, weights) if _is_blocks(X) else RowPoints(client, X, weights)


def are_paths(X):
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(path, (str, os.PathLike)) for path in X)
    return isinstance(X, (str, os.PathLike))


def _is_blocks(X):
    return type(X).__module__.startswith("dask.array")


def _is_frame(X):
    """Whether X is a DataFrame or a Series of dask.dataframe."""
    return type(X).__module__.startswith(("dask.dataframe", "dask_expr"))


def _dask_array():
    import dask.array

    return dask.array
