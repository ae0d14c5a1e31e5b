// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>

#include "forces/line.hpp"
#include "forces/places.hpp"
#include "layout/units.hpp"
#include "live/steered_loop.hpp"
#include "math/hd.hpp"
#include "math/vec.hpp"

namespace dunlin::layout {

/// State of an iteration. Coordinates are n x dim, in ideal edge lengths. A map on a line has forces in the plane
/// (forces/line.hpp).
template <class Exec>
struct Drawing {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2;
    bool on_line = false;  ///< the map is the x coordinates of y
    Buffer<float> y, velocity, repulsion, attraction;
    Buffer<float> charges;           ///< repulsion strength of a vertex
    Buffer<float> radii;             ///< radii of vertices that must not overlap; empty: overlaps are allowed
    Buffer<std::uint8_t> pinned;     ///< 1: does not move
    Cell<double> ignored_potential;  ///< sum of potentials, which layouts do not use
    Cell<double> kinetic;            ///< sum of squared velocities
    float gravity = 0;
    float scale = 1;                    ///< of y relative to the map in ideal edge lengths
    Units units = {};                   ///< of the map
    std::vector<std::uint8_t> steered;  ///< 1: vertices that acts pinned, moved or freed; empty: none

    [[nodiscard]] MatrixView<const float> positions() const { return {y.data(), n, dim}; }
    [[nodiscard]] MatrixView<float> repulsive_forces() { return {repulsion.data(), n, dim}; }
    [[nodiscard]] MatrixView<float> attractive_forces() { return {attraction.data(), n, dim}; }
};

/// A drawing at y (n x dim) with zero velocities; pinned: n values.
template <class Exec>
Drawing<Exec> drawing_at(Exec& exec, typename Exec::template Buffer<float> y, int dim,
                         std::span<const std::uint8_t> pinned) {
    Drawing<Exec> drawing;
    drawing.n = static_cast<Index>(y.size() / static_cast<std::size_t>(dim));
    drawing.dim = dim;
    drawing.y = std::move(y);
    exec.upload(drawing.pinned, pinned);
    for (auto* values : {&drawing.velocity, &drawing.repulsion, &drawing.attraction})
        exec.fill(*values, drawing.y.size(), 0.0F);
    exec.fill(drawing.charges, static_cast<std::size_t>(drawing.n), 1.0F);
    exec.set(drawing.ignored_potential, 0.0);
    exec.set(drawing.kinetic, 0.0);
    return drawing;
}

template <class Exec>
Drawing<Exec> drawing_at(Exec& exec, std::span<const float> y, int dim, std::span<const std::uint8_t> pinned) {
    typename Exec::template Buffer<float> there;
    exec.upload(there, y);
    return drawing_at(exec, std::move(there), dim, pinned);
}

/// The drawing on which forces act: in the plane or in space. y: a map, n x dim.
template <class Exec>
Drawing<Exec> drawing_for_forces(Exec& exec, typename Exec::template Buffer<float> y, int dim,
                                 std::span<const std::uint8_t> pinned) {
    if (dim > 1) return drawing_at(exec, std::move(y), dim, pinned);
    Drawing<Exec> drawing = drawing_at(exec, forces::in_plane(exec, y), 2, pinned);
    drawing.on_line = true;
    return drawing;
}

/// The coordinates of the map in ideal edge lengths, on the host.
template <class Exec>
std::vector<float> coordinates_in_lengths(Exec& exec, const Drawing<Exec>& drawing) {
    std::vector<float> coordinates = drawing.on_line ? forces::on_line(exec.host(drawing.y)) : exec.host(drawing.y);
    if (drawing.scale != 1) {
        for (float& x : coordinates) x /= drawing.scale;
    }
    return coordinates;
}

/// Coordinates in the units of the map, for those who watch the run.
template <class Exec>
std::vector<float> map_coordinates(Exec& exec, const Drawing<Exec>& drawing) {
    std::vector<float> coordinates = coordinates_in_lengths(exec, drawing);
    const std::size_t axes = drawing.on_line ? 1 : static_cast<std::size_t>(drawing.dim);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        coordinates[i] = static_cast<float>(drawing.units.to_map_units(static_cast<double>(coordinates[i]), i % axes));
    return coordinates;
}

/// Does pin, free and nudge, whose places are in the units of the map: vertices that are pinned or moved have no speed.
template <class Exec>
void move_vertices(Exec& exec, Drawing<Exec>& drawing, const live::Act& act) {
    std::vector<float> y = exec.host(drawing.y), velocity = exec.host(drawing.velocity);
    std::vector<std::uint8_t> pinned = exec.host(drawing.pinned);
    const auto dim = static_cast<std::size_t>(drawing.dim), axes = drawing.on_line ? 1 : dim;
    const auto scale = static_cast<double>(drawing.scale);
    const bool moves = live::moves_points(act);
    drawing.steered.resize(pinned.size());
    for (std::size_t i = 0; i < act.points.size(); ++i) {
        const auto vertex = static_cast<std::size_t>(act.points[i]);
        for (std::size_t c = 0; moves && c < axes; ++c) {
            float& x = y[vertex * dim + c];
            const auto before = static_cast<float>(drawing.units.to_map_units(static_cast<double>(x) / scale, c));
            const auto after = static_cast<double>(live::place_after(act, i, c, axes, before));
            x = static_cast<float>(scale * drawing.units.to_lengths(after, c));
        }
        if (act.verb != live::Verb::free)
            for (std::size_t c = 0; c < dim; ++c) velocity[vertex * dim + c] = 0;
        if (act.verb == live::Verb::pin) pinned[vertex] = 1;
        if (act.verb == live::Verb::free) pinned[vertex] = 0;
        drawing.steered[vertex] = 1;
    }
    exec.upload(drawing.y, std::span<const float>(y));
    exec.upload(drawing.velocity, std::span<const float>(velocity));
    exec.upload(drawing.pinned, std::span<const std::uint8_t>(pinned));
}

/// Whether a vertex is pinned; waits for the device.
template <class Exec>
bool has_pins(Exec& exec, const Drawing<Exec>& drawing) {
    const auto& pinned = exec.host(drawing.pinned);
    return std::any_of(pinned.begin(), pinned.end(), [](std::uint8_t mark) { return mark != 0; });
}

/// Positions, velocities and forces, as the steps of the methods see them.
template <int D>
struct Vertices {
    float *y, *velocity;
    const float *repulsion, *attraction;
    const std::uint8_t* pinned;
    float gravity;

