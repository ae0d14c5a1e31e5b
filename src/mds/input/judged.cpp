// SPDX-License-Identifier: Apache-2.0
#include "mds/input/judged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "mds/input/distance.hpp"
#include "mds/shape.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::mds {

namespace {

double apart(const Map& map, Index i, Index j) {
    const float* y = map.coordinates.data();
    return distance<double>(y + Offset{i} * map.dim, y + Offset{j} * map.dim, map.dim);
}

}  // namespace

void require_same_size(const Dissimilarities& items, const Map& map) {
    if (map.size() == items.size()) return;
    throw Error(Fault::bad_input,
                fmt::format("the map has {} points and there are {} items; they must agree", map.size(), items.size()));
}

bool costs_distances(const Dissimilarities& items) {
    const Feed* feed = items.feed();
    return feed != nullptr && std::ssize(feed->known()) < items.size();
}

std::vector<Index> rows_by_table(Index n, const StressOptions& o, std::uint64_t seed) {
    const scores::SamplingRule size = scores::rule_of(o.extent, n, scores::stress_rows(n), o.exact_rows, o.sample);
    return scores::rows_to_evaluate(n, size.exact, size.sample, seed);
}

std::vector<Index> judged_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                               const StressOptions& o, const Run& run) {
    const Feed* feed = items.feed();
    const Index n = items.size();
    if (!costs_distances(items)) return rows_by_table(n, o, run.seed);
    constexpr scores::SamplingRule fed{0, 64};
    const scores::SamplingRule size = scores::rule_of(o.extent, n, fed, o.exact_rows, o.sample);
    std::vector<Index> rows = scores::rows_to_evaluate(n, size.exact, size.sample, run.seed);
    const auto unknown = std::count_if(rows.begin(), rows.end(), [&](Index row) { return !feed->knows(row); });
    if (unknown > feed->rows_within(1)) {
        rows.assign(feed->known().begin(), feed->known().end());
        std::sort(rows.begin(), rows.end());
    }
    source.want(cpu, rows, run);
    return rows;
}

std::vector<double> stress_per_point(const Dissimilarities& items, const Map& map, const StressOptions& options,
                                     const Run& run) {
    require_same_size(items, map);
    device::require_cpu(run, "stress is");
    const Index n = items.size();
    std::vector<double> stress(at(n), 0.0);
    if (n < 2) return stress;
    device::Cpu cpu(run);
    const Source source(cpu, items);
    const std::vector<Index> rows = judged_rows(cpu, items, source, options, run);
    const auto judge = [&](Offset begin, Offset end, int) {
        std::vector<double> errors(tile_columns, 0.0), squares(tile_columns, 0.0);
        std::vector<float> delta(tile_columns + 16);
        for (const Index row : rows) {
            source.tile({&row, 1}, static_cast<Index>(begin), static_cast<Index>(end - begin), delta.data(),
                        tile_columns);
            device::cancellation_point();
            for (Offset k = 0; k < end - begin; ++k) {
                const auto wanted = static_cast<double>(delta[at(k)]);
                if (std::isnan(wanted) || begin + k == row) continue;
                const double error = apart(map, row, static_cast<Index>(begin + k)) - wanted;
                errors[at(k)] += error * error;
                squares[at(k)] += wanted * wanted;
            }
        }
        for (Offset k = 0; k < end - begin; ++k)
            stress[at(begin + k)] = squares[at(k)] > 0 ? errors[at(k)] / squares[at(k)] : 0;
    };
    const bool done = device::run_cancellable(run.stop, [&] { cpu.blocks(n, tile_columns, judge); });
    return done ? stress : std::vector<double>{};
}

Map shepard_diagram(const Dissimilarities& items, const Map& map, Index pairs, const StressOptions& options,
                    const Run& run) {
    require_same_size(items, map);
    device::require_cpu(run, "a Shepard diagram is");
    Map diagram{2, {}};
    if (items.size() < 2) return diagram;
    device::Cpu cpu(run);
    const Source source(cpu, items);
    const std::vector<Index> rows = judged_rows(cpu, items, source, options, run);
    if (rows.empty()) return diagram;
    for (Index k = 0; k < pairs; ++k) {
        const auto draw = static_cast<std::uint64_t>(k);
        const Index i = rows[math::random_below(rows.size(), run.seed, 2 * draw)];
        const auto j =
            static_cast<Index>(math::random_below(static_cast<std::uint64_t>(map.size()), run.seed, 2 * draw + 1));
        const float wanted = source.between(i, j);
        if (i == j || std::isnan(wanted)) continue;
        diagram.coordinates.push_back(wanted);
        diagram.coordinates.push_back(static_cast<float>(apart(map, i, j)));
    }
    return diagram;
}

}  // namespace dunlin::mds
