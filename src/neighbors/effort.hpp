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
    std::optional<Index> cells = {};  ///< where there are any; else the root of the number of items
    Index codes = 0;                  ///< bytes for a row; 0: rows as they are
    Index rerank = default_rerank;    ///< times as many as are wanted are chosen by codes
    std::uint64_t seed = 0;           ///< draws the rows that judge an approximate search
};
constexpr Index most_cells = 4096;

/// How many cells so many items are cut into.
[[nodiscard]] Index cells_for(Index items, const Effort& effort);

/// Throws Error{bad_input} if the codes find less than is asked for in all cells; found: what they find there.
void require_reach(const Effort& effort, double found);

/// What the options ask for, resolved by the number of rows and columns and where the search runs.
Effort effort_for(Index rows, Index cols, const Options& options, Device where);

}  // namespace dunlin::neighbors
