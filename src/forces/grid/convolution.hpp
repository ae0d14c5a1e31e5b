// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "forces/grid/shape.hpp"
#include "numerics/fft.hpp"

namespace dunlin::forces {

/// Transform of an axis of n nodes for an aperiodic convolution without zero padding. The transform of length 2n of n
/// values and n zeros is two transforms of length n: of the values (even modes), and of the values times exp(-i pi k /
/// n) (odd modes). Pitsianis et al. 2019 (SG-t-SNE-Pi) do so for whole grids; here it is done per axis, in cache.
struct GridAxis {
    explicit GridAxis(int nodes);

    [[nodiscard]] int nodes() const { return fft.length(); }
    /// Floats of 16 complex columns, their length rounded up to a multiple of 16.
    [[nodiscard]] std::ptrdiff_t block() const {
        return std::ptrdiff_t{(nodes() + 15) / 16} * 16 * numerics::fft_element;
    }

    numerics::Fft fft;
    device::AlignedBuffer<float> twiddle;  ///< exp(-i pi n / nodes) as (cos, sin)
    std::array<std::vector<int>, 2> mode;  ///< [parity][position after fft.forward], in [0, nodes]
};

/// Aperiodic convolution of real values on a grid with an even kernel, given by its Green's function: the transform of
/// length 2 * nodes per axis. The slowest axis is transformed first, as pairs of real columns. Then each of its modes
/// is processed in cache: forward transforms of the other axes, product, backward transforms.
class GridConvolution {
public:
    GridConvolution() = default;
    explicit GridConvolution(const GridShape& shape);

    /// Replaces the values on the grid (rows of shape.row() floats) by their convolution.
    void run(device::Cpu& cpu, float* grid, const float* greens_function);

    /// The mode of y for each row of a Green's function; -1 for rows that pad to a multiple of 16. Layout of a Green's
    /// function: [mode of z][row of y / 16][mode of x][16], modes in [0, nodes].
    [[nodiscard]] const std::vector<int>& greens_rows() const { return rows_; }
    [[nodiscard]] std::size_t greens_size() const;

    [[nodiscard]] const GridShape& shape() const { return shape_; }
    [[nodiscard]] const GridAxis& axis(int which) const { return axes_[static_cast<std::size_t>(which)]; }

    /// Bytes that run() needs.
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
