#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/metrics.hpp>

#include "device/cpu.hpp"
#include "forces/attraction.hpp"
#include "metrics/columns.hpp"
#include "metrics/kernels.hpp"
#include "metrics/sample.hpp"

namespace dunlin::metrics {

namespace {

constexpr Index exact_normaliser = 250000;

/// Beyond: as many rows as meet as many points as the largest exact sum has pairs.
Index sampled_rows(Index n, const Options& options) {
    constexpr Offset pairs = Offset{exact_normaliser} * exact_normaliser / 2;
    return std::min(n, std::max(options.sample, static_cast<Index>(pairs / n)));
}

struct Side {
    std::array<const float*, 3> at{};
    std::array<float, 3> point{};
};

Side side_of(const Columns& columns, Index row, Index begin) {
    Side side;
    for (int c = 0; c < columns.dim; ++c) {
        side.at[static_cast<std::size_t>(c)] = columns.column(c) + begin;
        side.point[static_cast<std::size_t>(c)] = columns.column(c)[row];
    }
    return side;
}

double mass_of(const Columns& columns, Index row, Index begin, Index end) {
    const Side side = side_of(columns, row, begin);
    return student_mass(side.at.data(), columns.dim, side.point.data(), end - begin);
}

/// Sum of q over all ordered pairs: each pair once, a tile of rows against all that follow.
double normaliser(device::Cpu& cpu, const Columns& columns) {
    constexpr Index tile = 512;
    const Index n = columns.size;
    const auto tile_against_rest = [&](Offset t) {
        const auto first = static_cast<Index>(t) * tile;
        const Index last = std::min(n, first + tile);
        double mass = 0;
        for (Index begin = first; begin < n; begin += tile) {
            const Index end = std::min(n, begin + tile);
            for (Index i = first; i < last; ++i) mass += mass_of(columns, i, begin == first ? i + 1 : begin, end);
        }
        return 2 * mass;
    };
    device::Cell<double> total;
    cpu.sum((n + tile - 1) / tile, tile_against_rest, total, 1);
    return total.value;
}

/// The mean over `rows` of the sum of q over a row's pairs.
Score row_mass(device::Cpu& cpu, const Columns& columns, std::span<const Index> rows) {
    constexpr Index tile = 2048;
    std::vector<double> mass(rows.size(), -1.0);  // the row itself has q = 1
    cpu.blocks(static_cast<Offset>(rows.size()), 16, [&](Offset first, Offset last, int) {
        for (Index begin = 0; begin < columns.size; begin += tile) {
            const Index end = std::min(columns.size, begin + tile);
            for (Offset r = first; r < last; ++r) {
                mass[static_cast<std::size_t>(r)] += mass_of(columns, rows[static_cast<std::size_t>(r)], begin, end);
            }
        }
    });
    return mean_over(mass, columns.size);
}

void check(const Graph& affinities, const Map& map) {
    if (affinities.size() != map.size()) {
        throw Error(Fault::bad_input, fmt::format("kl: the affinities have {} points and the map has {}; "
                                                  "give the graph the map was made from",
                                                  affinities.size(), map.size()));
    }
    if (map.size() < 2) throw Error(Fault::bad_input, fmt::format("kl: needs at least 2 points, not {}", map.size()));
    if (map.dim != 2 && map.dim != 3) {
        throw Error(Fault::bad_input, fmt::format("kl: needs a map in 2 or 3 dimensions, not {}", map.dim));
    }
}

}  // namespace

Score kl(const Graph& affinities, const Map& map, const Options& options, const Run& run) {
    check(affinities, map);
    device::Cpu cpu(run);

    // KL = sum p log(p / q') + log(Z) sum p, where q' = q Z
    device::Cell<double> cost, total;
    forces::attract_cost(cpu, affinities, map.view(), cost);
    cpu.sum(affinities.edges(), [&](Offset e) { return affinities.weights[static_cast<std::size_t>(e)]; }, total);

    const Columns columns(map);
    if (map.size() <= exact_normaliser) return {cost.value + total.value * std::log(normaliser(cpu, columns)), 0};
    const Score mean = row_mass(cpu, columns, sample_rows(map.size(), sampled_rows(map.size(), options), run.seed));
    return {cost.value + total.value * std::log(mean.value * map.size()), total.value * mean.se / mean.value};
}

}  // namespace dunlin::metrics
