// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/device.hpp>

#include "arrays.hpp"

/// Arrays in GPU memory, in and out by DLPack.
namespace dunlin::python {

using DeviceArray = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cuda>;

/// float32 points in GPU memory: an array of the caller where it lies, or narrowed numbers.
struct DevicePoints {
    DeviceArray array;
    DeviceMatrix<float> narrowed;
    DeviceMatrixView<const float> view;
    std::vector<double> shift;  ///< subtracted from each column; empty: nothing
};

/// An object with __dlpack__ that shares the matrix. shape: one axis, or two.
template <class T>
nb::object device_array_of(const DeviceMatrix<T>& matrix, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<DeviceMatrix<T>>(matrix);
    T* const data = kept->data();
    const nb::capsule capsule(kept.release(), [](void* p) noexcept { delete static_cast<DeviceMatrix<T>*>(p); });
    return nb::cast(nb::ndarray<nb::array_api, T, nb::device::cuda>(
        data, shape.size(), shape.begin(), capsule, nullptr, nb::dtype<T>(), nb::device::cuda::value, matrix.gpu()));
}
template <class T>
nb::object device_array_of(const DeviceMatrix<T>& matrix) {
    return device_array_of(matrix, {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
}

}  // namespace dunlin::python
