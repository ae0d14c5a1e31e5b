// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "math/at.hpp"
#include "progress/cancel.hpp"

/// Shortest path lengths from a few sources to all vertices.
namespace dunlin::graph {

/// Concurrent breadth-first searches from up to 32 sources; vertices that several searches reach in the same step are
/// expanded once (MS-BFS, Then et al. 2014). A step is top-down, from the frontier to its neighbors, or bottom-up, from
/// unreached vertices to neighbors in the frontier (Beamer et al. 2012). Every edge is in both directions.
class BreadthFirst {
public:
    static constexpr Index max_sources = 32;
    using Searches = std::uint32_t;  ///< one bit per source
    explicit BreadthFirst(const Graph& graph) : graph_(graph), seen_(size()), front_(size()), next_(size()) {}

    /// Calls arrive(v, searches, steps) for every vertex v and number of steps at which some searches first reach it;
    /// sources are reached at 0 steps.
    template <class Arrive>
    void run(std::span<const Index> sources, const Arrive& arrive) {
        std::fill(seen_.begin(), seen_.end(), Searches{0});
        at_front_.reserve(size());
        reached_.reserve(size());
        Searches all = 0;
        for (std::size_t k = 0; k < sources.size(); ++k) {
            reach(sources[k], Searches{1} << k);
            all |= Searches{1} << k;
        }
        Offset unexplored = graph_.edges();  // edges of vertices that some search has not reached
        for (int steps = 0; !reached_.empty(); ++steps) {
            progress::cancellation_point();
            std::swap(front_, next_);
            std::swap(at_front_, reached_);
            Offset leaving = 0;  // edges of the frontier
            for (const Index v : at_front_) {
                seen_[at(v)] |= front_[at(v)];
                leaving += degree(v);
                if (seen_[at(v)] == all) unexplored -= degree(v);
                arrive(v, front_[at(v)], steps);
            }
            if (2 * leaving > unexplored + graph_.size()) {  // an edge takes half the time bottom-up
                step_bottom_up(all);
            } else {
                step_top_down();
            }
            for (const Index v : at_front_) front_[at(v)] = 0;
            at_front_.clear();
        }
    }

private:
    [[nodiscard]] std::size_t size() const { return at(graph_.size()); }
    [[nodiscard]] Offset degree(Index v) const { return graph_.offsets[at(v) + 1] - graph_.offsets[at(v)]; }

    void reach(Index v, Searches searches) {
        const Searches anew = searches & ~seen_[at(v)];
        if (anew == 0) return;
        if (next_[at(v)] == 0) reached_.push_back(v);
        next_[at(v)] |= anew;
    }

    void step_top_down() {
        for (const Index v : at_front_) {
            for (Offset e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e)
                reach(graph_.targets[at(e)], front_[at(v)]);
        }
    }

    void step_bottom_up(Searches all) {
        constexpr Offset some = 8;  // neighbors between checks for completion
        for (Index v = 0; v < graph_.size(); ++v) {
            const Searches lacks = all & ~seen_[at(v)];
            if (lacks == 0) continue;
            Searches found = 0;
            const Offset end = graph_.offsets[at(v) + 1];
            for (Offset e = graph_.offsets[at(v)]; e < end && (found & lacks) != lacks;) {
                for (const Offset stop = std::min(end, e + some); e < stop; ++e)
                    found |= front_[at(graph_.targets[at(e)])];
            }
            reach(v, found);
        }
    }

    const Graph& graph_;
    std::vector<Searches> seen_, front_, next_;
    std::vector<Index> at_front_, reached_;  ///< vertices with a bit in front_, in next_
};

/// Breadth-first search from one source, in a Graph or in CompactRows (relabel.hpp). Faster than concurrent searches if
/// there are many steps, as in meshes, since few searches then reach a vertex in the same step.
///
/// Whether a neighbor is new is unpredictable, so the code is branch-free: a level is processed in passes whose output
/// index advances by 0 or 1. A pass that reads steps does not write them, so that no load waits for a store.
template <class Rows>
class OneBreadthFirst {
public:
    explicit OneBreadthFirst(const Rows& graph)
        : graph_(graph), steps_(at(graph.size())), reached_(at(graph.size()) + 1), neighbors_(chunk), unseen_(chunk) {}

