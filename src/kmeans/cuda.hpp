// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "checkpoint/session.hpp"
#include "device/resident.hpp"
#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration on run.gpu(), for several runs on the same rows. The rows are in device memory, or are copied
/// there in pieces in every iteration if they do not fit.
class GpuLloyd {
public:
    virtual ~GpuLloyd() = default;

    /// Initial centroids, the same as those of start_centroids (start.hpp).
    virtual std::vector<float> start(Index clusters, Start start, std::uint64_t seed) = 0;

    /// Lloyd's iteration (lloyd.hpp) from these centroids (clusters x cols), or from the state of `loop`; 0 iterations
    /// only assign rows to them.
    virtual LloydResult iterate(const std::vector<float>& centroids, const Options& options, double least_shift,
                                checkpoint::Loop& loop) = 0;
};

/// Keeps references to `cpu` (which fills empty clusters), `rows`, `scales` and `points`. piece: largest number of rows
/// in device memory at once. points: those of `rows`, which have no data if the points are resident; all of these are
/// held then, in a copy. Throws Error{no_device} without the CUDA backend or a GPU.
std::unique_ptr<GpuLloyd> hold_on_gpu(device::Cpu& cpu, const Rows& rows, const Scales& scales, Index piece,
                                      const Run& run, const device::InputPoints& points);

/// measure (rows.hpp) of resident points; a hundredth of their size is copied to the host. The same bits.
Scales measure_on_gpu(device::Cpu& cpu, const Rows& rows, const Run& run, const device::InputPoints& points);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(kmeans::hold_on_gpu) hold_on_gpu;
decltype(kmeans::measure_on_gpu) measure_on_gpu;
}  // namespace backend

/// One run on rows that fit into device memory; in libdunlin_cuda.
LloydResult iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                              const std::vector<float>& centroids, const Options& options, double least_shift,
                              const Run& run);

}  // namespace dunlin::kmeans
