// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "layout/backend.hpp"
#include "layout/drawing.hpp"
#include "layout/stress_pairs.hpp"
#include "math/permutation.hpp"
#include "progress/cancel.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

namespace dunlin::layout {

// Steps of the loops below

struct ComputeSlot {
    math::Permutation order;
    Index* slot_of;
    DUNLIN_HD void operator()(Offset v) const { slot_of[v] = order(static_cast<Index>(v)); }
};

/// Copies a vertex's coordinates into its block, or back.
template <bool Back>
struct CopyCoordinates {
    const Index* slot_of;
    BlockedMap blocked;
    float* map;  ///< n x dim
    DUNLIN_HD void operator()(Offset v) const {
        const Offset place = slot_of[v], size = PairIndex::size;
        const StressBlock block = blocked.block(place / size);
        for (int d = 0; d < blocked.dim; ++d) {
            float &outside = map[v * blocked.dim + d], &inside = block.at[d * size + place % size];
            Back ? outside = inside : inside = outside;
        }
    }
};

struct MarkFree {
    const Index* slot_of;
    const std::uint8_t* pinned;
    float* free;
    DUNLIN_HD void operator()(Offset v) const { free[slot_of[v]] = pinned[v] != 0 ? 0 : 1; }
};

/// One SGD step of every pair: all rounds, in random order.
template <class Exec>
void run_epoch(Exec& exec, const BlockedMap& blocked, float eta, std::uint64_t seed, std::uint64_t epoch) {
    const auto count = static_cast<Index>(blocked.index.blocks);
    const auto rounds = math::Permutation::of(count, seed, epoch);
    for (Index r = 0; r < count; ++r) step_round(exec, blocked, rounds(r), eta);
}

/// The map of the blocks, in the order of the vertices.
template <class Exec>
class BlockedStressMap : public run::BufferMap<Exec> {
public:
    using Buffer = typename Exec::template Buffer<float>;

    /// copy: writes the blocks to `map`.
    BlockedStressMap(Exec& exec, Buffer& map, Index n, int dim, const CopyCoordinates<true>& copy)
        : run::BufferMap<Exec>(exec, map, n, dim), copy_(copy) {}

    void copy() {
        const progress::Uncancellable whole;
        this->exec_.each(this->n_, copy_);
    }
    [[nodiscard]] std::vector<float> positions() override {
        copy();
        return run::BufferMap<Exec>::positions();
    }

private:
    CopyCoordinates<true> copy_;
};

/// Minimizes stress over all pairs, sum_{i < j} d_ij^-2 (|y_i - y_j| - d_ij)^2, by stochastic gradient descent (Zheng,
/// Pawar and Goodman 2018). In each epoch every pair takes one step: both ends move along the line between them by
/// min(1, eta / d_ij^2) / 2 of the error; if one is pinned, the other moves by all of it. eta falls geometrically from
/// the square of the graph's diameter to 0.01 times that of its shortest edge. With a given start it begins at the
/// square of the shortest edge, which keeps the arrangement. Pairs that no path joins are left out. Memory: 2 n^2 bytes
/// for the distances. map: n x dim.
///
/// Vertices are in a random order, cut into blocks of 32. In a round every block is paired with one other block, and
/// all 1,024 pairs of the two take a step, so no vertex is moved by two threads; the rounds cover all pairs of blocks.
/// The same seed gives the same bytes for any number of threads.
template <class Exec, class Level>
run::Ending minimize_by_sgd(Exec& exec, const Level& level, const LayoutInput& task, int epochs, int dim,
                            const Run& run, typename Exec::template Buffer<float>& map) {
    const Index n = level.graph->size();
    if (n < 2) return {0, Stopped::converged};
    const PairIndex index = PairIndex::of(n);
    typename Exec::template Buffer<Index> slot_of;
    exec.resize(slot_of, static_cast<std::size_t>(n));
    exec.each(n, ComputeSlot{math::Permutation::of(n, run.seed, ~std::uint64_t{0}), slot_of.data()});
    const auto pairs = measure_distances(exec, level, index, slot_of);

    typename Exec::template Buffer<float> blocks, free;
    typename Exec::template Buffer<std::uint8_t> pinned;
    const auto slots = static_cast<std::size_t>(index.blocks * PairIndex::size);
    exec.fill(blocks, slots * static_cast<std::size_t>(dim), 0.0F);
    if (std::any_of(task.pinned.begin(), task.pinned.end(), [](std::uint8_t mark) { return mark != 0; })) {
        exec.upload(pinned, task.pinned);
        exec.fill(free, slots, 1.0F);
        exec.each(n, MarkFree{slot_of.data(), pinned.data(), free.data()});
    }
    const BlockedMap blocked{index, pairs.distances.data(), blocks.data(), free.size() > 0 ? free.data() : nullptr,
                             dim};
    exec.each(n, CopyCoordinates<false>{slot_of.data(), blocked, map.data()});

    const float shortest = task.lengths.empty() ? 1 : *std::min_element(task.lengths.begin(), task.lengths.end());
    const double first = std::pow(static_cast<double>(task.start == nullptr ? pairs.max : shortest), 2);
    const double last = 0.01 * std::pow(static_cast<double>(shortest), 2);
    run::Kept state(checkpoint::Remembered(exec, blocks), run::Cancelled::changes_state);
    BlockedStressMap moving(exec, map, n, dim, CopyCoordinates<true>{slot_of.data(), blocked, map.data()});
    run::Loop loop(run, {"optimize", "stress", epochs}, state, &moving);
    while (loop.next()) {
        loop.step([&](Offset t) {
            const double share = epochs > 1 ? static_cast<double>(t) / (epochs - 1) : 1;
            const auto eta = static_cast<float>(first * std::pow(last / first, share));
            run_epoch(exec, blocked, eta, run.seed, static_cast<std::uint64_t>(t));
        });
    }
    moving.copy();
    return loop.ending();
}

}  // namespace dunlin::layout
