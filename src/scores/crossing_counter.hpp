// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/crossing_grid.hpp"

namespace dunlin::scores {

/// Counts the crossings of edges by the cells of a grid, which are subdivided as quadtrees until a box has few edges. A
/// crossing is counted in the one box that contains the intersection point. If edges are so long that boxes save
/// little, all pairs are tested.
class CrossingCounter {
public:
    CrossingCounter(device::Cpu& cpu, const std::vector<EdgeSegment>& edges)
        : cpu_(cpu), edges_(edges), cells_(cpu, edges), buffers_(at(cpu.threads())), crossings_(edges.size()) {}

    /// Number of crossings per edge with `counted`. Empty if more than `max_pairs` pairs of edges would be tested.
    std::vector<Offset> run(Offset max_pairs = std::numeric_limits<Offset>::max()) {
        const auto squared = [](Offset count) { return static_cast<double>(count) * static_cast<double>(count); };
        const Offset n = std::ssize(edges_);
        device::Cell<double> pairs;
        cpu_.sum(cells_.count(), [&](Offset cell) { return squared(std::ssize(cells_.edges(cell))); }, pairs);
        if (pairs.value > 0.1 * squared(n)) {
            if (n * n / 2 > max_pairs) return {};
            count_all_pairs();
        } else {
            if (!affords(max_pairs)) return {};
            each_box([&](const Rectangle& box, std::span<const Index> edges, int worker) {
                count_in_box(box, edges, worker);
            });
        }
        return std::move(crossings_);
    }

private:
    struct ThreadBuffers {
        SegmentColumns columns;
        std::vector<std::uint8_t> verdict;
        std::vector<Offset> counts;
    };
    static constexpr int deepest = 24;
    static constexpr std::size_t few = 48;
    static constexpr Offset chunk = 1024;

    [[nodiscard]] const EdgeSegment& edge(Index e) const { return edges_[at(e)]; }

