// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace dunlin::io {

/// Kind of data in a file. points: one row of numbers per point. graph: vertices and edges. dissimilarities: a square
/// or condensed matrix. documents: sparse rows of counts. automatic: detected from name and content.
enum class Holds { automatic, points, graph, dissimilarities, documents };
constexpr std::array<std::string_view, 5> names(Holds) {
    return {"auto", "points", "graph", "dissimilarities", "documents"};
}

/// Kind of data that a reader assumes in a file, and the reason.
struct Guess {
    Holds holds = Holds::automatic;
    bool guessed = false;     ///< true: inferred from the content; false: given by the format or the caller
    std::string reason = {};  ///< such as "two columns of whole numbers"; empty: given by the caller
};

/// Another guess of a reader, and the option that overrides it (may be empty).
struct Note {
    std::string what, option;
};

}  // namespace dunlin::io
