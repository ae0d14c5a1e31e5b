// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "device/cpu.hpp"
#include "forces/attraction/attraction.hpp"
#include "forces/exact/potential.hpp"
#include "forces/line.hpp"
#include "progress/cancel.hpp"
#include "scores/coordinate_columns.hpp"
#include "scores/kl.hpp"
#include "scores/sample.hpp"
#include "scores/score_engine.hpp"

namespace dunlin::scores {

namespace {

struct Side {
    std::array<const float*, 3> at{};
    std::array<float, 3> point{};
};

Side side_of(const CoordinateColumns& columns, Index row, Index begin) {
    Side side;
    for (int c = 0; c < columns.dim; ++c) {
        side.at[static_cast<std::size_t>(c)] = columns.column(c) + begin;
        side.point[static_cast<std::size_t>(c)] = columns.column(c)[row];
    }
    return side;
}

template <class Law>
double mass_of(const Law& law, const CoordinateColumns& columns, Index row, Index begin, Index end) {
    const Side side = side_of(columns, row, begin);
    return forces::potential_at(law, side.at.data(), columns.dim, side.point.data(), end - begin);
}

/// Sum of q' over all ordered pairs; each unordered pair is computed once, in tiles of rows against all later points.
template <class Law>
double normalizer(device::Cpu& cpu, const Law& law, const CoordinateColumns& columns) {
    constexpr Index tile = 512;
    const Index n = columns.size;
    const auto tile_against_rest = [&](Offset t) {
        const auto first = static_cast<Index>(t) * tile;
        const Index last = std::min(n, first + tile);
        double mass = 0;
        for (Index begin = first; begin < n; begin += tile) {
            progress::cancellation_point();
            const Index end = std::min(n, begin + tile);
            for (Index i = first; i < last; ++i) mass += mass_of(law, columns, i, begin == first ? i + 1 : begin, end);
        }
        return 2 * mass;
    };
    device::Cell<double> total;
    cpu.sum((n + tile - 1) / tile, tile_against_rest, total, 1);
    return total.value;
}

/// Mean over `rows` of the sum of q' over a row's pairs.
template <class Law>
Score row_mass(device::Cpu& cpu, const Law& law, const CoordinateColumns& columns, std::span<const Index> rows) {
    constexpr Index tile = 2048;
    std::vector<double> mass(rows.size(), -1.0);  // the row itself contributes q' = 1
    cpu.blocks(static_cast<Offset>(rows.size()), 16, [&](Offset first, Offset last, int) {
        for (Index begin = 0; begin < columns.size; begin += tile) {
            progress::cancellation_point();
            const Index end = std::min(columns.size, begin + tile);
            for (Offset r = first; r < last; ++r) {
                mass[static_cast<std::size_t>(r)] +=
                    mass_of(law, columns, rows[static_cast<std::size_t>(r)], begin, end);
            }
        }
    });
    return mean_over(mass, columns.size);
}

}  // namespace

void check_kl(const Graph& affinities, const Map& map) {
    if (affinities.size() != map.size()) {
        throw Error(Fault::bad_input, fmt::format("kl: the affinities have {} points and the map has {}; "
                                                  "give the graph the map was made from",
                                                  affinities.size(), map.size()));
    }
    if (map.size() < 2) throw Error(Fault::bad_input, fmt::format("kl: needs at least 2 points, not {}", map.size()));
    if (map.dim < 1 || map.dim > 3) {
        throw Error(Fault::bad_input,
                    fmt::format("kl: needs a map in 1, 2 or 3 dimensions, not {}; leave kl out", map.dim));
    }
}

std::vector<Index> rows_of_normalizer(Index n, const Options& options, std::uint64_t seed) {
    constexpr Offset pairs = Offset{exact_normalizer} * exact_normalizer / 2;
    const Index exact = options.extent == Extent::full ? n : exact_normalizer;
    return rows_to_evaluate(n, exact, std::max<Index>(2000, static_cast<Index>(pairs / std::max(n, 1))), seed);
}

Score kl_of(double cost, double total, const Score& row_mass, Index n) {
    return {cost + total * std::log(row_mass.value * n), total * row_mass.se / row_mass.value};
}

template <class Law>
Score kl_on_cpu(device::Cpu& cpu, const Law& law, const Graph& affinities, const Map& map, const Options& options,
                std::uint64_t seed) {
    if (map.dim == 1)
        return kl_on_cpu(cpu, law, affinities, {2, forces::in_plane(cpu, map.coordinates)}, options, seed);
    device::Cell<double> cost, total;
    forces::attract_cost(cpu, law, affinities, map.view(), cost);
    cpu.sum(affinities.edges(), [&](Offset e) { return affinities.weights[static_cast<std::size_t>(e)]; }, total);

    const Index n = map.size();
    const CoordinateColumns columns(map);
    const bool exact = n <= exact_normalizer || options.extent == Extent::full;
    const Score mass = exact ? Score{normalizer(cpu, law, columns) / n, 0}
                             : row_mass(cpu, law, columns, rows_of_normalizer(n, options, seed));
    return kl_of(cost.value, total.value, mass, n);
}

template Score kl_on_cpu(device::Cpu&, const forces::StudentT&, const Graph&, const Map&, const Options&,
                         std::uint64_t);
template Score kl_on_cpu(device::Cpu&, const forces::GeneralStudentT&, const Graph&, const Map&, const Options&,
                         std::uint64_t);

Score kl(const Graph& affinities, const Map& map, const Options& options, const Run& run) {
    check_kl(affinities, map);
    return make_engine({}, map.size(), options.metric, run)->kl(affinities, map, options);
}

}  // namespace dunlin::scores
