// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>

#include "distance/tile.hpp"
#include "neighbors/quantized_rows.hpp"
#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// search_groups for few columns, in float32; for rows that are mostly zero; for inner products; and for all others, in
/// bytes.
void search_few_columns(device::Cpu& cpu, const Frame& frame, std::span<const Index> queries, Wanted wanted,
                        SearchProgress& progress, const Take& take);
void search_few_nonzeros(device::Cpu& cpu, const distance::Space& space, const Duplicates& items,
                         std::span<const Index> queries, Index k, SearchProgress& progress, const Take& take);
void search_products(device::Cpu& cpu, const distance::Space& space, const Duplicates& items,
                     std::span<const Index> queries, Index k, SearchProgress& progress, const Take& take);
/// k: of rows' lists, copies included.
Outcome search_many_columns(device::Cpu& cpu, const Frame& frame, const Census& census, std::span<const Index> queries,
                            Index k, Effort effort, SearchProgress& progress, const Take& take);

/// What a search is asked for, as far as its memory goes; all in bytes of memory at most, by numbers alone.
struct Size {
    Index items, cols;
    Offset queries;
    Index k;
    Metric metric;
    int threads;

    /// Threads that get one of so many blocks of work.
    [[nodiscard]] std::uint64_t busy(Offset blocks) const {
        return static_cast<std::uint64_t>(std::clamp<Offset>(blocks, 1, threads));
    }
};
std::uint64_t bytes_of_few_columns(const Size& size);
std::uint64_t bytes_of_many_columns(const Size& size, const Effort& effort);
std::uint64_t bytes_of_products(const Size& size);
/// nonzeros: in all items.
std::uint64_t bytes_of_few_nonzeros(const Size& size, std::uint64_t nonzeros);

/// Numbers as they are counted in bytes.
constexpr std::uint64_t bytes(Offset count) { return static_cast<std::uint64_t>(count); }
/// What BLAS packs, and keeps for the next, of a thread's product of floats: rows x inner by inner x columns.
constexpr std::uint64_t blas_bytes(Offset rows, Offset inner, Offset columns) {
    return bytes(std::min<Offset>(inner, 1024) * (rows + columns)) * sizeof(float) + (std::uint64_t{128} << 10);
}
constexpr Offset padded(Offset count, Offset to) { return (count + to - 1) / to * to; }

inline std::vector<Index> everything(Index items) {
    std::vector<Index> all(static_cast<std::size_t>(items));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Lays out a leaf's items as columns, `cell` coordinates of 16 columns side by side (see tile.hpp). Columns beyond the
/// items repeat the first and are not looked at.
template <class Value>
void lay_out(const Sketch<Value>& sketch, std::span<const Index> items, Index cell, Value* panels) {
    const auto columns =
        (std::ssize(items) + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
    for (Offset column = 0; column < columns; ++column) {
        const Value* row = sketch.row(items[static_cast<std::size_t>(column < std::ssize(items) ? column : 0)]);
        Value* out =
            panels + column / distance::lanes * distance::lanes * sketch.dims + column % distance::lanes * cell;
        for (Index c = 0; c < sketch.dims; c += cell) std::copy_n(row + c, cell, out + Offset{c} * distance::lanes);
    }
}

}  // namespace dunlin::neighbors
