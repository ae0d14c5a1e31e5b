# SPDX-License-Identifier: Apache-2.0
"""Chunks of rows, and the files they lie in. Knows no engine.

A chunk is rows [c R, (c + 1) R), R from the numbers of rows, columns and clusters alone; results do not depend on it.
"""

import dataclasses
import os
import struct
import zlib

import numpy as np

from .._errors import FileError, InputError

PIECE = 1 << 26  # bytes of one read


@dataclasses.dataclass
class FileRows:
    """Rows of one file: C order, rows one after another from ``offset`` on."""

    path: str
    dtype: str
    offset: int
    rows: int
    cols: int
    size: int  # of the file in bytes

    @property
    def row_bytes(self):
        return self.cols * np.dtype(self.dtype).itemsize


@dataclasses.dataclass
class Part:
    """A range of a file that a chunk consists of."""

    path: str
    dtype: str
    offset: int  # first byte
    rows: int
    cols: int
    size: int  # of the file, as it was when the run began


@dataclasses.dataclass
class Chunk:
    number: int
    first: int  # row
    rows: int
    place: int  # first row in the data; another one than ``first`` where the run goes on without earlier chunks
    parts: list = None  # of files; None: a block that the engine has
    weights: list = None  # likewise, one column; None: no weights, or with the block
    hash: str | None = None  # of the bytes read first


def without(chunks, numbers, step):
    """The other chunks, numbered anew; all but the last one still have ``step`` rows."""
    kept = [chunk for chunk in chunks if chunk.number not in numbers]
    return [dataclasses.replace(chunk, number=k, first=k * step) for k, chunk in enumerate(kept)]


class Unreadable(Exception):
    """One worker cannot read a chunk; another may."""