    /// Steps from the source to each vertex; -1: unreachable. Valid until the next run.
    std::span<const Index> run(Index source) {
        std::fill(steps_.begin(), steps_.end(), Index{-1});
        steps_[at(source)] = 0;
        reached_[0] = source;
        count_ = 1;
        farthest_ = -1;
        for (std::size_t begin = 0, end = 1; begin < end; begin = std::exchange(end, count_)) {
            progress::cancellation_point();
            ++farthest_;
            advance(begin, end);
        }
        return steps_;
    }

    /// Maximum number of steps of the last run.
    [[nodiscard]] Index farthest() const { return farthest_; }

    /// Vertices reached by the last run, in order of distance.
    [[nodiscard]] std::span<const Index> reached() const { return std::span(reached_).first(count_); }

private:
    static constexpr std::size_t chunk = 4096;  ///< neighbors per pass
    static constexpr std::size_t few = 8;  ///< up to this many neighbors, as most vertices have, are copied as so many
    /// Whether so many entries can be read at any row.
    static constexpr bool padded = requires { requires Rows::padding >= few; };

    /// One step from the vertices reached_[begin .. end).
    void advance(std::size_t begin, std::size_t end) {
        std::size_t count = 0;  // size of neighbors_
        for (std::size_t i = begin; i < end; ++i) {
            const Index v = reached_[i];
            const auto first = static_cast<std::size_t>(graph_.offsets[at(v)]);
            const std::size_t degree = static_cast<std::size_t>(graph_.offsets[at(v) + 1]) - first;
            const Index* const targets = graph_.targets.data() + first;
            if (count + std::max(degree, few) > chunk) {
                reach({neighbors_.data(), count});
                count = 0;
            }
            if (degree > chunk) [[unlikely]] {
                for (std::size_t from = 0; from < degree; from += chunk)
                    reach({targets + from, std::min(chunk, degree - from)});
                continue;
            }
            const bool copies_few = degree <= few && (padded || first + few <= graph_.targets.size());
            if (copies_few) [[likely]] {
                std::memcpy(neighbors_.data() + count, targets, few * sizeof(Index));
            } else {
                std::copy_n(targets, degree, neighbors_.data() + count);
            }
            count += degree;
        }
        reach({neighbors_.data(), count});
    }

    /// Appends new vertices to reached_, each once.
    void reach(std::span<const Index> neighbors) {
        Index *const steps = steps_.data(), *const unseen = unseen_.data(), *const reached = reached_.data();
        Index count = 0;
        for (const Index u : neighbors) {
            unseen[count] = u;
            count += steps[u] < 0 ? 1 : 0;
        }
        // A vertex that occurs several times keeps its last index
        for (Index i = 0; i < count; ++i) steps[unseen[i]] = ~i;
        const std::size_t begin = count_;
        for (Index i = 0; i < count; ++i) {
            reached[count_] = unseen[i];
            count_ += steps[unseen[i]] == ~i ? 1 : 0;
        }
        for (std::size_t i = begin; i < count_; ++i) steps[reached[i]] = farthest_ + 1;
    }

