// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/kmeans.hpp>

/// k-means as a part of another call, whose session (checkpoint/session.hpp) its loops belong to.
namespace dunlin::kmeans {

/// cluster() of <dunlin/kmeans.hpp>. more: centroids of one more run after the restarts. Empty: no such run.
Result cluster_part(MatrixView<const float> points, const Options& options, const Run& run,
                    const std::vector<float>& more = {});
/// The device that it takes.
Device device_of_part(MatrixView<const float> points, const Options& options, const Run& run);
/// Fills in how a result was computed, of which labels, centroids, inertia, iterations and why it stopped are known.
void describe_part(Result& result, MatrixView<const float> points, const Options& options, const Run& run);

}  // namespace dunlin::kmeans
