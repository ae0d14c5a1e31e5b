// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/configuration.hpp"

namespace dunlin::mds {

/// What the pairs of each of these rows with everybody add to stress; y: n x dim.
std::vector<StressSums> stress_rows(device::Cpu& cpu, const Source& source, const float* y, int dim,
                                    std::span<const Index> rows);

}  // namespace dunlin::mds
