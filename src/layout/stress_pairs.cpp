// SPDX-License-Identifier: Apache-2.0
#include "layout/stress_pairs.hpp"

#include <algorithm>
#include <numeric>

#include "graph/paths.hpp"
#include "math/at.hpp"

namespace dunlin::layout {

Pairs<device::Cpu> measure_pairs(device::Cpu& cpu, const graph::Level& level, const PairPlaces& places,
                                 const std::vector<Index>& place_of) {
    Pairs<device::Cpu> pairs;
    pairs.distances.resize(at(places.all()));
    std::vector<Index> sources(place_of.size());
    std::iota(sources.begin(), sources.end(), 0);
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*level.graph, level.lengths));
    cpu.blocks(std::ssize(sources), graph::Paths::most_sources, [&](Offset begin, Offset end, int worker) {
        paths[at(worker)].run(std::span(sources).subspan(at(begin), at(end - begin)),
                              [&](int k, Index v, double length) {
                                  const Offset i = place_of[at(begin + k)], j = place_of[at(v)];
                                  if (PairPlaces::keeps(i, j))
                                      pairs.distances[at(places.of(i, j))] = static_cast<float>(length);
                              });
    });
    pairs.longest = *std::max_element(pairs.distances.begin(), pairs.distances.end());
    return pairs;
}

void meet(device::Cpu& cpu, const Meetings& meetings, Offset round, float eta) {
    cpu.each(
        meetings.places.blocks,
        [&](Offset a) {
            const Offset b = meetings.partner(a, round);
            if (a > b) return;
            const float* distances = meetings.distances + meetings.places.begin(a, b);
            if (a == b) {
                meet_itself(meetings.block(a), meetings.dim, distances, eta);
            } else {
                meet_blocks(meetings.block(a), meetings.block(b), meetings.dim, distances, eta);
            }
        },
        8);
}

}  // namespace dunlin::layout
