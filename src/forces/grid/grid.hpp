// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Repulsion by convolution on a regular grid: spread points to nodes, convolve by FFT, gather. The law's mass is its
/// potential (strength = -d mass / d r2), so one convolution gives mass and force. Holds its buffers, its plan and the
/// law's Green's function from call to call; its size follows the extent of the points. docs/grid.md has scheme and
/// figures.
template <class Law>
class Grid {
public:
    /// spacing: largest distance between nodes, in units of y; 0 takes default_spacing(dim).
    explicit Grid(float spacing = 0, Law law = {});
    ~Grid();

    [[nodiscard]] static float default_spacing(int dim);

    /// As repel_exact, approximately. Points further apart than the most nodes cover get a larger spacing.
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass);

    /// Nodes per axis of the last call, without padding, and the distance between them: above the spacing asked for
    /// where the points lie too far apart, and the error is then not that of docs/grid.md.
    [[nodiscard]] std::array<int, 3> nodes() const;
    [[nodiscard]] double spacing() const;

    /// Bytes that a call over n points with these extents would hold.
    [[nodiscard]] static std::uint64_t bytes(float spacing, std::array<float, 3> extent, int dim, Offset n = 0,
                                             int threads = 1);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
