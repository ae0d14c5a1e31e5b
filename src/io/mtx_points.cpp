// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/mtx.hpp"
#include "io/readers.hpp"
#include "io/zeros.hpp"

namespace dunlin::io {

namespace {

/// Duplicate entries are summed.
Matrix coordinate_matrix(const Bytes& bytes, const MtxHead& head, bool transpose) {
    ZeroMatrix zeros(bytes, transpose ? head.cols : head.rows, transpose ? head.rows : head.cols);
    MtxEntries entries(bytes, head);
    const auto put = [&](Index row, Index col, double value) {
        (transpose ? zeros.at(col, row) : zeros.at(row, col)) += static_cast<float>(value);
    };
    for (MtxEntries::Triplet entry; entries.next(entry);) {
        put(entry.row, entry.col, entry.value);
        if (head.symmetric && entry.row != entry.col) put(entry.col, entry.row, head.skew ? -entry.value : entry.value);
    }
    Matrix matrix = zeros.matrix();
    check_finite(matrix.view(), bytes.name());
    return matrix;
}

ShiftedMatrix array_matrix(const Bytes& bytes, const MtxHead& head, const ReadOptions& options) {
    const auto rows = static_cast<std::size_t>(head.rows), cols = static_cast<std::size_t>(head.cols);
    require_memory(rows * cols * sizeof(double), fmt::format("'{}' as a matrix of {} x {}", bytes.name(), rows, cols));
    std::vector<double> values(rows * cols);
    MtxEntries entries(bytes, head);
    for (MtxEntries::Triplet entry; entries.next(entry);) {
        const auto i = static_cast<std::size_t>(entry.row), j = static_cast<std::size_t>(entry.col);
        values[j * rows + i] = entry.value;
        if (head.symmetric && i != j) values[i * rows + j] = head.skew ? -entry.value : entry.value;
    }
    if (options.transpose) {
        return narrowed(bytes.name(), options, head.cols, head.rows, [&](Index r, double* row) {
            std::copy_n(values.data() + static_cast<std::size_t>(r) * rows, rows, row);
        });
    }
    return narrowed(bytes.name(), options, head.rows, head.cols, [&](Index r, double* row) {
        for (std::size_t c = 0; c < cols; ++c) row[c] = values[c * rows + static_cast<std::size_t>(r)];
    });
}

}  // namespace

Points read_mtx(const Bytes& bytes, const ReadOptions& options) {
    const MtxHead head = parse_mtx_head(bytes);
    Points points;
    points.kind = "mtx";
    if (head.coordinate) {
        points.values = coordinate_matrix(bytes, head, options.transpose);
        return points;
    }
    ShiftedMatrix dense = array_matrix(bytes, head, options);
    points.values = std::move(dense.values);
    points.shift = std::move(dense.shift);
    return points;
}

}  // namespace dunlin::io
