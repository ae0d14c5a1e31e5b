// SPDX-License-Identifier: Apache-2.0
#include "layout/stress_pairs.hpp"

#include <algorithm>
#include <numeric>

#include "graph/paths.hpp"
#include "math/at.hpp"

namespace dunlin::layout {

PairDistances<device::Cpu> measure_distances(device::Cpu& cpu, const graph::Level& level, const PairIndex& index,
                                             const std::vector<Index>& slot_of) {
    PairDistances<device::Cpu> pairs;
    pairs.distances.resize(at(index.count()));
    std::vector<Index> sources(slot_of.size());
    std::iota(sources.begin(), sources.end(), 0);
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*level.graph, level.lengths));
    cpu.blocks(std::ssize(sources), graph::Paths::max_sources, [&](Offset begin, Offset end, int worker) {
        paths[at(worker)].run(std::span(sources).subspan(at(begin), at(end - begin)),
                              [&](int k, Index v, double length) {
                                  const Offset i = slot_of[at(begin + k)], j = slot_of[at(v)];
                                  if (PairIndex::is_stored(i, j))
                                      pairs.distances[at(index.of(i, j))] = static_cast<float>(length);
                              });
    });
    pairs.max = *std::max_element(pairs.distances.begin(), pairs.distances.end());
    return pairs;
}

void step_round(device::Cpu& cpu, const BlockedMap& blocked, Offset round, float eta) {
    cpu.each(
        blocked.index.blocks,
        [&](Offset a) {
            const Offset b = blocked.partner(a, round);
            if (a > b) return;
            const float* distances = blocked.distances + blocked.index.begin(a, b);
            if (a == b) {
                step_within(blocked.block(a), blocked.dim, distances, eta);
            } else {
                step_blocks(blocked.block(a), blocked.block(b), blocked.dim, distances, eta);
            }
        },
        8);
}

}  // namespace dunlin::layout
