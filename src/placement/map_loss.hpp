// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "placement/backend.hpp"
#include "placement/field.hpp"
#include "placement/sample.hpp"

namespace dunlin::placement {

/// The loss of a map's method as a function of one point: its field, and the constant that loss_of_new takes.
template <class Law>
struct MapLoss {
    MapField<Law> field;
    double repulsion = 0;
};
/// The same of a map of more than 3 dimensions, placed on a CPU.
template <class Law>
struct SampledMapLoss {
    Law law;
    std::shared_ptr<const MapSample> sample;
    double repulsion = 0;
};
using AnyMapLoss =
    std::variant<MapLoss<forces::StudentT>, MapLoss<forces::GeneralStudentT>, MapLoss<forces::Fuzzy>,
                 MapLoss<forces::FurtherPairs>, SampledMapLoss<forces::Fuzzy>, SampledMapLoss<forces::FurtherPairs>>;

/// For a map made by options.method; options are resolved. The map is not copied if it has up to 3 dimensions. seed: of
/// the sample.
AnyMapLoss loss_of_map(device::Cpu& cpu, const Map& map, const Options& options, std::uint64_t seed);

/// As place_on_cpu().
template <class Law>
void place_by_sample(device::Cpu& cpu, const PlaceTask& task, const SampledMapLoss<Law>& loss, const Run& run,
                     Result& placed);

/// Whether the potential of this map is summed exactly.
bool is_exact(const Options& options, const Map& map);

/// Places the queries of these edges: sets map, cost, gap, engines and neighbor_distance of `placed`. Options are
/// resolved; run.device is where.
void place_edges(device::Cpu& cpu, const Map& map, const AnyMapLoss& loss, double neighbor_distance, const Graph& edges,
                 const Options& options, const Map* start, const Run& run, Result& placed);

}  // namespace dunlin::placement
