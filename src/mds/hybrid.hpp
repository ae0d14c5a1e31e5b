#pragma once

#include "mds/partners.hpp"

/// Springs among a sample of sqrt(n) items only; the others are placed by their parent, a near item of the sample
/// (Morrison, Ross and Chalmers 2003; Jourdan and Melancon 2004), and a few iterations of all items end it.
namespace dunlin::mds {

/// options: resolved, method hybrid.
Ending hybrid(device::Cpu& cpu, const Source& source, Springs<device::Cpu>& springs, const Options& options,
              const Run& run);

}  // namespace dunlin::mds
