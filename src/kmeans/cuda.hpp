// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Rows on run.gpu(), or on their way to it piece by piece where fewer than all may be held there; several runs
/// may be made of them.
class GpuLloyd {
public:
    virtual ~GpuLloyd() = default;

    /// Centroids to start from, the same as start_centroids (start.hpp) finds.
    virtual std::vector<float> start(Index clusters, Start start, std::uint64_t seed) = 0;

    /// Lloyd's iteration, as lloyd.hpp has it, from these centroids (clusters x cols). With no iterations rows are
    /// assigned to them.
    virtual LloydResult iterate(const std::vector<float>& centroids, const Options& options, double least_shift) = 0;
};

/// Holds `cpu`, which fills empty clusters, `rows` and `scales` by reference. piece: the most rows held at once. Throws
/// Error{no_device} without the CUDA backend or a GPU.
std::unique_ptr<GpuLloyd> hold_on_gpu(device::Cpu& cpu, const Rows& rows, const Scales& scales, Index piece,
                                      const Run& run);

/// libdunlin_cuda's own function, which hold_on_gpu calls (backend/table.hpp).
namespace backend {
decltype(kmeans::hold_on_gpu) hold_on_gpu;
}  // namespace backend

/// One run, of rows that fit; in libdunlin_cuda.
LloydResult iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                              const std::vector<float>& centroids, const Options& options, double least_shift,
                              const Run& run);

}  // namespace dunlin::kmeans
