// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dunlin/narrow.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/types.hpp>

/// NumPy arrays in and out. What goes in is checked and converted by python/dunlin/_intake.py; nothing is copied here
/// but graphs, which the library takes as vectors.
namespace dunlin::python {

namespace nb = nanobind;

template <class T, int Dimensions>
using ArrayOf = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using FloatMatrix = ArrayOf<float, 2>;
using Floats = ArrayOf<float, 1>;
using Indices = ArrayOf<Index, 1>;

Index index_of(std::size_t size);

/// Throws WrongValue for a type that the library does not take.
NumberType number_type_of(nb::dlpack::dtype type);

inline MatrixView<const float> view_of(const FloatMatrix& array) {
    return {array.data(), index_of(array.shape(0)), index_of(array.shape(1))};
}
inline MatrixView<const float> view_of(const std::optional<FloatMatrix>& array) {
    return array ? view_of(*array) : MatrixView<const float>{};
}
template <class T>
std::span<const T> span_of(const ArrayOf<T, 1>& array) {
    return {array.data(), array.size()};
}
template <class T>
std::span<const T> span_of(const std::optional<ArrayOf<T, 1>>& array) {
    return array ? span_of(*array) : std::span<const T>{};
}

Map map_of(const FloatMatrix& array);
/// With an origin where it is far from zero.
Map map_of(const ArrayOf<double, 2>& array);

/// A class per point, with names or without; < 0: none.
inline Labels labels_from(const std::optional<Indices>& of, const std::vector<std::string>& names = {}) {
    if (!of) return {};
    return {{of->data(), of->data() + of->size()}, names};
}

/// Shares the array's memory and keeps the array alive.
Matrix matrix_of(const FloatMatrix& array);

/// (offsets, targets, weights), as graph_arrays returns them; copied.
Graph graph_of(const nb::tuple& arrays);
Graph graph_of(const std::optional<nb::tuple>& arrays);

/// (offsets, columns, values, number of columns) of sparse rows; not copied. The tuple must outlive the view.
SparseView sparse_view_of(const nb::tuple& rows);

/// A NumPy array that owns `values`, not copied.
template <class T>
nb::object array_of(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = owner->data();
    const nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), capsule));
}
template <class T>
nb::object array_of(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return array_of(std::move(values), {size});
}

nb::object array_of(Map&& map);
/// Shares the matrix, not copied.
nb::object array_of(const Matrix& matrix);
nb::tuple graph_arrays(Graph&& graph);

}  // namespace dunlin::python
