// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

namespace dunlin::io {

/// The points of a GeoJSON as a text table: x, y, z where there is one, and a column per property. Throws
/// Error{bad_file} for other geometries, with the number of the feature.
Bytes table_of_geojson(const Bytes& bytes);

}  // namespace dunlin::io
