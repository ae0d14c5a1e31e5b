# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU: the same bytes as NumPy arrays give with device='cuda', in the package and on the device of X."""

import ctypes
import warnings

import numpy as np
import pytest

import dunlin
from dunlin import _core, _device, _intake

_PACKAGES = ("torch", "cupy", "jax")


class FakeOnGpu:
    """An array that says it is on a GPU and can be copied from there; for a machine without one."""

    def __init__(self, values):
        self.values, self.shape, self.ndim, self.dtype = values, values.shape, values.ndim, values.dtype

    def __dlpack_device__(self):
        return (2, 0)

    def get(self):
        return self.values


def test_host_arrays_are_not_on_a_gpu(blobs):
    X, _ = blobs
    for array in (X, X.tolist(), np.float64(1), None, "X"):
        assert not _device.is_on_gpu(array)
    assert _device.is_on_gpu(FakeOnGpu(X))


def test_device_cpu_copies_with_a_warning(blobs):
    X, _ = blobs
    for call in (
        lambda x: dunlin.neighbors(x, 3, device="cpu").indices,
        lambda x: dunlin.kmeans(x, 3, device="cpu").labels,
        lambda x: dunlin.tsne(x, max_iter=5, device="cpu").embedding,
        lambda x: dunlin.KMeans(3, random_state=1, device="cpu").fit(x).labels_,
        lambda x: dunlin.mds(x, max_iter=3).embedding,
    ):
        expected = call(X)
        with pytest.warns(dunlin.PerformanceWarning, match="copied from the GPU"):
            found = call(FakeOnGpu(X))
        np.testing.assert_array_equal(found, expected)


def test_without_a_gpu_the_points_are_copied(blobs):
    if _core.gpus():
        pytest.skip("there is a GPU")
    X, _ = blobs
    with pytest.warns(dunlin.PerformanceWarning, match="copied from the GPU"):
        assert dunlin.neighbors(FakeOnGpu(X), 3).device == "cpu"
    with pytest.raises(dunlin.NoDeviceError), pytest.warns(dunlin.PerformanceWarning):
        dunlin.neighbors(FakeOnGpu(X), 3, device="cuda")


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


class Exporter(FakeOnGpu):
    """Exports its values as float32 on a GPU that no machine has."""

    def __dlpack_device__(self):
        return (2, 4096)

    def __dlpack__(self, stream=None):
        assert stream == 1
        self.sizes = (ctypes.c_int64 * self.ndim)(*self.shape)
        self.tensor = Tensor(
            self.values.ctypes.data, Device(2, 4096), self.ndim, Type(2, 32, 1), self.sizes, None, 0, None, None
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __array_namespace__(self):
        return np


def test_exported_arrays_reach_the_library_in_place(blobs):
    X, _ = blobs
    array = Exporter(X)
    values, shift, home = _device.points(array, "keep", "X")  # else a sample is read, of a GPU that is not there
    assert values.shape == X.shape and len(values) == len(X) and values.gpu == 4096
    assert shift is None and home.take(X) is not None
    for call in (
        lambda: _core.neighbors(values, {"k": 3}, {}, None),
        lambda: _core.kmeans(values, None, None, {"clusters": 3}, {}, None),
        lambda: _core.assign(values, X[:3], "euclidean", {}, None),
        lambda: _core.tsne(values, None, None, None, None, "", {}, "", {}, None, 0, {}),
    ):
        with pytest.raises(dunlin.NoDeviceError):
            call()
    with pytest.raises(dunlin.InputError, match="device is cpu"):
        _core.neighbors(values, {"k": 3}, {"device": "cpu"}, None)
    with pytest.raises(dunlin.InputError, match="name GPU 4096"):
        _core.neighbors(values, {"k": 3}, {"gpus": [0]}, None)


def test_exported_fields_reach_the_library_in_place():
    values, home = _device.field(Exporter(np.zeros((4, 3, 2), np.float32)), "field")
    assert home.take(np.zeros(3)) is not None
    with pytest.raises(dunlin.NoDeviceError):
        _core.surface(values, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), {}, {}, None)
    values, _ = _device.field(Exporter(np.zeros((4, 1, 2), np.float32)), "field")
    with pytest.raises(dunlin.InputError, match="no cells"):
        _core.surface(values, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), {}, {}, None)


def package_with_gpu(name):
    package = pytest.importorskip(name)
    if not _core.gpus():
        pytest.skip("no GPU, or no CUDA backend")
    if name == "torch" and not package.cuda.is_available():
        pytest.skip("torch has no CUDA")
    if name == "jax" and package.default_backend() != "gpu":
        pytest.skip("JAX has no CUDA")
    return package


def put(name, array, dtype=None):
    """A copy on the GPU."""
    package = package_with_gpu(name)
    if name == "torch":
        tensor = package.as_tensor(np.ascontiguousarray(array), device="cuda")
        return tensor if dtype is None else tensor.to(getattr(package, dtype))
    if name == "cupy":
        return package.asarray(array, dtype=dtype)
    return package.numpy.asarray(array, dtype=dtype)


