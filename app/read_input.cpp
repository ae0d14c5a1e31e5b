// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/points_like.hpp>

#include "dissimilarities.hpp"

namespace dunlin::app {

ColumnOffsets offsets_of(neighbors::Metric metric) {
    using enum neighbors::Metric;
    if (metric == correlation) return ColumnOffsets::common;
    return metric == euclidean || metric == manhattan ? ColumnOffsets::subtract : ColumnOffsets::keep;
}

void require_up_to(float largest, const fs::path& path, const io::Points& points) {
    const MatrixView<const float> values = points.values.view();
    for (Index r = 0; r < values.rows; ++r) {
        for (Index c = 0; c < values.cols; ++c) {
            if (std::abs(values(r, c)) <= largest) continue;
            const auto at = static_cast<std::size_t>(c);
            const double shift = points.shift.empty() ? 0 : points.shift[at];
            throw Error(
                Fault::bad_file,
                fmt::format("{}: row {}, column {}{} is {:g}; numbers up to {:g} can be worked with: remove the "
                            "row or scale the data",
                            path.string(), r + 1, c + 1,
                            points.columns.empty() ? "" : fmt::format(" '{}'", points.columns[at]),
                            static_cast<double>(values(r, c)) + shift, largest));
        }
    }
}

namespace {

/// Says that the scale of one column decides the distances.
void note_ruling_column(const CommonOptions& common, const fs::path& input, io::Points& points) {
    const RulingColumn ruling = ruling_column(points.values.view());
    if (ruling.column < 0) return;
    const auto c = static_cast<std::size_t>(ruling.column);
    const std::string name = points.columns.empty() ? "" : fmt::format(" '{}'", points.columns[c]);
    const io::Note note{
        fmt::format("read as it is: column {}{} has the standard deviation {:.3g}, where {:.3g} is usual, and "
                    "decides the distances; --normalize standardize gives all columns the same",
                    c + 1, name, ruling.deviation, ruling.usual),
        ""};
    print_notes(common, input, {note});
    points.notes.push_back(note);
}

/// The options for a second file. Those of a format are left out if it has another extension, labels if they are in a
/// file.
io::ReadOptions options_of_second(io::ReadOptions options, const fs::path& input, const fs::path& second) {
    const fs::path of_input = input.extension(), of_second = second.extension();
    if (of_input != of_second) options.array.clear();
    if (of_input != of_second) options.decimal = io::Decimal::automatic;
    if (!io::split_file_column(options.labels).file.empty()) options.labels.clear();
    // A row has one place, whatever is beside it: its gaps are not filled from its own file
    if (options.fill == "mean" || options.fill == "median") options.fill.clear();
    return options;
}

}  // namespace

io::Points read_input_like(const fs::path& input, const CommonOptions& common, const fs::path& first,
                           const std::vector<std::string>& columns) {
    io::Points points = read_as_guessed(common, input, [&] {
        try {
            return io::read_points_like(input, first.string(), columns, common.read, common.run);
        } catch (const Error& error) {
            throw_of_points(common, input, error);
        }
    });
    require_read(common, points.values.rows() == 0);
    print_guess(common, input, points.guess);
    print_notes(common, input, points.notes);
    return points;
}

namespace {

io::Points read_unscaled(const fs::path& input, const CommonOptions& common, ColumnOffsets offsets) {
    CommonOptions reading = common;
    reading.read.offsets = offsets;
    io::Points points = read_input_like(input, reading, {}, {});
    note_dissimilarities(common, input, points);
    if (common.points.normalize == Normalize::none && offsets == ColumnOffsets::subtract)
        note_ruling_column(common, input, points);
    if (common.points.normalize == Normalize::zscore)
        print_notes(common, input, {{"scaled by zscore, the former name of standardize; use that name", ""}});
    return points;
}

void scale(io::Points& points, const ColumnScales& scales, const CommonOptions& common) {
    if (scales.empty()) return;
    points.normalize = common.points.normalize;
    points.values = scaled(points.values.view(), scales, common.run);
    points.shift.resize(scales.shift.size(), 0.0);
    for (std::size_t c = 0; c < scales.shift.size(); ++c) points.shift[c] += scales.shift[c];
    points.scale = scales.scale;
}

}  // namespace

io::Points in_units_of(const io::Points& frame, Matrix rows) {
    io::Points points;
    points.values = std::move(rows);
    points.shift = frame.shift;
    points.columns = frame.columns;
    points.scale = frame.scale;
    return points;
}

io::Points read_input(const fs::path& input, const CommonOptions& common, ColumnOffsets offsets) {
    io::Points points = read_unscaled(input, common, offsets);
    const ColumnScales scales = scales_of(points.values.view(), common.points.normalize, common.run);
    if (scales.empty() && common.points.normalize != Normalize::none) require_read(common, true);
    scale(points, scales, common);
    return points;
}

PointsAndQueries read_inputs(const fs::path& input, const fs::path& queries, const CommonOptions& common,
                             neighbors::Metric metric) {
    PointsAndQueries read{read_unscaled(input, common, offsets_of(metric)), {}};
    CommonOptions second = common;
    second.read = options_of_second(common.read, input, queries);
    second.read.shift = read.points.shift;
    read.queries = read_input_like(queries, second, input, read.points.columns);
    const ColumnScales scales = scales_of(read.points.values.view(), common.points.normalize, common.run);
    if (scales.empty() && common.points.normalize != Normalize::none) require_read(common, true);
    scale(read.points, scales, common);
    scale(read.queries, scales, common);
    return read;
}

}  // namespace dunlin::app
