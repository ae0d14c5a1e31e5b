// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <dunlin/map_origin.hpp>

#include <limits>

#include "options.hpp"

namespace dunlin::python {

Index index_of(std::size_t size) {
    if (size > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
        throw WrongValue{"", "an array has " + std::to_string(size) + " rows; at most 2147483647 can be used", false};
    }
    return static_cast<Index>(size);
}

NumberType number_type_of(nb::dlpack::dtype type) {
    using enum NumberType;
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    const auto pick = [&](NumberType of8, NumberType of16, NumberType of32, NumberType of64) {
        return type.bits == 8 ? of8 : type.bits == 16 ? of16 : type.bits == 32 ? of32 : of64;
    };
    const bool is_sized = type.lanes == 1 && (type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64);
    if (is_sized && code == Code::Int) return pick(int8, int16, int32, int64);
    if (is_sized && code == Code::UInt) return pick(uint8, uint16, uint32, uint64);
    if (is_sized && code == Code::Float && type.bits != 8) return pick(float16, float16, float32, float64);
    throw WrongValue{"X", "X has numbers of a type that cannot be used; give float32 or float64", true};
}

Map map_of(const ArrayOf<double, 2>& array) {
    return io::map_of(static_cast<int>(array.shape(1)), {array.data(), array.data() + array.size()});
}

Map map_of(const FloatMatrix& array) {
    if (array.shape(1) == 0)
        throw WrongValue{"", "a map has no columns; give its coordinates, one column for each axis", false};
    return {static_cast<int>(array.shape(1)), std::vector<float>(array.data(), array.data() + array.size())};
}

Matrix matrix_of(const FloatMatrix& array) {
    auto* const kept = new FloatMatrix(array);
    const std::shared_ptr<const float> values(array.data(), [kept](const float*) {
        const nb::gil_scoped_acquire acquired;
        delete kept;
    });
    return {index_of(array.shape(0)), index_of(array.shape(1)), values};
}

Graph graph_of(const nb::tuple& arrays) {
    const auto offsets = nb::cast<ArrayOf<Offset, 1>>(arrays[0]);
    const auto targets = nb::cast<Indices>(arrays[1]);
    const auto weights = nb::cast<Floats>(arrays[2]);
    const std::size_t edges = targets.size();
    bool fits = offsets.size() > 0 && weights.size() == edges && offsets.data()[0] == 0 &&
                offsets.data()[offsets.size() - 1] == static_cast<Offset>(edges);
    for (std::size_t i = 1; fits && i < offsets.size(); ++i) fits = offsets.data()[i - 1] <= offsets.data()[i];
    const auto n = static_cast<Index>(offsets.size()) - 1;
    for (std::size_t e = 0; fits && e < edges; ++e) fits = targets.data()[e] >= 0 && targets.data()[e] < n;
    if (!fits) throw WrongValue{"graph", "the arrays (offsets, targets, weights) are not those of a graph", false};
    return {{offsets.data(), offsets.data() + offsets.size()},
            {targets.data(), targets.data() + edges},
            {weights.data(), weights.data() + edges}};
}

Graph graph_of(const std::optional<nb::tuple>& arrays) { return arrays ? graph_of(*arrays) : Graph{}; }

SparseView sparse_view_of(const nb::tuple& rows) {
    // Without conversion: a converted array would end with this function
    const auto offsets = nb::cast<ArrayOf<Offset, 1>>(rows[0], false);
    const auto columns = nb::cast<Indices>(rows[1], false);
    const auto values = nb::cast<Floats>(rows[2], false);
    const Index count = index_of(offsets.size()) - 1;
    return {span_of(offsets), span_of(columns), span_of(values), count, nb::cast<Index>(rows[3])};
}

nb::object array_of(Map&& map) {
    const auto rows = static_cast<std::size_t>(map.size()), dim = static_cast<std::size_t>(map.dim);
    return array_of(std::move(map.coordinates), {rows, dim});
}

nb::object array_of(const Matrix& matrix) {
    auto kept = std::make_unique<Matrix>(matrix);
    float* const data = const_cast<float*>(kept->view().data);
    const std::size_t shape[2] = {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
    const nb::capsule capsule(kept.release(), [](void* p) noexcept { delete static_cast<Matrix*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, float>(data, 2, shape, capsule));
}

nb::tuple graph_arrays(Graph&& graph) {
    return nb::make_tuple(array_of(std::move(graph.offsets)), array_of(std::move(graph.targets)),
                          array_of(std::move(graph.weights)));
}

}  // namespace dunlin::python
