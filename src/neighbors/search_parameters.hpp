// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/neighbors.hpp>

namespace dunlin::neighbors {

/// How much of the data is looked at: all that a bound does not exclude; or, of the cells that the data are cut into,
/// only so many for each block of queries, nearest first (probes). Without a number it is as many as would have found
/// this share of the neighbors of a sample of rows.
struct SearchParameters {
    bool exact = true;
    std::optional<Index> probes = {};
    double recall = default_recall;
    std::optional<Index> cells = {};  ///< where there are any; else the root of the number of items
    Index codes = 0;                  ///< bytes for a row; 0: rows as they are
    Index rerank = default_rerank;    ///< times as many as are wanted are chosen by codes
    std::uint64_t seed = 0;           ///< draws the sample by which recall is measured (recall_sample.hpp)
};
constexpr Index low_dimensional_columns = 4;  ///< up to this many, the CPU's search is exact (a k-d tree on floats)

/// How many cells so many items are cut into.
[[nodiscard]] Index cell_count(Index items, const SearchParameters& parameters);

/// A number of parts of which the data has `from`, in parts of which it has `to`, so that these hold as much or more.
/// Probes are cells (cell_count) on both devices, as an inverted file has them; the CPU's search without codes converts
/// them to leaves.
[[nodiscard]] constexpr Index rescale_up(Index parts, Index to, Index from) {
    return static_cast<Index>((Offset{parts} * to + from - 1) / from);
}

/// Throws Error{bad_input} if the codes find less than is asked for in all cells; found: what they find there.
void require_reachable_recall(const SearchParameters& parameters, double found);

/// What the options ask for, resolved by the number of rows and columns and where the search runs.
SearchParameters resolve_parameters(Index rows, Index cols, const Options& options, Device where);

}  // namespace dunlin::neighbors