def same_place(found, X):
    assert type(found).__module__.partition(".")[0] == type(X).__module__.partition(".")[0]
    assert found.__dlpack_device__() == X.__dlpack_device__()


@pytest.mark.parametrize("name", _PACKAGES)
class TestOnGpu:
    def test_functions_give_the_bytes_of_numpy(self, name, blobs):
        X, _ = blobs
        there = put(name, X)
        with warnings.catch_warnings():
            warnings.simplefilter("error", dunlin.PerformanceWarning)
            near, clusters = dunlin.neighbors(there, 7), dunlin.kmeans(there, 3)
            with_self = dunlin.neighbors(there, 7, include_self=True)
            mapped = dunlin.tsne(there, max_iter=300, seed=3)
            found = dunlin.assign(there, clusters.centers)
        host = dunlin.neighbors(X, 7, device="cuda")
        for array in (near.indices, near.distances, with_self.indices, clusters.labels, clusters.centers):
            same_place(array, there)
        same_place(mapped.embedding, there)
        same_place(found.labels, there)
        np.testing.assert_array_equal(_device.host(near.indices), host.indices)
        np.testing.assert_array_equal(_device.host(near.distances), host.distances)
        np.testing.assert_array_equal(_device.host(with_self.indices)[:, 0], np.arange(len(X)))
        np.testing.assert_array_equal(_device.host(with_self.indices)[:, 1:], host.indices)
        assert (near.to_csr() != host.to_csr()).nnz == 0
        expected = dunlin.kmeans(X, 3, device="cuda")
        np.testing.assert_array_equal(_device.host(clusters.labels), expected.labels)
        np.testing.assert_array_equal(_device.host(clusters.centers), expected.centers)
        np.testing.assert_array_equal(clusters.counts, expected.counts)
        np.testing.assert_array_equal(_device.host(found.labels), expected.labels)
        expected = dunlin.tsne(X, max_iter=300, seed=3, device="cuda")
        np.testing.assert_array_equal(_device.host(mapped.embedding), expected.embedding)
        assert mapped.kl == expected.kl and mapped.device == "cuda"
        np.testing.assert_array_equal(np.asarray(mapped), expected.embedding)

    def test_a_density_and_its_surface_stay_there(self, name):
        points = np.random.default_rng(3).normal(size=(3000, 3)).astype(np.float32)
        there = put(name, points)
        with warnings.catch_warnings():
            warnings.simplefilter("error", dunlin.PerformanceWarning)
            density = dunlin.density(there, nodes=64)
            level, grid = density.bands[3]["level"], {"spacing": density.spacing, "origin": density.origin}
            mesh = dunlin.surface(density.field, level, **grid)
        expected = dunlin.surface(_device.host(density.field), level, device="cuda", **grid)
        for part in ("vertices", "normals", "faces"):
            same_place(getattr(mesh, part), there)
            np.testing.assert_array_equal(_device.host(getattr(mesh, part)), getattr(expected, part))
        assert mesh.device == "cuda" and mesh.euler_characteristic == expected.euler_characteristic
        assert mesh.volume == pytest.approx(expected.volume, rel=1e-9)

    @pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "uint8", "bool"])
    def test_other_types(self, name, dtype, blobs):
        X, _ = blobs
        if name == "jax" and dtype == "float64":
            pytest.skip("JAX narrows float64 by itself")
        values = (X > 0) if dtype == "bool" else np.abs(X).astype(dtype)
        found = dunlin.kmeans(put(name, values, dtype), 3)
        expected = dunlin.kmeans(values, 3, device="cuda")
        np.testing.assert_array_equal(_device.host(found.labels), expected.labels)
        np.testing.assert_array_equal(_device.host(found.centers), expected.centers)

    def test_columns_far_from_zero(self, name, blobs):
        if name == "jax":
            pytest.skip("JAX narrows float64 by itself")
        X, _ = blobs
        far = X.astype(np.float64) + 1e9
        there = put(name, far)
        near, expected = dunlin.neighbors(there, 5), dunlin.neighbors(far, 5, device="cuda")
        np.testing.assert_array_equal(_device.host(near.indices), expected.indices)
        np.testing.assert_array_equal(_device.host(near.distances), expected.distances)
        centers = dunlin.kmeans(there, 3).centers
        same_place(centers, there)
        np.testing.assert_array_equal(_device.host(centers), dunlin.kmeans(far, 3, device="cuda").centers)

    def test_arrays_that_are_not_contiguous(self, name, blobs):
        X, _ = blobs
        there = put(name, np.ascontiguousarray(X.T)).T
        expected = dunlin.neighbors(X, 5, device="cuda").indices
        np.testing.assert_array_equal(_device.host(dunlin.neighbors(there, 5).indices), expected)
        every_other = put(name, X)[::2, 1:]
        expected = dunlin.neighbors(np.ascontiguousarray(X[::2, 1:]), 5, device="cuda").indices
        np.testing.assert_array_equal(_device.host(dunlin.neighbors(every_other, 5).indices), expected)

    def test_bad_input(self, name, blobs):
        X, _ = blobs
        bad = X.copy()
        bad[41, 2] = np.nan
        for call in (dunlin.neighbors, lambda x: dunlin.kmeans(x, 3), lambda x: dunlin.tsne(x, init="random")):
            with pytest.raises(dunlin.InputError) as caught:
                call(put(name, bad))
            assert caught.value.row == 41
        with pytest.raises(dunlin.InputError, match="one axis"):
            dunlin.kmeans(put(name, X[0]), 2)
        with pytest.raises(dunlin.InputError):
            dunlin.neighbors(put(name, X[:0]), 2)
        assert tuple(dunlin.neighbors(put(name, X[:1]), 2).indices.shape) == (1, 0)
        with pytest.raises(dunlin.InputError, match="name GPU 0"):
            dunlin.neighbors(put(name, X), 2, device="cuda:1")

    def test_what_needs_the_host_says_so(self, name, blobs):
        X, _ = blobs
        there = put(name, X)
        for call in (
            lambda x: dunlin.kmeans(x, 3, algorithm="sequential").labels,
            lambda x: dunlin.tsne(x, n_components=1, max_iter=10).embedding,
            lambda x: dunlin.neighbors(x, 3, device="cpu").indices,
        ):
            with pytest.warns(dunlin.PerformanceWarning, match="copied from the GPU"):
                assert isinstance(call(there), np.ndarray)

    def test_classes(self, name, blobs):
        X, _ = blobs
        there = put(name, X)
        model = dunlin.KMeans(3, random_state=1).fit(there)
        expected = dunlin.KMeans(3, random_state=1, device="cuda").fit(X)
        same_place(model.labels_, there)
        np.testing.assert_array_equal(_device.host(model.labels_), expected.labels_)
        np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
        np.testing.assert_array_equal(_device.host(model.predict(there)), expected.labels_)
        assert model.n_iter_ == expected.n_iter_
        mapped = dunlin.TSNE(random_state=1, max_iter=300).fit_transform(there)
        same_place(mapped, there)
        expected = dunlin.TSNE(random_state=1, max_iter=300, device="cuda").fit_transform(X)
        np.testing.assert_array_equal(_device.host(mapped), expected)
        with pytest.warns(dunlin.PerformanceWarning):
            graph = dunlin.KNeighborsTransformer(n_neighbors=5).fit_transform(there)
        expected = dunlin.KNeighborsTransformer(n_neighbors=5, device="cuda").fit_transform(X)
        assert (graph != expected).nnz == 0


