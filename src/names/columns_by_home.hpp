// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/sparse.hpp>

#include "names/groups.hpp"

namespace dunlin::naming {

/// An entry of a column: the home of its row, and its value.
struct HomeValue {
    Index home = 0;
    float value = 0;
};

/// A sparse matrix by columns, rows replaced by their homes, which ascend in each column. Rows that take no part and
/// stored zeros are left out.
struct ColumnsByHome {
    std::vector<Offset> begin{0};  ///< per column, and the end
    std::vector<HomeValue> entries;

    [[nodiscard]] std::span<const HomeValue> column(Index c) const {
        return {entries.data() + begin[at(c)], at(begin[at(c) + 1] - begin[at(c)])};
    }
    static std::uint64_t bytes(std::uint64_t nonzeros, std::uint64_t rows, std::uint64_t cols) {
        return nonzeros * sizeof(HomeValue) + rows * sizeof(Index) + 2 * cols * sizeof(Offset);
    }
};

/// Throws Error{bad_input} for a value that is not finite, or, unless `signed_values`, below 0.
ColumnsByHome columns_by_home(const GroupTree& tree, const SparseView& matrix, bool signed_values);

/// The bad_input that it throws.
[[noreturn]] void refuse_value(Offset row, Index column, float value, bool signed_values);

}  // namespace dunlin::naming
