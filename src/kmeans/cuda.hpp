#pragma once

#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration on run.device_index, as lloyd.hpp has it, from these centroids (clusters x cols); `cpu` fills
/// empty clusters. Throws Error{no_device} in builds without CUDA and Error{out_of_memory} before it starts.
Outcome iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids,
                          const Options& options, double least_shift, const Run& run);

}  // namespace dunlin::kmeans
