// SPDX-License-Identifier: Apache-2.0
#include "neighbors/nearest_lists.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "math/at.hpp"

namespace dunlin::neighbors {

Graph nearest_first(device::Cpu& cpu, const Graph& neighbors) {
    Graph sorted = neighbors;
    cpu.blocks(neighbors.size(), 256, [&](Offset first, Offset last, int) {
        std::vector<Offset> order;
        for (Offset i = first; i < last; ++i) {
            const Offset begin = neighbors.offsets[at(i)], end = neighbors.offsets[at(i) + 1];
            order.resize(at(end - begin));
            std::iota(order.begin(), order.end(), begin);
            std::sort(order.begin(), order.end(), [&](Offset a, Offset b) {
                return std::pair(neighbors.weights[at(a)], neighbors.targets[at(a)]) <
                       std::pair(neighbors.weights[at(b)], neighbors.targets[at(b)]);
            });
            for (Offset e = begin; e < end; ++e) {
                sorted.targets[at(e)] = neighbors.targets[at(order[at(e - begin)])];
                sorted.weights[at(e)] = neighbors.weights[at(order[at(e - begin)])];
            }
        }
    });
    return sorted;
}

Graph first_neighbors(const Graph& neighbors, Index k) {
    Graph few;
    few.offsets.reserve(neighbors.offsets.size());
    for (Index i = 0; i < neighbors.size(); ++i) {
        const Offset begin = neighbors.offsets[at(i)], end = std::min(neighbors.offsets[at(i) + 1], begin + k);
        few.targets.insert(few.targets.end(), neighbors.targets.begin() + begin, neighbors.targets.begin() + end);
        few.weights.insert(few.weights.end(), neighbors.weights.begin() + begin, neighbors.weights.begin() + end);
        few.offsets.push_back(static_cast<Offset>(few.targets.size()));
    }
    return few;
}

std::pair<Offset, Index> shortest_list(const Graph& neighbors) {
    if (neighbors.size() == 0) return {1, 0};
    std::pair<Offset, Index> least{neighbors.edges() + 1, 0};
    for (Index i = 0; i < neighbors.size(); ++i)
        least = std::min(least, {neighbors.offsets[at(i) + 1] - neighbors.offsets[at(i)], i});
    return least;
}

bool is_uneven(const Graph& neighbors) {
    return neighbors.size() > 0 && shortest_list(neighbors).first * neighbors.size() < neighbors.edges();
}

}  // namespace dunlin::neighbors
