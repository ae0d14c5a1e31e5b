#pragma once

#include <dunlin/mds.hpp>

#include "mds/source.hpp"

namespace dunlin::mds {

/// The items whose pairs with all others a map is judged by; of what is fed, their rows are there.
std::vector<Index> judged_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                               const StressOptions& options, const Run& run);

}  // namespace dunlin::mds
