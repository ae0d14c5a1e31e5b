// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>
#include <vector>

#include <dunlin/run.hpp>

#include "hierarchy/disjoint_sets.hpp"
#include "hierarchy/merge_tree.hpp"
#include "progress/progress.hpp"
#include "spanning/near_lists.hpp"

namespace dunlin::spanning {

/// The rounds of Boruvka's method under mutual reachability, with keys as weights: each component but the largest finds
/// its least exit, an edge to another component, from the points' lists and by a search; then all are joined along
/// these. Exits only become heavier, so a point keeps what is known of them from round to round.
class Rounds {
public:
    Rounds(device::Cpu& cpu, const NearLists& lists, double scale);

    /// A minimum spanning tree, its ends are places. given: edges that it has. search() calls found() and raise_floor()
    /// for points that need_search(), from any thread.
    template <class Search>
    std::vector<hierarchy::Edge> run(const std::vector<hierarchy::Edge>& given, const Run& run, const Search& search) {
        progress::ProgressReporter reporter(run, "spanning", points() - 1);
        for (const hierarchy::Edge& edge : given) add(edge);
        relabel();
        while (components() > 1) {
            reporter.tick(std::ssize(edges_));
            take_listed();
            search();
            join();
        }
        reporter.tick(points() - 1);
        return std::move(edges_);
    }

    [[nodiscard]] Index points() const { return static_cast<Index>(component_.size()); }
    [[nodiscard]] Index components() const { return static_cast<Index>(sizes_.size()); }
    [[nodiscard]] Index component(Index p) const { return component_[at(p)]; }
    [[nodiscard]] const std::vector<Index>& component_of_points() const { return component_; }
    [[nodiscard]] double core(Index p) const { return lists_.core[at(p)]; }
    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] double weight(Index p, Index q, double key) const {
        return std::max({core(p), core(q), scale_ * key});
    }

    /// Weight of the least known exit of a component; falls during a search.
    [[nodiscard]] double least(Index component) const { return least_[at(component)].load(std::memory_order_relaxed); }
    /// Whether exits of p that are not known may weigh less.
    [[nodiscard]] bool needs_search(Index p) const {
        const Index mine = component(p);
        return mine != largest_ && floor_[at(p)] < least(mine);
    }
    /// p has this exit, lighter than all that a search found before.
    void found(Index p, Index q, double weight) {
        found_[at(p)] = {weight, q};
        lower(least_[at(component(p))], weight);
    }
    /// Exits of p that are not known weigh at least this.
    void raise_floor(Index p, double weight) { floor_[at(p)] = std::max(floor_[at(p)], weight); }

private:
    struct Exit {
        double weight = std::numeric_limits<double>::infinity();
        Index to = -1;
    };

    static void lower(std::atomic<double>& least, double value);
    void order_list(Offset p);
    void add(const hierarchy::Edge& edge);
    void take_listed();
    void join();
    void relabel();

    device::Cpu& cpu_;
    const NearLists& lists_;
    double scale_;
    std::vector<Index> component_;  ///< per point
    std::vector<Index> sizes_;      ///< per component
    Index largest_ = -1;            ///< component that searches no exit
    hierarchy::DisjointSets sets_;
    std::vector<double> floor_;       ///< per point: exits that are neither listed nor found weigh at least this
    std::vector<Exit> listed_;        ///< lists_.width per point, by weight
    std::vector<std::uint8_t> next_;  ///< per point: the first listed exit that leaves its component
    std::vector<Exit> found_;         ///< per point: by a search
    std::vector<std::atomic<double>> least_;  ///< per component: weight of its least known exit
    std::vector<hierarchy::Edge> edges_;
};

/// A minimum spanning forest of the listed pairs, between places.
std::vector<hierarchy::Edge> listed_forest(const NearLists& lists, double scale);

}  // namespace dunlin::spanning
