// SPDX-License-Identifier: Apache-2.0
#include <dunlin/normalize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include <dunlin/error.hpp>

#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/file_mappings.hpp"

namespace dunlin {

namespace {

/// Least and largest values, sums and sums of squares of columns.
struct ColumnSums {
    std::vector<double> least, most, sum, squares;

    explicit ColumnSums(std::size_t cols)
        : least(cols, std::numeric_limits<double>::infinity()), most(cols, -least.front()), sum(cols), squares(cols) {}
};

/// Adds up rows by stripes, which do not depend on the number of threads, and the stripes in order; some thousand
/// columns at a time, as each stripe has sums of its own. add(cells of a row, their first column, sums of these
/// columns); merge(part, column in it, total, column in it).
template <class Add, class Merge>
ColumnSums summed(device::Cpu& cpu, MatrixView<const float> x, const Add& add, const Merge& merge) {
    constexpr Offset stripes = 64;
    constexpr std::size_t at_a_time = 8192;
    const Offset grain = (Offset{x.rows} + stripes - 1) / stripes;
    const std::size_t columns = at(x.cols);
    ColumnSums total(columns);
    for (std::size_t first = 0; first < columns; first += at_a_time) {
        const std::size_t count = std::min(at_a_time, columns - first);
        std::vector<ColumnSums> parts(at((Offset{x.rows} + grain - 1) / grain), ColumnSums(count));
        cpu.blocks(x.rows, grain, [&](Offset begin, Offset end, int) {
            for (Offset r = begin; r < end; ++r)
                add(x.row(static_cast<Index>(r)).subspan(first, count), first, parts[at(begin / grain)]);
        });
        for (const ColumnSums& part : parts) {
            for (std::size_t c = 0; c < count; ++c) merge(part, c, total, first + c);
        }
    }
    return total;
}

/// Variances of the columns over at most 1,000 rows, evenly spread.
std::vector<double> sampled_variances(MatrixView<const float> x) {
    const Index sampled = std::min<Index>(x.rows, 1000);
    std::vector<double> means(at(x.cols)), variances(at(x.cols));
    const auto row = [&](Index i) { return x.row(static_cast<Index>(Offset{i} * x.rows / sampled)); };
    for (Index i = 0; i < sampled; ++i) {
        for (std::size_t c = 0; c < means.size(); ++c) means[c] += static_cast<double>(row(i)[c]) / sampled;
    }
    for (Index i = 0; i < sampled; ++i) {
        for (std::size_t c = 0; c < means.size(); ++c)
            variances[c] += std::pow(static_cast<double>(row(i)[c]) - means[c], 2) / sampled;
    }
    return variances;
}

}  // namespace

namespace {

ColumnScales found_scales(device::Cpu& cpu, MatrixView<const float> points, Normalize how) {
    ColumnSums found = summed(
        cpu, points,
        [](std::span<const float> row, std::size_t, ColumnSums& part) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                const auto value = static_cast<double>(row[c]);
                part.least[c] = std::min(part.least[c], value);
                part.most[c] = std::max(part.most[c], value);
                part.sum[c] += value;
            }
        },
        [](const ColumnSums& part, std::size_t from, ColumnSums& total, std::size_t c) {
            total.least[c] = std::min(total.least[c], part.least[from]);
            total.most[c] = std::max(total.most[c], part.most[from]);
            total.sum[c] += part.sum[from];
        });
    if (how != Normalize::minmax) {
        std::vector<double> means = found.sum;
        for (double& mean : means) mean /= points.rows;
        const ColumnSums around = summed(
            cpu, points,
            [&](std::span<const float> row, std::size_t first, ColumnSums& part) {
                for (std::size_t c = 0; c < row.size(); ++c) {
                    const double from_mean = static_cast<double>(row[c]) - means[first + c];
                    part.squares[c] += from_mean * from_mean;
                }
            },
            [](const ColumnSums& part, std::size_t from, ColumnSums& total, std::size_t c) {
                total.squares[c] += part.squares[from];
            });
        found.squares = around.squares;
    }
    ColumnScales scales{std::vector<double>(at(points.cols)), std::vector<double>(at(points.cols))};
    for (std::size_t c = 0; c < scales.scale.size(); ++c) {
        const bool is_constant = !(found.most[c] > found.least[c]), by_range = how == Normalize::minmax;
        scales.shift[c] = is_constant || by_range ? found.least[c] : found.sum[c] / points.rows;
        scales.scale[c] = is_constant ? 0
                          : by_range  ? 1 / (found.most[c] - found.least[c])
                                      : 1 / std::sqrt(found.squares[c] / (points.rows - 1));
    }
    return scales;
}

}  // namespace

ColumnScales scales_of(MatrixView<const float> points, Normalize how, const Run& run) {
    if (how == Normalize::none || points.rows == 0 || points.cols == 0) return {};
    device::Cpu cpu(run);
    ColumnScales scales;
    const bool is_whole = progress::run_cancellable(run.stop, [&] { scales = found_scales(cpu, points, how); });
    return is_whole ? scales : ColumnScales{};
}

Matrix scaled(MatrixView<const float> rows, const ColumnScales& scales, const Run& run) {
    if (!scales.empty() && scales.scale.size() != at(rows.cols)) {
        throw Error(Fault::bad_input,
                    fmt::format("rows of {} columns are scaled as points of {}; both must have the same", rows.cols,
                                scales.scale.size()));
    }
    device::require_memory(run, static_cast<std::uint64_t>(rows.size()) * sizeof(float), "points with scaled columns");
    const progress::UseOfMappings files;
    std::vector<float> values(rows.data, rows.data + rows.size());
    files.require_unchanged();
    device::Cpu cpu(run);
    cpu.each(
        rows.rows,
        [&](Offset r) {
            for (std::size_t c = 0; c < scales.scale.size(); ++c) {
                float& value = values[at(r) * scales.scale.size() + c];
                value = static_cast<float>((static_cast<double>(value) - scales.shift[c]) * scales.scale[c]);
            }
        },
        256);
    return {rows.rows, rows.cols, std::move(values)};
}

RulingColumn ruling_column(MatrixView<const float> points) {
    constexpr Index least_rows = 20;  // fewer do not tell the deviation of a column
    if (points.rows < least_rows || points.cols < 4) return {};
    const progress::UseOfMappings files;
    const std::vector<double> variances = sampled_variances(points);
    files.require_unchanged();
    double sum = 0, squares = 0;
    for (const double variance : variances) {
        sum += variance;
        squares += variance * variance;
    }
    std::vector<double> varying = variances;
    std::erase_if(varying, [](double variance) { return !(variance > 0); });
    if (varying.size() < 4 || !std::isfinite(squares) || sum * sum >= 2 * squares) return {};
    const auto middle = varying.begin() + std::ssize(varying) / 2;
    std::nth_element(varying.begin(), middle, varying.end());
    const auto most = std::max_element(variances.begin(), variances.end());
    const double deviation = std::sqrt(*most), usual = std::sqrt(*middle);
    if (!(deviation > 10 * usual)) return {};
    return {static_cast<Index>(most - variances.begin()), deviation, usual};
}

}  // namespace dunlin
