// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Sums of floats whose bytes do not depend on how rows are split over threads, GPUs or machines. Two orders:
///   - a tree: 32 consecutive values are folded into one, 32 of those into one, and so on. Blocks of 1,024 rows are
///     the second level, so parts that begin and end at multiples of 1,024 rows hand over the sums of their blocks, and
///     the tree goes on above them. CPU and GPU give the same bytes. Used where both must agree (k-means).
///   - runs: at most 2,048 runs of consecutive rows, of a length that n alone decides; a run's sum is one value, and
///     the runs are added in their order. Used where a GPU sums once an iteration (t-SNE).
namespace dunlin::math {

constexpr int fan_in = 32;              ///< values that become one: the lanes of a warp
constexpr Offset sum_block = 32L * 32;  ///< rows whose sum is one value of the tree's second level

/// The sum of 32 values, by halves: the order of a warp's shuffles (device/cuda.cuh, group_sum). Overwrites them.
template <int Half = fan_in / 2, class T>
[[gnu::always_inline]] inline T fold(T* values) {
    for (int i = 0; i < Half; ++i) values[i] += values[i + Half];
    if constexpr (Half > 1) return fold<Half / 2>(values);
    return values[0];
}

/// The tree's sum of values that come one after another. T{} is zero.
template <class T>
class TreeSum {
public:
    void add(T value) {
        for (int level = 0;; ++level) {
            values_[level][count_[level]++] = value;
            if (count_[level] < fan_in) return;
            value = fold(values_[level]);
            count_[level] = 0;
        }
    }
    /// The sum of all so far; more may follow.
    [[nodiscard]] T total() const {
        T sum{};
        for (int level = 0; level < levels; ++level) {
            T values[fan_in] = {};
            std::copy_n(values_[level], count_[level], values);
            values[count_[level]] = sum;  // of the levels below: one more value here
            sum = fold(values);
        }
        return sum;
    }

private:
    static constexpr int levels = 13;  // 32^13 values are more than an Offset counts
    T values_[levels][fan_in];
    int count_[levels] = {};
};

/// The tree's sum of term(i) over [begin, end), where begin is a multiple of sum_block or the part is the whole.
template <class T, class Term>
T tree_sum(Offset begin, Offset end, const Term& term) {
    TreeSum<T> sum;
    for (Offset i = begin; i < end; ++i) sum.add(term(i));
    return sum.total();
}

/// How n rows are cut into runs.
struct Runs {
    Offset rows, length;

    [[nodiscard]] DUNLIN_HD Offset count() const { return (rows + length - 1) / length; }
    [[nodiscard]] DUNLIN_HD Offset begin(Offset run) const { return run * length; }
    [[nodiscard]] DUNLIN_HD Offset end(Offset run) const {
        return (run + 1) * length < rows ? (run + 1) * length : rows;
    }
};

constexpr Offset most_runs = 2048;

/// At most most_runs, of 256 rows or more, multiples of 32 (a warp's).
DUNLIN_HD constexpr Runs runs_of(Offset rows) {
    const Offset share = (rows + most_runs - 1) / most_runs, length = (share + 31) / 32 * 32;
    return {rows, length < 256 ? 256 : length};
}

}  // namespace dunlin::math
