// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/reliability.hpp>

#include "device/cpu.hpp"

namespace dunlin::reliability {

/// Median over the points of the distance in the map to the nearest point at another position; NaN if there is none.
/// nearest: neighbors in the map, nearest first; a row whose neighbors all coincide with it is left out.
double nn_distance_of(const Graph& nearest);

/// Largest extent of the map along an axis.
double span_of(const Map& map);

/// Upper median; `values` is not empty and has no NaN.
double median_of(std::vector<float> values);

/// summarize, given the unit of home.
Summary summarize(const Map& map, const Columns& columns, double nn_distance);

}  // namespace dunlin::reliability
