// SPDX-License-Identifier: Apache-2.0
#include "spanning/lists.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "graph/both_ways.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::spanning {

namespace {

/// An item that is listed beside another, and their distance.
using Listed = std::pair<Index, float>;

/// Distances of an item from the others that are paired with it, each once: of a pair that is listed twice the smaller.
/// Sorts the entries.
void distances_in(std::span<Listed> entries, std::vector<float>& row) {
    std::sort(entries.begin(), entries.end());
    row.clear();
    for (std::size_t e = 0; e < entries.size(); ++e) {
        if (e == 0 || entries[e].first != entries[e - 1].first) row.push_back(entries[e].second);
    }
}

}  // namespace

std::vector<double> core_distances(const Graph& lists, Index k) {
    std::vector<double> core(at(lists.size()), 0);
    if (k < 2) return core;
    graph::BothWays<Listed> pairs(lists, [&](Index other, Offset e) { return Listed{other, lists.weights[at(e)]}; });
    std::vector<float> row;
    for (Index p = 0; p < lists.size(); ++p) {
        if (p % 65536 == 0) progress::cancellation_point();
        distances_in(pairs.of(p), row);
        const bool known = std::ssize(row) >= k - 1;
        if (known) std::nth_element(row.begin(), row.begin() + k - 2, row.end());
        core[at(p)] = known ? static_cast<double>(row[at(k - 2)]) : std::numeric_limits<double>::infinity();
    }
    return core;
}

std::uint64_t core_distances_bytes(const Graph& lists, Index k) {
    const std::uint64_t core = at(lists.size()) * sizeof(double);
    return core + (k < 2 ? 0 : graph::BothWays<Listed>::bytes(lists.size(), lists.edges()));
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
