// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"
#include "stress/terms.hpp"

namespace dunlin::mds {

using stress::StressSums;

/// Sums over the pairs of each of these rows with all items; y: n x dim.
std::vector<StressSums> stress_rows(device::Cpu& cpu, const Source& source, const float* y, int dim,
                                    std::span<const Index> rows);

}  // namespace dunlin::mds
