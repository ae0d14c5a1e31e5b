// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/sparse_rows.hpp"

#include <algorithm>

#include "distance/sparse_keys.hpp"
#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index sample_items = 1024;
constexpr Offset grain = 64;
constexpr Index cancellable_items = 1024;  ///< items between cancellation points of serial loops

}  // namespace

void SparseRows::Postings::make_room() {
    for (std::size_t l = 1; l < offsets.size(); ++l) offsets[l] += offsets[l - 1];
    places.resize(static_cast<std::size_t>(offsets.back()));
    values.resize(static_cast<std::size_t>(offsets.back()));
}

SparseRows::SparseRows(device::Cpu& cpu, const distance::Space& space, const DistinctRows& items)
    : space_(space), items_(items) {
    if (!space.sparse()) gather_rows(cpu);
    gather_columns();
}

void SparseRows::gather_rows(device::Cpu& cpu) {
    const auto values_of = [this](Offset item) { return space_.row(row_of(static_cast<Index>(item))); };
    by_row_.offsets.assign(static_cast<std::size_t>(items_.groups()) + 1, 0);
    cpu.each(
        items_.groups(),
        [&](Offset item) {
            const auto row = values_of(item);
            by_row_.offsets[static_cast<std::size_t>(item) + 1] = std::ssize(row) - std::ranges::count(row, 0.0F);
        },
        grain);
    by_row_.make_room();
    cpu.each(
        items_.groups(),
        [&](Offset item) {
            const auto row = values_of(item);
            auto at = static_cast<std::size_t>(by_row_.offsets[static_cast<std::size_t>(item)]);
            for (std::size_t c = 0; c < row.size(); ++c) {
                if (row[c] == 0) continue;
                by_row_.places[at] = static_cast<Index>(c);
                by_row_.values[at++] = row[c];
            }
        },
        grain);
}

void SparseRows::gather_columns() {
    by_column_.offsets.assign(static_cast<std::size_t>(cols()) + 1, 0);
    for (Index item = 0; item < items(); ++item) {
        if (item % cancellable_items == 0) progress::cancellation_point();
        for (const Index column : row(item).places) ++by_column_.offsets[static_cast<std::size_t>(column) + 1];
    }
    by_column_.make_room();
    std::vector<Offset> next = by_column_.offsets;
    for (Index item = 0; item < items(); ++item) {
        if (item % cancellable_items == 0) progress::cancellation_point();
        const Entries entries = row(item);
        for (std::size_t e = 0; e < entries.places.size(); ++e) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(entries.places[e])]++);
            by_column_.places[at] = item;
            by_column_.values[at] = entries.values[e];
        }
    }
}

double SparseRows::key(Index a, Index b) const {
    return distance::sparse_key(space_.metric(), cols(), stored(a), space_.direction(row_of(a)), stored(b),
                                space_.direction(row_of(b)));
}

namespace {

template <class RowOf>
double in_common(MatrixView<const float> points, Index items, const RowOf& row_of) {
    const Index taken = std::min(items, sample_items);
    std::vector<double> counts(static_cast<std::size_t>(points.cols), 0.0);
    for (Index s = 0; s < taken; ++s) {
        const auto row = points.row(row_of(static_cast<Index>(Offset{s} * items / taken)));
        for (std::size_t c = 0; c < row.size(); ++c) counts[c] += row[c] != 0 ? 1 : 0;
    }
    double common = 0;
    for (const double count : counts) common += count / taken * (count / taken);
    return common;
}

}  // namespace

double columns_in_common(const distance::Space& space, const DistinctRows& items) {
    return in_common(space.points(), items.size(), [&](Index item) { return items.first(item); });
}

double columns_in_common(MatrixView<const float> points) {
    return in_common(points, points.rows, [](Index row) { return row; });
}

}  // namespace dunlin::neighbors
