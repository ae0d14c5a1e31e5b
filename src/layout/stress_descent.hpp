// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "layout/backend.hpp"
#include "layout/drawing.hpp"
#include "layout/stress_pairs.hpp"
#include "math/permutation.hpp"

namespace dunlin::layout {

// Steps of the loops below

struct TakePlace {
    math::Permutation order;
    Index* place_of;
    DUNLIN_HD void operator()(Offset v) const { place_of[v] = order(static_cast<Index>(v)); }
};

/// A vertex's coordinates go into its block, or come back from it.
template <bool Back>
struct Carry {
    const Index* place_of;
    Meetings meetings;
    float* map;  ///< n x dim
    DUNLIN_HD void operator()(Offset v) const {
        const Offset place = place_of[v], size = PairPlaces::size;
        const StressBlock block = meetings.block(place / size);
        for (int d = 0; d < meetings.dim; ++d) {
            float &outside = map[v * meetings.dim + d], &inside = block.at[d * size + place % size];
            Back ? outside = inside : inside = outside;
        }
    }
};

struct MarkFree {
    const Index* place_of;
    const std::uint8_t* pinned;
    float* free;
    DUNLIN_HD void operator()(Offset v) const { free[place_of[v]] = pinned[v] != 0 ? 0 : 1; }
};

/// From every vertex to every other, in a random order of blocks.
template <class Exec>
void meet_all(Exec& exec, const Meetings& meetings, float eta, std::uint64_t seed, std::uint64_t epoch) {
    const auto count = static_cast<Index>(meetings.places.blocks);
    const auto rounds = math::Permutation::of(count, seed, epoch);
    for (Index r = 0; r < count; ++r) meet(exec, meetings, rounds(r), eta);
}

/// Stress over all pairs, sum_{i < j} d_ij^-2 (|y_i - y_j| - d_ij)^2, lowered by stochastic gradient descent (Zheng,
/// Pawar and Goodman 2018): in each of `epochs` every pair moves once, both ends along the line between them by
/// min(1, eta / d_ij^2) / 2 of what they lack (where one is pinned, the other by all of it), and eta falls from the
/// square of the graph's diameter to a hundredth of that of its shortest edge; with a start that is given it begins
/// with the latter, so that the arrangement stays. Pairs that no path joins are left out. Holds the distances of all
/// pairs: 2 n^2 bytes. map: n x dim.
///
/// Vertices are in a random order, cut into blocks of 32. In a round every block meets another one, all of their 1,024
/// pairs, so that nobody is moved by two at once; after as many rounds as there are blocks each has met each. The same
/// seed gives the same bytes for any number of threads.
template <class Exec, class Level>
Termination descend_stress(Exec& exec, const Level& level, const LayoutInput& task, int epochs, int dim, const Run& run,
                           typename Exec::template Buffer<float>& map) {
    const Index n = level.graph->size();
    if (n < 2) return {0, Stopped::converged};
    device::ProgressReporter reporter(run, "optimize", epochs);
    const PairPlaces places = PairPlaces::of(n);
    typename Exec::template Buffer<Index> place_of;
    exec.resize(place_of, static_cast<std::size_t>(n));
    exec.each(n, TakePlace{math::Permutation::of(n, run.seed, ~std::uint64_t{0}), place_of.data()});
    const auto pairs = measure_pairs(exec, level, places, place_of);

    typename Exec::template Buffer<float> blocks, free;
    typename Exec::template Buffer<std::uint8_t> pinned;
    const auto slots = static_cast<std::size_t>(places.blocks * PairPlaces::size);
    exec.fill(blocks, slots * static_cast<std::size_t>(dim), 0.0F);
    if (std::any_of(task.pinned.begin(), task.pinned.end(), [](std::uint8_t mark) { return mark != 0; })) {
        exec.upload(pinned, task.pinned);
        exec.fill(free, slots, 1.0F);
        exec.each(n, MarkFree{place_of.data(), pinned.data(), free.data()});
    }
    const Meetings meetings{places, pairs.distances.data(), blocks.data(), free.size() > 0 ? free.data() : nullptr,
                            dim};
    exec.each(n, Carry<false>{place_of.data(), meetings, map.data()});

    const float shortest = task.lengths.empty() ? 1 : *std::min_element(task.lengths.begin(), task.lengths.end());
    const double first = std::pow(static_cast<double>(task.start == nullptr ? pairs.longest : shortest), 2);
    const double last = 0.01 * std::pow(static_cast<double>(shortest), 2);
    Termination ending{epochs, Stopped::budget};
    for (int t = 0; t < epochs; ++t) {
        const double share = epochs > 1 ? static_cast<double>(t) / (epochs - 1) : 1;
        const auto eta = static_cast<float>(first * std::pow(last / first, share));
        const bool done = device::run_cancellable(
            run.stop, [&] { meet_all(exec, meetings, eta, run.seed, static_cast<std::uint64_t>(t)); });
        if (!done) {
            ending = {t, Stopped::cancelled};
            break;
        }
        reporter.tick(t + 1);
    }
    const device::Uncancellable whole;
    exec.each(n, Carry<true>{place_of.data(), meetings, map.data()});
    return ending;
}

}  // namespace dunlin::layout
