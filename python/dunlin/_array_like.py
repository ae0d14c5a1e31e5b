# SPDX-License-Identifier: Apache-2.0
"""Results that are used as their array."""

import numpy as np


class ArrayLike(np.lib.mixins.NDArrayOperatorsMixin):
    """A result that stands for ``embedding``: indices, operators, NumPy's functions and the usual members of an array are
    those of ``embedding``, and give plain arrays."""

    __hash__ = object.__hash__

    def __getitem__(self, key):
        return self.embedding[key]

    def __setitem__(self, key, value):
        self.embedding[key] = value

    def __iter__(self):
        return iter(self.embedding)

    def __len__(self):
        return len(self.embedding)

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **more):
        given = [_plain(each) for each in inputs]
        if not out:
            return getattr(ufunc, method)(*given, **more)
        found = getattr(ufunc, method)(*given, out=tuple(_plain(each) for each in out), **more)
        return out[0] if len(out) == 1 else found

    @property
    def shape(self):
        return self.embedding.shape

    @property
    def ndim(self):
        return self.embedding.ndim

    @property
    def size(self):
        return self.embedding.size

    @property
    def dtype(self):
        return self.embedding.dtype

    @property
    def T(self):
        return self.embedding.T

    def tolist(self):
        return np.asarray(self).tolist()

    def astype(self, dtype, **more):
        return self.embedding.astype(dtype, **more)

    def copy(self):
        return self.embedding.copy()

    def mean(self, *axis, **more):
        return np.asarray(self).mean(*axis, **more)

    def min(self, *axis, **more):
        return np.asarray(self).min(*axis, **more)

    def max(self, *axis, **more):
        return np.asarray(self).max(*axis, **more)

    def __dlpack__(self, **more):
        return self.embedding.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.embedding.__dlpack_device__()

    def to_frame(self, index=None, columns=None):
        """A DataFrame of pandas. index: by default ``ids``, if there are any; columns: x, y and z, or x1, x2, .. beyond."""
        import pandas

        dim = self.shape[1]
        if columns is None:
            columns = list("xyz"[:dim]) if dim <= 3 else [f"x{axis + 1}" for axis in range(dim)]
        ids = getattr(self, "ids", None)
        return pandas.DataFrame(np.asarray(self), index=ids if index is None else index, columns=columns)


def _plain(value):
    return np.asarray(value) if isinstance(value, ArrayLike) else value
