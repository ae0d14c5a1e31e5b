// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/scalar_field.hpp>

#include "device/cpu.hpp"

namespace dunlin::picture {

/// Black or white over each node, row 0 at the top, as opacities: 0 to 255 darker, 0 to -255 lighter.
struct Shade {
    int width = 0, height = 0;
    std::vector<std::int16_t> values;
};

/// Elevation of a density: log(1 + density / water). Its slopes are visible from the coast to the peaks.
double elevation(double density, double water);
std::vector<float> elevations(device::Cpu& cpu, const ScalarField& density, double water);

/// Adds fractal noise by midpoint displacement (Fournier, Fussell and Carpenter 1982) of standard deviation
/// `height` times the largest elevation, times 2^-0.75 with each level. A random number depends on the seed, the level
/// and the node.
void add_detail(device::Cpu& cpu, const ScalarField& grid, double height, std::uint64_t seed,
                std::vector<float>& elevations);

/// Lambert's law with light from the upper left, 45 degrees high; normals by central differences. Heights are scaled so
/// that the 90% quantile of the slopes on land, where the density is at least `water`, is 45 degrees. Off the coast the
/// shade fades away.
Shade hillshade(device::Cpu& cpu, const ScalarField& density, double water, const std::vector<float>& elevations);

}  // namespace dunlin::picture
