// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>

#include "descent/embed.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "placement/map_loss.hpp"
#include "placement/map_scale.hpp"
#include "placement/options.hpp"
#include "placement/reference.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::placement {

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

Result place(const Map& map, const Graph& affinities, const Options& wanted, const Run& run, const Map* start) {
    check_map(map, wanted);
    if (wanted.affinity == Affinity::best) {
        throw Error(Fault::bad_input,
                    "affinity is best, a choice of places by two kinds of affinities, but affinities are given; leave "
                    "affinity out",
                    {.option = "affinity"});
    }
    check_affinities(affinities, map.size());
    if (start != nullptr) check_start(*start, affinities.size(), map.dim);
    Result placed;
    placed.options = resolve_law(wanted);
    Run here = run;
    here.device = device::choose(run, map.size() >= descent::enough_for_gpu, {.what = "placing runs"});
    device::Cpu cpu(run);
    placed.threads = cpu.threads();
    placed.map.dim = map.dim;
    const bool done = progress::run_cancellable(run.stop, [&] {
        progress::Stopwatch watch;
        const AnyMapLoss loss = loss_of_map(cpu, map, placed.options, run.seed);
        Graph edges = affinities;
        for (float& weight : edges.weights) weight *= placed.options.exaggeration;
        place_edges(cpu, map, loss, neighbor_distance_of(cpu, map.view()), edges, placed.options, start, here, placed);
        placed.seconds["place"] = watch.lap();
    });
    placed.stopped = done ? Stopped::converged : Stopped::cancelled;
    if (!done) placed.map.coordinates.clear();
    device::complete(placed, here.device, here);
    return placed;
}

}  // namespace dunlin::placement