    const Rows& graph_;
    std::vector<Index> steps_,
        reached_;  ///< reached_: in order of distance, with one spare element for branch-free writes
    std::vector<Index> neighbors_, unseen_;  ///< of a chunk of the frontier
    std::size_t count_ = 0;                  ///< size of reached_
    Index farthest_ = 0;
};

/// Dijkstra's algorithm with buckets of lengths; only the current bucket is a heap (after Cherkassky, Goldberg and
/// Silverstein 1999).
class ShortestPaths {
public:
    /// lengths: of the graph's edges, finite and > 0.
    ShortestPaths(const Graph& graph, std::span<const float> lengths)
        : graph_(graph), lengths_(lengths), length_(static_cast<std::size_t>(graph.size())) {
        double longest = 0, sum = 0;
        for (const float length : lengths) {
            longest = std::max(longest, static_cast<double>(length));
            sum += static_cast<double>(length);
        }
        if (longest > 0) width_ = std::max(sum / static_cast<double>(lengths.size()) / 2, longest / max_buckets);
        buckets_.resize(static_cast<std::size_t>(longest / width_) + 3);
    }

    /// Calls visit(v, length) for every other reachable vertex v, in order of distance.
    template <class Visit>
    void run(Index source, const Visit& visit) {
        length_.assign(length_.size(), std::numeric_limits<double>::infinity());
        now_ = 0;
        shorten(source, 0);
        for (; waiting_ > 0; ++now_) {
            progress::cancellation_point();
            std::swap(open_, bucket(now_));
            std::make_heap(open_.begin(), open_.end(), std::greater<>());
            while (!open_.empty()) {
                const auto [length, v] = next();
                if (length > length_[static_cast<std::size_t>(v)]) continue;
                if (v != source) visit(v, length);
                for (Offset e = graph_.offsets[static_cast<std::size_t>(v)];
                     e < graph_.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
                    const auto at = static_cast<std::size_t>(e);
                    shorten(graph_.targets[at], length + static_cast<double>(lengths_[at]));
                }
            }
        }
    }

private:
    using Open = std::pair<double, Index>;
    static constexpr double max_buckets = 1024;

    std::vector<Open>& bucket(std::size_t number) { return buckets_[number % buckets_.size()]; }

    Open next() {
        std::pop_heap(open_.begin(), open_.end(), std::greater<>());
        const Open nearest = open_.back();
        open_.pop_back();
        --waiting_;
        return nearest;
    }

    void shorten(Index v, double length) {
        double& known = length_[static_cast<std::size_t>(v)];
        if (length >= known) return;
        known = length;
        ++waiting_;
        const auto number = static_cast<std::size_t>(length / width_);
        const bool is_ahead = number > now_ || length == 0;
        std::vector<Open>& there = is_ahead ? bucket(number) : open_;
        there.emplace_back(length, v);
        if (!is_ahead) std::push_heap(open_.begin(), open_.end(), std::greater<>());
    }

    const Graph& graph_;
    std::span<const float> lengths_;
    std::vector<double> length_;
    double width_ = 1;
    std::vector<std::vector<Open>> buckets_;  ///< circular array: the current and later buckets
    std::vector<Open> open_;                  ///< the current bucket
    std::size_t now_ = 0, waiting_ = 0;
};

/// Selects the algorithm by the lengths.
class Paths {
public:
    static constexpr Index max_sources = BreadthFirst::max_sources;

    /// lengths: of the graph's edges; empty: 1 each.
    Paths(const Graph& graph, std::span<const float> lengths) {
        if (lengths.empty()) {
            by_steps_.emplace(graph);
        } else {
            by_length_.emplace(graph, lengths);
        }
    }

    /// Calls visit(k, v, length) for every source k, of up to 32, and every other reachable vertex v.
    template <class Visit>
    void run(std::span<const Index> sources, const Visit& visit) {
        if (by_steps_) {
            return by_steps_->run(sources, [&](Index v, BreadthFirst::Searches searches, int steps) {
                for (auto left = steps > 0 ? searches : 0; left != 0; left &= left - 1)
                    visit(std::countr_zero(left), v, static_cast<double>(steps));
            });
        }
        for (std::size_t k = 0; k < sources.size(); ++k) {
            by_length_->run(sources[k], [&](Index v, double length) { visit(static_cast<int>(k), v, length); });
        }
    }

private:
    std::optional<BreadthFirst> by_steps_;
    std::optional<ShortestPaths> by_length_;
};

}  // namespace dunlin::graph
