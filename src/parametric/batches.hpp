// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/at.hpp"
#include "parametric/arrays.hpp"

namespace dunlin::parametric {

/// n rows in batches of about equal size, at most `most` rows each.
class Batches {
public:
    Batches(Index n, Index most) : n_(n), count_(n == 0 ? 0 : (n - 1) / most + 1) {}

    [[nodiscard]] Index count() const { return count_; }
    [[nodiscard]] Index begin(Index batch) const { return static_cast<Index>(Offset{n_} * batch / count_); }
    [[nodiscard]] Index rows(Index batch) const { return begin(batch + 1) - begin(batch); }
    [[nodiscard]] Index most_rows() const { return count_ == 0 ? 0 : (n_ + count_ - 1) / count_; }

    /// The rows in the order in which the batches of an epoch have them.
    template <class Exec>
    [[nodiscard]] auto order(Exec& exec, std::uint64_t seed, std::uint64_t epoch) const {
        typename Exec::template Buffer<Index> rows;
        exec.resize(rows, at(n_));
        exec.each(n_, PermutedRow{math::Permutation::of(n_, seed, epoch), rows.data()});
        return rows;
    }

    /// All rows as they are.
    template <class Exec>
    [[nodiscard]] auto in_order(Exec& exec) const {
        typename Exec::template Buffer<Index> rows;
        exec.resize(rows, at(n_));
        exec.each(n_, RowInOrder{rows.data()});
        return rows;
    }

private:
    Index n_, count_;
};

}  // namespace dunlin::parametric
