#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// clusters x cols centroids to start from, by rows of `rows`.
std::vector<float> start_centroids(device::Cpu& cpu, const Rows& rows, Index clusters, Start start, std::uint64_t seed,
                                   const Run& run);

}  // namespace dunlin::kmeans
