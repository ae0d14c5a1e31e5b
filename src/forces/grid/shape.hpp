// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace dunlin::forces {

/// Nodes that a point is spread to along an axis: the order of the B-spline.
constexpr int grid_order = 6;

/// A regular grid that covers the points, with room for their splines and for the kernel to fold back smoothly.
struct GridShape {
    int dim = 2;
    std::array<int, 3> nodes{1, 1, 1};  ///< along x, y, z; a length the FFT is fast at; 1 beyond dim
    double spacing = 0;                 ///< between nodes, in units of y

    bool operator==(const GridShape&) const = default;

    /// The law's distances are true up to this many nodes; beyond, they fold back.
    [[nodiscard]] int reach(int axis) const { return nodes[static_cast<std::size_t>(axis)] - fold_nodes; }

    /// Floats from one row of x to the next: whole vectors, an odd number of them, since a power of two would put a
    /// column into a single set of the cache.
    [[nodiscard]] int row() const;
    [[nodiscard]] int row_vectors() const { return row() / 16; }

    static constexpr int fold_nodes = 6;
};

/// Most cells that points may extend over on so many nodes: distances between points reach one cell beyond that, and
/// splines two nodes further.
constexpr int cells_within(int nodes) { return nodes - 3 - GridShape::fold_nodes; }

/// No grid below this extent, where a law is linear: strength(r2) and mass(r2) are those at 0 to within a millionth.
constexpr double linear_extent = 1e-3;

/// The grid for points that extend this far: at most `spacing` between nodes, and finer where the points lie close
/// together, so that they spread over fewest_cells(dim). An extent that would need more nodes than most_nodes(dim)
/// gets a larger spacing. Spacing and nodes move in steps, so that a Green's function lasts for many iterations.
GridShape grid_shape(double spacing, const std::array<double, 3>& extent, int dim);

/// The same for a GPU, which keeps a shape for several iterations and is fast at few lengths: with room for the extent
/// to grow by a quarter, and `now` as long as it leaves the points a tenth. At least cuda_fewest_nodes(dim) per axis:
/// fewer would not be faster, and a young map may grow severalfold.
GridShape cuda_grid_shape(double spacing, const std::array<double, 3>& extent, int dim, const GridShape& now);

/// The lengths: powers of two, some of them times 3 / 2 or 5 / 4.
inline constexpr std::array cuda_lengths{64,  80,  96,  128, 160,  192,  256,  320,
                                         384, 512, 640, 768, 1024, 1280, 1536, 2048};

constexpr int cuda_fewest_nodes(int dim) { return dim == 2 ? 256 : 64; }

/// Cells along the widest axis, at least.
constexpr int fewest_cells(int dim) { return dim == 2 ? 32 : 16; }

/// Most nodes along an axis.
constexpr int most_nodes(int dim) { return dim == 2 ? 2048 : 256; }

}  // namespace dunlin::forces
