// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

/// Repulsion in maps of more than 3 dimensions, which have neither a grid nor a tree: a grid needs cells^dim nodes, and
/// most cells of a tree are too near to be taken as one. For laws without a normalizer or charges.
namespace dunlin::forces {

/// The points that repel each point in an iteration, in place of all: random ones, drawn anew each time.
struct Draws {
    std::uint64_t stream = 0;
    Index n = 0, count = 0;

    /// A stream of its own for each iteration; draw 0 of a seed belongs to starts and pairs.
    DUNLIN_HD static std::uint64_t stream_of(std::uint64_t seed, int iteration) {
        return math::random_bits(seed, static_cast<std::uint64_t>(iteration), 1);
    }
    /// The draw s of point i; the point itself, which has no force on it, is one of the n.
    [[nodiscard]] DUNLIN_HD Index of(Offset i, Index s) const {
        return static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), stream,
                                                     static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(s)));
    }
    /// How many points each drawn one stands for.
    [[nodiscard]] DUNLIN_HD float weight() const { return static_cast<float>(static_cast<double>(n) / count); }
};

/// force row i = weight * sum over its draws j, in their order, of law.strength(|y_i - y_j|^2) (y_i - y_j): the
/// expectation is that of all points. y, force: rows of a width of forces/width.hpp.
template <class Law>
void repel_drawn(device::Cpu& cpu, const Law& law, const Draws& draws, MatrixView<const float> y,
                 MatrixView<float> force);

/// The same by all points, with weight 1.
template <class Law>
void repel_all(device::Cpu& cpu, const Law& law, MatrixView<const float> y, MatrixView<float> force);

/// Sum of the law's potential at `place` over all points.
template <class Law>
double potential_of_all(const Law& law, MatrixView<const float> y, const float* place);

}  // namespace dunlin::forces
