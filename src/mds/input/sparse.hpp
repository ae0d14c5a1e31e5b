// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "distance/features.hpp"

namespace dunlin::mds {

/// Features that are mostly 0, by what is not: by row, columns ascending, and by column, rows ascending. A pair of rows
/// costs what they hold, and a row beside a run of others what their columns share.
class SparseFeatures {
public:
    /// Takes those of n rows if few enough are not 0 for that to pay; is empty otherwise.
    SparseFeatures(device::Cpu& cpu, const distance::Features& features, Index n);

    [[nodiscard]] bool empty() const { return rows_.offsets.empty(); }

    /// The sum over all features of (a - b)^2, or of |a - b|; equal rows have exactly 0.
    [[nodiscard]] float between(Index a, Index b) const;

    /// A row laid out by columns, `cols` zeros before and after, so that others beside it cost no search.
    void lay_out(Index row, float* by_column) const;
    void clear(Index row, float* by_column) const;
    /// between(row, other), but for rounding in double.
    [[nodiscard]] float beside(Index row, const float* by_column, Index other) const;

    /// out[c] = between(row, begin + c) for c in [0, count), but for rounding in double.
    void run(Index row, Index begin, Index count, float* out) const;

private:
    struct Entry {
        Index place;  ///< a column of a row, or a row of a column
        float value;
    };
    struct Lists {
        std::vector<Offset> offsets;
        std::vector<Entry> entries;
        [[nodiscard]] std::span<const Entry> operator[](Index list) const {
            const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(list)]);
            return std::span(entries).subspan(
                begin, static_cast<std::size_t>(offsets[static_cast<std::size_t>(list) + 1]) - begin);
        }
    };

    /// What the columns that two rows share change in the sum of their sizes.
    [[nodiscard]] double shared(float x, float y) const;
    [[nodiscard]] float with_sizes(Index a, Index b, double shared) const;

    void gather_rows(device::Cpu& cpu, const distance::Features& features, Index n);
    void gather_columns(Index cols);

    bool manhattan_;
    Lists rows_, columns_;
    std::vector<double> size_;          ///< a row's sum beside a row of zeros
    std::vector<std::uint64_t> marks_;  ///< a bit for each of its columns: rows without one in common share no column
};

}  // namespace dunlin::mds
