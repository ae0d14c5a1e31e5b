// SPDX-License-Identifier: Apache-2.0
#include "spanning/lists.hpp"

#include <algorithm>
#include <limits>

#include "math/at.hpp"

namespace dunlin::spanning {

std::vector<double> core_distances(const Graph& lists, Index k) {
    std::vector<double> core(at(lists.size()), 0);
    if (k < 2) return core;
    std::vector<float> row;
    for (Index p = 0; p < lists.size(); ++p) {
        const auto begin = lists.weights.begin() + lists.offsets[at(p)],
                   end = lists.weights.begin() + lists.offsets[at(p) + 1];
        row.assign(begin, end);
        const bool known = std::ssize(row) >= k - 1;
        if (known) std::nth_element(row.begin(), row.begin() + k - 2, row.end());
        core[at(p)] = known ? static_cast<double>(row[at(k - 2)]) : std::numeric_limits<double>::infinity();
    }
    return core;
}

std::vector<hierarchy::Edge> listed_edges(const Graph& lists, const std::vector<double>& core, double alpha) {
    std::vector<hierarchy::Edge> edges;
    edges.reserve(at(lists.edges()));
    for (Index p = 0; p < lists.size(); ++p) {
        for (Offset e = lists.offsets[at(p)]; e < lists.offsets[at(p) + 1]; ++e) {
            const Index q = lists.targets[at(e)];
            const double distance = static_cast<double>(lists.weights[at(e)]) / alpha;
            if (p != q) edges.push_back({std::max({core[at(p)], core[at(q)], distance}), p, q});
        }
    }
    return edges;
}

}  // namespace dunlin::spanning