    /// Total force on vertex i. Gravity has constant magnitude except near the center.
    DUNLIN_HD void force(Offset i, float repelled_by, float (&sum)[D]) const {
        float r2 = 1e-6F;
        for (int c = 0; c < D; ++c) r2 += y[i * D + c] * y[i * D + c];
        const float inwards = gravity / sqrtf(r2);
        for (int c = 0; c < D; ++c) {
            sum[c] = repelled_by * repulsion[i * D + c] + attraction[i * D + c] - inwards * y[i * D + c];
        }
    }
};

template <int D, class Exec>
Vertices<D> vertices(Drawing<Exec>& drawing) {
    return {drawing.y.data(),          drawing.velocity.data(), drawing.repulsion.data(),
            drawing.attraction.data(), drawing.pinned.data(),   drawing.gravity};
}

/// Calls with.operator()<D>() for the dimension of a drawing on which forces act.
template <class With>
void by_plane_or_space(int dim, const With& with) {
    dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

/// Calls with.operator()<D>() for the dimension of a map.
template <class With>
void by_dimension(int dim, const With& with) {
    dim == 1 ? with.template operator()<1>() : by_plane_or_space(dim, with);
}

template <int D>
struct SquaredSpeed {
    const float* velocity;
    DUNLIN_HD double operator()(Offset i) const {
        double square = 0;
        for (int c = 0; c < D; ++c) {
            square += static_cast<double>(velocity[i * D + c]) * static_cast<double>(velocity[i * D + c]);
        }
        return square;
    }
};

/// drawing.kinetic = sum of squared velocities.
template <class Exec>
void measure_kinetic_energy(Exec& exec, Drawing<Exec>& drawing) {
    by_plane_or_space(drawing.dim,
                      [&]<int D>() { exec.sum(drawing.n, SquaredSpeed<D>{drawing.velocity.data()}, drawing.kinetic); });
}

/// Computes repulsion between all pairs and attraction along edges.
template <class Exec, class Edges, class Repeller, class Spring>
void compute_forces(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller, const Spring& spring) {
    repeller.repel(exec, drawing.positions(), drawing.repulsive_forces(), drawing.ignored_potential,
                   drawing.charges.data());
    attract(exec, edges, drawing.positions(), drawing.attractive_forces(), spring);
}

inline double root_mean_square(double sum, Index n) { return std::sqrt(sum / std::max(n, 1)); }

/// Kinetic energy of the last step; waits for the device.
template <class Exec>
double kinetic_energy(Exec& exec, Drawing<Exec>& drawing) {
    const double energy = exec.read(drawing.kinetic);
    if (energy < 1e30) return energy;
    throw Error(Fault::bad_input, "the map diverged; take a smaller step (time-step, temperature, scaling)");
}

}  // namespace dunlin::layout
