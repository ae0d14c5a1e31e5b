#pragma once

#include <memory>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Rows on run.device_index, or on their way to it piece by piece where fewer than all may be held there; several runs
/// may be made of them. Throws Error{no_device} in builds without CUDA.
class OnGpu {
public:
    /// Holds `cpu`, which fills empty clusters, `rows` and `scales` by reference. piece: the most rows held at once.
    OnGpu(device::Cpu& cpu, const Rows& rows, const Scales& scales, Index piece, const Run& run);
    ~OnGpu();
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

    /// Centroids to start from, the same as start_centroids (start.hpp) finds.
    std::vector<float> start(Index clusters, Start start, std::uint64_t seed);

    /// Lloyd's iteration, as lloyd.hpp has it, from these centroids (clusters x cols). With no iterations rows are
    /// assigned to them.
    Outcome iterate(const std::vector<float>& centroids, const Options& options, double least_shift);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// One run, of rows that fit.
Outcome iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales, const std::vector<float>& centroids,
                          const Options& options, double least_shift, const Run& run);

}  // namespace dunlin::kmeans
