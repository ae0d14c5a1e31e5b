# SPDX-License-Identifier: Apache-2.0
"""Maps far from zero: float32 less an origin in double."""

import numpy as np

from . import _device, _intake, _offsets


class Frame:
    """The common origin, in double, of the maps that a call is given: maps far from zero are taken less that of the first one,
    and what is made of them gets it back. Of maps near zero nothing is subtracted, and float32 maps are taken as they are."""

    def __init__(self, origin=None):
        self.origin, self._first, self._is_chosen = origin, None, origin is not None

    def taken(self, map, name, columns=None, rows=None, missing=False):
        """A map as a C-contiguous float32 matrix; missing: it may have NaN."""
        array = _intake.matrix_of(map, name, columns, rows, missing)
        if not self._is_chosen:
            self.origin, self._is_chosen = _origin_of(array), True
            self._first = None if self.origin is None else array
        if self.origin is None or len(self.origin) != array.shape[1]:
            return np.ascontiguousarray(array, np.float32)
        return np.ascontiguousarray(array - self.origin, np.float32)

    def restored(self, positions, stay=None):
        """Positions of the library with the origin, in double; the same array where there is none. stay: rows that are as in
        the first map, to the bit; True: all that it has."""
        if self.origin is None or positions is None or positions.shape[1:] != self.origin.shape:
            return positions
        if _device.is_on_gpu(positions):
            return _device.Home(positions).put(_device.host(positions).astype(np.float64) + self.origin)
        restored = positions.astype(np.float64) + self.origin
        if stay is True:
            stay = np.flatnonzero(np.isfinite(self._first).all(axis=1))
        if stay is not None:
            restored[stay] = self._first[stay]
        return restored


def _origin_of(array):
    if array.dtype.kind == "f" and array.dtype.itemsize <= 4:
        return None
    array = np.asarray(array, np.float64)
    origin = _offsets.offsets_in(array)
    if origin is None and array.size and np.isnan(array[:, 0]).any():  # some of its rows may have been none that it has
        origin = _offsets.offsets_in(array[np.isfinite(array).all(axis=1)])
    return origin


def in_double(map, name="map"):
    """A map as an array of its own, float64 where it is far from zero, else float32."""
    array = _intake.dense(map, name)
    is_far = array.ndim == 2 and _origin_of(array) is not None
    return np.array(array, np.float64 if is_far else np.float32)
