// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

/// Floating-point sums that do not depend on how rows are distributed over threads, GPUs or machines. Two orders:
///   - tree: sums of 32 consecutive values, sums of 32 of these, and so on. Blocks of 1,024 rows are the second level,
///     so parts that begin and end at multiples of 1,024 rows contribute the sums of their blocks to the levels above.
///     CPU and GPU give the same bits. Used where both must agree (k-means).
///   - runs: at most 2,048 runs of consecutive rows, of a length that depends on n only; the sums of the runs are added
///     in order. Used where a GPU sums once per iteration (t-SNE).
namespace dunlin::math {

constexpr int fan_in = 32;              ///< values that are added into one: the lanes of a warp
constexpr Offset sum_block = 32L * 32;  ///< rows per value of the tree's second level

/// Sum of 32 values by halving, in the order of a warp's shuffles (group_sum in device/cuda.cuh). Overwrites them.
template <int Half = fan_in / 2, class T>
[[gnu::always_inline]] inline T fold(T* values) {
    for (int i = 0; i < Half; ++i) values[i] += values[i + Half];
    if constexpr (Half > 1) return fold<Half / 2>(values);
    return values[0];
}

/// Tree sum of a sequence of values. T{} is zero.
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
    /// Sum of all values so far; more may be added.
    [[nodiscard]] T total() const {
        T sum{};
        for (int level = 0; level < levels; ++level) {
            T values[fan_in] = {};
            std::copy_n(values_[level], count_[level], values);
            values[count_[level]] = sum;  // sum of the levels below, as one more value of this level
            sum = fold(values);
        }
        return sum;
    }

private:
    static constexpr int levels = 13;  // 32^13 exceeds the largest Offset
    T values_[levels][fan_in];
    int count_[levels] = {};
};

/// Tree sum of term(i) over [begin, end); begin must be a multiple of sum_block.
template <class T, class Term>
T tree_sum(Offset begin, Offset end, const Term& term) {
    TreeSum<T> sum;
    for (Offset i = begin; i < end; ++i) sum.add(term(i));
    return sum.total();
}

/// Division of n rows into runs.
struct Runs {
    Offset rows, length;

    [[nodiscard]] DUNLIN_HD Offset count() const { return (rows + length - 1) / length; }
    [[nodiscard]] DUNLIN_HD Offset begin(Offset run) const { return run * length; }
    [[nodiscard]] DUNLIN_HD Offset end(Offset run) const {
        return (run + 1) * length < rows ? (run + 1) * length : rows;
    }
};

constexpr Offset max_runs = 2048;

/// At most max_runs runs, of at least 256 rows each, a multiple of 32 (a warp).
DUNLIN_HD constexpr Runs runs_of(Offset rows) {
    const Offset share = (rows + max_runs - 1) / max_runs, length = (share + 31) / 32 * 32;
    return {rows, length < 256 ? 256 : length};
}

}  // namespace dunlin::math
