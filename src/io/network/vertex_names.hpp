// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/network.hpp>

namespace dunlin::io {

/// Names vertices by their labels if all have one and these are distinct, else by their ids; a picture then has the
/// labels. Both have one per vertex; an empty label: none.
void name_vertices(Network& network, std::vector<std::string> ids, std::vector<std::string> labels);

/// Sets the names that a picture has beside ids: the labels, and the ids of vertices without one.
void draw_labels(Network& network, std::vector<std::string> labels);

}  // namespace dunlin::io
