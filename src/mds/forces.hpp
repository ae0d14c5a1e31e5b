#pragma once

#include "mds/partners.hpp"

namespace dunlin::mds {

/// Methods that move items by the forces of a few partners each: stochastic, gpu_sf, glimmer and hybrid.
bool by_forces(Method method);

/// From `map`; options: resolved.
Ending run_forces(device::Cpu& cpu, const Source& source, Map& map, const Options& options, const Run& run);

}  // namespace dunlin::mds
