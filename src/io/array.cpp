// SPDX-License-Identifier: Apache-2.0
#include "io/array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"

namespace dunlin::io {

namespace {

static_assert(std::endian::native == std::endian::little, "the readers require a little-endian machine");

template <class T>
T load(const char* p, bool swapped) {
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, p, sizeof(T));
    if (swapped) std::reverse(raw, raw + sizeof(T));
    return std::bit_cast<T>(raw);
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | (code >> 18 & 7));
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

}  // namespace

void check_size(const Array& array, const Bytes& bytes) {
    std::uint64_t size = array.item;
    bool empty = false, overflow = false;
    for (const std::uint64_t extent : array.shape) {
        empty = empty || extent == 0;
        overflow = overflow || (extent != 0 && __builtin_mul_overflow(size, extent, &size));
    }
    const auto there = static_cast<std::uint64_t>(bytes.end() - array.data);
    if (empty || (!overflow && size == there)) return;
    const std::string shape = fmt::format("({})", fmt::join(array.shape, ", "));
    if (overflow) bad_file("'{}' has the shape {}, more than there can be; save the array again", bytes.name(), shape);
    if (size > there) {
        bad_file("'{}' is truncated: the shape {} takes {} bytes and {} are there; save or copy it again", bytes.name(),
                 shape, size, there);
    }
    bad_file("'{}' has the shape {}, which takes {} bytes, but {} are there; save the array again", bytes.name(), shape,
             size, there);
}

float half_to_float(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

std::uint64_t Array::count() const {
    std::uint64_t values = 1;
    for (const std::uint64_t extent : shape) {
        if (extent == 0) return 0;
        values *= extent;
    }
    return values;
}

double Array::number(std::uint64_t index) const {
    const char* const p = data + index * item;
    switch (kind) {
        case 'f':
            if (item == 2) return static_cast<double>(half_to_float(load<std::uint16_t>(p, swapped)));
            return item == 4 ? static_cast<double>(load<float>(p, swapped)) : load<double>(p, swapped);
        case 'g':  // the first half of a float
            return static_cast<double>(std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(p, swapped)} << 16));
        case 'i':
            if (item == 1) return load<std::int8_t>(p, false);
            if (item == 2) return load<std::int16_t>(p, swapped);
            return item == 4 ? load<std::int32_t>(p, swapped) : static_cast<double>(load<std::int64_t>(p, swapped));
        case 'b':
            return *p != 0 ? 1.0 : 0.0;
        default:
            if (item == 1) return load<std::uint8_t>(p, false);
            if (item == 2) return load<std::uint16_t>(p, swapped);
            return item == 4 ? load<std::uint32_t>(p, swapped) : static_cast<double>(load<std::uint64_t>(p, swapped));
    }
}

std::string Array::text(std::uint64_t index) const {
    const char* const p = data + index * item;
    std::string out;
    if (kind == 'S') {
        out.assign(p, item);
        out.erase(std::min(out.find('\0'), out.size()));
        return out;
    }
    for (std::size_t i = 0; i < item; i += 4) {
        const auto code = load<std::uint32_t>(p + i, swapped);
        if (code == 0) break;
        append_utf8(out, code);
    }
    return out;
}

Extents extents(const Array& array, const std::string& file) {
    if (array.shape.empty()) bad_file("'{}' holds a single value, no array; save an array of rows x columns", file);
    if (array.fortran && array.shape.size() > 2) {
        bad_file("'{}' has {} axes in Fortran order; save it in C order (numpy.ascontiguousarray)", file,
                 array.shape.size());
    }
    std::uint64_t cols = 1;
    bool too_many = array.shape[0] > static_cast<std::uint64_t>(most_items);
    for (std::size_t axis = 1; axis < array.shape.size(); ++axis) {
        too_many = __builtin_mul_overflow(cols, array.shape[axis], &cols) || too_many;
    }
    if (too_many || cols > static_cast<std::uint64_t>(most_items)) {
        bad_file("'{}' has more than {} rows or columns; split it", file, most_items);
    }
    if (array.count() == 0) {
        bad_file("'{}' holds no values: its shape is ({}); give at least one row", file, fmt::join(array.shape, ", "));
    }
    return {static_cast<Index>(array.shape[0]), static_cast<Index>(cols)};
}

Labels labels_of(const Array& array, const std::string& file) {
    const Extents size = extents(array, file);
    if (size.cols != 1) bad_file("'{}' has {} columns; labels are one value per row", file, size.cols);
    StringInterner words;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(size.rows); ++i) {
        words.add(array.is_text() ? array.text(i) : fmt::format("{}", array.number(i)));
    }
    return std::move(words).labels();
}

}  // namespace dunlin::io
