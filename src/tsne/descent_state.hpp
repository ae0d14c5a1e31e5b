// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "math/vec.hpp"
#include "tsne/steps.hpp"

namespace dunlin::tsne {

/// State of the gradient descent: positions y, velocities, gains (Jacobs 1988) and forces, each n x dim.
template <class Exec>
struct DescentState {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2;
    Buffer<float> y, velocity, gain, attraction, repulsion;
    Buffer<Index> original;             ///< input number of each point; reorder() permutes the state
    Cell<double> mass, cost;            ///< the normalizer Z; the cost without its term log(Z)
    Cell<math::Vec<double, 3>> center;  ///< sum of all positions
    Cell<StepParameters> parameters;

    [[nodiscard]] MatrixView<const float> positions() const { return {y.data(), n, dim}; }
};

/// The state at positions y (n x dim) with zero velocities and unit gains.
template <class Exec>
DescentState<Exec> descent_state_at(Exec& exec, typename Exec::template Buffer<float> y, int dim) {
    const std::size_t size = y.size();
    DescentState<Exec> state;
    state.n = static_cast<Index>(size / static_cast<std::size_t>(dim));
    state.dim = dim;
    state.y = std::move(y);
    exec.fill(state.velocity, size, 0.0F);
    exec.fill(state.gain, size, 1.0F);
    exec.fill(state.attraction, size, 0.0F);
    exec.fill(state.repulsion, size, 0.0F);
    std::vector<Index> own(static_cast<std::size_t>(state.n));
    std::iota(own.begin(), own.end(), 0);
    exec.upload(state.original, std::span<const Index>(own));
    return state;
}

/// Coordinates in the original order.
inline std::vector<float> in_original_order(std::span<const float> y, std::span<const Index> original, int dim) {
    std::vector<float> result(y.size());
    for (std::size_t i = 0; i < original.size(); ++i) {
        const auto to = static_cast<std::size_t>(original[i]) * static_cast<std::size_t>(dim);
        for (std::size_t c = 0; c < static_cast<std::size_t>(dim); ++c) {
            result[to + c] = y[i * static_cast<std::size_t>(dim) + c];
        }
    }
    return result;
}

}  // namespace dunlin::tsne
