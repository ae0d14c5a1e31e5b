// SPDX-License-Identifier: Apache-2.0
#include "mds/input/evaluation_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/shepard.hpp>

#include "device/choose.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "mds/configuration.hpp"
#include "mds/input/distance.hpp"
#include "progress/cancel.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::mds {

namespace {

double map_distance(const Map& map, Index i, Index j) {
    const float* y = map.coordinates.data();
    return distance<double>(y + Offset{i} * map.dim, y + Offset{j} * map.dim, map.dim);
}

}  // namespace

void require_same_size(const Dissimilarities& items, const Map& map) {
    if (map.size() == items.size()) return;
    throw Error(Fault::bad_input,
                fmt::format("the map has {} points and there are {} items; they must agree", map.size(), items.size()));
}

bool has_unknown_distances(const Dissimilarities& items) {
    const OnDemandRows* on_demand = items.on_demand();
    return on_demand != nullptr && std::ssize(on_demand->known_rows()) < items.size();
}

std::vector<Index> default_evaluation_rows(Index n, const StressOptions& o, std::uint64_t seed) {
    const scores::SamplingRule size = scores::rule_of(o.extent, n, scores::stress_rows(n), o.exact_rows, o.sample);
    return scores::rows_to_evaluate(n, size.exact, size.sample, seed);
}

std::vector<Index> evaluation_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                                   const StressOptions& o, const Run& run) {
    const OnDemandRows* on_demand = items.on_demand();
    const Index n = items.size();
    if (!has_unknown_distances(items)) return default_evaluation_rows(n, o, run.seed);
    constexpr scores::SamplingRule on_demand_size{0, 64};
    const scores::SamplingRule size = scores::rule_of(o.extent, n, on_demand_size, o.exact_rows, o.sample);
    std::vector<Index> rows = scores::rows_to_evaluate(n, size.exact, size.sample, run.seed);
    const auto unknown = std::count_if(rows.begin(), rows.end(), [&](Index row) { return !on_demand->is_known(row); });
    if (unknown > on_demand->rows_within(1)) {
        rows.assign(on_demand->known_rows().begin(), on_demand->known_rows().end());
        std::sort(rows.begin(), rows.end());
    }
    source.request(cpu, rows, run);
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
    const std::vector<Index> rows = evaluation_rows(cpu, items, source, options, run);
    const auto evaluate = [&](Offset begin, Offset end, int) {
        std::vector<double> errors(tile_columns, 0.0), squares(tile_columns, 0.0);
        std::vector<float> delta(tile_columns + 16);
        for (const Index row : rows) {
            source.tile({&row, 1}, static_cast<Index>(begin), static_cast<Index>(end - begin), delta.data(),
                        tile_columns);
            progress::cancellation_point();
            for (Offset k = 0; k < end - begin; ++k) {
                const auto delta_ij = static_cast<double>(delta[at(k)]);
                if (std::isnan(delta_ij) || begin + k == row) continue;
                const double error = map_distance(map, row, static_cast<Index>(begin + k)) - delta_ij;
                errors[at(k)] += error * error;
                squares[at(k)] += delta_ij * delta_ij;
            }
        }
        for (Offset k = 0; k < end - begin; ++k)
            stress[at(begin + k)] = squares[at(k)] > 0 ? errors[at(k)] / squares[at(k)] : 0;
    };
    const bool done = progress::run_cancellable(run.stop, [&] { cpu.blocks(n, tile_columns, evaluate); });
    return done ? stress : std::vector<double>{};
}

ShepardPairs shepard_pairs(const Dissimilarities& items, const Map& map, Index pairs, const StressOptions& options,
                           const Run& run) {
    require_same_size(items, map);
    device::require_cpu(run, "a Shepard diagram is");
    const Index n = items.size();
    ShepardPairs found{{}, {}, {2, {}}};
    if (n < 2) return found;
    device::Cpu cpu(run);
    const Source source(cpu, items);
    const std::vector<Index> rows = evaluation_rows(cpu, items, source, options, run);
    if (rows.empty()) return found;
    const auto add = [&](Index i, Index j) {
        const float delta_ij = source.between(i, j);
        if (i == j || std::isnan(delta_ij)) return;
        found.first.push_back(i);
        found.second.push_back(j);
        found.diagram.coordinates.push_back(delta_ij);
        found.diagram.coordinates.push_back(static_cast<float>(map_distance(map, i, j)));
    };
    if (std::ssize(rows) == n && Offset{n} * (n - 1) / 2 <= pairs) {
        for (Index i = 0; i < n; ++i) {
            for (Index j = i + 1; j < n; ++j) add(i, j);
        }
        return found;
    }
    for (Index k = 0; k < pairs; ++k) {
        const auto draw = static_cast<std::uint64_t>(k);
        const Index i = rows[math::random_below(rows.size(), run.seed, 2 * draw)];
        add(i, static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), run.seed, 2 * draw + 1)));
    }
    return found;
}

Map shepard_diagram(const Dissimilarities& items, const Map& map, Index pairs, const StressOptions& options,
                    const Run& run) {
    return shepard_pairs(items, map, pairs, options, run).diagram;
}

}  // namespace dunlin::mds
