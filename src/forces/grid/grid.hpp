// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/grid/spline.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Repulsion by convolution on a regular grid (particle-mesh): spread points to nodes, convolve by FFT, gather. The
/// law has a potential (strength = -d potential / d r2), so one convolution gives force and potential, whose sum is the
/// mass, also of a law without a normalizer. The number of nodes follows the extent of the points. Keeps its buffers,
/// FFT plan and Green's function between calls. Method and measurements: docs/repulsion.md.
template <class Law>
class Grid {
public:
    /// spacing: largest distance between nodes, in units of y; 0 takes default_spacing(dim).
    explicit Grid(float spacing = 0, Law law = {});
    ~Grid();

    [[nodiscard]] static float default_spacing(int dim);

    /// Approximates repel_exact. The spacing is enlarged if the extent of the points needs more than max_nodes(dim).
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass);

    /// The potential of all points at any position in their bounding box, which is widened by a twentieth of its
    /// longest side and the width of two cores of Student's t. At a point it includes the point's own. The values
    /// belong to this object, until its next call. mass: as repel.
    [[nodiscard]] GridSpline potential(device::Cpu& cpu, MatrixView<const float> y, device::Cell<double>& mass);

    /// Nodes per axis of the last call, without padding, and the distance between them. It exceeds the requested
    /// spacing if the points lie too far apart; errors are then larger than in docs/lab/repulsion.md.
    [[nodiscard]] std::array<int, 3> nodes() const;
    [[nodiscard]] double spacing() const;

    /// Bytes that a call with n points of this extent needs.
    [[nodiscard]] static std::uint64_t bytes(float spacing, std::array<float, 3> extent, int dim, Offset n = 0,
                                             int threads = 1);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
