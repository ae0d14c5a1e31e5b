// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "device/fft.hpp"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// An axis of n nodes whose convolution must not wrap round, without being padded: the transform of 2n, half of it
/// zeros, is two transforms of n, one of the values (even modes) and one of the values turned by half a mode
/// (odd ones). Pitsianis et al. 2019 (SG-t-SNE-Pi) have it for whole grids; here each axis does it alone, in cache.
struct GridAxis {
    explicit GridAxis(int nodes);

    [[nodiscard]] int nodes() const { return fft.length(); }
    /// Floats of 16 complex columns, with room for a whole number of 16 elements.
    [[nodiscard]] std::ptrdiff_t block() const {
        return std::ptrdiff_t{(nodes() + 15) / 16} * 16 * device::fft_element;
    }

    device::Fft fft;
    device::AlignedBuffer<float> twiddle;  ///< exp(-i pi n / nodes): cos, sin
    std::array<std::vector<int>, 2> mode;  ///< of each position after fft.forward, in [0, nodes], by parity
};

/// Convolution of real values on a grid with an even kernel, aperiodic, by a Green's function of 2 * nodes per axis.
/// The slowest axis is transformed as pairs of real columns; then every mode of it is finished by itself, from the
/// forward transforms of the other axes to their backward ones, without leaving the cache.
class GridConvolution {
public:
    GridConvolution() = default;
    explicit GridConvolution(const GridShape& shape);

    /// Replaces the values on the grid (rows of shape.row() floats) by their convolution.
    void run(device::Cpu& cpu, float* grid, const float* greens_function);

    /// The modes of y that the rows of a Green's function stand for, -1 for a row that only fills up 16.
    /// A Green's function holds [mode of z][row of y / 16][mode of x][16], modes in [0, nodes].
    [[nodiscard]] const std::vector<int>& greens_rows() const { return rows_; }
    [[nodiscard]] std::size_t greens_size() const;

    [[nodiscard]] const GridShape& shape() const { return shape_; }
    [[nodiscard]] const GridAxis& axis(int which) const { return axes_[static_cast<std::size_t>(which)]; }

    /// Bytes that run() holds.
    [[nodiscard]] static std::uint64_t bytes(const GridShape& shape, int threads);

private:
    void transform_slowest(device::Cpu& cpu, float* grid, bool forward);
    void finish_row_blocks(device::Cpu& cpu, const float* greens_function);
    void finish_planes(device::Cpu& cpu, const float* greens_function);
    void finish_plane(float* plane, const float* greens_function, float* scratch);
    void convolve_plane(float* plane, const float* greens_function, float* scratch);

    GridShape shape_;
    std::vector<GridAxis> axes_;  ///< x, y[, z]
    std::vector<int> rows_;
    device::AlignedBuffer<float> modes_;                 ///< [slowest][middle][x / 16][real, imaginary][16]
    std::vector<device::AlignedBuffer<float>> scratch_;  ///< per worker
};

}  // namespace dunlin::forces
