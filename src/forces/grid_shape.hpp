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

/// The grid for points that extend this far: at most `spacing` between nodes, and finer where the points lie close
/// together, so that they spread over fewest_cells(dim). An extent that would need more nodes than most_nodes(dim)
/// gets a larger spacing. Spacing and nodes move in steps, so that a spectrum lasts for many iterations.
GridShape grid_shape(double spacing, const std::array<double, 3>& extent, int dim);

/// Cells along the widest axis, at least.
constexpr int fewest_cells(int dim) { return dim == 2 ? 32 : 16; }

/// Most nodes along an axis.
constexpr int most_nodes(int dim) { return dim == 2 ? 2048 : 256; }

}  // namespace dunlin::forces
