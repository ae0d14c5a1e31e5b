#pragma once

#include <dunlin/mds.hpp>

#include "mds/source.hpp"

namespace dunlin::mds {

/// The items whose pairs with all others a map is judged by; of what is fed, their rows are there.
std::vector<Index> judged_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                               const StressOptions& options, const Run& run);

/// Throws Error{bad_input} unless there is a point for each item.
void require_same_size(const Dissimilarities& items, const Map& map);

}  // namespace dunlin::mds
