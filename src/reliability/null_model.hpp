// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace dunlin::reliability {

/// For each value the share of the null values below it. Equal ones count half. The value itself counts as one of the
/// null values (Phipson and Smyth 2010), so that no share is 0. NaN where a value is NaN.
std::vector<float> shares_below(std::span<const float> values, std::vector<float> null);

}  // namespace dunlin::reliability
