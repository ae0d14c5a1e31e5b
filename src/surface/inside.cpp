// SPDX-License-Identifier: Apache-2.0
#include "surface/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "device/clones.hpp"
#include "device/fail.hpp"
#include "math/at.hpp"

namespace dunlin::surface {

namespace {

/// Bytes of 0 or 1 to bits.
std::uint32_t packed(const std::uint8_t (&flags)[32]) {
    std::uint32_t bits = 0;
    for (std::size_t part = 0; part < 4; ++part) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, flags + 8 * part, 8);
        bits |= static_cast<std::uint32_t>(eight * 0x0102040810204080U >> 56) << (8 * part);
    }
    return bits;
}

/// The inside bits of n values; returns whether all are finite.
template <class Real>
bool inline mark(const Real* values, Index n, Real limit, std::uint32_t* words) {
    constexpr Real most = std::numeric_limits<Real>::max();
    std::uint8_t infinite = 0;
    for (Index first = 0; first < n; first += 32) {
        const Index count = std::min<Index>(32, n - first);
        std::uint8_t flags[32] = {}, bad[32] = {};
        if (count == 32) {
            for (int i = 0; i < 32; ++i) {
                flags[i] = values[first + i] > limit ? 1 : 0;
                bad[i] = std::abs(values[first + i]) <= most ? 0 : 1;
            }
        } else {
            for (int i = 0; i < count; ++i) {
                flags[i] = values[first + i] > limit ? 1 : 0;
                bad[i] = std::abs(values[first + i]) <= most ? 0 : 1;
            }
        }
        *words++ = packed(flags);
        for (const std::uint8_t each : bad) infinite |= each;
    }
    return infinite == 0;
}

DUNLIN_CLONES bool mark_row(const float* values, Index n, float limit, std::uint32_t* words) {
    return mark(values, n, limit, words);
}
DUNLIN_CLONES bool mark_row(const double* values, Index n, double limit, std::uint32_t* words) {
    return mark(values, n, limit, words);
}

template <class Real>
[[noreturn]] void refuse_first(const Shape& shape, std::span<const Real> values) {
    const auto bad = std::find_if(values.begin(), values.end(), [](Real v) { return !std::isfinite(v); });
    refuse_value(shape, bad - values.begin(), static_cast<double>(*bad));
}

}  // namespace

void refuse_value(const Shape& shape, Offset node, double value) {
    const Offset row = node / shape.nz;
    device::bad_row(node, fmt::format("the value at node ({}, {}, {}) is {}; a surface needs finite values",
                                      row / shape.ny, row % shape.ny, node % shape.nz, value));
}

template <class Real>
Real floor_of(double level) {
    constexpr Real most = std::numeric_limits<Real>::max();
    if (level >= static_cast<double>(most)) return most;
    if (level < -static_cast<double>(most)) return -std::numeric_limits<Real>::infinity();
    const auto nearest = static_cast<Real>(level);
    return static_cast<double>(nearest) > level ? std::nextafter(nearest, -most) : nearest;
}

template <class Real>
void find_inside(device::Cpu& cpu, const Shape& shape, std::span<const Real> values, double level,
                 std::span<std::uint32_t> inside) {
    const Real limit = floor_of<Real>(level);
    std::atomic<bool> finite = true;
    const Offset rows_in_block = std::max<Offset>(1, 65'536 / std::max<Index>(shape.nz, 1));
    cpu.each(
        shape.rows(),
        [&](Offset row) {
            const bool good =
                mark_row(values.data() + row * shape.nz, shape.nz, limit, inside.data() + row * shape.words);
            if (!good) finite.store(false, std::memory_order_relaxed);
        },
        rows_in_block);
    if (!finite) refuse_first(shape, values);
}

template float floor_of<float>(double);
template double floor_of<double>(double);
template void find_inside<float>(device::Cpu&, const Shape&, std::span<const float>, double, std::span<std::uint32_t>);
template void find_inside<double>(device::Cpu&, const Shape&, std::span<const double>, double,
                                  std::span<std::uint32_t>);

}  // namespace dunlin::surface
