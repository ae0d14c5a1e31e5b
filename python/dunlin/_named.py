# SPDX-License-Identifier: Apache-2.0
"""Arrays with names of their rows."""

import numpy as np


class Named(np.ndarray):
    """An array that came with names of its rows, ``ids``. What NumPy computes from it number by number, and copies, have them,
    too, such as 1 - array; a part of it has none."""

    ids = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        named = [each for each in inputs if isinstance(each, Named) and each.ids is not None]
        plain = [np.asarray(each) if isinstance(each, Named) else each for each in inputs]
        if out is not None:
            options["out"] = tuple(np.asarray(each) if isinstance(each, Named) else each for each in out)
        found = getattr(ufunc, method)(*plain, **options)
        if out is not None:
            return out[0] if len(out) == 1 else out
        is_like = method == "__call__" and named and all(list(each.ids) == list(named[0].ids) for each in named)
        is_like = is_like and isinstance(found, np.ndarray) and found.shape == named[0].shape
        return Named.of(found, named[0].ids) if is_like else found

    def copy(self, order="C"):
        return Named.of(np.array(self, order=order), self.ids)

    def astype(self, dtype, **options):
        return Named.of(np.asarray(self).astype(dtype, **options), self.ids)

    def __copy__(self):
        return self.copy()

    def __reduce__(self):
        return Named.of, (np.asarray(self), self.ids)

    @classmethod
    def of(cls, array, ids):
        if array is None or ids is None or isinstance(ids, range):
            return array
        named = np.asarray(array).view(cls)
        named.ids = ids
        return named

    def __deepcopy__(self, memo):
        return Named.of(np.array(self), self.ids)
