// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/charges.hpp"

#include <algorithm>

#include "math/at.hpp"

namespace dunlin::forces {

namespace {

/// The cells that some points lie in, as a block of nodes.
template <int D>
struct CellBlock {
    int least[D], nodes[D];

    CellBlock(const GridPoint<D>* points, Offset count) {
        int most[D];
        for (int d = 0; d < D; ++d) least[d] = most[d] = static_cast<int>(points[0].at[d]);
        for (Offset i = 1; i < count; ++i) {
            for (int d = 0; d < D; ++d) {
                const int cell = static_cast<int>(points[i].at[d]);
                least[d] = std::min(least[d], cell);
                most[d] = std::max(most[d], cell);
            }
        }
        for (int d = 0; d < D; ++d) nodes[d] = most[d] - least[d] + grid_order;
    }

    /// Two unused nodes follow each row: a spline is stored as 8 lanes.
    [[nodiscard]] GridStrides strides() const {
        const Offset row = nodes[0] + 2;
        return {row, row * nodes[1]};
    }
    [[nodiscard]] Offset rows() const { return D == 2 ? nodes[1] : Offset{nodes[1]} * nodes[D - 1]; }
    [[nodiscard]] Offset size() const { return strides().row * rows(); }
};

/// Spreads up to max_chunk points through a tile; halves them until their cells fit into one.
template <int D>
void spread_some(const GridPoint<D>* points, Offset count, const float* weights, const GridStrides& strides,
                 std::vector<std::int32_t>& tile, std::int64_t* charges) {
    const CellBlock<D> block(points, count);
    if (block.size() > charge_tile) {
        const Offset half = count / 2;
        spread_some(points, half, weights, strides, tile, charges);
        return spread_some(points + half, count - half, weights, strides, tile, charges);
    }
    std::fill_n(tile.begin(), block.size(), 0);
    spread_to_tile<D>(points, count, weights, block.least, block.strides(), tile.data());
    for (Offset r = 0; r < block.rows(); ++r) {
        Offset node = block.least[0] + (block.least[1] + r % block.nodes[1]) * strides.row;
        if constexpr (D == 3) node += (block.least[2] + r / block.nodes[1]) * strides.plane;
        const std::int32_t* from = tile.data() + r * block.strides().row;
        for (int x = 0; x < block.nodes[0]; ++x) charges[node + x] += from[x];
    }
}

}  // namespace

template <int D>
void ChargeSpreader::spread(device::Cpu& cpu, const GridOrder<D>& order, std::span<const float> weights,
                            const GridStrides& strides, std::span<std::int64_t> charges) {
    tiles_.resize(at(cpu.threads()));
    for (auto& tile : tiles_) tile.resize(charge_tile);
    const float* const weight = weights.empty() ? nullptr : weights.data();
    // Splines of strips that are not adjacent share no node
    for (const int first : {0, 1}) {
        cpu.blocks((order.strips() + 1 - first) / 2, 1, [&](Offset block, Offset, int worker) {
            const int strip = first + 2 * static_cast<int>(block);
            const Offset begin = order.strip_begin(strip), end = order.strip_begin(strip + 1);
            for (Offset i = begin; i < end; i += max_chunk) {
                spread_some(order.points().data() + i, std::min<Offset>(max_chunk, end - i), weight, strides,
                            tiles_[at(worker)], charges.data());
            }
        });
    }
}

template void ChargeSpreader::spread<2>(device::Cpu&, const GridOrder<2>&, std::span<const float>, const GridStrides&,
                                        std::span<std::int64_t>);
template void ChargeSpreader::spread<3>(device::Cpu&, const GridOrder<3>&, std::span<const float>, const GridStrides&,
                                        std::span<std::int64_t>);

}  // namespace dunlin::forces
