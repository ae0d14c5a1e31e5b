// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace dunlin::forces {

/// Nodes per axis that a point is spread to: the order of the B-spline.
constexpr int grid_order = 6;

/// Charges that are summed as whole numbers are in units of 2^-charge_bits of a point's charge.
constexpr int charge_bits = 20;
/// Most points whose charges are summed in 32 bits: a node has at most 0.3025 of each.
constexpr int max_chunk = 4096;
static_assert(max_chunk * 0.3025 * (1 << charge_bits) < std::numeric_limits<std::int32_t>::max());

/// A regular grid that covers the points, with margins for their splines and for folding the kernel smoothly.
struct GridShape {
    int dim = 2;
    std::array<int, 3> nodes{1, 1, 1};  ///< along x, y, z: lengths for which the FFT is fast; 1 beyond dim
    double spacing = 0;                 ///< between nodes, in units of y

    bool operator==(const GridShape&) const = default;

    /// Largest exact distance in nodes; larger distances are folded.
    [[nodiscard]] int reach(int axis) const { return nodes[static_cast<std::size_t>(axis)] - fold_nodes; }

    /// Floats between rows of x: an odd number of vectors, since with a power of two all elements of a column would map
    /// to one cache set.
    [[nodiscard]] int row() const;
    [[nodiscard]] int row_vectors() const { return row() / 16; }

    static constexpr int fold_nodes = 6;
};

/// Most cells that points may span on `nodes` nodes: distances between points reach one cell further, and splines two
/// nodes more.
constexpr int cells_within(int nodes) { return nodes - 3 - GridShape::fold_nodes; }

/// Grid for points of this extent: spacing of at most `spacing`, and finer for a small extent, so that it spans at
/// least fewest_cells(dim). An extent that would need more than max_nodes(dim) nodes gets a larger spacing. Spacing
/// and nodes change in steps, so that a Green's function is valid for many iterations.
GridShape grid_shape(double spacing, const std::array<double, 3>& extent, int dim);

/// Grid for a GPU, with at most cuda_max_nodes(dim) nodes. A GPU keeps a shape for several iterations and has few fast
/// lengths. Leaves room for the extent
/// to grow by a quarter. Returns `now` as long as that leaves room for a tenth. At least cuda_fewest_nodes(dim) per
/// axis: fewer are not faster, and a map may grow severalfold in its first iterations.
GridShape cuda_grid_shape(double spacing, const std::array<double, 3>& extent, int dim, const GridShape& now);

/// Whether cuda_grid_shape could have made this shape.
bool is_cuda_grid_shape(const GridShape& shape, int dim);

/// Lengths of the GPU's FFT: powers of two, some times 3 / 2 or 5 / 4.
inline constexpr std::array cuda_lengths{64,  80,  96,   128,  160,  192,  256,  320,  384, 512,
                                         640, 768, 1024, 1280, 1536, 2048, 2560, 3072, 4096};

constexpr int cuda_fewest_nodes(int dim) { return dim == 2 ? 256 : 64; }

/// Fewest cells along the widest axis.
constexpr int fewest_cells(int dim) { return dim == 2 ? 32 : 16; }

/// Most nodes along an axis. A GPU has more, for maps of 100 million points; on a CPU a far outlier alone would make
/// each iteration four times as long.
constexpr int max_nodes(int dim) { return dim == 2 ? 2048 : 256; }
constexpr int cuda_max_nodes(int dim) { return dim == 2 ? 4096 : 256; }

}  // namespace dunlin::forces
