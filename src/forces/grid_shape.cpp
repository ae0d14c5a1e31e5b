#include "forces/grid_shape.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::forces {

namespace {

// Lengths whose transform (docs/grid.md) costs less than that of any longer one in the list; no step above a third
constexpr std::array ladder{16,  20,  24,  32,  40,  48,  64,  72,  80,  96,  108, 128,  144,  160,  192,  216,  256,
                            288, 320, 360, 384, 432, 512, 576, 640, 768, 864, 960, 1024, 1152, 1280, 1536, 1728, 2048};

// Distances between points reach one cell beyond their count, and splines reach two nodes further
int nodes_needed(double extent, double spacing) {
    return static_cast<int>(extent / spacing) + 1 + 2 + GridShape::fold_nodes;
}

}  // namespace

int GridShape::row() const {
    const int vectors = (nodes[0] + 2 + 15) / 16;  // a spline is stored as 8 lanes, 2 of them zeros
    return 16 * (vectors | 1);
}

GridShape grid_shape(double spacing, const std::array<double, 3>& extent, int dim) {
    const double widest = *std::max_element(extent.begin(), extent.begin() + dim);
    GridShape shape{.dim = dim, .spacing = spacing};
    while (widest < fewest_cells(dim) * shape.spacing) shape.spacing /= 2;
    const double most_cells = most_nodes(dim) - nodes_needed(0, 1);
    if (widest / shape.spacing > most_cells) {
        const double steps = std::ceil(4 * std::log2(widest / shape.spacing / most_cells));
        shape.spacing *= std::exp2(steps / 4);
    }
    for (int a = 0; a < dim; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        const int needed = std::min(nodes_needed(extent[axis], shape.spacing), most_nodes(dim));
        shape.nodes[axis] = *std::lower_bound(ladder.begin(), ladder.end(), needed);
    }
    return shape;
}

}  // namespace dunlin::forces
