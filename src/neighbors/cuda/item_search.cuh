// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "neighbors/cuda/item_source.cuh"

namespace dunlin::neighbors {

/// Queries apart from the points, in host memory. They are numbered after the items, so that none is taken for one.
class ApartQueries {
public:
    ApartQueries(MatrixView<const float> rows, Metric metric, Index items)
        : rows_(rows), metric_(metric), items_(items) {}

    [[nodiscard]] Index count() const { return rows_.rows; }
    [[nodiscard]] std::uint64_t bytes_per_row() const {
        return static_cast<std::uint64_t>(rows_.cols) * sizeof(float) + 16;
    }
    /// Queries [first, first + count). Valid until `loaded` is loaded again.
    ItemRows load(device::Cuda& cuda, Index first, Index count, LoadedRows& loaded) const;

private:
    MatrixView<const float> rows_;
    Metric metric_;
    Index items_;
};

/// A search among the items: of the items for each other, for lists of all `rows` points without the point itself, or
/// for queries apart from the points, whose lists exclude nothing.
struct ItemSearch {
    ItemSource& items;
    Index rows, k;
    Metric metric;
    const ApartQueries* apart = nullptr;

    /// Length of a point's list, and of an item's.
    [[nodiscard]] Index degree() const { return std::min(k, rows - 1); }
    [[nodiscard]] Index listed() const { return std::min(degree(), items.count() - 1); }

    /// Number and length of the lists of the result, and the number of items that each query's list needs.
    [[nodiscard]] Index lists() const { return apart != nullptr ? apart->count() : rows; }
    [[nodiscard]] Index list_degree() const { return apart != nullptr ? std::min(k, rows) : degree(); }
    [[nodiscard]] Index wanted() const { return apart != nullptr ? std::min(k, items.count()) : listed(); }
};

}  // namespace dunlin::neighbors
