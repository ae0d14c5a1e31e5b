// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/umap.hpp>

#include "device/cpu.hpp"

/// Local radii of points, which densMAP keeps (umap::log_radii).
namespace dunlin::umap {

/// Added to radii before the logarithm, times the mean of all in the data: points whose neighbors are copies have a
/// radius of 0.
constexpr double least_radius = 1e-8;

/// Logarithms of radii over their mean, NaN: no edge, and the logarithm of this mean: so that the unit of the data
/// changes no digit of the former.
struct LogRadii {
    std::vector<double> of;
    double log_mean = 0;
};

/// Of checked lists and the memberships made from them.
LogRadii log_radii_of(device::Cpu& cpu, const Graph& neighbors, const Graph& memberships, int power);

/// (r - mean) / deviation; 0 for points without a radius (NaN), and if all radii are equal.
std::vector<float> standardized(device::Cpu& cpu, std::span<const double> log_radii);

}  // namespace dunlin::umap
