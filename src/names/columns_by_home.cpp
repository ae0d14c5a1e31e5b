// SPDX-License-Identifier: Apache-2.0
#include "names/columns_by_home.hpp"

#include <fmt/format.h>

#include <cmath>

#include "device/fail.hpp"
#include "progress/cancel.hpp"

namespace dunlin::naming {

namespace {

/// Calls use(row, column, value) for each entry that counts, rows in their order.
template <class Use>
void each_entry(const SparseView& matrix, std::span<const Index> rows, const Use& use) {
    for (const Index row : rows) {
        progress::cancellation_point();
        const SparseRow entries = matrix.row(row);
        for (std::size_t e = 0; e < entries.columns.size(); ++e) {
            if (entries.values[e] != 0) use(row, entries.columns[e], entries.values[e]);
        }
    }
}

}  // namespace

void refuse_value(Offset row, Index column, float value, bool signed_values) {
    device::bad_row(row,
                    fmt::format("row {} has the value {} in column {}; {}", row + 1, value, column + 1,
                                signed_values ? "values must be finite: fill or leave out rows with missing ones"
                                              : "counts must be finite and at least 0"),
                    column);
}

ColumnsByHome columns_by_home(const GroupTree& tree, const SparseView& matrix, bool signed_values) {
    const RowsByHome sorted = rows_by_home(tree);
    ColumnsByHome columns;
    columns.begin.assign(at(matrix.cols) + 1, 0);
    each_entry(matrix, sorted.rows, [&](Index row, Index column, float value) {
        if (!std::isfinite(value) || (!signed_values && value < 0)) refuse_value(row, column, value, signed_values);
        ++columns.begin[at(column) + 1];
    });
    for (std::size_t c = 0; c < at(matrix.cols); ++c) columns.begin[c + 1] += columns.begin[c];
    std::vector<Offset> next(columns.begin.begin(), columns.begin.end() - 1);
    columns.entries.resize(at(columns.begin.back()));
    each_entry(matrix, sorted.rows, [&](Index row, Index column, float value) {
        columns.entries[at(next[at(column)]++)] = {tree.home[at(row)], value};
    });
    return columns;
}

}  // namespace dunlin::naming
