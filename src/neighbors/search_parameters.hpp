// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/neighbors.hpp>

namespace dunlin::neighbors {

/// Search parameters after resolution. exact: all pairs that no bound excludes. Otherwise each block of queries
/// searches the `probes` nearest cells, or as many as give `recall` on the calibration rows.
struct SearchParameters {
    bool exact = true;
    std::optional<Index> probes = {};
    double recall = default_recall;
    std::optional<Index> cells = {};  ///< number of cells; default: square root of the number of items
    Index codes = 0;                  ///< bytes of a row's code; 0: no product quantization
    Index rerank = default_rerank;    ///< refine ratio: rerank * k candidates are chosen by codes
    std::uint64_t seed = 0;           ///< seed of the recall sample (recall/recall_sample.hpp)
};
constexpr Index low_dimensional_columns = 4;  ///< up to here, the search on a CPU is exact, by a k-d tree on floats

/// Number of cells for so many items.
[[nodiscard]] Index cell_count(Index items, const SearchParameters& parameters);

/// Converts a number of partitions, out of `from` equal ones, to partitions out of `to`, rounded up. Probes count cells
/// (cell_count) on both devices; the search on a CPU without codes converts them to leaves.
[[nodiscard]] constexpr Index rescale_up(Index parts, Index to, Index from) {
    return static_cast<Index>((Offset{parts} * to + from - 1) / from);
}

/// Throws Error{bad_input} if `found`, the recall of the codes in all cells, is below parameters.recall.
void require_reachable_recall(const SearchParameters& parameters, double found);

/// Resolves the options for this number of rows and columns and this device. Throws Error{bad_input}.
SearchParameters resolve_parameters(Index rows, Index cols, const Options& options, Device where);

}  // namespace dunlin::neighbors
