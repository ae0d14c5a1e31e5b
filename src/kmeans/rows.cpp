// SPDX-License-Identifier: Apache-2.0
#include "kmeans/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "kmeans/column_statistics.hpp"
#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/sparse_input.hpp"
#include "numerics/ordered.hpp"
#include "progress/cancel.hpp"

namespace dunlin::kmeans {

namespace {

constexpr float largest = largest_number;
constexpr double smallest = 1e-15;  ///< squares of differences of a millionth are float32 numbers

/// The first bad number of a row that has one.
BadNumber bad_number_of(const Rows& rows, Offset row) {
    const float* x = rows.points.data + row * rows.cols();
    Index c = 0;
    while (std::abs(x[c]) <= largest) ++c;
    return {row, c, static_cast<double>(x[c])};
}

bool usable(const float* x, Offset count) {
    int bad = 0;
    for (Offset i = 0; i < count; ++i) bad |= std::abs(x[i]) <= largest ? 0 : 1;
    return bad == 0;
}

void check_numbers(const Rows& rows, Offset begin, Offset end) {
    const float* x = rows.points.data + begin * rows.cols();
    if (usable(x, (end - begin) * rows.cols())) return;
    while (usable(x, rows.cols())) ++begin, x += rows.cols();
    const BadNumber bad = bad_number_of(rows, begin);
    fail_for_number(bad.row, static_cast<Index>(bad.column), static_cast<float>(bad.number));
}

[[gnu::always_inline]] inline void add_row(const float* x, double weight, const double* origin, Index cols,
                                           ColumnStatistics* columns) {
    for (Index c = 0; c < cols; ++c) columns[c] = with_value(columns[c], x[c], weight, origin[c]);
}

void add_rows(const Rows& rows, Offset begin, Offset end, const float* x, const double* origin,
              ColumnStatistics* columns) {
    const Index cols = rows.cols();
    if (rows.weights.empty()) {
        for (Offset r = begin; r < end; ++r, x += cols) add_row(x, 1, origin, cols, columns);
    } else {
        for (Offset r = begin; r < end; ++r, x += cols) add_row(x, rows.weight(r), origin, cols, columns);
    }
}

}  // namespace

std::vector<ColumnStatistics> statistics_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin) {
    const Offset n = rows.count(), blocks = (n + math::sum_block - 1) / math::sum_block;
    std::vector<ColumnStatistics> parts(static_cast<std::size_t>(blocks * rows.cols()));
    cpu.blocks(n, math::sum_block, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        ColumnStatistics* const columns = parts.data() + begin / math::sum_block * rows.cols();
        for (Offset first = begin; first < end; first += tile_rows) {
            const Offset last = std::min(end, first + tile_rows);
            check_numbers(rows, first, last);
            add_rows(rows, first, last, rows.at(first, last, scratch), origin.data(), columns);
        }
    });
    return parts;
}

BadNumber bad_number(const Rows& rows) {
    for (Offset r = 0; r < rows.count(); ++r) {
        if (!usable(rows.points.data + r * rows.cols(), rows.cols())) return bad_number_of(rows, r);
    }
    return {};
}

void fail_for_number(Offset row, Index column, float number) {
    throw Error(Fault::bad_input,
                fmt::format("row {} has {} in column {} (both counting from 0); k-means needs magnitudes up to {:g}: "
                            "remove the row or scale the data",
                            row, number, column, largest),
                {.row = row, .column = column});
}

void require_not_tiny(double most, std::string_view what) {
    if (most == 0 || most >= smallest) return;
    throw Error(Fault::bad_input, fmt::format("the largest magnitude of the {} is {:g}; k-means needs at least {:g}: "
                                              "multiply them all",
                                              what, most, smallest));
}

void require_not_tiny(const Scales& scales) {
    if (!scales.most.empty()) require_not_tiny(std::ranges::max(scales.most), "points");
}

void check_weights(const Rows& rows) {
    if (rows.weights.empty()) return;
    if (rows.weights.size() != static_cast<std::size_t>(rows.count())) {
        throw Error(Fault::bad_input, fmt::format("{} weights are given for {} rows; there must be one for each",
                                                  rows.weights.size(), rows.count()));
    }
    const BadNumber bad = bad_weight(rows);
    if (bad.row >= 0) fail_for_weight(bad.row, bad.number);
    const auto has_weight = [](float weight) { return weight > 0; };
    if (std::none_of(rows.weights.begin(), rows.weights.end(), has_weight)) fail_for_no_weight();
}

BadNumber bad_weight(const Rows& rows) {
    for (Offset r = 0; r < rows.count(); ++r) {
        const double weight = rows.weight(r);
        if (!(weight >= 0 && std::isfinite(weight))) return {r, -1, weight};
    }
    return {};
}

void fail_for_weight(Offset row, double weight) {
    throw Error(
        Fault::bad_input,
        fmt::format("the weight of row {} (counting from 0) is {}; weights are at least 0 and finite", row, weight),
        {.row = row});
}

void fail_for_no_weight() { throw Error(Fault::bad_input, "all weights are 0; at least one must be positive"); }

Offset first_weighted(const Rows& rows) {
    Offset first = 0;
    while (rows.weight(first) == 0) ++first;
    return first;
}

