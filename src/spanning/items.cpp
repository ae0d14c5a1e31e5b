// SPDX-License-Identifier: Apache-2.0
#include "spanning/items.hpp"

#include <cmath>
#include <limits>

#include "neighbors/search_distinct.hpp"
#include "neighbors/strategies.hpp"
#include "progress/stopwatch.hpp"
#include "spanning/boruvka.hpp"
#include "spanning/byte_search.hpp"
#include "spanning/near_lists.hpp"
#include "spanning/rounds.hpp"

namespace dunlin::spanning {

namespace {

using hierarchy::Edge;
using neighbors::Candidate;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index beyond_core = 2;  ///< entries beyond the core distance, which show that it is certain

Index list_length(Index k, bool exact) { return std::max(exact ? k - 1 + beyond_core : 2 * k, most_width); }

/// Items, and their lists under the metric.
class Items {
public:
    Items(const neighbors::DistinctRows& groups, const PointSource& source, Index k, bool exact, Index length)
        : groups_(groups), source_(source), k_(k), exact_(exact) {
        const Index n = groups.size();
        lists_.width = std::min({length, most_width, n - 1});
        lists_.places.resize(at(n) * at(lists_.width));
        lists_.keys.resize(lists_.places.size());
        lists_.core.resize(at(n));
        lists_.reach.assign(at(n), infinity);
    }

    /// Sets the list of an item; found: others, by a search in another order of summation.
    void set(Index item, std::span<const Candidate> found) {
        std::vector<Candidate> nearest = keys_to(item, found);
        const bool all = std::ssize(nearest) == groups_.size() - 1;
        double others = all ? infinity : exact_ ? certain(nearest.back().key) : 0;
        double core = core_of(item, nearest);
        if (core > others && (exact_ || core == infinity)) {  // rounding leaves it in doubt, or there are too few
            nearest = all_keys(item);
            core = core_of(item, nearest);
            others = infinity;
        }
        const std::size_t row = at(item) * at(lists_.width);
        for (std::size_t i = 0; i < at(lists_.width); ++i) {
            lists_.places[row + i] = nearest[i].row;
            lists_.keys[row + i] = nearest[i].key;
        }
        lists_.core[at(item)] = core;
        if (lists_.width < groups_.size() - 1)
            lists_.reach[at(item)] = std::min(others, nearest[at(lists_.width - 1)].key);
    }

    [[nodiscard]] const NearLists& lists() const { return lists_; }

private:
    [[nodiscard]] std::vector<Candidate> keys_to(Index item, std::span<const Candidate> found) const {
        std::vector<Candidate> nearest;
        nearest.reserve(found.size());
        KeysOfItem keys(source_, groups_, item);
        for (const Candidate& other : found) {
            const Index target = groups_.group_of[at(other.row)];
            nearest.push_back({keys.to(target), target});
        }
        std::sort(nearest.begin(), nearest.end());
        return nearest;
    }

    [[nodiscard]] std::vector<Candidate> all_keys(Index item) const {
        std::vector<Candidate> all;
        KeysOfItem keys(source_, groups_, item);
        for (Index other = 0; other < groups_.size(); ++other) {
            if (other != item) all.push_back({keys.to(other), other});
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    /// Key of the k-th nearest point, copies counted; infinity if the list has too few.
    [[nodiscard]] double core_of(Index item, const std::vector<Candidate>& nearest) const {
        Offset counted = std::ssize(groups_.of(item));
        if (counted >= k_) return 0;
        for (const Candidate& other : nearest) {
            counted += std::ssize(groups_.of(other.row));
            if (counted >= k_) return other.key;
        }
        return infinity;
    }

    /// Points that a search in another order of summation did not list have at least this key, if `key` is the greatest
    /// of those that it did.
    [[nodiscard]] double certain(double key) const {
        if (source_.halved) {  // unit rows have absolute errors
            const double distance = std::max(0.0, std::sqrt(key) - 0x1p-38);
            return distance * distance;
        }
        return key * (1 - std::max(0x1p-40, source_.cols * 0x1p-50));
    }

    const neighbors::DistinctRows& groups_;
    const PointSource& source_;
    Index k_;
    bool exact_;
    NearLists lists_;
};

/// Edges and core distances of items as those of points: copies join at their core distance.
void spread(const neighbors::DistinctRows& groups, const NearLists& lists, PointsSpanned& spanned) {
    for (Edge& edge : spanned.edges) {
        edge.a = groups.first(edge.a);
        edge.b = groups.first(edge.b);
    }
    spanned.core.resize(groups.group_of.size());
    for (Index item = 0; item < groups.size(); ++item) {
        const double core = lists.core[at(item)];
        for (const Index point : groups.of(item)) {
            spanned.core[at(point)] = core;
            if (point != groups.first(item)) spanned.edges.push_back({core, groups.first(item), point});
        }
    }
}

}  // namespace

PointsSpanned span_items(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                         const PointSource& source, Index k, double scale, const neighbors::SearchParameters& search,
                         const Run& run) {
    progress::Stopwatch watch;
    const neighbors::ValueStatistics statistics = neighbors::collect_statistics(cpu, points);
    const distance::Space space(cpu, points, metric);
    const neighbors::DistinctRows groups = neighbors::find_distinct_rows(cpu, space);
    const Index n = groups.size(), length = std::min(list_length(k, search.exact), n - 1);
    Items items(groups, source, k, search.exact, length);
    PointsSpanned spanned;
    if (n > 1) {
        neighbors::SearchProgress progress(run, n);
        neighbors::search_distinct(
            cpu, space, groups, statistics, neighbors::all_items(n), {length}, search, progress,
            [&](Offset q, std::span<const Candidate> nearest) { items.set(static_cast<Index>(q), nearest); });
        spanned.seconds = watch.lap();
        const std::vector<Edge> given = search.exact ? std::vector<Edge>{} : listed_forest(items.lists(), scale);
        const neighbors::ItemTransform transform(space, groups);
        Rounds rounds(cpu, items.lists(), scale);
        spanned.edges = rounds.run(given, run, byte_search(cpu, transform, statistics, source, groups, rounds));
    }
    spread(groups, items.lists(), spanned);
    return spanned;
}

std::uint64_t span_items_bytes(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, Index k,
                               const neighbors::SearchParameters& search) {
    const Index length = list_length(k, search.exact);
    const std::uint64_t lists = NearLists::bytes(points.rows, most_width, cpu.threads());
    const std::uint64_t forest = search.exact ? 0 : at(points.rows) * most_width * sizeof(Edge);
    const std::uint64_t searches = neighbors::search_bytes(cpu, points, {}, points.rows, length, metric, search);
    return lists + std::max(searches, searches + forest + spanning_tree_bytes(points.rows, most_width));
}

}  // namespace dunlin::spanning
