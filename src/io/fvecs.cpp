// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

std::int32_t dimension_at(const char* p) {
    std::int32_t dimension = 0;
    std::memcpy(&dimension, p, sizeof dimension);
    return dimension;
}

}  // namespace

/// A row is its length as int32, then that many float32, little-endian.
Points read_fvecs(const Bytes& bytes, const ReadOptions& options) {
    const std::int32_t cols = bytes.size() < 4 ? 0 : dimension_at(bytes.begin());
    if (cols <= 0) bad_file("'{}': row 1 has {} values; it is no .fvecs file, convert it again", bytes.name(), cols);
    const std::size_t stride = 4 + 4 * static_cast<std::size_t>(cols);
    const std::size_t rows = bytes.size() / stride;
    if (rows * stride != bytes.size()) {
        bad_file("'{}' is truncated or not .fvecs: {} bytes are no multiple of {}, a row of {} values; copy it again",
                 bytes.name(), bytes.size(), stride, cols);
    }
    if (rows > static_cast<std::size_t>(most_items))
        bad_file("'{}' has more than {} rows; split it", bytes.name(), most_items);
    if (options.transpose) bad_option("transpose", ".fvecs is read row by row; convert '{}' to .npy", bytes.name());
    GrowableBuffer<float> values("the points of '" + bytes.name() + "'");
    float* out = values.room(rows * static_cast<std::size_t>(cols));
    for (std::size_t r = 0; r < rows; ++r, out += cols) {
        const char* const row = bytes.begin() + r * stride;
        if (dimension_at(row) != cols) {
            bad_file("'{}': row {} has {} values where {} were expected; convert it again", bytes.name(), r + 1,
                     dimension_at(row), cols);
        }
        std::memcpy(out, row + 4, stride - 4);
    }
    values.add(rows * static_cast<std::size_t>(cols));
    Points points;
    points.kind = "fvecs";
    points.values = Matrix(static_cast<Index>(rows), cols, values.release());
    check_finite(points.values.view(), bytes.name());
    return points;
}

}  // namespace dunlin::io
