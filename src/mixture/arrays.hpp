// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mixture/cuda.hpp"
#include "mixture/expectation.hpp"

namespace dunlin::mixture {

/// The components as a GPU reads them.
ComponentArrays arrays_of(device::Cpu& cpu, const std::vector<Component>& components, Covariance covariance);

/// The sums of a GPU as those of a CPU; without moments if there are no weights.
Expectation expectation_of(const MomentArrays& sums, Index components, Index cols, Covariance covariance);

}  // namespace dunlin::mixture
