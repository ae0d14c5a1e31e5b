#pragma once

#include <algorithm>
#include <numeric>

#include "neighbors/exact.hpp"
#include "neighbors/sketch.hpp"
#include "neighbors/tile.hpp"

namespace dunlin::neighbors {

/// search_groups for few columns, in float32; for rows that are mostly zero; for inner products; and for all others, in
/// bytes.
void search_few_columns(device::Cpu& cpu, const Frame& frame, std::span<const Index> queries, Index k, Watch& watch,
                        const Take& take);
void search_few_nonzeros(device::Cpu& cpu, const Space& space, const Duplicates& items, std::span<const Index> queries,
                         Index k, Watch& watch, const Take& take);
void search_products(device::Cpu& cpu, const Space& space, const Duplicates& items, std::span<const Index> queries,
                     Index k, Watch& watch, const Take& take);
/// k: of rows' lists, copies included.
Outcome search_many_columns(device::Cpu& cpu, const Frame& frame, const Census& census, std::span<const Index> queries,
                            Index k, Effort effort, Watch& watch, const Take& take);

inline std::vector<Index> everything(Index items) {
    std::vector<Index> all(static_cast<std::size_t>(items));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Lays out a leaf's items as columns, `cell` coordinates of 16 columns side by side (see tile.hpp). Columns beyond the
/// items repeat the first and are not looked at.
template <class Value>
void lay_out(const Sketch<Value>& sketch, std::span<const Index> items, Index cell, Value* panels) {
    const auto columns = (std::ssize(items) + group_columns - 1) / group_columns * group_columns;
    for (Offset column = 0; column < columns; ++column) {
        const Value* row = sketch.row(items[static_cast<std::size_t>(column < std::ssize(items) ? column : 0)]);
        Value* out = panels + column / lanes * lanes * sketch.dims + column % lanes * cell;
        for (Index c = 0; c < sketch.dims; c += cell) std::copy_n(row + c, cell, out + Offset{c} * lanes);
    }
}

}  // namespace dunlin::neighbors
