# SPDX-License-Identifier: Apache-2.0
"""The lists of neighbors that a search over shards has found, in memory and beside its checkpoint."""

import errno
import os
import struct

import numpy as np

from .._errors import FileError

BLOCK = 4096  # rows whose neighbors are found at a time; of the library


class Lists:
    """``k``: length of each list, at most. ``checkpoint``: path of the run's checkpoint, or None.

    The file PATH.EPOCH.lists has the lists of one driver, and those of the drivers before it: k targets (int32) and k
    distances (float32) for each row. The checkpoint says how many rows count, so that what is written later is not read.
    """

    def __init__(self, k, checkpoint, log, warn):
        self.wanted, self.log, self.warn = k, log, warn
        self.path = None if checkpoint is None else os.fspath(checkpoint)
        self.file = None
        self.indices = self.distances = None

    def begin(self, n, epoch, state, save):
        """The number of rows whose lists are known from ``state``, the checkpoint of the driver before; sets up memory.

        ``save(state)``: writes the checkpoint, now and after each further block of lists.
        """
        self.k, self.epoch, self.save = min(self.wanted, n - 1), epoch, save
        self.indices, self.distances = np.empty((n, self.k), np.int32), np.empty((n, self.k), np.float32)
        found, before = 0, None
        if state:
            found, older = struct.unpack("<qq", state)
            before = self._path(older)
            self._read(before, found)
        if self.path is not None:
            self._open(self._path(epoch))
            self._keep(slice(0, found))
            if before is not None and self.file is not None:
                _remove(before)  # the checkpoint names the new file
        return found

    def add(self, first, targets, distances):
        """The lists of the next rows."""
        rows = slice(first, first + len(targets) // self.k)
        self.indices[rows], self.distances[rows] = targets.reshape(-1, self.k), distances.reshape(-1, self.k)
        self._keep(rows)

    def close(self, complete):
        """``complete``: nothing is left to resume."""
        if self.file is not None:
            self.file.close()
            if complete:
                _remove(self.file.name)
        self.file = None

    def _path(self, epoch):
        return f"{self.path}.{epoch}.lists"

    def _pairs(self, rows):
        pairs = np.empty((rows.stop - rows.start, 2, self.k), np.int32)
        pairs[:, 0], pairs[:, 1] = self.indices[rows], self.distances[rows].view(np.int32)
        return pairs

    def _read(self, path, found):
        try:
            pairs = np.fromfile(path, np.int32, found * 2 * self.k).reshape(-1, 2, self.k)
        except OSError as error:
            raise FileError(
                f"{path}, which belongs to the checkpoint, cannot be read: {error.strerror or error}; remove the checkpoint",
                file=path,
                option="checkpoint",
            ) from None
        if len(pairs) < found:
            raise FileError(
                f"{path} has the lists of {len(pairs)} rows, and its checkpoint says {found}: it was truncated; remove both",
                file=path,
                option="checkpoint",
            )
        self.indices[:found], self.distances[:found] = pairs[:, 0], pairs[:, 1].view(np.float32)

    def _open(self, path):
        try:
            self.file = open(path, "wb", buffering=0)
        except OSError as error:
            self._give_up(path, error)

    def _keep(self, rows):
        """On the disk first, then in the checkpoint."""
        if self.file is None:
            return
        try:
            left = memoryview(self._pairs(rows).tobytes())
            while left:
                left = left[self.file.write(left) :]
            os.fsync(self.file.fileno())
        except OSError as error:
            self._give_up(self.file.name, error)
            return
        self.save(struct.pack("<qq", rows.stop, self.epoch))

    def _give_up(self, path, error):
        """A full disk is a warning; the checkpoint stays at what is complete."""
        if self.file is not None:
            self.file.close()
        self.file = None
        self.log("checkpoint failed", reason=str(error))
        what = "the disk is full" if error.errno == errno.ENOSPC else str(error)
        self.warn(f"the lists {path} cannot be written: {what}; the run goes on without a checkpoint")


def _remove(path):
    try:
        os.unlink(path)
    except OSError:
        pass
