// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::forces {
struct StudentT;
}  // namespace dunlin::forces

namespace dunlin::placement {
template <class Law>
class MapField;
}  // namespace dunlin::placement

namespace dunlin::reliability {

using Law = forces::StudentT;
using MapField = placement::MapField<Law>;

/// PointCurvature of all points.
struct Curvature {
    std::vector<float> kl, singularity, newton_step;

    Curvature() = default;
    explicit Curvature(Index n)
        : kl(static_cast<std::size_t>(n)), singularity(static_cast<std::size_t>(n)), newton_step(singularity) {}
};

/// One pass over the edges of P and one evaluation of the potential per point. `field`: of the map.
Curvature curvature_on_cpu(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field);

/// The first column alone.
std::vector<float> kl_on_cpu(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field);

/// curvature_on_cpu() on a GPU, with the same potential as `field`.
Curvature curvature_on_cuda(const Graph& affinities, const Map& map, const MapField& field, const Run& run);

/// Where reliability is computed.
struct Where {
    device::Cpu& cpu;
    const Run* gpu = nullptr;  ///< the run on a GPU; null: on the CPU
};
Curvature curvature_of(const Where& where, const Graph& affinities, const Map& map, const MapField& field);
std::vector<float> kl_of_points(const Where& where, const Graph& affinities, const Map& map, const MapField& field);

/// The implementation in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(reliability::curvature_on_cuda) curvature_on_cuda;
}  // namespace backend

}  // namespace dunlin::reliability