void to_unit_length(float* row, Index cols) { scale_to_unit(row, cols); }

const float* Rows::at(Offset begin, Offset end, std::vector<float>& scratch) const {
    const float* from = points.data + begin * points.cols;
    if (metric == Metric::euclidean) return from;
    scratch.assign(from, points.data + end * points.cols);
    for (Offset r = 0; r < end - begin; ++r) to_unit_length(scratch.data() + r * points.cols, points.cols);
    return scratch.data();
}

Offset grain_of(Index cols) {
    const Offset tiles = std::clamp<Offset>(Offset{1 << 16} / (Offset{cols} * tile_rows), 1, 64);
    return tiles * tile_rows;
}

WeightTotals weight_totals(Offset rows, const std::vector<double>& blocks, double heaviest) {
    const auto of_block = [&](Offset b) { return blocks[static_cast<std::size_t>(b)]; };
    const double sum = math::tree_sum<double>(0, static_cast<Offset>(blocks.size()), of_block);
    return {rows, sum, integer_scale(heaviest, sum, rows)};
}

WeightTotals weight_totals(device::Cpu& cpu, const Rows& rows) {
    if (rows.weights.empty()) return {rows.count(), static_cast<double>(rows.count()), 1};
    const float heaviest = *std::max_element(rows.weights.begin(), rows.weights.end());
    const auto weight = [&](Offset row) { return rows.weight(row); };
    return weight_totals(rows.count(), numerics::block_sums<double>(cpu, rows.count(), weight),
                         static_cast<double>(heaviest));
}

double weight_scale(device::Cpu& cpu, const Rows& rows) { return weight_totals(cpu, rows).scale; }

Scales measure(device::Cpu& cpu, const Rows& rows) {
    check_weights(rows);
    const Offset first = first_weighted(rows);
    std::vector<float> scratch;
    const float* x = rows.at(first, first + 1, scratch);
    const std::vector<double> origin(x, x + rows.cols());
    return scales_of(cpu, rows, origin, statistics_of(cpu, rows, origin));
}

Scales scales_of(device::Cpu& cpu, const Rows& rows, const std::vector<double>& origin,
                 const std::vector<ColumnStatistics>& parts) {
    return scales_of(cpu, weight_totals(cpu, rows), origin, parts);
}

Scales scales_of(device::Cpu& cpu, const WeightTotals& weights, const std::vector<double>& origin,
                 const std::vector<ColumnStatistics>& parts) {
    const std::size_t cols = origin.size();
    const auto blocks = static_cast<Offset>(parts.size() / cols);
    std::vector<ColumnStatistics> columns(cols);
    cpu.each(
        static_cast<Offset>(cols),
        [&](Offset column) {
            const auto c = static_cast<std::size_t>(column);
            columns[c] = math::tree_sum<ColumnStatistics>(
                0, blocks, [&](Offset b) { return parts[static_cast<std::size_t>(b) * cols + c]; });
        },
        16);
    Scales scales;
    scales.weights = weights.scale;
    for (std::size_t c = 0; c < cols; ++c) {
        const ColumnStatistics& column = columns[c];
        scales.columns.push_back(integer_scale(column.heaviest, column.magnitudes, weights.rows));
        const double mean = column.sum / weights.sum;
        scales.means.push_back(origin[c] + mean);
        scales.variance += (column.squares / weights.sum - mean * mean) / static_cast<double>(cols);
        scales.most.push_back(column.most);
    }
    return scales;
}

SparseInput::SparseInput(device::Cpu& cpu, const SparseView& points, std::span<const float> weights, Metric metric)
    : points_(points), shape_{{nullptr, points.rows, points.cols}, weights, metric} {
    for (Index r = 0; r < points.rows; ++r) {
        if (r % tile_rows == 0) progress::cancellation_point();
        const SparseRow row = points.row(r);
        for (std::size_t e = 0; e < row.values.size(); ++e) {
            if (!(std::abs(row.values[e]) <= largest)) fail_for_number(r, row.columns[e], row.values[e]);
        }
    }
    check_weights(shape_);
    if (metric == Metric::euclidean) return;
    unit_.assign(points.values.begin(), points.values.end());
    cpu.each(
        points.rows,
        [&](Offset r) {
            const auto begin = static_cast<std::size_t>(points.offsets[static_cast<std::size_t>(r)]);
            to_unit_length(unit_.data() + begin, static_cast<Index>(row(r).values.size()));
        },
        64);
    points_.values = unit_;
}

/// In the order of rows on one thread: a sum per column and thread would take more memory than the rows.
Scales measure(device::Cpu& cpu, const SparseInput& rows) {
    std::vector<ColumnStatistics> columns(static_cast<std::size_t>(rows.cols()));
    for (Offset r = 0; r < rows.count(); ++r) {
        if (r % tile_rows == 0) progress::cancellation_point();
        const SparseRow row = rows.row(r);
        for (std::size_t e = 0; e < row.columns.size(); ++e) {
            ColumnStatistics& column = columns[static_cast<std::size_t>(row.columns[e])];
            column = with_value(column, row.values[e], rows.weight(r), 0);
        }
    }
    return scales_of(cpu, rows.shape(), std::vector<double>(columns.size(), 0.0), columns);
}

}  // namespace dunlin::kmeans
