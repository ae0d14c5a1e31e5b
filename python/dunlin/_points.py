# SPDX-License-Identifier: Apache-2.0
"""Points as the library takes them, and how their columns were scaled."""

import numpy as np

from . import _core, _device


class Points:
    """A float32 matrix with what its source said about it.

    ``values``: n x d, float32, C order; a NumPy array, or on a GPU what the binding takes. ``shift``: float64, what was
    subtracted from each column, or None. ``scaling``: a Scaling, or None. ``columns``, ``ids``: names, or None. ``home``:
    where results on a GPU go (``_device.Home``), or None.
    """

    def __init__(self, values, shift=None, columns=None, ids=None, home=None, scaling=None):
        self.values, self.shift, self.columns, self.ids, self.home = values, shift, columns, ids, home
        self.scaling = scaling

    def taken(self, array):
        """A result of the binding: an array of the package that the points are of."""
        return array if self.home is None else self.home.take(array)

    def restored(self, rows):
        """Rows in the units of the source: float64 with the shift added, or as they are."""
        if self.scaling is not None:
            return self.scaling.restored(rows)
        if self.shift is None:
            return rows
        if self.home is None:
            return rows.astype(np.float64) + self.shift
        return self.home.put(_device.host(rows).astype(np.float64) + self.shift)


class Scaling:
    """How columns were scaled: ``offsets``, subtracted before they became float32 (None: nothing), then ``shift`` subtracted
    and multiplied by ``scale``, 0 for a constant column."""

    def __init__(self, offsets, shift, scale):
        self.offsets, self.shift, self.scale = offsets, np.array(shift), np.array(scale)

    def origin(self):
        return self.shift if self.offsets is None else self.shift + self.offsets

    def of(self, values, run):
        """float32 rows less the offsets, scaled."""
        return _core.scaled_rows(values, self.shift.tolist(), self.scale.tolist(), run.narrowing())

    def restored(self, rows):
        is_constant = self.scale == 0
        return np.where(is_constant, 0, rows / np.where(is_constant, 1, self.scale)) + self.origin()
