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

/// The centroids of a result and a copy of the first one. Ties go to the lower number, so the cluster of the copy is
/// empty and takes the row farthest from its centroid. Empty for an empty result.
std::vector<float> with_one_more(const Result& result);
/// The result with an empty cluster added.
Result with_empty_cluster(Result result);

/// In a checkpoint. There must be some.
void write(checkpoint::ArchiveWriter& archive, const TriedNumbers& numbers);
void read(checkpoint::ArchiveReader& archive, MatrixView<const float> points, Index most, const Options& options,
          const Run& run, TriedNumbers& numbers);

}  // namespace dunlin::kmeans
