// SPDX-License-Identifier: Apache-2.0
#include "spanning/lists.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::spanning {

namespace {

/// An item that is listed beside another, and their distance.
using Listed = std::pair<Index, float>;

/// Each listed pair at both of its items, as often as it is listed.
class BothWays {
public:
    explicit BothWays(const Graph& lists) : begin_(at(lists.size()) + 1, 0) {
        each(lists, [&](Index p, Index q, float) {
            ++begin_[at(p) + 1];
            if (q != p) ++begin_[at(q) + 1];
        });
        for (std::size_t p = 0; p + 1 < begin_.size(); ++p) begin_[p + 1] += begin_[p];
        entries_.resize(at(begin_.back()));
        std::vector<Offset> next(begin_.begin(), begin_.end() - 1);
        each(lists, [&](Index p, Index q, float distance) {
            entries_[at(next[at(p)]++)] = {q, distance};
            if (q != p) entries_[at(next[at(q)]++)] = {p, distance};
        });
    }

    /// Distances from p to the others that are paired with it, each once: of a pair that is listed twice the smaller.
    void distances(Index p, std::vector<float>& row) {
        const auto begin = entries_.begin() + begin_[at(p)], end = entries_.begin() + begin_[at(p) + 1];
        std::sort(begin, end);
        row.clear();
        for (auto entry = begin; entry != end; ++entry) {
            if (entry == begin || entry->first != (entry - 1)->first) row.push_back(entry->second);
        }
    }

private:
    /// Calls visit(p, q, distance) for the entries of all lists.
    template <class Visit>
    static void each(const Graph& lists, const Visit& visit) {
        for (Index p = 0; p < lists.size(); ++p) {
            if (p % 65536 == 0) progress::cancellation_point();
            for (Offset e = lists.offsets[at(p)]; e < lists.offsets[at(p) + 1]; ++e) {
                visit(p, lists.targets[at(e)], lists.weights[at(e)]);
            }
        }
    }

    std::vector<Offset> begin_;
    std::vector<Listed> entries_;
};

}  // namespace

std::vector<double> core_distances(const Graph& lists, Index k) {
    std::vector<double> core(at(lists.size()), 0);
    if (k < 2) return core;
    BothWays pairs(lists);
    std::vector<float> row;
    for (Index p = 0; p < lists.size(); ++p) {
        if (p % 65536 == 0) progress::cancellation_point();
        pairs.distances(p, row);
        const bool known = std::ssize(row) >= k - 1;
        if (known) std::nth_element(row.begin(), row.begin() + k - 2, row.end());
        core[at(p)] = known ? static_cast<double>(row[at(k - 2)]) : std::numeric_limits<double>::infinity();
    }
    return core;
}

std::uint64_t core_distances_bytes(const Graph& lists, Index k) {
    const std::uint64_t items = at(lists.size());
    return items * sizeof(double) + (k < 2 ? 0 : 2 * at(lists.edges()) * sizeof(Listed) + 2 * items * sizeof(Offset));
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
