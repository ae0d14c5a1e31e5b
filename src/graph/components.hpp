// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/components.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// As the public function, with existing threads.
Components components(device::Cpu& cpu, const Graph& graph);

}  // namespace dunlin::graph
