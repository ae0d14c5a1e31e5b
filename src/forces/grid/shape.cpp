// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dunlin::forces {

namespace {

// Lengths whose transform (docs/repulsion.md) is faster than that of any longer one in the list; steps of at most a
// third
constexpr std::array cpu_ladder{16,  20,  24,  32,  40,   48,   64,   72,   80,   96,  108, 128,
                                144, 160, 192, 216, 256,  288,  320,  360,  384,  432, 512, 576,
                                640, 768, 864, 960, 1024, 1152, 1280, 1536, 1728, 2048};

int nodes_needed(double extent, double spacing) { return static_cast<int>(extent / spacing) - cells_within(0); }

/// The spacing, halved while the points span too few cells, or enlarged in steps of 2^(1/4) until `widest` fits.
double fitted_spacing(double spacing, double points_widest, double widest, int dim, int most_nodes) {
    while (points_widest < fewest_cells(dim) * spacing) spacing /= 2;
    const double most_cells = cells_within(most_nodes);
    if (widest / spacing <= most_cells) return spacing;
    return spacing * std::exp2(std::ceil(4 * std::log2(widest / spacing / most_cells)) / 4);
}

double widest_of(const std::array<double, 3>& extent, int dim) {
    return *std::max_element(extent.begin(), extent.begin() + dim);
}

template <std::size_t Lengths>
GridShape shape_on(const std::array<int, Lengths>& ladder, double spacing, const std::array<double, 3>& extent, int dim,
                   int most_nodes) {
    GridShape shape{.dim = dim, .spacing = spacing};
    for (int a = 0; a < dim; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        const int needed = std::min(nodes_needed(extent[axis], spacing), most_nodes);
        shape.nodes[axis] = *std::lower_bound(ladder.begin(), ladder.end(), needed);
    }
    return shape;
}

std::array<double, 3> grown(const std::array<double, 3>& extent, double factor) {
    return {extent[0] * factor, extent[1] * factor, extent[2] * factor};
}

/// True if points of this extent have room on the shape `now` and use at least half of its nodes per axis.
bool serves(const GridShape& now, const GridShape& wanted, const std::array<double, 3>& extent) {
    if (now.dim != wanted.dim || now.spacing != wanted.spacing) return false;
    for (std::size_t a = 0; a < static_cast<std::size_t>(now.dim); ++a) {
        if (now.nodes[a] < nodes_needed(1.1 * extent[a], now.spacing)) return false;
        if (now.nodes[a] > 2 * wanted.nodes[a]) return false;
    }
    return true;
}

}  // namespace

int GridShape::row() const {
    const int vectors = (nodes[0] + 2 + 15) / 16;  // a spline is stored as 8 lanes, of which 2 are zero
    return 16 * (vectors | 1);
}

GridShape grid_shape(double spacing, const std::array<double, 3>& extent, int dim) {
    const double widest = widest_of(extent, dim);
    const int most = max_nodes(dim);
    return shape_on(cpu_ladder, fitted_spacing(spacing, widest, widest, dim, most), extent, dim, most);
}

GridShape cuda_grid_shape(double spacing, const std::array<double, 3>& extent, int dim, const GridShape& now) {
    const auto roomy = grown(extent, 1.25);
    const int most = cuda_max_nodes(dim);
    const double fitted = fitted_spacing(spacing, widest_of(extent, dim), widest_of(roomy, dim), dim, most);
    GridShape wanted = shape_on(cuda_lengths, fitted, roomy, dim, most);
    for (int a = 0; a < dim; ++a) {
        int& nodes = wanted.nodes[static_cast<std::size_t>(a)];
        nodes = std::max(nodes, cuda_fewest_nodes(dim));
    }
    return serves(now, wanted, extent) ? now : wanted;
}

bool is_cuda_grid_shape(const GridShape& shape, int dim) {
    for (int axis = 0; axis < 3; ++axis) {
        const int nodes = shape.nodes[static_cast<std::size_t>(axis)];
        const bool is_length = std::find(cuda_lengths.begin(), cuda_lengths.end(), nodes) != cuda_lengths.end();
        if (axis < dim ? !is_length || nodes > cuda_max_nodes(dim) : nodes != 1) return false;
    }
    return shape.dim == dim && shape.spacing > 0 && std::isfinite(shape.spacing);
}

}  // namespace dunlin::forces
