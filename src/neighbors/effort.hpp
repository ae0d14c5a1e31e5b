#pragma once

#include <optional>

#include <dunlin/neighbors.hpp>

namespace dunlin::neighbors {

/// How much of the data is looked at: all that a bound does not exclude; or, of the parts that the data are cut into,
/// only so many for each block of queries, nearest first. Without a number it is as many as would have found this share
/// of the neighbours of a sample of rows.
struct Effort {
    bool exact = true;
    std::optional<Index> probes = {};
    double recall = default_recall;
    std::optional<Index> cells = {};  ///< on a GPU; else the root of the number of items
};
constexpr Index most_cells = 4096;

/// What the options ask for, resolved by the number of rows and columns and where the search runs.
Effort effort_for(Index rows, Index cols, const Options& options, Device where);

}  // namespace dunlin::neighbors
