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
#include "mds/input/feed.hpp"
#include "mds/shape.hpp"
#include "mds/smacof/smacof.hpp"

/// Dunlin's method where few distances may be looked at: those from some random items, the landmarks, to all. The
/// landmarks are placed by themselves; then every other item finds its place among them, which stay: if they moved,
/// they would shrink to a point and the others to a ring around it, of little stress in those pairs and much in all. A
/// place has dim unknowns and is found from as many distances as there are landmarks, so stress ends about dim /
/// landmarks above what all distances would give; in a graph far nearer, where landmarks count by how many items each
/// stands for. Once for every executor.
///
/// Words that an executor brings: hold_landmarks() and place_items().
namespace dunlin::mds {

/// The landmarks, and how far every item is from each, on the host.
struct Landmarks {
    std::vector<Index> items;
    std::vector<float> distances;  ///< n x landmarks
    std::vector<float> weights;    ///< how much each landmark counts (landmark_weights.hpp)
};

/// The landmarks' rows have to be known.
Landmarks landmarks_of(device::Cpu& cpu, const Feed& feed, std::vector<Index> items);

/// The landmarks placed as a small matrix, by `options`, each pair counting by the weights of both.
Result place_landmarks(const Landmarks& landmarks, const Options& options, const Run& run);

/// How far items are from landmarks, in either order, and how much these count.
struct LandmarkDistances {
    const float* values;
    const float* weights;
    Offset of_item, of_landmark;  ///< from one to the next
    Index count;                  ///< landmarks
    DUNLIN_HD float operator()(Offset item, Offset landmark) const {
        return values[item * of_item + landmark * of_landmark];
    }
};

/// The same where an executor's data live.
template <class Exec>
struct HeldLandmarks {
    Index count;
    typename Exec::template Buffer<Index> items;
    typename Exec::template Buffer<float> values, weights;
    Offset of_item, of_landmark;

    [[nodiscard]] LandmarkDistances to() const { return {values.data(), weights.data(), of_item, of_landmark, count}; }
};

/// Items [first, first + count).
struct ItemRange {
    Offset first, count;
};

constexpr int max_moves = 300;

/// The landmarks nearest to an item, the first of equals first.
struct NearestLandmarks {
    static constexpr int most = 8;
    Index landmark[most];
    int count = 0;

    DUNLIN_HD NearestLandmarks(const LandmarkDistances& to, Offset item) {
        float delta[most];
        for (Index a = 0; a < to.count; ++a) {
            const float here = to(item, a);
            if (!(here >= 0) || (count == most && here >= delta[most - 1])) continue;
            if (count < most) ++count;
            int place = count - 1;
            for (; place > 0 && delta[place - 1] > here; --place) {
                delta[place] = delta[place - 1];
                landmark[place] = landmark[place - 1];
            }
            delta[place] = here;
            landmark[place] = a;
        }
    }
};

/// An item's place: of those of its nearest landmarks the one where its stress is least; from there by majorization
/// with long steps to where it is less. pull(place, force): the item's stress there, and the pull of the landmarks.
/// Returns how many moves that took.
template <class Pull>
DUNLIN_HD int place_item(const LandmarkDistances& to, Offset item, const float* landmarks, int dim, const Pull& pull,
                         double* force, double tolerance, float* y) {
    constexpr double relaxation = 1.5;
    const NearestLandmarks near(to, item);
    Offset best = 0;
    double least = INFINITY;
    for (int k = 0; k < near.count; ++k) {
        const double stress = pull(landmarks + Offset{near.landmark[k]} * dim, force);
        if (!(stress < least)) continue;
        least = stress;
        best = near.landmark[k];
    }
    for (int c = 0; c < dim; ++c) y[c] = landmarks[best * dim + c];

    double weight = 0, squares = 0;
    for (Offset a = 0; a < to.count; ++a) {
        const auto delta = static_cast<double>(to(item, a));
        if (!(delta >= 0)) continue;
        weight += static_cast<double>(to.weights[a]);
        squares += delta * delta;
    }
    const double step = relaxation / (weight > 1 ? weight : 1.0);
    double before = INFINITY;
    for (int move = 0; move < max_moves; ++move) {
        const double stress = pull(y, force);
        if (before - stress <= tolerance * stress || stress <= least_stress * squares) return move;
        before = stress;
        for (int c = 0; c < dim; ++c) y[c] += static_cast<float>(step * force[c]);
    }
    return max_moves;
}

/// An landmark's place is its own.
struct CopyLandmark {
    const Index* landmarks;
    const float* places;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset at) const { y[Offset{landmarks[at / dim]} * dim + at % dim] = places[at]; }
};

/// Every other item where its stress is least. Its iterations are those of the item that took most.
template <class Exec>
Ending place_others(Exec& exec, const HeldLandmarks<Exec>& landmarks, const Map& map, Shape<Exec>& shape,
                    const Options& options, const Run& run) {
    constexpr Offset items_at_once = 32768;
    typename Exec::template Buffer<float> places;
    typename Exec::template Buffer<int> moves;
    exec.upload(places, std::span<const float>(map.coordinates));
    exec.fill(moves, static_cast<std::size_t>(shape.n), 0);
    device::ProgressReporter reporter(run, "optimize", shape.n);
    bool whole = true;
    for (Offset first = 0; first < shape.n && whole; first += items_at_once) {
        const Offset count = std::min(items_at_once, shape.n - first);
        whole = device::run_cancellable(run.stop, [&] {
            place_items(exec, landmarks, places, shape, ItemRange{first, count}, *options.tolerance, moves.data());
        });
        reporter.tick(first + count);
    }
    exec.each(Offset{landmarks.count} * shape.dim,
              CopyLandmark{landmarks.items.data(), places.data(), shape.y.data(), shape.dim});
    const auto& taken = exec.host(moves);
    const int most = *std::max_element(taken.begin(), taken.end());
    if (!whole) return {most, Stopped::cancelled};
    return {most, most < max_moves ? Stopped::converged : Stopped::budget};
}

// The words of a CPU:

/// Of all items.
HeldLandmarks<device::Cpu> hold_landmarks(device::Cpu& cpu, Landmarks landmarks, const Feed& feed);

/// place_item() of some items among the landmarks' places; writes their y and their moves.
void place_items(device::Cpu& cpu, const HeldLandmarks<device::Cpu>& landmarks, const std::vector<float>& places,
                 Shape<device::Cpu>& shape, const ItemRange& some, double tolerance, int* moves);

}  // namespace dunlin::mds
