// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "mds/smacof/smacof.hpp"
#include "stress/terms.hpp"

/// Interface between the public functions and a device's implementation. Options are resolved and inputs are checked.
namespace dunlin::mds {

struct ScalingInput {
    const Dissimilarities& items;
    const Options& options;
    const Given& given;
    const Run& run;
    bool bounded = false;        ///< the map must not have more stress than classical scaling
    PairReads* reads = nullptr;  ///< counts what a CPU reads of a matrix; null: not counted
};

/// Input of a method that reads some rows of on-demand dissimilarities.
struct OnDemandInput {
    device::Cpu& cpu;  ///< computes the rows
    const Source& source;
    const OnDemandRows& on_demand;
    const Options& options;
    std::optional<double> tolerance;  ///< as the caller gave it
    const Run& run;
};

struct ScalingOutput {
    Map map;
    run::Ending ending;
    Seconds seconds;
    Starts starts = {};
};

/// Device memory of a copy of the dissimilarities, in bytes; `weighted`: with a weight for each pair.
std::uint64_t bytes_on_gpu(const Dissimilarities& items, bool weighted);
/// Memory of the method itself, in bytes: spring partners and their reverse lists, dissimilarities to landmarks,
/// disparities, samples for new points.
std::uint64_t bytes_of_method(const Options& options, Index n, const Given& given);
/// Memory of a method that reads the rows of landmarks only, in bytes, on either device.
std::uint64_t bytes_of_rows(const Options& options, Index n);
/// True if the run's GPU exists and has this much free memory (with a reserve of 10%).
bool fits_on_gpu(std::uint64_t bytes, const Run& run);

/// place_on (place_on.hpp) on a GPU.
ScalingOutput place_on_cuda(const ScalingInput& task);

/// place_by_landmark_rows (landmark_rows.hpp) on a GPU.
ScalingOutput place_by_landmark_rows_on_cuda(const OnDemandInput& input);

/// stress1_after (nonmetric.hpp) on a GPU.
double transformed_stress1_on_cuda(const Dissimilarities& items, const Map& map, Transform transform,
                                   const Matrix* weights, const Run& run);

/// stress_rows (stress_rows.hpp) on a GPU.
std::vector<stress::StressSums> stress_rows_on_cuda(const Dissimilarities& items, const Map& map,
                                                    std::span<const Index> rows, const Run& run);

/// Implementations in libdunlin_cuda, reached through backend/table.hpp.
namespace backend {
decltype(mds::place_on_cuda) place_on_cuda;
decltype(mds::place_by_landmark_rows_on_cuda) place_by_landmark_rows_on_cuda;
decltype(mds::transformed_stress1_on_cuda) transformed_stress1_on_cuda;
decltype(mds::stress_rows_on_cuda) stress_rows_on_cuda;
}  // namespace backend

}  // namespace dunlin::mds
