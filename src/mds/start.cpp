// SPDX-License-Identifier: Apache-2.0
#include "mds/start.hpp"

#include "mds/align.hpp"

namespace dunlin::mds {

Map first_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
              std::uint64_t seed) {
    auto shape = empty_shape(cpu, source.size(), dim);
    begin(cpu, items, source, shape, start, seed);
    return {dim, shape.y};
}

void shake(Map& map, std::uint64_t seed) {
    device::Cpu cpu(1);
    auto shape = shape_at(cpu, map);
    shake(cpu, shape, seed);
    map.coordinates = shape.y;
}

void align(Map& map) {
    device::Cpu cpu(1);
    map = aligned(cpu, shape_at(cpu, map));
}

}  // namespace dunlin::mds
