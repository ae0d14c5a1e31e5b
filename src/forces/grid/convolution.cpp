// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forces/grid/passes.hpp"

namespace dunlin::forces {

namespace {

using numerics::fft_element;

int whole_lanes(int count) { return (count + grid_lanes - 1) / grid_lanes * grid_lanes; }

// Floats of a complex row of x
std::ptrdiff_t complex_row(const GridShape& shape) { return std::ptrdiff_t{shape.row_vectors()} * fft_element; }

std::ptrdiff_t complex_plane(const GridShape& shape) { return whole_lanes(shape.nodes[1]) * complex_row(shape); }

std::ptrdiff_t columns_scratch(const GridShape& shape) {
    return 2 * std::ptrdiff_t{whole_lanes(*std::max_element(shape.nodes.begin(), shape.nodes.end()))} * fft_element;
}

std::ptrdiff_t scratch_floats(const GridShape& shape) {
    return columns_scratch(shape) + (shape.dim == 3 ? 2 * complex_plane(shape) : 0);
}

std::ptrdiff_t modes_floats(const GridShape& shape) {
    if (shape.dim == 2) return whole_lanes(shape.nodes[1] + 1) * complex_row(shape);
    return std::ptrdiff_t{shape.nodes[2] + 1} * shape.nodes[1] * complex_row(shape);
}

}  // namespace

GridAxis::GridAxis(int nodes) : fft(nodes), twiddle(2 * static_cast<std::size_t>(nodes)) {
    for (int n = 0; n < nodes; ++n) {
        const double angle = -std::numbers::pi * n / nodes;
        twiddle[2 * static_cast<std::size_t>(n)] = static_cast<float>(std::cos(angle));
        twiddle[2 * static_cast<std::size_t>(n) + 1] = static_cast<float>(std::sin(angle));
    }
    for (int parity = 0; parity < 2; ++parity) {
        auto& of = mode[static_cast<std::size_t>(parity)];
        of.resize(static_cast<std::size_t>(nodes));
        for (int f = 0; f < nodes; ++f) {
            const int k = 2 * f + parity;
            of[static_cast<std::size_t>(fft.positions()[static_cast<std::size_t>(f)])] = std::min(k, 2 * nodes - k);
        }
    }
}

GridConvolution::GridConvolution(const GridShape& shape) : shape_(shape) {
    for (int a = 0; a < shape.dim; ++a) axes_.emplace_back(shape.nodes[static_cast<std::size_t>(a)]);
    const int rows = shape.nodes[1];
    if (shape.dim == 2) {
        for (int k = 0; k <= rows; ++k) rows_.push_back(k);
    } else {
        rows_ = axes_[1].mode[0];
        rows_.resize(static_cast<std::size_t>(whole_lanes(rows)), -1);
        rows_.insert(rows_.end(), axes_[1].mode[1].begin(), axes_[1].mode[1].end());
    }
    rows_.resize(static_cast<std::size_t>(whole_lanes(static_cast<int>(rows_.size()))), -1);
    modes_.resize(static_cast<std::size_t>(modes_floats(shape)));
}

std::size_t GridConvolution::greens_size() const {
    const auto slowest = static_cast<std::size_t>(shape_.dim == 3 ? shape_.nodes[2] + 1 : 1);
    return slowest * rows_.size() * static_cast<std::size_t>(shape_.nodes[0] + 1);
}

std::uint64_t GridConvolution::bytes(const GridShape& shape, int threads) {
    return sizeof(float) * static_cast<std::uint64_t>(modes_floats(shape) + threads * scratch_floats(shape));
}

void GridConvolution::run(device::Cpu& cpu, float* grid, const float* greens_function) {
    scratch_.resize(static_cast<std::size_t>(cpu.threads()));
    for (auto& scratch : scratch_) scratch.resize(static_cast<std::size_t>(scratch_floats(shape_)));
    transform_slowest(cpu, grid, true);
    if (shape_.dim == 2) {
        finish_row_blocks(cpu, greens_function);
    } else {
        finish_planes(cpu, greens_function);
    }
    transform_slowest(cpu, grid, false);
}

void GridConvolution::transform_slowest(device::Cpu& cpu, float* grid, bool forward) {
    const GridAxis& axis = axes_.back();
    const int vectors = (shape_.nodes[0] + grid_lanes - 1) / grid_lanes, pairs = (vectors + 1) / 2;
    const int middle = shape_.dim == 3 ? shape_.nodes[1] : 1;
    const std::ptrdiff_t row = shape_.row();
    cpu.blocks(Offset{middle} * pairs, 1, [&](Offset item, Offset, int worker) {
        const std::ptrdiff_t y = item / pairs, v = 2 * (item % pairs);
        float* values = grid + y * row + v * grid_lanes;
        float* modes = modes_.data() + y * complex_row(shape_) + v * fft_element;
        const bool both = v + 1 < vectors;
        const RealColumns real{values, both ? values + grid_lanes : nullptr, middle * row};
        const ModeColumns complex{modes, both ? modes + fft_element : nullptr, middle * complex_row(shape_)};
        float* scratch = scratch_[static_cast<std::size_t>(worker)].data();
        if (forward) {
            to_modes(axis, real, complex, scratch);
        } else {
            from_modes(axis, complex, real, scratch);
        }
    });
}

void GridConvolution::finish_row_blocks(device::Cpu& cpu, const float* greens_function) {
    const std::ptrdiff_t greens_block = std::ptrdiff_t{shape_.nodes[0] + 1} * grid_lanes;
    cpu.blocks(static_cast<Offset>(rows_.size()) / grid_lanes, 1, [&](Offset block, Offset, int worker) {
        convolve_rows(axes_[0], modes_.data() + block * grid_lanes * complex_row(shape_), complex_row(shape_),
                      greens_function + block * greens_block, scratch_[static_cast<std::size_t>(worker)].data());
    });
}

void GridConvolution::finish_planes(device::Cpu& cpu, const float* greens_function) {
    const std::ptrdiff_t plane = shape_.nodes[1] * complex_row(shape_);
    const std::ptrdiff_t greens_plane = static_cast<std::ptrdiff_t>(rows_.size()) * (shape_.nodes[0] + 1);
    cpu.blocks(shape_.nodes[2] + 1, 1, [&](Offset z, Offset, int worker) {
        finish_plane(modes_.data() + z * plane, greens_function + z * greens_plane,
                     scratch_[static_cast<std::size_t>(worker)].data());
    });
}

/// One mode of z: forward transform along y, convolution of all rows along x, backward transform along y, for even and
/// odd modes of y.
void GridConvolution::finish_plane(float* plane, const float* greens_function, float* scratch) {
    float* even = scratch + columns_scratch(shape_);
    float* odd = even + complex_plane(shape_);
    const std::ptrdiff_t row = complex_row(shape_);
    const int vectors = (shape_.nodes[0] + grid_lanes - 1) / grid_lanes;
    for (Offset v = 0; v < vectors; ++v) {
        split_parities(axes_[1], plane + v * fft_element, even + v * fft_element, odd + v * fft_element, row, scratch);
    }
    const std::ptrdiff_t greens_half = static_cast<std::ptrdiff_t>(rows_.size()) / 2 * (shape_.nodes[0] + 1);
    convolve_plane(even, greens_function, scratch);
    convolve_plane(odd, greens_function + greens_half, scratch);
    for (Offset v = 0; v < vectors; ++v) {
        join_parities(axes_[1], even + v * fft_element, odd + v * fft_element, plane + v * fft_element, row, scratch);
    }
}

void GridConvolution::convolve_plane(float* plane, const float* greens_function, float* scratch) {
    const std::ptrdiff_t block = grid_lanes * complex_row(shape_);
    const std::ptrdiff_t greens_block = std::ptrdiff_t{shape_.nodes[0] + 1} * grid_lanes;
    for (int b = 0; b < whole_lanes(shape_.nodes[1]) / grid_lanes; ++b) {
        convolve_rows(axes_[0], plane + b * block, complex_row(shape_), greens_function + b * greens_block, scratch);
    }
}

}  // namespace dunlin::forces
