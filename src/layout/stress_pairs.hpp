// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "graph/coarsen.hpp"
#include "layout/stress_moves.hpp"

/// All pairs of a graph's vertices, as the descent of stress (stress_descent.hpp) goes through them: vertices stand at
/// places of a random order, which is cut into blocks of 32.
namespace dunlin::layout {

/// Where the distance of a pair is kept: those of two blocks lie together, as meet_blocks wants them.
struct PairPlaces {
    Offset blocks;
    static constexpr Offset size = stress_block, of_two = size * size;

    static PairPlaces of(Index n) { return {(n + size - 1) / size}; }

    /// Of blocks a and b, a <= b.
    [[nodiscard]] DUNLIN_HD Offset begin(Offset a, Offset b) const {
        return (a * blocks - a * (a - 1) / 2 + b - a) * of_two;
    }
    [[nodiscard]] Offset all() const { return begin(blocks, blocks); }

    /// Whether the pair of places i and j is kept under i.
    [[nodiscard]] DUNLIN_HD static bool keeps(Offset i, Offset j) { return i / size <= j / size; }
    [[nodiscard]] DUNLIN_HD Offset of(Offset i, Offset j) const {
        return begin(i / size, j / size) + Offset{turn_of(i, j)} * size + i % size;
    }
};

template <class Exec>
struct Pairs {
    typename Exec::template Buffer<float> distances;  ///< by PairPlaces; 0: no path joins them
    float longest = 0;
};

/// Distances along edges. place_of: of every vertex; sets pairs.longest too, for which a GPU is waited for.
Pairs<device::Cpu> measure_pairs(device::Cpu& cpu, const graph::Level& level, const PairPlaces& places,
                                 const std::vector<Index>& place_of);

/// A map block by block, and the distances that its vertices should have.
struct Meetings {
    PairPlaces places;
    const float* distances;
    float* at;          ///< of every block, dim x 32 coordinates
    const float* free;  ///< of every place, 1: moves, 0: is pinned; null: all move
    int dim;

    [[nodiscard]] DUNLIN_HD StressBlock block(Offset a) const {
        return {at + a * dim * PairPlaces::size, free == nullptr ? nullptr : free + a * PairPlaces::size};
    }
    /// In each of as many rounds as there are blocks, every block meets another one or itself; all have met in the end.
    [[nodiscard]] DUNLIN_HD Offset partner(Offset a, Offset round) const {
        return (round + places.blocks - a) % places.blocks;
    }
};

/// A round: all pairs of blocks that meet in it move.
void meet(device::Cpu& cpu, const Meetings& meetings, Offset round, float eta);

}  // namespace dunlin::layout
