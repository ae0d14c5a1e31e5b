# SPDX-License-Identifier: Apache-2.0
"""Arrays and tables as the library takes them: C-contiguous float32 matrices."""

import os
import warnings

import numpy as np

from . import _cells, _core, _device, _map_tables, _offsets
from ._errors import InputError, OptionError, OutOfMemoryError, PerformanceWarning
from ._labels import labels  # noqa: F401  read beside what else is given
from ._offsets import offsets_of
from ._points import Points, Scaling
from ._run import say
from ._sparse import SparseRows, is_sparse, rows_of, with_sums

_TAKE_SPARSE = (
    "only neighbors, tsne, umap and pacmap (with exact searches), kmeans and assign take sparse rows as they are, on a "
    "CPU"
)


def core_of(values):
    """Points.values as the binding takes them."""
    return values.arrays if isinstance(values, SparseRows) else values


def columns_of(X):
    """Names of the columns of a table of pandas, polars or pyarrow, or None."""
    names = getattr(X, "column_names", None)  # pyarrow
    if names is None:
        names = getattr(X, "columns", None)
    if names is None or isinstance(names, np.ndarray) and names.ndim != 1:
        return None
    names = [name for name in names]
    return names if names and all(isinstance(name, str) for name in names) else None


def _table_of(X, name):
    """A table of pyarrow from an object with Arrow's PyCapsule interface that is no array, such as a relation of duckdb or a
    stream of nanoarrow; any other object as it is. A stream can be read once."""
    if hasattr(X, "__array__") or not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
        return X
    try:
        from pyarrow import table
    except ImportError:
        raise InputError(
            f"{name} is a {type(X).__module__}.{type(X).__qualname__}, which is read by pyarrow, and pyarrow is not "
            "installed; install it, or give a NumPy array",
            option=name,
        ) from None
    try:
        return table(X)
    except (NotImplementedError, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read as a table by pyarrow: {error}", option=name) from None


def dense(X, name="X", missing=False):
    """X as a NumPy array of numbers, not copied where that is possible. missing: missing cells are NaN."""
    if type(X) is np.ndarray and X.dtype.kind in "fiub":
        return X
    if isinstance(X, (str, os.PathLike)):
        raise OptionError(f"{name} is {os.fspath(X)!r}; what a file has is read by dunlin.read() first", option=name)
    X = list(X.values()) if isinstance(X, dict) and not hasattr(X, "__array__") else _map_tables.coordinates(X, name)
    X = _table_of(_cells.in_memory(X, name), name)
    if is_sparse(X):
        raise InputError(f"{name} is a sparse matrix; give an array, such as {name}.toarray()", option=name)
    if _device.is_on_gpu(X):
        warnings.warn(f"{name} is copied from the GPU to the host", PerformanceWarning, stacklevel=4)
        X = _device.host(X)
    elif type(X).__module__.partition(".")[0] == "torch":
        X = _device.host(X)
    elif hasattr(X, "__dlpack__") and not hasattr(X, "__array__"):
        X = np.from_dlpack(X)
    return _cells.numbers(X, name, missing=missing)


def points(X, run, *, metric="euclidean", name="X", offsets=None, in_place=False, sparse=False, like=None):
    """X as Points. float64 and other types are narrowed in parallel, far columns less their offset.

    in_place: the caller can use points on a GPU; other callers get a copy on the host, with a warning.
    sparse: the caller takes SparseRows as values. It gets them for a SciPy matrix of which most numbers are zeros, unless
    the run is on a GPU, which reads dense rows. Sparse rows have no offsets.
    like: rows whose offsets are subtracted, in place of those of X.
    Columns are scaled as ``run.scaling`` says.
    """
    if isinstance(X, Points) and _suits(X, run, offsets or offsets_of(metric)):
        return X
    X = _table_of(_cells.in_memory(X, name), name)  # for its columns' names, too
    if run.scaling != "none":
        return points_of(_numbers(X, run, name), run, metric, columns_of(X))
    offsets = offsets or offsets_of(metric)
    if in_place and _device.stays(X, run):
        _require_two_axes(X, name)
        if 0 in X.shape:
            return Points(np.zeros(tuple(X.shape), np.float32))
        less = None if like is None else (_offsets.offsets_in(like) if offsets == "subtract" else None,)
        values, shift, home = _device.points(X, offsets, name, less)
        return Points(values, shift, home=home)
    if sparse and is_sparse(X) and not str(run.device).startswith("cuda"):
        rows = SparseRows(X)
        if rows.mostly_zero():
            return Points(rows, None, columns_of(X))
    array = _numbers(X, run, name)
    found = _narrowed(array, array if like is None else like, run, offsets, columns_of(X))
    if offsets == "subtract" and like is None:
        _say_ruling_column(found, name)
    return found


def normalized(points, run):
    """Points on the host with columns scaled as the run says."""
    if run.scaling == "zscore":
        say("normalize is 'zscore', the former name of 'standardize'; use that name")
    values, shift, scale = _core.normalized(points.values, run.scaling, run.narrowing())
    if not scale:
        return points
    scaling = Scaling(points.shift, shift, scale)
    return Points(values, scaling.origin(), points.columns, points.ids, scaling=scaling)


def _say_ruling_column(points, name):
    column, deviation, usual = _core.ruling_column(points.values)
    if column >= 0:
        title = "" if points.columns is None else f" {points.columns[column]!r}"
        say(
            f"column {column}{title} of {name} (counted from 0) has the standard deviation {deviation:.3g}, where {usual:.3g} "
            "is usual, and decides the distances; normalize='standardize', or scikit-learn's StandardScaler before an "
            "estimator, gives all columns the same"
        )


def _suits(points, run, offsets):
    """Whether points that were narrowed before, those of a file with the offsets of Euclidean distances, are as they are
    wanted: not scaled, and less these offsets."""
    return type(points) is Points or run.scaling == "none" and (points.shift is None or offsets == "subtract")


def points_and_queries(X, queries, run, *, metric="euclidean"):
    """X and the rows that are compared with it, as Points; the queries less the offsets of X, so that equal rows stay
    equal."""
    array, others = _numbers(X, run, "X"), _numbers(queries, run, "queries")
    if others.shape[1] != array.shape[1]:
        raise InputError(
            f"queries have {others.shape[1]} columns and X has {array.shape[1]}; both must have the same",
            option="queries",
        )
    points = points_of(array, run, metric, columns_of(X))
    return points, rows_like(others, array, points, run, metric)


def points_of(array, run, metric, columns=None):
    """An array of numbers as Points on the host."""
    if run.scaling != "none":
        return normalized(_narrowed(array, array, run, "subtract", columns), run)
    return _narrowed(array, array, run, offsets_of(metric), columns)


def rows_like(others, array, points, run, metric):
    """Rows that are compared with the points of an array."""
    if points.scaling is None:
        return _narrowed(others, array, run, offsets_of(metric))
    return Points(scaled_rows(others, points.scaling, run))


def scaled_rows(array, scaling, run):
    """An array of numbers with its columns scaled as those of other points."""
    like = _offsets.rows_with(scaling.offsets, len(scaling.scale))
    return scaling.of(_narrowed(array, like, run, "subtract").values, run)


def _numbers(X, run, name):
    """X as an array of two axes, of numbers that the library reads."""
    X = _cells.in_memory(X, name)
    _cells.say_times(X, name)
    if is_sparse(X):
        X = _densified(X, run)
    array = dense(X, name)
    _require_two_axes(array, name)
    if is_narrow(array):
        return array
    _cells.require_told_apart(array, name)
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if not array.dtype.isnative or not array.flags.aligned:
        array = np.array(array, dtype=array.dtype.newbyteorder("="))
    return array


def is_narrow(array):
    """Whether the library reads the array in place."""
    if not isinstance(array, np.ndarray):
        return False
    flags = array.flags
    return array.dtype == np.float32 and flags.c_contiguous and flags.aligned and array.dtype.isnative


def _narrowed(array, reference, run, offsets, columns=None):
    """The array as Points, less the offsets of the reference; in place where it is float32 and there are none."""
    if array.size == 0 or reference.size == 0:
        return Points(np.zeros(array.shape, np.float32), None, columns)
    if not _core.has_offsets(reference, offsets):
        if is_narrow(reference) or is_narrow(array) and _offsets.offsets_in(reference) is None:
            return Points(np.ascontiguousarray(array, np.float32), None, columns)
    values, shift, raised = _core.narrow(array, offsets, run.narrowing(), None if array is reference else reference)
    if raised is not None:
        raise raised
    return Points(values, shift, columns)


def _require_two_axes(array, name):
    if array.ndim == 1:
        raise InputError(
            f"{name} has one axis; it must have two, rows of points: reshape it to (n, 1) if each number is a point",
            option=name,
        )
    if array.ndim != 2:
        raise InputError(f"{name} has {array.ndim} axes; it must have two, rows of points", option=name)


def _densified(X, run):
    rows, cols = X.shape
    wanted = rows * cols * 4
    if run.memory and wanted > run.memory:
        raise OutOfMemoryError(
            f"the sparse matrix takes {wanted} bytes as a dense one, and memory is {run.memory}; {_TAKE_SPARSE}: "
            "reduce the columns first, with sklearn.decomposition.TruncatedSVD say",
            option="memory",
        )
    available = _available_memory()
    if available is not None and wanted > available:
        raise OutOfMemoryError(
            f"the sparse matrix takes {wanted} bytes as a dense one, and {available} are free; reduce the columns "
            "first, with sklearn.decomposition.TruncatedSVD say"
        )
    if SparseRows(X).mostly_zero():
        warnings.warn(
            f"the sparse matrix is made dense here, {wanted} bytes; {_TAKE_SPARSE}",
            PerformanceWarning,
            stacklevel=4,
        )
    return np.ascontiguousarray(rows_of(X, "X").toarray())


def _available_memory():
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def plain(array, name, columns=None, rows=None, missing=False):
    """A C-contiguous float32 matrix without any shift, such as a matrix of dissimilarities."""
    return np.ascontiguousarray(matrix_of(array, name, columns, rows, missing), dtype=np.float32)


def matrix_of(array, name, columns=None, rows=None, missing=False):
    """Numbers on two axes, of this shape."""
    array = dense(array, name, missing)
    if (
        array.ndim != 2
        or (rows is not None and array.shape[0] != rows)
        or (columns is not None and array.shape[1] != columns)
    ):
        shape = f"({'n' if rows is None else rows}, {'d' if columns is None else columns})"
        raise InputError(f"{name} has the shape {array.shape}; it must be {shape}", option=name)
    _cells.require_told_apart(array, name)
    return array


def column(values, name, size, dtype=np.float32, missing=False):
    """One number per row."""
    if _device.is_on_gpu(values):
        values = _device.host(values)
    given = dense(values, name, missing)
    if given.ndim == 1:
        _cells.require_told_apart(given[:, None], name)
    array = np.ascontiguousarray(given, dtype=dtype)
    if array.shape != (size,):
        raise InputError(f"{name} has the shape {array.shape}; it must be ({size},), one value per row", option=name)
    return array


def number(value, name):
    """A finite float of a parameter that is one number, perhaps in words."""
    try:
        found = float("" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} is {value!r}; it must be a number", option=name) from None
    if not np.isfinite(found):
        raise InputError(f"{name} is {value!r}; it must be finite", option=name)
    return found


def csr_of(graph, n=None, name="knn", sums=False):
    """(offsets, targets, weights) from a scipy matrix, such a tuple, (indices, distances), or what has .graph.

    sums: repeated entries of a matrix are added up, and a dense matrix is one of all that is not 0; the library refuses
    these of a graph of neighbors.
    """
    if hasattr(graph, "graph") and isinstance(getattr(graph, "graph"), tuple):
        graph = graph.graph
    if sums and not is_sparse(graph) and (hasattr(graph, "__array__") or _cells.columns_in(graph) is not None):
        graph = _sparse_of_square(graph, name)
    if is_sparse(graph):
        rows = rows_of(graph, name)
        if rows.shape[0] != rows.shape[1] or (n is not None and rows.shape[0] != n):
            raise InputError(
                f"{name} has the shape {rows.shape}; expected a sparse array of shape ({n or 'n'}, {n or 'n'})",
                option=name,
            )
        rows = with_sums(rows) if sums else rows
        return (rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data.astype(np.float32))
    if isinstance(graph, tuple) and len(graph) == 3 and graph[2] is not None:
        return (
            np.ascontiguousarray(dense(graph[0], name), np.int64),
            np.ascontiguousarray(dense(graph[1], name), np.int32),
            np.ascontiguousarray(dense(graph[2], name), np.float32),
        )
    if isinstance(graph, (tuple, list)) and len(graph) >= 2:
        indices, distances = dense(graph[0], name), dense(graph[1], name)
        if indices.ndim != 2 or indices.shape != distances.shape:
            raise InputError(
                f"{name}: indices {indices.shape} and distances {distances.shape} must be two arrays of shape (n, k)",
                option=name,
            )
        rows, k = indices.shape
        keep = indices != np.arange(rows)[:, None]
        offsets = np.concatenate([[0], np.cumsum(keep.sum(1))]).astype(np.int64)
        return offsets, indices[keep].astype(np.int32), distances[keep].astype(np.float32)
    raise OptionError(
        f"{name} must be a sparse matrix, (indices, distances) or a result of dunlin.neighbors", option=name
    )


def _sparse_of_square(matrix, name):
    from scipy.sparse import csr_matrix

    array = dense(matrix, name)
    if array.ndim != 2:
        raise InputError(f"{name} has {array.ndim} axes; expected a square matrix", option=name)
    return csr_matrix(array)


def without_self(graph):
    """A kNN graph without the entries of a point with itself."""
    offsets, targets, weights = graph
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    other = targets != rows
    if other.all():
        return graph
    kept = np.concatenate([[0], np.cumsum(other)])[offsets]
    return kept.astype(np.int64), targets[other], weights[other]


def scipy_csr(graph, n=None):
    from scipy.sparse import csr_matrix

    offsets, targets, weights = graph
    n = len(offsets) - 1 if n is None else n
    return csr_matrix((weights, targets, offsets), shape=(n, n))
