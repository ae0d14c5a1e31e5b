// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/block_steps.hpp"

/// All pairs of a graph's vertices in the order of SGD (stress_sgd.hpp): vertices have slots in a random order, which
/// is cut into blocks of 32.
namespace dunlin::layout {

/// Index of a pair's distance: those of two blocks are contiguous, in the order of step_blocks.
struct PairIndex {
    Offset blocks;
    static constexpr Offset size = stress_block, block_pair_size = size * size;

    static PairIndex of(Index n) { return {(n + size - 1) / size}; }

    /// The first of blocks a and b, a <= b.
    [[nodiscard]] DUNLIN_HD Offset begin(Offset a, Offset b) const {
        return (a * blocks - a * (a - 1) / 2 + b - a) * block_pair_size;
    }
    [[nodiscard]] Offset count() const { return begin(blocks, blocks); }

    /// Whether the distance of slots i and j is stored as of(i, j); else it is stored as of(j, i).
    [[nodiscard]] DUNLIN_HD static bool is_stored(Offset i, Offset j) { return i / size <= j / size; }
    [[nodiscard]] DUNLIN_HD Offset of(Offset i, Offset j) const {
        return begin(i / size, j / size) + Offset{round_of(i, j)} * size + i % size;
    }
};

template <class Exec>
struct PairDistances {
    typename Exec::template Buffer<float> distances;  ///< by PairIndex; 0: no path joins the pair
    float max = 0;
};

/// Shortest-path distances of all pairs. slot_of: slot of each vertex. On a GPU it waits for the stream.
PairDistances<device::Cpu> measure_distances(device::Cpu& cpu, const graph::Level& level, const PairIndex& index,
                                             const std::vector<Index>& slot_of);

/// A map by blocks and the target distances of its pairs.
struct BlockedMap {
    PairIndex index;
    const float* distances;
    float* at;          ///< blocks x dim x 32 coordinates
    const float* free;  ///< of every slot, 1: moves, 0: is pinned; null: all move
    int dim;

    [[nodiscard]] DUNLIN_HD StressBlock block(Offset a) const {
        return {at + a * dim * PairIndex::size, free == nullptr ? nullptr : free + a * PairIndex::size};
    }
    /// Round-robin schedule: in each round every block is paired with another one or itself; after as many rounds as
    /// there are blocks all pairs have occurred once.
    [[nodiscard]] DUNLIN_HD Offset partner(Offset a, Offset round) const {
        return (round + index.blocks - a) % index.blocks;
    }
};

/// All pairs of blocks of a round, concurrently.
void step_round(device::Cpu& cpu, const BlockedMap& blocked, Offset round, float eta);

}  // namespace dunlin::layout
