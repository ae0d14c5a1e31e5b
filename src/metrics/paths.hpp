#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

/// Lengths of shortest paths in a graph from a few sources to all vertices.
namespace dunlin::metrics {

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

    static std::size_t at(Offset i) { return static_cast<std::size_t>(i); }
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

/// Dijkstra's algorithm: the weights are lengths.
class ShortestPaths {
public:
    explicit ShortestPaths(const Graph& graph) : graph_(graph), length_(static_cast<std::size_t>(graph.size())) {}

    /// Calls visit(v, length) for every other vertex v that a path joins with the source, the nearest first.
    template <class Visit>
    void run(Index source, const Visit& visit) {
        length_.assign(length_.size(), std::numeric_limits<double>::infinity());
        shorten(source, 0);
        while (!open_.empty()) {
            const auto [length, v] = open_.top();
            open_.pop();
            const auto at = static_cast<std::size_t>(v);
            if (length > length_[at]) continue;
            if (v != source) visit(v, length);
            for (auto e = static_cast<std::size_t>(graph_.offsets[at]);
                 e < static_cast<std::size_t>(graph_.offsets[at + 1]); ++e)
                shorten(graph_.targets[e], length + static_cast<double>(graph_.weights[e]));
        }
    }

private:
    void shorten(Index v, double length) {
        double& known = length_[static_cast<std::size_t>(v)];
        if (length >= known) return;
        known = length;
        open_.emplace(length, v);
    }

    using Open = std::pair<double, Index>;
    const Graph& graph_;
    std::vector<double> length_;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace dunlin::metrics
