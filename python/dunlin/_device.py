# SPDX-License-Identifier: Apache-2.0
"""Arrays in GPU memory: CuPy, torch, JAX and what else has DLPack. No such package is imported here."""

import sys

import numpy as np

from . import _core
from ._errors import InputError

_CUDA, _CUDA_MANAGED = 2, 13  # of DLPack
_LEGACY_STREAM = 1  # the stream that the library waits for; the array's own package makes it wait for its streams


def is_on_gpu(X):
    """Whether X is an array in the memory of an NVIDIA GPU."""
    if isinstance(X, np.ndarray):
        return False
    if hasattr(X, "__dlpack_device__"):
        try:
            kind, _ = X.__dlpack_device__()
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
            return False
        return int(kind) in (_CUDA, _CUDA_MANAGED)
    return hasattr(X, "__cuda_array_interface__")


def stays(X, run):
    """Whether X is on a GPU and the run may use it there."""
    return is_on_gpu(X) and str(run.device).partition(":")[0] != "cpu" and not _core.why_no_gpu()


class Home:
    """The package that an array is of, and its device: results go there."""

    def __init__(self, X):
        self._of = X
        self._package = _package_of(X)

    def take(self, array):
        """An array of this package, not copied, of what has ``__dlpack__``."""
        return self._package.from_dlpack(array)

    def put(self, array):
        """A copy of a NumPy array on the device."""
        name = self._package.__name__
        if name == "torch":
            return self._package.as_tensor(array, device=self._of.device)
        if name.partition(".")[0] == "jax":
            return sys.modules["jax"].device_put(array, self._of.device)
        with self._of.device:
            return self._package.asarray(array)

    def contiguous(self, array):
        """The array in C order, which arrays of some packages always have."""
        in_order = getattr(self._package, "ascontiguousarray", None)
        return array if in_order is None else in_order(array)

    def beside(self, column, matrix):
        """A matrix with a column of host values before its own."""
        return self._package.column_stack([self.put(column), matrix])


def _package_of(X):
    name = type(X).__module__.partition(".")[0]
    if name == "torch":
        return sys.modules["torch"]
    if name in ("jax", "jaxlib"):
        return sys.modules["jax.numpy"]
    if hasattr(X, "__array_namespace__"):
        return X.__array_namespace__()
    return sys.modules[name]


def points(X, offsets, name, less=None):
    """(points for the binding, float64 shift or None, Home) of an array on a GPU that has two axes.

    C-contiguous float32 whose columns are not far from zero is used where it lies. All else is narrowed on the GPU, columns far
    from zero less their offset.
    less: (float64 offsets or None,), which are subtracted in place of those of X.
    """
    if not hasattr(X, "__dlpack__"):
        if "cupy" not in sys.modules:
            raise InputError(
                f"{name} has __cuda_array_interface__ but no __dlpack__; give cupy.asarray({name}), which copies nothing",
                option=name,
            )
        X = sys.modules["cupy"].asarray(X)
    home = Home(X)
    if hasattr(X, "detach"):
        X = X.detach()
    if less is not None:
        return _core.device_points(_less(X, *less, home).__dlpack__(stream=_LEGACY_STREAM), "keep"), less[0], home
    narrowed = _core.device_points(_plain_type(X).__dlpack__(stream=_LEGACY_STREAM), offsets)
    return narrowed, narrowed.shift, home


def _less(X, offsets, home):
    """X less offsets in double, as C-contiguous float32."""
    if _is_torch(X):
        X = X if offsets is None else X.double() - home.put(offsets)
        return X.float().contiguous()
    X = X if offsets is None else X.astype("float64") - home.put(offsets)
    return home.contiguous(X.astype("float32"))


def field(X, name):
    """(float32 values for the binding where they lie, Home) of an array on a GPU that has three axes."""
    if not hasattr(X, "__dlpack__"):
        X = sys.modules["cupy"].asarray(X) if "cupy" in sys.modules else X
    if not hasattr(X, "__dlpack__"):
        raise InputError(f"{name} has __cuda_array_interface__ but no __dlpack__; give cupy.asarray({name})", option=name)
    home = Home(X)
    if hasattr(X, "detach"):
        X = X.detach()
    if str(X.dtype).rpartition(".")[2] != "float32":
        X = X.float() if _is_torch(X) else X.astype("float32")
    return X.__dlpack__(stream=_LEGACY_STREAM), home


def _plain_type(X):
    """Types without a number type of the library, in one that holds them."""
    type_name = str(X.dtype).rpartition(".")[2]
    wider = {"bfloat16": "float32", "bool": "uint8"}.get(type_name)
    if wider is None:
        return X
    return X.to(getattr(sys.modules["torch"], wider)) if hasattr(X, "to") and _is_torch(X) else X.astype(wider)


def _is_torch(X):
    return type(X).__module__.partition(".")[0] == "torch"


def host(X):
    """A NumPy copy of an array on a GPU."""
    if hasattr(X, "detach"):
        X = X.detach()
    if _is_torch(X):
        X = X.cpu()
        return (X.float() if str(X.dtype) == "torch.bfloat16" else X).numpy()
    if hasattr(X, "get"):
        return X.get()
    if hasattr(X, "copy_to_host"):
        return X.copy_to_host()
    return np.asarray(X)
