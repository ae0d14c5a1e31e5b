// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "distance/features.hpp"

namespace dunlin::mds {

/// Sparse features, stored by rows (columns ascending) and by columns (rows ascending). A pair of rows costs their
/// nonzeros; a row against a range of rows costs the entries of the shared columns.
class SparseFeatures {
public:
    /// Stores the features of n rows if they are sparse enough to be faster; otherwise empty().
    SparseFeatures(device::Cpu& cpu, const distance::Features& features, Index n);

    [[nodiscard]] bool empty() const { return rows_.offsets.empty(); }

    /// Sum over all features of (a - b)^2, or of |a - b|; exactly 0 for equal rows.
    [[nodiscard]] float between(Index a, Index b) const;

    /// Scatters a row into a dense array of `cols` values, which is zero before and, after clear_row, again.
    void scatter_row(Index row, float* by_column) const;
    void clear_row(Index row, float* by_column) const;
    /// between(row, other) for a scattered row, up to rounding in double.
    [[nodiscard]] float between_scattered(Index row, const float* by_column, Index other) const;

    /// out[c] = between(row, begin + c) for c in [0, count), up to rounding in double.
    void run(Index row, Index begin, Index count, float* out) const;

private:
    struct SparseEntry {
        Index index;  ///< column in a row list, row in a column list
        float value;
    };
    struct SparseLists {
        std::vector<Offset> offsets;
        std::vector<SparseEntry> entries;
        [[nodiscard]] std::span<const SparseEntry> operator[](Index list) const {
            const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(list)]);
            return std::span(entries).subspan(
                begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(list) + 1]) - begin);
        }
    };

    /// Correction of the sum of both norms for a shared column.
    [[nodiscard]] double shared(float x, float y) const;
    [[nodiscard]] float with_sizes(Index a, Index b, double shared) const;

    void gather_rows(device::Cpu& cpu, const distance::Features& features, Index n);
    void gather_columns(Index cols);

    bool manhattan_;
    SparseLists rows_, columns_;
    std::vector<double> size_;          ///< distance of each row to zero
    std::vector<std::uint64_t> marks_;  ///< signatures: rows without a common bit share no column
};

}  // namespace dunlin::mds