    /// True if no crossing can count: no edge is `counted`, or all edges have a common end.
    [[nodiscard]] bool idle(std::span<const Index> edges) const {
        if (edges.size() < 2) return true;
        if (std::none_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).counted; })) return true;
        const EdgeSegment& first = edge(edges.front());
        const auto shared = [&](Index v) {
            return std::all_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).has(v); });
        };
        return shared(first.from) || shared(first.to);
    }

    /// Whether the boxes have at most `max_pairs` pairs of edges.
    bool affords(Offset max_pairs) {
        if (max_pairs == std::numeric_limits<Offset>::max()) return true;
        std::atomic<Offset> left = max_pairs;
        each_box([&](const Rectangle&, std::span<const Index> edges, int) {
            left.fetch_sub(std::ssize(edges) * std::ssize(edges) / 2, std::memory_order_relaxed);
        });
        return left >= 0;
    }

    /// Calls visit(box, edges, worker) for each leaf: a box of few edges, or one that subdivision does not improve.
    template <class Visit>
    void each_box(const Visit& visit) {
        cpu_.blocks(cells_.count(), 16, [&](Offset begin, Offset end, int worker) {
            const auto mine = [&](const Rectangle& box, std::span<const Index> edges) { visit(box, edges, worker); };
            for (Offset cell = begin; cell < end; ++cell)
                subdivide(cells_.box(cell), cells_.edges(cell), cells_.level(), mine);
        });
    }

    template <class Visit>
    void subdivide(const Rectangle& box, std::span<const Index> edges, int level, const Visit& visit) const {
        progress::cancellation_point();
        if (idle(edges)) return;
        if (edges.size() <= few || level == deepest) return visit(box, edges);
        std::array<std::vector<Index>, 4> quadrants;
        std::size_t pairs = 0;
        for (int q = 0; q < 4; ++q) {
            std::copy_if(edges.begin(), edges.end(), std::back_inserter(quadrants[at(q)]),
                         [&](Index e) { return box.quadrant(q).intersects(edge(e).segment, cells_.slack()); });
            pairs += quadrants[at(q)].size() * quadrants[at(q)].size();
        }
        // If most edges cross the whole box, subdivision adds pairs
        if (pairs >= edges.size() * edges.size()) return visit(box, edges);
        for (int q = 0; q < 4; ++q) subdivide(box.quadrant(q), quadrants[at(q)], level + 1, visit);
    }

    void count_in_box(const Rectangle& box, std::span<const Index> edges, int worker) {
        auto& [columns, verdict, counts] = buffers_[at(worker)];
        columns.assign(edges_, edges);
        verdict.resize(edges.size());
        counts.assign(edges.size(), 0);
        for (std::size_t i = 1; i < edges.size(); ++i) {
            progress::cancellation_point();
            const EdgeSegment& one = edge(edges[i]);
            classify_pairs(one.segment, columns.from(0), static_cast<int>(i), verdict.data());
            for (std::size_t j = 0; j < i; ++j) {
                if (verdict[j] == misses || !cross_in(box, one, edge(edges[j]))) continue;
                ++counts[i];
                ++counts[j];
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {  // integer sums do not depend on the order
            if (counts[i] > 0)
                std::atomic_ref(crossings_[at(edges[i])]).fetch_add(counts[i], std::memory_order_relaxed);
        }
    }

    /// Tests every `counted` edge against all edges, without boxes; if all are `counted`, each pair once.
    void count_all_pairs() {
        std::vector<Index> all(edges_.size());
        std::iota(all.begin(), all.end(), Index{0});
        SegmentColumns columns;
        columns.assign(edges_, all);
        const bool all_wanted =
            std::all_of(edges_.begin(), edges_.end(), [](const EdgeSegment& e) { return e.counted; });
        std::vector<std::vector<Index>> met_by(at(cpu_.threads()), std::vector<Index>(edges_.size(), 0));
        cpu_.blocks(std::ssize(all), 16, [&](Offset begin, Offset end, int worker) {
            std::vector<std::uint8_t>& verdict = buffers_[at(worker)].verdict;
            verdict.resize(at(chunk));
            for (Offset i = begin; i < end; ++i) {
                progress::cancellation_point();
                if (!edges_[at(i)].counted) continue;
                const Offset others = all_wanted ? i : std::ssize(all);
                for (Offset from = 0; from < others; from += chunk)
                    crossings_[at(i)] += count_against(i, columns.from(from), from, std::min(chunk, others - from),
                                                       verdict, met_by[at(worker)]);
            }
        });
        if (!all_wanted) return;
        for (const std::vector<Index>& counts : met_by)
            std::transform(counts.begin(), counts.end(), crossings_.begin(), crossings_.begin(), std::plus<Offset>());
    }

    /// Number of the edges [from, from + count) that edge i crosses; increments the count of each of these.
    [[nodiscard]] Offset count_against(Offset i, const SegmentEnds& ends, Offset from, Offset count,
                                       std::vector<std::uint8_t>& verdict, std::vector<Index>& counts) const {
        const EdgeSegment& one = edges_[at(i)];
        classify_pairs(one.segment, ends, static_cast<int>(count), verdict.data());
        Offset sum = count_crossings(verdict.data(), static_cast<int>(count), counts.data() + from);
        for (Offset j = 0; j < count; ++j) {
            if (verdict[at(j)] != unclear || from + j == i) continue;
            const EdgeSegment& other = edges_[at(from + j)];
            if (one.shares_end(other) || !intersect(one.segment, other.segment)) continue;
            ++sum;
            ++counts[at(from + j)];
        }
        return sum;
    }

    static bool cross_in(const Rectangle& box, const EdgeSegment& one, const EdgeSegment& other) {
        return (one.counted || other.counted) && !one.shares_end(other) && intersect(one.segment, other.segment) &&
               box.contains(intersection_point(other.segment, one.segment));
    }

    device::Cpu& cpu_;
    const std::vector<EdgeSegment>& edges_;
    CrossingGrid cells_;
    std::vector<ThreadBuffers> buffers_;
    std::vector<Offset> crossings_;
};

}  // namespace dunlin::scores
