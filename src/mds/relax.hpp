#pragma once

#include "math/permutation.hpp"
#include "mds/group.hpp"
#include "mds/shape.hpp"

namespace dunlin::mds {

/// One step: `order` (items, each once) is shuffled and cut into groups of 32, whose items move among themselves.
void relax_all(device::Cpu& cpu, const Source& source, Shape<device::Cpu>& shape, const std::vector<Index>& order,
               const math::Permutation& shuffle, float mu);

/// order[k] for k in [from, size) begins beside the nearest of 32 random items of order[0, from).
void place_beside(device::Cpu& cpu, const Source& source, Shape<device::Cpu>& shape, const std::vector<Index>& order,
                  Index from, Index size, std::uint64_t seed);

}  // namespace dunlin::mds
