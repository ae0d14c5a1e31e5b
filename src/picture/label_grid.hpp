// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "density/prominence.hpp"

namespace dunlin::picture {

/// Points of one label, counted in the cells of a grid, and the places where its name stands.
class LabelGrid {
public:
    using Cell = std::array<Index, 3>;

    /// Bits of a cell's number along an axis: fewer points need larger cells for a smooth field.
    static int bits_of(Offset points, int dim) {
        return (points < 1000 ? 5 : points < 20000 ? 6 : 7) - (dim == 2 ? 0 : 2);
    }

    LabelGrid(int side, int dim);

    void add(const Cell& cell, float points = 1);

    /// Nodes of the main maxima of the counts smoothed over five cells, most prominent first: with at least half the
    /// prominence of the first, or a valley of a quarter of their height all around, and a twentieth of the points (ten
    /// at least) nearest to them, three at most, and one of fewer than 50 points.
    [[nodiscard]] std::vector<density::Prominence> peaks() const;

    [[nodiscard]] Cell cell_of(Index node) const { return {node % side_, node / side_ % side_, node / side_ / side_}; }
    /// The number of points counted in a cell.
    [[nodiscard]] float points(const Cell& cell) const { return counts_[node_of(cell)]; }
    [[nodiscard]] int side() const { return side_; }

private:
    [[nodiscard]] std::size_t node_of(const Cell& cell) const {
        return static_cast<std::size_t>((Offset{cell[2]} * side_ + cell[1]) * side_ + cell[0]);
    }
    [[nodiscard]] std::vector<double> points_nearest_to(const std::vector<density::Prominence>& maxima) const;

    int side_, dim_;
    std::vector<float> counts_;
};

}  // namespace dunlin::picture
