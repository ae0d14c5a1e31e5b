// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "io/array.hpp"
#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

struct VecsType {
    std::string_view extension;
    char kind;
    std::size_t item;
};

constexpr std::array<VecsType, 3> types{{{".fvecs", 'f', 4}, {".ivecs", 'i', 4}, {".bvecs", 'u', 1}}};

const VecsType* type_of(const std::string& name) {
    const std::string extension = extension_of(name);
    const auto* const found =
        std::find_if(types.begin(), types.end(), [&](const VecsType& type) { return type.extension == extension; });
    return found == types.end() ? nullptr : found;
}

std::int32_t dimension_at(const char* p) {
    std::int32_t dimension = 0;
    std::memcpy(&dimension, p, sizeof dimension);
    return dimension;
}

/// Rows of float32 as they are.
Matrix floats_of(const Bytes& bytes, Index rows, Index cols, std::size_t stride) {
    const std::size_t width = static_cast<std::size_t>(cols), count = static_cast<std::size_t>(rows) * width;
    GrowableBuffer<float> values("the points of '" + bytes.name() + "'");
    float* out = values.room(count);
    for (Index r = 0; r < rows; ++r, out += cols)
        std::memcpy(out, bytes.begin() + static_cast<std::size_t>(r) * stride + 4, stride - 4);
    values.add(count);
    Matrix matrix(rows, cols, values.release());
    check_finite(matrix.view(), bytes.name());
    return matrix;
}

}  // namespace

std::size_t item_of_vecs(const std::string& name) {
    const VecsType* const type = type_of(name);
    return type == nullptr ? 0 : type->item;
}

/// A row is its length as int32, then that many float32 (.fvecs), int32 (.ivecs) or uint8 (.bvecs), little-endian.
Points read_fvecs(const Bytes& bytes, const ReadOptions& options) {
    const VecsType& type = *type_of(bytes.name());
    const std::string name = std::string(type.extension);
    const std::int32_t cols = bytes.size() < 4 ? 0 : dimension_at(bytes.begin());
    if (cols <= 0) bad_file("'{}': row 1 has {} values; it is no {} file, convert it again", bytes.name(), cols, name);
    const std::size_t stride = 4 + type.item * static_cast<std::size_t>(cols);
    const std::size_t rows = bytes.size() / stride;
    if (rows * stride != bytes.size()) {
        bad_file("'{}' is truncated or not {}: {} bytes are no multiple of {}, a row of {} values; copy it again",
                 bytes.name(), name, bytes.size(), stride, cols);
    }
    if (rows > static_cast<std::size_t>(most_items))
        bad_file("'{}' has more than {} rows; split it", bytes.name(), most_items);
    if (options.transpose) bad_option("transpose", "{} is read row by row; convert '{}' to .npy", name, bytes.name());
    for (std::size_t r = 0; r < rows; ++r) {
        if (const std::int32_t there = dimension_at(bytes.begin() + r * stride); there != cols)
            bad_file("'{}': row {} has {} values where {} were expected; convert it again", bytes.name(), r + 1, there,
                     cols);
    }
    Points points;
    points.kind = name.substr(1);
    const auto count = static_cast<Index>(rows);
    if (type.kind == 'f') {
        points.values = floats_of(bytes, count, cols, stride);
        return points;
    }
    Array row;
    row.kind = type.kind;
    row.item = type.item;
    ShiftedMatrix whole = narrowed(bytes.name(), options, count, cols, [&](Index r, double* out) {
        row.data = bytes.begin() + static_cast<std::size_t>(r) * stride + 4;
        for (std::int32_t c = 0; c < cols; ++c) out[c] = row.number(static_cast<std::uint64_t>(c));
    });
    points.values = std::move(whole.values);
    points.shift = std::move(whole.shift);
    return points;
}

}  // namespace dunlin::io
