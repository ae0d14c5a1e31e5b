// SPDX-License-Identifier: Apache-2.0
#include "mds/start.hpp"

#include "mds/align.hpp"

namespace dunlin::mds {

Map initial_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
                std::uint64_t seed) {
    auto configuration = empty_configuration(cpu, source.size(), dim);
    initialize(cpu, items, source, configuration, start, seed);
    return {dim, configuration.y};
}

void jitter(Map& map, std::uint64_t seed) {
    device::Cpu cpu(1);
    auto configuration = configuration_at(cpu, map);
    jitter(cpu, configuration, seed);
    map.coordinates = configuration.y;
}

void align(Map& map) {
    device::Cpu cpu(1);
    map = aligned(cpu, configuration_at(cpu, map));
}

}  // namespace dunlin::mds
