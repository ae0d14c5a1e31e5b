// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/map_origin.hpp>

#include "io/output.hpp"

namespace dunlin::io {

/// An origin of zeros becomes empty.
void drop_zeros(std::vector<double>& origin);

/// Writes the shortest decimal of a coordinate with its origin.
void write_coordinate(Output& out, const Map& map, Index point, int axis);
std::string coordinate_text(const Map& map, Index point, int axis);

}  // namespace dunlin::io
