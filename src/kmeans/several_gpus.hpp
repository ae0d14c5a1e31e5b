// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/kmeans.hpp>

namespace dunlin::kmeans {

/// cluster() of points in host memory by method lloyd, on several GPUs. They hold shards (src/shards), whose sums are
/// integers: the result has the bytes of one GPU.
Result cluster_on_gpus(MatrixView<const float> points, const Options& options, const Run& run, const Given& given);

}  // namespace dunlin::kmeans
