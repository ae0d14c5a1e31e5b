// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/distinct_rows.hpp"

namespace dunlin::neighbors {

/// The nonzeros of the items, by row (columns ascending) and by column (items ascending); of queries that are no items
/// by row only.
class SparseRows {
public:
    struct Entries {
        std::span<const Index> places;  ///< columns of an item, or items of a column
        std::span<const float> values;
    };

    /// The rows of `space` are dense, or sparse and then not copied.
    SparseRows(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items);

    [[nodiscard]] Index items() const { return items_.size(); }
    [[nodiscard]] Index cols() const { return space_.points().cols; }
    [[nodiscard]] const distance::Space& space() const { return space_; }
    [[nodiscard]] Index row_of(Index group) const { return items_.first(group); }

    [[nodiscard]] Entries row(Index group) const {
        if (!space_.sparse()) return by_row_.entries(group);
        const SparseRow stored = space_.sparse()->row(row_of(group));
        return {stored.columns, stored.values};
    }
    [[nodiscard]] Entries column(Index column) const { return by_column_.entries(column); }

    /// Space::key of two items or queries, computed from their nonzeros.
    [[nodiscard]] double key(Index a, Index b) const;

private:
    struct Postings {
        std::vector<Offset> offsets;
        std::vector<Index> places;
        std::vector<float> values;

        void make_room();  ///< offsets holds counts, shifted by one; turns them into offsets
        [[nodiscard]] Entries entries(Index list) const {
            const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(list)]);
            const auto count = static_cast<std::size_t>(offsets[static_cast<std::size_t>(list) + 1]) - begin;
            return {std::span(places).subspan(begin, count), std::span(values).subspan(begin, count)};
        }
    };

    [[nodiscard]] SparseRow stored(Index item) const { return {row(item).places, row(item).values}; }
    void gather_rows(device::Cpu& cpu);
    void gather_columns();

    const distance::Space& space_;
    const DistinctRows& items_;
    Postings by_row_, by_column_;
};

/// Mean number of columns in which two items are both nonzero, over all pairs of a sample.
double columns_in_common(const distance::Space& space, const DistinctRows& items);
/// Mean number of columns in common over pairs of all rows, duplicates included.
double columns_in_common(MatrixView<const float> points);

}  // namespace dunlin::neighbors