def test_torch_streams_device_and_gradients(blobs):
    torch = package_with_gpu("torch")
    X, _ = blobs
    expected = dunlin.neighbors(X, 5, device="cuda").indices
    source, late = torch.as_tensor(X, device="cuda"), torch.zeros(X.shape, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(300_000_000)
        late.copy_(source)
        found = dunlin.neighbors(late, 5).indices
    np.testing.assert_array_equal(found.cpu().numpy(), expected)
    last = torch.cuda.device_count() - 1
    with torch.cuda.device(last):
        assert torch.equal(dunlin.neighbors(source, 5).indices, found)
        assert torch.cuda.current_device() == last
    with_gradient = source.clone().requires_grad_()
    assert torch.equal(dunlin.neighbors(with_gradient, 5).indices, found)
    half = source.to(torch.bfloat16)
    expected = dunlin.neighbors(half.float(), 5).indices
    assert torch.equal(dunlin.neighbors(half, 5).indices, expected)


def test_results_outlive_the_points(blobs):
    torch = package_with_gpu("torch")
    X, _ = blobs
    there = torch.as_tensor(X, device="cuda")
    result = dunlin.neighbors(there, 5)
    indices = result.indices
    del there, result
    torch.zeros(10**7, device="cuda")
    np.testing.assert_array_equal(indices.cpu().numpy(), dunlin.neighbors(X, 5, device="cuda").indices)


def test_cuda_array_interface_alone(blobs):
    cupy = package_with_gpu("cupy")
    X, _ = blobs

    class Interface:
        def __init__(self, array):
            self.array, self.shape, self.ndim, self.dtype = array, array.shape, array.ndim, array.dtype

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    found = dunlin.neighbors(Interface(cupy.asarray(X)), 5).indices
    np.testing.assert_array_equal(cupy.asnumpy(found), dunlin.neighbors(X, 5, device="cuda").indices)


def test_intake_keeps_float32_in_place(blobs):
    torch = package_with_gpu("torch")
    X, _ = blobs
    there = torch.as_tensor(X, device="cuda")
    run = dunlin._run.Run({})
    points = _intake.points(there, run, in_place=True)
    assert points.shift is None and points.values.shape == X.shape and points.values.gpu == 0
    assert _intake.points(points, run) is points
