// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/points.hpp"

#include <algorithm>

namespace dunlin::forces {

namespace {

// Cells of a tile along x, y and z; its nodes fit in the L1 cache
template <int D>
constexpr std::array<int, 3> tile_cells = D == 2 ? std::array{64, 8, 1} : std::array{32, 8, 8};

}  // namespace

template <int D>
int GridOrder<D>::tile(const float (&at)[D]) const {
    int index = 0;
    for (int d = D - 1; d >= 0; --d) {
        const auto axis = static_cast<std::size_t>(d);
        const int along = static_cast<int>(at[d]) / tile_cells<D>[axis];
        index = index * tiles_[axis] + std::clamp(along, 0, tiles_[axis] - 1);
    }
    return index;
}

/// Stable counting sort by tile, in blocks that depend on n only.
template <int D>
void GridOrder<D>::sort(device::Cpu& cpu, const GridShape& shape, const GridFrame& frame, MatrixView<const float> y) {
    for (std::size_t a = 0; a < D; ++a) tiles_[a] = shape.nodes[a] / tile_cells<D>[a] + 1;
    grain_ = std::max<Offset>(4096, (y.rows + 31) / 32);
    points_.resize(static_cast<std::size_t>(y.rows));
    count(cpu, frame, y);
    const auto tiles = static_cast<std::size_t>(Offset{tiles_[0]} * tiles_[1] * tiles_[2]);
    const std::size_t per_strip = tiles / static_cast<std::size_t>(tiles_[D - 1]);
    strip_begin_.assign(1, 0);
    Offset begin = 0;
    for (std::size_t t = 0; t < tiles; ++t) {
        for (std::size_t at = t; at < counts_.size(); at += tiles) begin += std::exchange(counts_[at], begin);
        if ((t + 1) % per_strip == 0) strip_begin_.push_back(begin);
    }
    place(cpu, frame, y);
}

template <int D>
void GridOrder<D>::count(device::Cpu& cpu, const GridFrame& frame, MatrixView<const float> y) {
    const Offset tiles = Offset{tiles_[0]} * tiles_[1] * tiles_[2];
    counts_.assign(static_cast<std::size_t>((y.rows + grain_ - 1) / grain_ * tiles), 0);
    cpu.blocks(y.rows, grain_, [&](Offset begin, Offset end, int) {
        Offset* counts = counts_.data() + begin / grain_ * tiles;
        for (Offset i = begin; i < end; ++i) {
            float at[D];
            to_grid<D>(frame, y.data + i * D, at);
            ++counts[tile(at)];
        }
    });
}

template <int D>
void GridOrder<D>::place(device::Cpu& cpu, const GridFrame& frame, MatrixView<const float> y) {
    const Offset tiles = Offset{tiles_[0]} * tiles_[1] * tiles_[2];
    cpu.blocks(y.rows, grain_, [&](Offset begin, Offset end, int) {
        Offset* next = counts_.data() + begin / grain_ * tiles;
        for (Offset i = begin; i < end; ++i) {
            GridPoint<D> point;
            to_grid<D>(frame, y.data + i * D, point.at);
            point.id = static_cast<Index>(i);
            points_[static_cast<std::size_t>(next[tile(point.at)]++)] = point;
        }
    });
}

template class GridOrder<2>;
template class GridOrder<3>;

}  // namespace dunlin::forces
