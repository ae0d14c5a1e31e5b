// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "io/output.hpp"

namespace dunlin::io {

/// A map to be written, and what is known of its points; no ids, no labels where these are empty.
struct MapParts {
    const Map& map;
    const std::vector<std::string>& ids;
    const Labels& labels;
};

/// Throws Error{bad_input} if these do not fit each other or a coordinate is not finite; name: of the file.
void check_map(const MapParts& parts, const std::string& name);

/// The object that holds a map in JSON, but for the brace that closes it.
void write_open_json(Output& out, const MapParts& parts);

}  // namespace dunlin::io
