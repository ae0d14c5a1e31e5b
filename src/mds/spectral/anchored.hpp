// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "mds/smacof/smacof.hpp"

/// Dunlin's method where few distances may be looked at: those from some random items, the anchors, to all. The anchors
/// are placed by themselves; then every other item finds its place among them, which stay: if they moved, they would
/// shrink to a point and the others to a ring around it, of little stress in those pairs and much in all. A place has
/// dim unknowns and is found from as many distances as there are anchors, so stress ends about dim / anchors above
/// what all distances would give; in a graph far nearer, where anchors count by how many items each stands for. Once
/// for every executor.
///
/// Words that an executor brings: hold_anchors() and place_items().
namespace dunlin::mds {

/// The anchors, and how far every item is from each, on the host.
struct Anchors {
    std::vector<Index> items;
    std::vector<float> distances;  ///< n x anchors
    std::vector<float> weights;    ///< how much each anchor counts (anchor_weights.hpp)
};

/// The anchors' rows have to be known.
Anchors anchors_of(device::Cpu& cpu, const OnDemandRows& feed, std::vector<Index> items);

/// The anchors placed as a small matrix, by `options`, each pair counting by the weights of both.
Result place_anchors(const Anchors& anchors, const Options& options, const Run& run);

/// How far items are from anchors, in either order, and how much these count.
struct ToAnchors {
    const float* values;
    const float* weights;
    Offset of_item, of_anchor;  ///< from one to the next
    Index count;                ///< anchors
    DUNLIN_HD float operator()(Offset item, Offset anchor) const { return values[item * of_item + anchor * of_anchor]; }
};

/// The same where an executor's data live.
template <class Exec>
struct Anchored {
    Index count;
    typename Exec::template Buffer<Index> items;
    typename Exec::template Buffer<float> values, weights;
    Offset of_item, of_anchor;

    [[nodiscard]] ToAnchors to() const { return {values.data(), weights.data(), of_item, of_anchor, count}; }
};

/// Items [first, first + count).
struct Span {
    Offset first, count;
};

constexpr int most_moves = 300;

/// The anchors nearest to an item, the first of equals first.
struct Nearest {
    static constexpr int most = 8;
    Index anchor[most];
    int count = 0;

    DUNLIN_HD Nearest(const ToAnchors& to, Offset item) {
        float delta[most];
        for (Index a = 0; a < to.count; ++a) {
            const float here = to(item, a);
            if (!(here >= 0) || (count == most && here >= delta[most - 1])) continue;
            if (count < most) ++count;
            int place = count - 1;
            for (; place > 0 && delta[place - 1] > here; --place) {
                delta[place] = delta[place - 1];
                anchor[place] = anchor[place - 1];
            }
            delta[place] = here;
            anchor[place] = a;
        }
    }
};

/// An item's place: of those of its nearest anchors the one where its stress is least; from there by majorization with
/// long steps to where it is less. pull(place, force): the item's stress there, and the pull of the anchors. Returns
/// how many moves that took.
template <class Pull>
DUNLIN_HD int place_item(const ToAnchors& to, Offset item, const float* anchors, int dim, const Pull& pull,
                         double* force, double tolerance, float* y) {
    constexpr double relaxation = 1.5;
    const Nearest near(to, item);
    Offset best = 0;
    double least = INFINITY;
    for (int k = 0; k < near.count; ++k) {
        const double stress = pull(anchors + Offset{near.anchor[k]} * dim, force);
        if (!(stress < least)) continue;
        least = stress;
        best = near.anchor[k];
    }
    for (int c = 0; c < dim; ++c) y[c] = anchors[best * dim + c];

    double weight = 0, squares = 0;
    for (Offset a = 0; a < to.count; ++a) {
        const auto delta = static_cast<double>(to(item, a));
        if (!(delta >= 0)) continue;
        weight += static_cast<double>(to.weights[a]);
        squares += delta * delta;
    }
    const double step = relaxation / (weight > 1 ? weight : 1.0);
    double before = INFINITY;
    for (int move = 0; move < most_moves; ++move) {
        const double stress = pull(y, force);
        if (before - stress <= tolerance * stress || stress <= least_stress * squares) return move;
        before = stress;
        for (int c = 0; c < dim; ++c) y[c] += static_cast<float>(step * force[c]);
    }
    return most_moves;
}

/// An anchor's place is its own.
struct PutAnchor {
    const Index* anchors;
    const float* places;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset at) const { y[Offset{anchors[at / dim]} * dim + at % dim] = places[at]; }
};

/// Every other item where its stress is least. Its iterations are those of the item that took most.
template <class Exec>
Termination place_others(Exec& exec, const Anchored<Exec>& anchors, const Map& map, Configuration<Exec>& configuration,
                         const Options& options, const Run& run) {
    constexpr Offset items_at_once = 32768;
    typename Exec::template Buffer<float> places;
    typename Exec::template Buffer<int> moves;
    exec.upload(places, std::span<const float>(map.coordinates));
    exec.fill(moves, static_cast<std::size_t>(configuration.n), 0);
    device::ProgressReporter reporter(run, "optimize", configuration.n);
    bool whole = true;
    for (Offset first = 0; first < configuration.n && whole; first += items_at_once) {
        const Offset count = std::min(items_at_once, configuration.n - first);
        whole = device::run_cancellable(run.stop, [&] {
            place_items(exec, anchors, places, configuration, Span{first, count}, *options.tolerance, moves.data());
        });
        reporter.tick(first + count);
    }
    exec.each(Offset{anchors.count} * configuration.dim,
              PutAnchor{anchors.items.data(), places.data(), configuration.y.data(), configuration.dim});
    const auto& taken = exec.host(moves);
    const int most = *std::max_element(taken.begin(), taken.end());
    if (!whole) return {most, Stopped::cancelled};
    return {most, most < most_moves ? Stopped::converged : Stopped::budget};
}

// The words of a CPU:

/// Of all items.
Anchored<device::Cpu> hold_anchors(device::Cpu& cpu, Anchors anchors, const OnDemandRows& feed);

/// place_item() of some items among the anchors' places; writes their y and their moves.
void place_items(device::Cpu& cpu, const Anchored<device::Cpu>& anchors, const std::vector<float>& places,
                 Configuration<device::Cpu>& configuration, const Span& some, double tolerance, int* moves);

}  // namespace dunlin::mds
