#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cancel.hpp"
#include "math/at.hpp"

/// Lengths of shortest paths in a graph from a few sources to all vertices.
namespace dunlin::graph {

/// Breadth-first searches from up to 16 sources at once: what several of them reach by the same edge at the same step
/// is walked once (Then et al. 2014).
class BreadthFirst {
public:
    static constexpr Index most_sources = 16;
    explicit BreadthFirst(const Graph& graph) : graph_(graph), seen_(size()), next_(size()) {}

    /// Calls visit(k, v, steps) once for every source k and every other vertex v that a path of that many edges joins.
    template <class Visit>
    void run(std::span<const Index> sources, const Visit& visit) {
        seen_.assign(size(), 0);
        front_.clear();
        for (std::size_t k = 0; k < sources.size(); ++k) reach(sources[k], static_cast<Mask>(1U << k));
        for (int steps = 0; !reached_.empty(); ++steps) {
            device::cancellation_point();
            arrive([&](int k, Index v) {
                if (steps > 0) visit(k, v, steps);
            });
            for (const auto& [v, searches] : front_) {
                for (Offset e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e)
                    reach(graph_.targets[at(e)], searches);
            }
        }
    }

private:
    using Mask = std::uint16_t;  ///< a bit per search

    [[nodiscard]] std::size_t size() const { return at(graph_.size()); }

    void reach(Index v, Mask searches) {
        const auto anew = static_cast<Mask>(searches & ~seen_[at(v)]);
        if (anew == 0) return;
        if (next_[at(v)] == 0) reached_.push_back(v);
        next_[at(v)] = static_cast<Mask>(next_[at(v)] | anew);
    }

    /// What was reached becomes the front.
    template <class Arrival>
    void arrive(const Arrival& arrival) {
        front_.clear();
        for (const Index v : reached_) {
            const Mask anew = std::exchange(next_[at(v)], Mask{0});
            seen_[at(v)] = static_cast<Mask>(seen_[at(v)] | anew);
            front_.emplace_back(v, anew);
            for (unsigned left = anew; left != 0; left &= left - 1) arrival(std::countr_zero(left), v);
        }
        reached_.clear();
    }

    const Graph& graph_;
    std::vector<Mask> seen_, next_;
    std::vector<Index> reached_;
    std::vector<std::pair<Index, Mask>> front_;
};

/// A breadth-first search from one source. Where searches go through many steps, as in meshes, few of them reach a
/// vertex at the same one: then this is 3 times as fast as many at once.
class OneBreadthFirst {
public:
    explicit OneBreadthFirst(const Graph& graph)
        : graph_(graph), steps_(at(graph.size())), reached_(at(graph.size())) {}

    /// Steps from the source to each vertex; 0: itself; -1: no path. Valid until the next run.
    std::span<const Index> run(Index source) {
        device::cancellation_point();
        std::fill(steps_.begin(), steps_.end(), Index{-1});
        steps_[at(source)] = 0;
        reached_[0] = source;
        for (std::size_t now = 0, end = 1; now < end; ++now) {
            const Index v = reached_[now], next = steps_[at(v)] + 1;
            for (Offset e = graph_.offsets[at(v)]; e < graph_.offsets[at(v) + 1]; ++e) {
                const Index u = graph_.targets[at(e)];
                if (steps_[at(u)] >= 0) continue;
                steps_[at(u)] = next;
                reached_[end++] = u;
            }
            farthest_ = steps_[at(v)];
        }
        return steps_;
    }

    /// The most steps of the last run.
    [[nodiscard]] Index farthest() const { return farthest_; }

private:
    const Graph& graph_;
    std::vector<Index> steps_, reached_;
    Index farthest_ = 0;
};

/// Dijkstra's algorithm. Vertices wait in buckets of length; only those of the nearest bucket are in a heap (after
/// Cherkassky, Goldberg and Silverstein 1999).
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
        if (longest > 0) width_ = std::max(sum / static_cast<double>(lengths.size()) / 2, longest / most_buckets);
        buckets_.resize(static_cast<std::size_t>(longest / width_) + 3);
    }

    /// Calls visit(v, length) for every other vertex v that a path joins with the source, the nearest first.
    template <class Visit>
    void run(Index source, const Visit& visit) {
        length_.assign(length_.size(), std::numeric_limits<double>::infinity());
        now_ = 0;
        shorten(source, 0);
        for (; waiting_ > 0; ++now_) {
            device::cancellation_point();
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
    static constexpr double most_buckets = 1024;

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
    std::vector<std::vector<Open>> buckets_;  ///< those at hand and ahead, round and round
    std::vector<Open> open_;                  ///< the bucket at hand
    std::size_t now_ = 0, waiting_ = 0;
};

/// Of either kind, whichever fits the lengths.
class Paths {
public:
    static constexpr Index most_sources = BreadthFirst::most_sources;

    /// lengths: of the graph's edges; empty: 1 each.
    Paths(const Graph& graph, std::span<const float> lengths) {
        if (lengths.empty()) {
            by_steps_.emplace(graph);
        } else {
            by_length_.emplace(graph, lengths);
        }
    }

    /// Calls visit(k, v, length) once for every source k, of up to 16, and every other vertex v that a path joins.
    template <class Visit>
    void run(std::span<const Index> sources, const Visit& visit) {
        if (by_steps_)
            return by_steps_->run(sources, [&](int k, Index v, int steps) { visit(k, v, static_cast<double>(steps)); });
        for (std::size_t k = 0; k < sources.size(); ++k) {
            by_length_->run(sources[k], [&](Index v, double length) { visit(static_cast<int>(k), v, length); });
        }
    }

private:
    std::optional<BreadthFirst> by_steps_;
    std::optional<ShortestPaths> by_length_;
};

}  // namespace dunlin::graph
