// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace dunlin::io {

/// What a file holds. points: a row of numbers per point. graph: vertices and edges. dissimilarities: a square or
/// condensed matrix of them. documents: sparse rows of counts. automatic: to be guessed from name and content.
enum class Holds { automatic, points, graph, dissimilarities, documents };
constexpr std::array<std::string_view, 5> names(Holds) {
    return {"auto", "points", "graph", "dissimilarities", "documents"};
}

/// What a file is taken to hold, and why.
struct Guess {
    Holds holds = Holds::automatic;
    bool guessed = false;     ///< the content suggests it; else the format or the caller says so
    std::string reason = {};  ///< "two columns of whole numbers"; empty: the caller said so
};

/// Something else that a reader guessed, and the option that overrides it; no option: empty.
struct Note {
    std::string what, option;
};

}  // namespace dunlin::io
