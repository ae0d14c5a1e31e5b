// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sparse.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>

#include "device/memory.hpp"
#include "math/at.hpp"

namespace dunlin {

namespace {

constexpr Index some_columns = 160;  ///< as in neighbors/search_distinct.cpp
constexpr Offset share = 8;          ///< one number in so many

[[noreturn]] void fail(const std::string& what, Index row = -1) {
    throw Error(Fault::bad_input, fmt::format("points: {}", what), {.row = row});
}

void check_row(const SparseView& points, Index r) {
    Index last = -1;
    for (const Index column : points.row(r).columns) {
        if (column < 0 || column >= points.cols) {
            fail(fmt::format("sparse row {} (counting from 0) has a number in column {}, and there are {} columns", r,
                             column, points.cols),
                 r);
        }
        if (column <= last) {
            fail(fmt::format("the columns of sparse row {} (counting from 0) are not ascending, {} follows {}; sort "
                             "each row by column and add up duplicates",
                             r, column, last),
                 r);
        }
        last = column;
    }
}

}  // namespace

void check(const SparseView& points) {
    if (points.rows < 0 || points.cols < 0) fail("sparse rows have a negative number of rows or columns");
    if (std::ssize(points.offsets) != Offset{points.rows} + 1)
        fail(fmt::format("{} sparse rows need {} offsets, and there are {}", points.rows, Offset{points.rows} + 1,
                         points.offsets.size()));
    if (points.columns.size() != points.values.size())
        fail(fmt::format("sparse rows have {} columns and {} values; each value needs a column", points.columns.size(),
                         points.values.size()));
    if (points.offsets.front() != 0 || points.offsets.back() != points.nonzeros() ||
        !std::is_sorted(points.offsets.begin(), points.offsets.end()))
        fail(fmt::format("the offsets of sparse rows must ascend from 0 to the number of values, {}",
                         points.values.size()));
    for (Index r = 0; r < points.rows; ++r) check_row(points, r);
}

bool mostly_zero(const SparseView& points) {
    return points.cols > some_columns && points.nonzeros() < Offset{points.rows} * points.cols / share;
}

Matrix dense(const SparseView& points, const Run& run) {
    check(points);
    const Offset size = Offset{points.rows} * points.cols;
    device::require_memory(run, static_cast<std::uint64_t>(size) * sizeof(float), "the sparse matrix as a dense one",
                           "reduce the columns first");
    std::vector<float> values(at(size));
    for (Index r = 0; r < points.rows; ++r) {
        const SparseRow row = points.row(r);
        for (std::size_t e = 0; e < row.columns.size(); ++e)
            values[at(Offset{r} * points.cols + row.columns[e])] = row.values[e];
    }
    return {points.rows, points.cols, std::move(values)};
}

}  // namespace dunlin
