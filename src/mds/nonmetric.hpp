#pragma once

#include "mds/smacof.hpp"
#include "mds/source.hpp"

namespace dunlin::mds {

/// Smacof with disparities (Borg and Groenen 2005, ch. 9), from options.start or given.start. options: resolved. What
/// it returns depends on the dissimilarities only through what their transform leaves of them.
Ending run_nonmetric(device::Cpu& cpu, const Source& source, Map& map, const Options& options, const Run& run,
                     const Given& given);

}  // namespace dunlin::mds
