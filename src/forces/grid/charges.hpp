// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "forces/grid/points.hpp"

namespace dunlin::forces {

/// Charge assignment in whole numbers of 2^-charge_bits, as on a GPU: the sums are exact, however many points there
/// are, and do not depend on the order of the points.
class ChargeSpreader {
public:
    /// Adds the B-splines of all points to `charges`, each times weights[id], from 0 to 1; without weights times 1.
    template <int D>
    void spread(device::Cpu& cpu, const GridOrder<D>& order, std::span<const float> weights, const GridStrides& strides,
                std::span<std::int64_t> charges);

private:
    std::vector<std::vector<std::int32_t>> tiles_;  ///< one per worker
};

/// Nodes of a tile in which charges are summed in 32 bits.
constexpr int charge_tile = 8192;

/// Adds the splines of points whose cells are least[d] .. , to a tile of `row` nodes along x and `plane` per plane.
/// weights: null, or one per id.
template <int D>
void spread_to_tile(const GridPoint<D>* points, Offset count, const float* weights, const int (&least)[D],
                    const GridStrides& strides, std::int32_t* tile);

}  // namespace dunlin::forces
