#pragma once

#include "mds/smacof.hpp"
#include "mds/source.hpp"

namespace dunlin::mds {

/// Places the free points of given.fixed (those without coordinates) among the others, which stay. dunlin: each looks
/// at 32 random others at a time, by steps that are annealed; smacof: some of these steps, then majorisation over all
/// pairs that a free point is in. options: resolved.
Ending run_fixed(device::Cpu& cpu, const Source& source, Map& map, const Options& options, const Run& run,
                 const Given& given);

}  // namespace dunlin::mds
