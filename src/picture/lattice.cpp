// SPDX-License-Identifier: Apache-2.0
#include "picture/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"
#include "math/morton.hpp"
#include "numerics/sort.hpp"

namespace dunlin::picture {

namespace {

/// Sets origin and step: the box of the points, with the longest side divided into the cells.
void set_box(device::Cpu& cpu, std::span<const float> values, LatticePoints& points) {
    const Offset n = std::ssize(values) / points.dim, grain = 65536;
    std::vector<std::array<float, 6>> parts(at((n + grain - 1) / grain));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        auto& part = parts[at(begin / grain)];
        for (int axis = 0; axis < points.dim; ++axis) {
            float low = values[at(begin * points.dim + axis)], high = low;
            for (Offset i = begin; i < end; ++i) {
                low = std::min(low, values[at(i * points.dim + axis)]);
                high = std::max(high, values[at(i * points.dim + axis)]);
            }
            part[at(Offset{2} * axis)] = low;
            part[at(Offset{2} * axis + 1)] = high;
        }
    });
    double side = 0;
    for (int axis = 0; axis < points.dim && n > 0; ++axis) {
        float low = parts[0][at(Offset{2} * axis)], high = parts[0][at(Offset{2} * axis + 1)];
        for (const auto& part : parts) {
            low = std::min(low, part[at(Offset{2} * axis)]);
            high = std::max(high, part[at(Offset{2} * axis + 1)]);
        }
        points.origin[at(axis)] = static_cast<double>(low);
        side = std::max(side, static_cast<double>(high) - static_cast<double>(low));
    }
    if (side > 0) points.step = side / ((1U << (points.code_bits + points.low_bits)) - 1);
}

}  // namespace

std::uint32_t LatticePoints::cell(float x, int axis) const {
    const double last = (1U << (code_bits + low_bits)) - 1;
    return static_cast<std::uint32_t>(
        std::clamp(std::round((static_cast<double>(x) - origin[at(axis)]) / step), 0.0, last));
}

int low_bits_of(int dim, Offset n) {
    constexpr Offset most = 2000000;
    const int code_bits = dim == 2 ? math::morton_bits<2> : math::morton_bits<3>;
    return (n <= most ? 24 : 16) - code_bits;
}

LatticePoints lattice_points(device::Cpu& cpu, std::span<const float> values, int dim) {
    const Offset n = std::ssize(values) / dim;
    LatticePoints points{dim, dim == 2 ? math::morton_bits<2> : math::morton_bits<3>, low_bits_of(dim, n), {}, 1, {},
                         {}};
    set_box(cpu, values, points);
    std::vector<numerics::Keyed> keyed(at(n));
    cpu.each(n, [&](Offset i) {
        std::uint32_t cells[3] = {};
        for (int axis = 0; axis < dim; ++axis)
            cells[axis] = points.cell(values[at(i * dim + axis)], axis) >> points.low_bits;
        keyed[at(i)] = {dim == 2 ? math::morton<2>(cells) : math::morton<3>(cells), static_cast<Index>(i)};
    });
    numerics::RadixSort().sort(cpu, keyed, dim * points.code_bits);
    points.codes.resize(at(n));
    points.rows.resize(at(n));
    cpu.each(n, [&](Offset i) {
        points.codes[at(i)] = keyed[at(i)].key;
        points.rows[at(i)] = keyed[at(i)].item;
    });
    return points;
}

}  // namespace dunlin::picture
