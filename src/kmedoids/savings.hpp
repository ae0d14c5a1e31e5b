// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::kmedoids {

/// For items with dissimilarities d to a candidate, `first` and `second` to their nearest medoids: saved[i] =
/// min(max(d, first), second) - second, the correction of a removal loss, at most 0. Returns sum min(d - first, 0).
double find_savings(const float* d, const float* first, const float* second, Offset count, double* saved);

}  // namespace dunlin::kmedoids
