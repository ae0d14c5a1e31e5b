// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include <dunlin/landscape.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "picture/lattice.hpp"

namespace dunlin::picture {

/// The density of a map for a page: a number per node of its grid, whose lowest 16 bits are the elevation relative to
/// the highest one, and the next 8 bits the shade: 128 none, 255 darkest, 0 lightest.
struct PageRelief {
    nlohmann::json facts;               ///< null: the map has no points, or no two dimensions
    std::vector<std::uint32_t> values;  ///< node (x, y) is number x + nodes[0] y
    LatticePoints grid;                 ///< origin and step only
};

PageRelief page_relief(device::Cpu& cpu, const Map& map, const LandscapeOptions& landscape, const Run& run);

}  // namespace dunlin::picture
