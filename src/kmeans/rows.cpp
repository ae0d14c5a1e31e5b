// SPDX-License-Identifier: Apache-2.0
#include "kmeans/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "device/ordered.hpp"
#include "kmeans/column_statistics.hpp"
#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/sparse_input.hpp"

namespace dunlin::kmeans {

namespace {

constexpr float largest = largest_number;

[[noreturn]] void refuse(const Rows& rows, Offset row) {
    const float* x = rows.points.data + row * rows.cols();
    Index c = 0;
    while (std::abs(x[c]) <= largest) ++c;
    fail_for_number(row, c, x[c]);
}

double sum_of_weights(device::Cpu& cpu, const Rows& rows) {
    if (rows.weights.empty()) return static_cast<double>(rows.count());
    return device::ordered_sum<double>(cpu, rows.count(), [&](Offset r) { return rows.weight(r); });
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
    refuse(rows, begin);
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

/// Statistics of the blocks (blocks x cols). The rows of a block are added in order.
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

}  // namespace

void fail_for_number(Offset row, Index column, float number) {
    throw Error(Fault::bad_input,
                fmt::format("row {} has {} in column {} (both counting from 0); k-means needs magnitudes up to {:g}: "
                            "remove the row or scale the data",
                            row, number, column, largest),
                {.row = row, .column = column});
}

void check_weights(const Rows& rows) {
    if (rows.weights.empty()) return;
    if (rows.weights.size() != static_cast<std::size_t>(rows.count())) {
        throw Error(Fault::bad_input, fmt::format("{} weights are given for {} rows; there must be one for each",
                                                  rows.weights.size(), rows.count()));
    }
    double most = 0;
    for (Offset r = 0; r < rows.count(); ++r) {
        const double weight = rows.weight(r);
        if (!(weight >= 0 && std::isfinite(weight))) {
            throw Error(Fault::bad_input,
                        fmt::format("the weight of row {} (counting from 0) is {}; weights are at least 0 and finite",
                                    r, weight),
                        {.row = r});
        }
        most = std::max(most, weight);
    }
    if (most == 0) throw Error(Fault::bad_input, "all weights are 0; at least one must be positive");
}

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

double weight_scale(device::Cpu& cpu, const Rows& rows) {
    if (rows.weights.empty()) return 1;
    const float heaviest = *std::max_element(rows.weights.begin(), rows.weights.end());
    return integer_scale(static_cast<double>(heaviest), sum_of_weights(cpu, rows), rows.count());
}

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
    const auto cols = static_cast<std::size_t>(rows.cols());
    const auto blocks = static_cast<Offset>(parts.size() / cols);
    std::vector<ColumnStatistics> columns(cols);
    cpu.each(
        rows.cols(),
        [&](Offset column) {
            const auto c = static_cast<std::size_t>(column);
            columns[c] = math::tree_sum<ColumnStatistics>(
                0, blocks, [&](Offset b) { return parts[static_cast<std::size_t>(b) * cols + c]; });
        },
        16);
    const double weight = sum_of_weights(cpu, rows);
    Scales scales;
    scales.weights = weight_scale(cpu, rows);
    for (std::size_t c = 0; c < cols; ++c) {
        const ColumnStatistics& column = columns[c];
        scales.columns.push_back(integer_scale(column.heaviest, column.magnitudes, rows.count()));
        const double mean = column.sum / weight;
        scales.means.push_back(origin[c] + mean);
        scales.variance += (column.squares / weight - mean * mean) / rows.cols();
        scales.most.push_back(column.most);
    }
    return scales;
}

SparseInput::SparseInput(device::Cpu& cpu, const SparseView& points, std::span<const float> weights, Metric metric)
    : points_(points), shape_{{nullptr, points.rows, points.cols}, weights, metric} {
    for (Index r = 0; r < points.rows; ++r) {
        if (r % tile_rows == 0) device::cancellation_point();
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
        if (r % tile_rows == 0) device::cancellation_point();
        const SparseRow row = rows.row(r);
        for (std::size_t e = 0; e < row.columns.size(); ++e) {
            ColumnStatistics& column = columns[static_cast<std::size_t>(row.columns[e])];
            column = with_value(column, row.values[e], rows.weight(r), 0);
        }
    }
    return scales_of(cpu, rows.shape(), std::vector<double>(columns.size(), 0.0), columns);
}

}  // namespace dunlin::kmeans
