// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "io/output.hpp"

namespace dunlin::io {

/// A map to write with the ids and labels of its points, which may be empty.
struct MapParts {
    const Map& map;
    const std::vector<std::string>& ids;
    const Labels& labels;
};

/// Throws Error{bad_input} if the sizes differ or a coordinate is not finite. name: of the file.
void check_map(const MapParts& parts, const std::string& name);

/// Writes the JSON object of a map without its closing brace.
void write_open_json(Output& out, const MapParts& parts);

}  // namespace dunlin::io