def describe_file(path, cols=None):
    """FileRows of a mapped .npy, or of raw float32 rows of ``cols`` columns."""
    try:
        size = os.path.getsize(path)
        if path.endswith(".npy"):
            with open(path, "rb") as file:
                major = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if major == (1, 0) else np.lib.format.read_array_header_2_0
                shape, fortran, dtype = read(file)
                offset = file.tell()
        else:
            shape, fortran, dtype, offset = None, False, np.dtype("<f4"), 0
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:
        raise FileError(f"{path} is no .npy file: {error}", file=path) from None
    if shape is None:
        if cols is None:
            raise InputError(
                f"{path} is not a .npy file; give columns=d if it holds raw float32 rows, or convert it: "
                "dunlin.write('points.npy', dunlin.read(path))",
                option="columns",
            )
        if size % (4 * cols):
            raise FileError(f"{path} has {size} bytes, which are no whole rows of {cols} float32 numbers", file=path)
        shape = (size // (4 * cols), cols)
    if fortran or len(shape) not in (1, 2) or dtype.kind not in "fiu" or dtype.itemsize > 8:
        raise FileError(
            f"{path} holds {dtype} of shape {shape}{' in Fortran order' if fortran else ''}; it must be a matrix of numbers in "
            "C order",
            file=path,
        )
    rows, cols = shape[0], shape[1] if len(shape) == 2 else 1
    found = FileRows(path, dtype.str, offset, rows, cols, size)
    if offset + rows * found.row_bytes > size:
        raise FileError(f"{path} is truncated: {size} bytes of {offset + rows * found.row_bytes}", file=path)
    return found


def describe_files(paths, cols=None):
    files = [describe_file(path, cols) for path in paths]
    for file in files[1:]:
        if (file.cols, file.dtype) != (files[0].cols, files[0].dtype):
            raise FileError(
                f"{file.path} has {file.cols} columns of {np.dtype(file.dtype)}, {files[0].path} has {files[0].cols} of "
                f"{np.dtype(files[0].dtype)}; all files must be alike",
                file=file.path,
            )
    return files


def parts_of(files, first, rows):
    """The ranges of these files that hold rows [first, first + rows) of all of them."""
    parts, begin = [], 0
    for file in files:
        low, high = max(first, begin), min(first + rows, begin + file.rows)
        if low < high:
            offset = file.offset + (low - begin) * file.row_bytes
            parts.append(Part(file.path, file.dtype, offset, high - low, file.cols, file.size))
        begin += file.rows
    return parts


FEWEST = 32  # chunks, so that uneven workers get even times
ANSWERS = 32  # rows of a chunk for each cluster: an answer has a fraction of the bytes of its rows


def rows_of_chunk(n, most, clusters):
    """A power of two from 1,024 on, at most ``most``."""
    wanted = max(1024, n // FEWEST, ANSWERS * clusters)
    return min(most, 1 << (wanted.bit_length() - 1))


def chunks_of(n, step, files=None, weights=None):
    """The chunks of n rows, ``step`` each."""
    chunks = []
    for number, first in enumerate(range(0, n, step)):
        rows = min(step, n - first)
        parts = None if files is None else parts_of(files, first, rows)
        chunks.append(
            Chunk(number, first, rows, first, parts, None if weights is None else parts_of(weights, first, rows))
        )
    return chunks


def read_parts(parts):
    """(rows, crc32 of their bytes). The bytes are copied: a file that changes later changes no result."""
    blocks, crc = [], 0
    for part in parts:
        block = np.empty((part.rows, part.cols), np.dtype(part.dtype))
        crc = _fill(part, memoryview(block).cast("B") if block.size else b"", crc)
        blocks.append(block)
    return (blocks[0] if len(blocks) == 1 else np.concatenate(blocks)), crc


def _fill(part, memory, crc):
    place = f"{part.path}, bytes {part.offset} to {part.offset + len(memory)}"
    try:
        with open(part.path, "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            if before.st_size != part.size:
                raise Unreadable(
                    f"{place}: the file has {before.st_size} bytes and had {part.size}: it was changed or truncated"
                )
            file.seek(part.offset)
            done = 0
            while done < len(memory):
                got = file.readinto(memory[done : done + PIECE])
                if not got:
                    raise Unreadable(f"{place}: the file ends after {done} bytes: it was truncated")
                crc = zlib.crc32(memory[done : done + got], crc)
                done += got
            after = os.fstat(file.fileno())
    except OSError as error:
        raise Unreadable(f"{place}: {error.strerror or error}") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise Unreadable(f"{place}: the file changed while it was read")
    return crc


def read_chunk(chunk):
    """(rows, weights or None, hash) of a chunk of files; Unreadable if its bytes are not those read first."""
    rows, crc = read_parts(chunk.parts)
    weights = None
    if chunk.weights is not None:
        weights, more = read_parts(chunk.weights)
        weights, crc = weights.reshape(-1), zlib.crc32(struct.pack("<I", more), crc)
    found = f"{crc:08x}"
    if chunk.hash is not None and found != chunk.hash:
        part = chunk.parts[0]
        raise Unreadable(
            f"{part.path}, bytes {part.offset} to {part.offset + part.rows * part.cols * np.dtype(part.dtype).itemsize}: "
            f"the content changed (its hash is {found} and was {chunk.hash})"
        )
    return rows, weights, found


SAMPLE = 64  # rows that decide offsets of columns, as in src/io/shift.hpp


def sampled_rows(n, cols):
    """Numbers of the rows that decide the offsets of columns: those of the readers of files."""
    sampled = min(n, max(8, min(SAMPLE, (1 << 20) // max(cols, 1))))
    return [i * n // sampled for i in range(sampled)]


def read_rows(files, numbers):
    """Single rows of files."""
    rows = [read_parts(parts_of(files, number, 1))[0] for number in numbers]
    return np.concatenate(rows) if rows else np.empty((0, files[0].cols), files[0].dtype)


def extremes_of(files):
    """(the least, the largest number of each column)."""
    lows, highs = [], []
    for file in files:
        step = max(1, PIECE // max(file.row_bytes, 1))
        for first in range(0, file.rows, step):
            rows = read_parts(parts_of([file], first, step))[0]
            lows.append(rows.min(0)), highs.append(rows.max(0))
    return np.min(lows, 0), np.max(highs, 0)


def create_labels(path, n):
    """A .npy of n times -1, int32, that workers write into; returns the offset of its first number."""
    array = np.lib.format.open_memmap(path, "w+", np.int32, (n,))
    array[:] = -1
    offset = array.offset
    array.flush()
    return offset


def write_labels(path, offset, first, labels):
    with open(path, "r+b", buffering=0) as file:
        file.seek(offset + 4 * first)
        file.write(np.ascontiguousarray(labels, np.int32))
