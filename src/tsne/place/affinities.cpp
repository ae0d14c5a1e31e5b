// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>

#include "descent/embed.hpp"
#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/stopwatch.hpp"
#include "options/check.hpp"
#include "placement/field.hpp"
#include "tsne/place/backend.hpp"
#include "tsne/place/map_scale.hpp"
#include "tsne/place/options.hpp"
#include "tsne/place/reference.hpp"

namespace dunlin::tsne {

namespace {

void check_affinities(const Graph& affinities, Index points) {
    for (Index q = 0; q < affinities.size(); ++q) {
        const auto targets = targets_of(affinities, q);
        const auto weights = weights_of(affinities, q);
        if (targets.empty()) {
            throw Error(Fault::bad_input, fmt::format("affinities: row {} has no edges; it has no place", q),
                        {.row = q});
        }
        for (std::size_t e = 0; e < targets.size(); ++e) {
            if (targets[e] < 0 || targets[e] >= points) {
                throw Error(Fault::bad_input,
                            fmt::format("affinities: row {} has an edge to {}, and the map has {} points", q,
                                        targets[e], points),
                            {.row = q});
            }
            if (!(weights[e] >= 0) || !std::isfinite(weights[e])) {
                throw Error(Fault::bad_input,
                            fmt::format("affinities: row {} has the weight {}; it must be finite and at least 0", q,
                                        weights[e]),
                            {.row = q});
            }
        }
    }
}

}  // namespace

Placed place(const Map& map, const Graph& affinities, const PlaceOptions& wanted, const Run& run, const Map* start) {
    check_map(map, wanted);
    check_affinities(affinities, map.size());
    if (start != nullptr) check_start(*start, affinities.size(), map.dim);
    Placed placed;
    placed.options = wanted;
    options::settle(placed.options);
    const PlaceOptions& options = placed.options;
    Run here = run;
    here.device = device::choose(run, map.size() >= descent::enough_for_gpu);
    device::Cpu cpu(run);
    placed.threads = cpu.threads();
    placed.map.dim = map.dim;
    const bool done = device::run_cancellable(run.stop, [&] {
        device::Stopwatch watch;
        const bool exact = is_exact(options, map);
        const placement::MapField<forces::StudentT> field(cpu, map.view(), exact, options.spacing.value_or(0));
        placed.neighbor_distance = neighbor_distance_of(cpu, map.view());
        placed.engines.push_back({"repulsion", exact ? "exact" : "grid", 0});
        std::vector<float> scaled = affinities.weights;
        for (float& weight : scaled) weight *= options.exaggeration;
        const auto m = at(affinities.size());
        placed.map.coordinates.resize(m * at(map.dim));
        placed.cost.resize(m);
        placed.gap.resize(m);
        const double tolerance = static_cast<double>(options.tolerance) * placed.neighbor_distance;
        const PlaceTask task{
            map.view(), affinities, scaled, {options.steps, tolerance}, options.starts, placed.neighbor_distance,
            start};
        if (here.device == Device::cuda) {
            place_on_cuda(task, field, here, placed);
        } else {
            place_on_cpu(cpu, task, field, here, placed);
        }
        placed.seconds["place"] = watch.lap();
    });
    placed.stopped = done ? Stopped::converged : Stopped::cancelled;
    if (!done) placed.map.coordinates.clear();
    device::complete(placed, here.device, here);
    return placed;
}

}  // namespace dunlin::tsne
