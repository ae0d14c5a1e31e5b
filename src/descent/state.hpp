// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "descent/steps.hpp"
#include "device/ranks.hpp"
#include "forces/line.hpp"
#include "forces/width.hpp"
#include "math/hd.hpp"
#include "math/vec.hpp"

namespace dunlin::descent {

/// State of the gradient descent: positions y, velocities, gains (Jacobs 1988) and forces, each n x dim.
template <class Exec>
struct DescentState {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    /// The points that this rank moves (device/ranks.hpp). Each rank has all of y, but only its own velocities, gains
    /// and forces until gather() copies those of the other ranks.
    device::RowShare share;
    int dim = 2;                  ///< of y: 2, 3 or a width of forces/width.hpp
    int map_dim = 2;              ///< of the map; 1: y is in the plane (forces/line.hpp); above 3: rows end with zeros
    math::Vec<double, 3> origin;  ///< of y in the map: so that y of a map far from zero keeps its digits
    Buffer<float> y, velocity, gain, attraction, repulsion;
    Buffer<float> home;                 ///< [input number][axis]: positions of fixed points; empty: none is fixed
    Buffer<std::uint8_t> fixed;         ///< by input number
    Buffer<Index> original;             ///< input number of each point; reorder() permutes the state
    Cell<double> mass, cost;            ///< normalizer of the repulsion; the edges' share of the cost
    Cell<math::Vec<double, 3>> center;  ///< sum of all positions
    Cell<StepParameters> parameters;

    /// Collective: afterwards every rank has all rows of the array.
    void gather(Exec& exec, Buffer<float>& values) { device::gather_rows(exec, share, values.data(), dim); }
    [[nodiscard]] MatrixView<const float> positions() const { return {y.data(), n, dim}; }
};

/// The state at positions y of a map (n x dim) with zero velocities and unit gains.
template <class Exec>
DescentState<Exec> descent_state_at(Exec& exec, typename Exec::template Buffer<float> y, int dim) {
    DescentState<Exec> state;
    state.n = static_cast<Index>(y.size() / static_cast<std::size_t>(dim));
    state.share = device::row_share(state.n);
    state.map_dim = dim;
    state.dim = forces::width_of(dim);
    state.y = dim == 1 ? forces::in_plane(exec, y) : state.dim > dim ? forces::at_width(exec, y, dim) : std::move(y);
    const std::size_t size = state.y.size();
    exec.fill(state.velocity, size, 0.0F);
    exec.fill(state.gain, size, 1.0F);
    exec.fill(state.attraction, size, 0.0F);
    exec.fill(state.repulsion, size, 0.0F);
    std::vector<Index> own(static_cast<std::size_t>(state.n));
    std::iota(own.begin(), own.end(), 0);
    exec.upload(state.original, std::span<const Index>(own));
    return state;
}

/// Fixes these points (by input number) at their present positions. Call before the first iteration.
template <class Exec>
void hold_fixed(Exec& exec, DescentState<Exec>& state, std::span<const std::uint8_t> fixed) {
    if (fixed.empty()) return;
    const auto& positions = exec.host(state.y);
    exec.upload(state.home, std::span<const float>(positions));
    exec.upload(state.fixed, fixed);
}

/// A coordinate of the map from that of y, along an axis with this origin.
DUNLIN_HD inline float in_map(float y, double origin) {
    return origin == 0 ? y : static_cast<float>(static_cast<double>(y) + origin);
}
/// The origin of an axis; 0 beyond the third.
inline double origin_of(const math::Vec<double, 3>& origin, std::size_t axis) {
    return axis < 3 ? origin.at[axis] : 0.0;
}
/// The coordinate of y.
inline float from_map(float place, double origin) {
    return origin == 0 ? place : static_cast<float>(static_cast<double>(place) - origin);
}

/// Returns positions in the original order, n x map_dim. y: n x dim, on the host.
inline std::vector<float> in_original_order(std::span<const float> y, std::span<const Index> original, int map_dim) {
    const auto axes = static_cast<std::size_t>(map_dim);
    const std::size_t dim = original.empty() ? axes : y.size() / original.size();
    std::vector<float> result(original.size() * axes);
    for (std::size_t i = 0; i < original.size(); ++i) {
        const auto to = static_cast<std::size_t>(original[i]) * axes;
        for (std::size_t c = 0; c < axes; ++c) result[to + c] = y[i * dim + c];
    }
    return result;
}

/// The map in the original order.
template <class Exec>
std::vector<float> map_coordinates(Exec& exec, const DescentState<Exec>& state) {
    std::vector<float> map = in_original_order(exec.host(state.y), exec.host(state.original), state.map_dim);
    const auto axes = static_cast<std::size_t>(state.map_dim);
    for (std::size_t k = 0; k < map.size(); ++k) map[k] = in_map(map[k], origin_of(state.origin, k % axes));
    return map;
}

}  // namespace dunlin::descent
