// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/metric.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::distance {

/// Rows under a metric that is computed by terms (MetricRow::is_by_terms), one pair after another, in double. Truth
/// values, and the values of hamming if they are all 0 and 1, are held as bits. Rows are numbered points first, then
/// queries. A distance depends on the two rows alone, and is the same in both directions.
class PairMeasure {
public:
    /// Throws Error{bad_input} with the row and the column for values that the metric does not take. Views of plain
    /// numbers are held, not copied.
    PairMeasure(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                MatrixView<const float> queries = {});

    [[nodiscard]] double between(Index a, Index b) const;

    /// out[i] = the distance of row a from row others[i]
    void between(Index a, std::span<const Index> others, double* out) const;

    /// Rows of bits: words of a row (0: there are no bits), the row, and the number of its bits that are set.
    [[nodiscard]] Index word_count() const { return words_; }
    [[nodiscard]] const std::uint64_t* words(Index r) const { return bits_.data() + Offset{r} * words_; }
    [[nodiscard]] Index ones(Index r) const { return ones_[static_cast<std::size_t>(r)]; }
    /// The distance of rows with so many bits, of which `both` are in common. Falls with `both`.
    [[nodiscard]] double by_bits(Index ones_a, Index ones_b, Offset both) const;
    /// Lower bound of the bits in common of rows at a distance up to `limit`, less a rounding.
    [[nodiscard]] double least_common(Index ones_a, Index ones_b, double limit) const;

    /// Upper bound of the memory of so many rows, in bytes.
    [[nodiscard]] static std::uint64_t bytes(Offset rows, Index cols, neighbors::Metric metric);

private:
    [[nodiscard]] const float* row(Index r) const {
        return r < points_.rows ? points_.row(r).data() : queries_.row(r - points_.rows).data();
    }
    [[nodiscard]] Index rows() const { return points_.rows + queries_.rows; }
    void pack(device::Cpu& cpu);
    void share(device::Cpu& cpu);

    MatrixView<const float> points_, queries_;
    neighbors::Metric metric_;
    Index cols_, words_ = 0;           ///< words_: of a row of bits; 0: there are none
    std::vector<std::uint64_t> bits_;  ///< rows x words_
    std::vector<Index> ones_;          ///< per row of bits
    std::vector<double> roots_;        ///< hellinger: roots of the rows' shares; haversine: the values
};

}  // namespace dunlin::distance
