// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "math/at.hpp"
#include "waves/tridiagonal/study.hpp"
#include "waves/tridiagonal/system.hpp"

namespace dunlin::waves {

namespace {

/// Rows [low, high) hold the rows [begin, end) that a tile writes, and its halos.
struct Extent {
    Offset begin, end, low, high;
};
Extent extent_of(Offset n, Offset begin, Offset end, Offset halo) {
    return {begin, end, std::max<Offset>(0, begin - halo), std::min(n, end + halo)};
}

/// Bound of the change at the first written row by a change of 1 before the left halo.
double from_left(const Tridiagonal& system, const Extent& t) {
    if (t.low == 0) return 0;
    double share = 0, reached = 1;  // 0: the tile is solved as if x were 0 beyond its other end
    for (Offset i = t.high - 1; i >= t.low; --i) {
        const double upper = i + 1 < t.high ? std::abs(system.upper[at(i)]) : 0;
        share = std::abs(system.lower[at(i)]) / (std::abs(system.diagonal[at(i)]) - upper * share);
        if (i <= t.begin) reached *= share;
    }
    return reached;
}

/// Bound of the change at the last written row by a change of 1 beyond the right halo.
double from_right(const Tridiagonal& system, const Extent& t) {
    if (t.high == system.size()) return 0;
    double share = 0, reached = 1;
    for (Offset i = t.low; i < t.high; ++i) {
        const double lower = i > t.low ? std::abs(system.lower[at(i)]) : 0;
        share = std::abs(system.upper[at(i)]) / (std::abs(system.diagonal[at(i)]) - lower * share);
        if (i >= t.end - 1) reached *= share;
    }
    return reached;
}

/// Bound of max |x| by strict dominance.
double bound_of_solution(const Tridiagonal& system, std::span<const double> right) {
    double bound = 0;
    const Offset n = system.size();
    for (Offset i = 0; i < n; ++i) {
        const double others =
            (i > 0 ? std::abs(system.lower[at(i)]) : 0) + (i + 1 < n ? std::abs(system.upper[at(i)]) : 0);
        bound = std::max(bound, std::abs(right[at(i)]) / (std::abs(system.diagonal[at(i)]) - others));
    }
    return bound;
}

}  // namespace

double influence_of_halo(device::Cpu& cpu, const Tridiagonal& system, Offset tile, Offset halo) {
    const Offset n = system.size();
    std::vector<double> influences(at((n + tile - 1) / tile));
    cpu.blocks(n, tile, [&](Offset begin, Offset end, int) {
        const Extent extent = extent_of(n, begin, end, halo);
        influences[at(begin / tile)] = from_left(system, extent) + from_right(system, extent);
    });
    return influences.empty() ? 0 : *std::max_element(influences.begin(), influences.end());
}

Tiles solve_in_tiles_with(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right,
                          std::span<double> x, Offset tile, Offset halo) {
    const Offset n = system.size();
    cpu.blocks(n, tile, [&](Offset begin, Offset end, int) {
        const Extent t = extent_of(n, begin, end, halo);
        const Offset rows = t.high - t.low;
        std::vector<double> solution(at(rows)), scratch(at(rows));
        const auto part = [&](std::span<const double> values) { return values.subspan(at(t.low), at(rows)); };
        solve_thomas({part(system.lower), part(system.diagonal), part(system.upper)}, part(right), solution, scratch);
        std::copy(solution.begin() + (begin - t.low), solution.begin() + (end - t.low), x.begin() + begin);
    });
    const double influence = influence_of_halo(cpu, system, tile, halo);
    return {halo, influence, influence > 0 ? influence * bound_of_solution(system, right) : 0};
}

Tiles solve_in_tiles(device::Cpu& cpu, const Tridiagonal& system, std::span<const double> right, std::span<double> x,
                     Offset tile) {
    constexpr Offset longest = 1024;
    const double negligible = std::ldexp(1.0, -53);
    for (Offset halo = 16; halo <= longest; halo *= 2) {
        if (influence_of_halo(cpu, system, tile, halo) <= negligible)
            return solve_in_tiles_with(cpu, system, right, x, tile, halo);
    }
    Partition().solve(cpu, system, right, x);
    return {};
}

}  // namespace dunlin::waves
