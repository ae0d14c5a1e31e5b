// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dunlin::io {

/// Levels of graphs in graphs, and of lists in lists, in the formats of graphs, as in JSON (json_depth.hpp): libraries
/// recurse over them, and what is written for each level grows with its depth.
constexpr int most_nested = 64;

}  // namespace dunlin::io
