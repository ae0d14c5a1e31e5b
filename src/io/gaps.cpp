// SPDX-License-Identifier: Apache-2.0
#include "io/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// Number of gaps per column.
std::vector<Offset> gaps_of(MatrixView<const float> values) {
    std::vector<Offset> gaps(at(values.cols));
    for (Index r = 0; r < values.rows; ++r) {
        for (Index c = 0; c < values.cols; ++c) gaps[at(c)] += std::isnan(values(r, c)) ? 1 : 0;
    }
    return gaps;
}

/// "'width' (3), 'height' (12)", the first few of them.
std::string listed(const Points& points, const std::vector<Offset>& gaps) {
    constexpr int most = 4;
    std::string text;
    int columns = 0;
    for (std::size_t c = 0; c < gaps.size(); ++c) {
        if (gaps[c] == 0 || ++columns > most) continue;
        const std::string name =
            points.columns.empty() ? fmt::format("column {}", c + 1) : fmt::format("'{}'", shown(points.columns[c]));
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, gaps[c]);
    }
    return columns > most ? text + fmt::format(" and {} more columns", columns - most) : text;
}

/// Keeps the rows of these numbers, which ascend, in the values and in what is beside them.
void keep_rows(Points& points, const std::vector<Index>& kept, const std::string& file) {
    const MatrixView<const float> from = points.values.view();
    require_memory(kept.size() * at(from.cols) * sizeof(float), "the rows of '" + file + "' without gaps");
    std::vector<float> values;
    values.reserve(kept.size() * at(from.cols));
    for (const Index row : kept) values.insert(values.end(), from.row(row).begin(), from.row(row).end());
    const auto keep = [&](auto& list) {
        for (std::size_t i = 0; i < kept.size() && !list.empty(); ++i) std::swap(list[i], list[at(kept[i])]);
        if (!list.empty()) list.resize(kept.size());
    };
    keep(points.ids);
    keep(points.labels.of);
    points.values = Matrix(static_cast<Index>(kept.size()), from.cols, std::move(values));
}

void drop_rows(Points& points, const std::vector<Offset>& gaps, const std::string& file) {
    const MatrixView<const float> values = points.values.view();
    std::vector<Index> kept;
    for (Index r = 0; r < values.rows; ++r) {
        const auto row = values.row(r);
        if (std::none_of(row.begin(), row.end(), [](float value) { return std::isnan(value); })) kept.push_back(r);
    }
    const Index rows = values.rows, dropped = rows - static_cast<Index>(kept.size());
    if (kept.empty()) {
        bad_file("'{}': every row has gaps, in {}; choose other columns with --columns, or fill the gaps with --fill",
                 file, listed(points, gaps));
    }
    keep_rows(points, kept, file);
    points.notes.push_back(
        {fmt::format("read without {} of {} rows, which have gaps in {}", dropped, rows, listed(points, gaps)), ""});
}

/// What a gap of a column becomes, in the frame of the values.
double filling(MatrixView<const float> values, Index column, const std::string& how, double shift) {
    if (how != "mean" && how != "median") {
        double number = 0;
        parse_field(how, '.', number);
        return number - shift;
    }
    std::vector<double> known;
    for (Index r = 0; r < values.rows; ++r) {
        if (!std::isnan(values(r, column))) known.push_back(static_cast<double>(values(r, column)));
    }
    if (known.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (how == "mean") {
        double sum = 0;
        for (const double value : known) sum += value;
        return sum / static_cast<double>(known.size());
    }
    const auto middle = known.begin() + std::ssize(known) / 2;
    std::nth_element(known.begin(), middle, known.end());
    if (known.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(known.begin(), middle)) / 2;
}

void fill(Points& points, const std::vector<Offset>& gaps, const std::string& how, const std::string& file) {
    const MatrixView<const float> from = points.values.view();
    require_memory(static_cast<std::uint64_t>(from.size()) * sizeof(float), "the filled rows of '" + file + "'");
    std::vector<float> values(from.data, from.data + from.size());
    Offset filled = 0;
    for (Index c = 0; c < from.cols; ++c) {
        if (gaps[at(c)] == 0) continue;
        const double value = filling(from, c, how, points.shift.empty() ? 0 : points.shift[at(c)]);
        if (std::isnan(value)) {
            const std::string name =
                points.columns.empty() ? std::to_string(c + 1) : fmt::format("'{}'", shown(points.columns[at(c)]));
            bad_file("'{}': column {} has no value, hence no {}; leave it out with --columns, or fill it with a number",
                     file, name, how);
        }
        for (Index r = 0; r < from.rows; ++r) {
            if (std::isnan(from(r, c))) values[at(Offset{r} * from.cols + c)] = static_cast<float>(value);
        }
        filled += gaps[at(c)];
    }
    points.values = Matrix(from.rows, from.cols, std::move(values));
    const bool is_number = how != "mean" && how != "median";
    points.notes.push_back({fmt::format("read with {} gaps filled with {}{}: {}", filled,
                                        is_number ? "" : "the column's ", how, listed(points, gaps)),
                            ""});
}

}  // namespace

bool settles_gaps(const ReadOptions& options) {
    if (options.fill.empty()) return options.drop_rows_with_gaps;
    if (options.drop_rows_with_gaps)
        bad_option("fill", "gaps are to be filled and their rows to be dropped; choose one");
    if (options.fill != "mean" && options.fill != "median" && !is_number(options.fill))
        bad_option("fill", "fill is '{}'; it must be mean, median or a number", shown(options.fill));
    return true;
}

void settle_gaps(Points& points, const ReadOptions& options, const std::string& file) {
    const std::vector<Offset> gaps = gaps_of(points.values.view());
    if (std::all_of(gaps.begin(), gaps.end(), [](Offset count) { return count == 0; })) return;
    if (options.drop_rows_with_gaps)
        drop_rows(points, gaps, file);
    else
        fill(points, gaps, options.fill, file);
}

}  // namespace dunlin::io
