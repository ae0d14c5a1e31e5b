// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/kmeans.hpp>

#include "checkpoint/archive.hpp"

namespace dunlin::kmeans {

/// The numbers of clusters tried so far.
struct TriedNumbers {
    Choice choice;
    Result last;  ///< of the last number of choice.curve; empty: none
};

/// The centroids of a result and the first one again, whose cluster is empty, since ties go to the lower number, and so
/// takes the row farthest from its centroid. None: of no result.
std::vector<float> with_one_more(const Result& result);
/// The same clusters and an empty one.
Result with_empty_cluster(Result result);

/// In a checkpoint. There must be some.
void write(checkpoint::ArchiveWriter& archive, const TriedNumbers& numbers);
void read(checkpoint::ArchiveReader& archive, MatrixView<const float> points, Index most, const Options& options,
          const Run& run, TriedNumbers& numbers);

}  // namespace dunlin::kmeans
