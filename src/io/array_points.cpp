// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "io/binary_rows.hpp"
#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/huge_numbers.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/safetensors.hpp"

namespace dunlin::io {

namespace {

/// A view of float32 values in C order, without a copy.
Matrix in_place(const Array& array, const Bytes& bytes, Index rows, Index cols) {
    std::shared_ptr<const float> values(bytes.owner(), reinterpret_cast<const float*>(array.data));
    Matrix matrix(rows, cols, std::move(values));
    check_finite(matrix.view(), bytes.name());
    return matrix;
}

Points points_of(const Array& array, const Bytes& bytes, const ReadOptions& options) {
    if (array.is_text()) bad_file("'{}' holds text; points are numbers: save them as float32", bytes.name());
    auto [rows, cols] = extents(array, bytes.name());
    bool by_column = array.fortran;
    if (options.transpose) {
        std::swap(rows, cols);
        by_column = !by_column;
    }
    Points points;
    const bool aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(float) == 0;
    const auto n = static_cast<std::uint64_t>(rows), d = static_cast<std::uint64_t>(cols);
    const auto read_row = [&, order = by_column](Index r, double* row) {
        const auto i = static_cast<std::uint64_t>(r);
        for (std::uint64_t c = 0; c < d; ++c) row[c] = array.number(order ? c * n + i : i * d + c);
    };
    const bool is_float32 = array.kind == 'f' && array.item == 4 && !array.swapped && !by_column && aligned;
    const bool is_shifted =
        options.shift ? !options.shift->empty() : !sampled_shift(rows, cols, options.offsets, read_row).empty();
    if (is_float32 && !is_shifted) {
        points.values = in_place(array, bytes, rows, cols);
        return points;
    }
    ShiftedMatrix dense = narrowed(bytes.name(), options, rows, cols, read_row);
    points.values = std::move(dense.values);
    points.shift = std::move(dense.shift);
    require_told_apart(array, d, by_column, bytes.name());
    return points;
}

}  // namespace

Points read_npy(const Bytes& bytes, const ReadOptions& options) {
    Points points = points_of(parse_npy(bytes), bytes, options);
    points.kind = "npy";
    return points;
}

Points read_idx(const Bytes& bytes, const ReadOptions& options) {
    Points points = points_of(parse_idx(bytes), bytes, options);
    points.kind = "idx";
    return points;
}

Points read_binary_rows(const Bytes& bytes, const ReadOptions& options) {
    Points points = points_of(parse_binary_rows(bytes), bytes, options);
    points.kind = extension_of(bytes.name()).substr(1);
    return points;
}

Points read_safetensors(const Bytes& bytes, const ReadOptions& options) {
    Points points = points_of(parse_safetensors(bytes, options.array), bytes, options);
    points.kind = "safetensors";
    return points;
}

}  // namespace dunlin::io
