// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <dunlin/mds.hpp>

#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "mds/smacof/smacof.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

/// Method dunlin with a budget of distances: only those from some random items, the landmarks, to all items are
/// computed. The landmarks are placed by themselves; then every other item is placed by majorization against the
/// landmarks, which stay. (If they moved, they would shrink to a point with the other items on a ring: little stress in
/// these pairs, much in all pairs.) An item has dim unknowns and as many distances as there are landmarks, so stress
/// ends about dim / landmarks above that with all distances. In graphs the excess is far smaller, because landmarks are
/// weighted by the number of items that they represent. Once for every executor.
///
/// An executor has hold_landmarks() and place_items().
namespace dunlin::mds {

/// The landmarks and their distances to all items, on the host.
struct Landmarks {
    std::vector<Index> items;
    std::vector<float> distances;  ///< n x landmarks
    std::vector<float> weights;    ///< landmark_weights.hpp
};

/// Collects the rows of the landmarks, which must be known.
Landmarks landmarks_of(device::Cpu& cpu, const OnDemandRows& feed, std::vector<Index> items);

/// Places the landmarks as a small matrix, by `options`; the weight of a pair is the product of the weights of both.
Result place_landmarks(const Landmarks& landmarks, const Options& options, const Run& run);

/// Distances of items from landmarks, in either storage order, and the weights of the landmarks.
struct LandmarkDistances {
    const float* values;
    const float* weights;
    Offset of_item, of_landmark;  ///< strides
    Index count;                  ///< landmarks
    DUNLIN_HD float operator()(Offset item, Offset landmark) const {
        return values[item * of_item + landmark * of_landmark];
    }
};

/// The landmarks in the memory of the executor.
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

/// The landmarks nearest to an item; of equals the first.
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

/// Places an item: starts at that of its nearest landmarks where its stress is least, then majorizes with over-relaxed
/// steps. pull(y, force): returns the stress of the item at y and sets the force of the landmarks. Returns the number
/// of steps.
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

/// Copies the coordinates of the landmarks.
struct CopyLandmark {
    const Index* landmarks;
    const float* places;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset at) const { y[Offset{landmarks[at / dim]} * dim + at % dim] = places[at]; }
};

/// Places all other items. Its iterations are the largest number of steps of an item.
template <class Exec>
run::Ending place_others(Exec& exec, const HeldLandmarks<Exec>& landmarks, const Map& map,
                         Configuration<Exec>& configuration, const Options& options, const Run& run) {
    constexpr Offset items_at_once = 32768;
    typename Exec::template Buffer<float> places;
    typename Exec::template Buffer<int> moves;
    exec.upload(places, std::span<const float>(map.coordinates));
    exec.fill(moves, static_cast<std::size_t>(configuration.n), 0);
    const Offset blocks = (configuration.n + items_at_once - 1) / items_at_once;
    const auto is_count = [](int taken) { return taken >= 0 && taken <= max_moves; };
    run::Kept state(checkpoint::Remembered(exec, configuration.y, checkpoint::Checked{moves, is_count}));
    run::Loop loop(run, {"optimize", "items", blocks, Stopped::converged}, state);
    while (loop.next()) {
        loop.step([&](Offset block) {
            const Offset first = block * items_at_once;
            place_items(exec, landmarks, places, configuration,
                        ItemRange{first, std::min(items_at_once, configuration.n - first)}, *options.tolerance,
                        moves.data());
        });
    }
    exec.each(Offset{landmarks.count} * configuration.dim,
              CopyLandmark{landmarks.items.data(), places.data(), configuration.y.data(), configuration.dim});
    const auto& taken = exec.host(moves);
    const int most = *std::max_element(taken.begin(), taken.end());
    if (loop.ending().stopped == Stopped::cancelled) return {most, Stopped::cancelled};
    return {most, most < max_moves ? Stopped::converged : Stopped::budget};
}

// On a CPU:

/// Copies the distances of all items.
HeldLandmarks<device::Cpu> hold_landmarks(device::Cpu& cpu, Landmarks landmarks, const OnDemandRows& feed);

/// place_item() for a range of items; places: coordinates of the landmarks. Writes y and the numbers of steps.
void place_items(device::Cpu& cpu, const HeldLandmarks<device::Cpu>& landmarks, const std::vector<float>& places,
                 Configuration<device::Cpu>& configuration, const ItemRange& some, double tolerance, int* moves);

}  // namespace dunlin::mds
