// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace dunlin::reliability {

/// Of each value: the share of the null values below it, equal ones counted half; the value itself counts as one of the
/// null (Phipson and Smyth 2010), so that no share is 0. NaN where a value is NaN.
std::vector<float> shares_below(std::span<const float> values, std::vector<float> null);

}  // namespace dunlin::reliability
