// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <dunlin/formats.hpp>
#include <dunlin/io.hpp>

#include "io/npy.hpp"
#include "io/output.hpp"

namespace dunlin::io {

namespace {

/// Delimiter of a table, 0 for .npy.
char delimiter_of(const std::filesystem::path& path) {
    const std::string extension = format_of(path, "points and clusters are", formats::tables);
    return extension == ".csv" ? ',' : extension == ".tsv" ? '\t' : '\0';
}

double value_of(const Points& points, Index row, Index column) {
    const auto c = static_cast<std::size_t>(column);
    const double shift = points.shift.empty() ? 0 : points.shift[c], scale = points.scale.empty() ? 1 : points.scale[c];
    const auto value = static_cast<double>(points.values.view()(row, column));
    return (scale != 0 ? value / scale : 0) + shift;
}

bool is_as_read(const Points& points) { return points.shift.empty() && points.scale.empty(); }

void write_header(Output& out, const Points& points, char delimiter) {
    const bool ids = !points.ids.empty();
    if (ids) out.text("id");
    for (Index c = 0; c < points.values.cols(); ++c) {
        if (ids || c > 0) out.character(delimiter);
        out.field(points.columns.empty() ? fmt::format("x{}", c + 1) : points.columns[static_cast<std::size_t>(c)],
                  delimiter);
    }
    out.character('\n');
}

void write_rows(Output& out, const Points& points, char delimiter) {
    const bool ids = !points.ids.empty();
    for (Index r = 0; r < points.values.rows(); ++r) {
        if (ids) out.field(points.ids[static_cast<std::size_t>(r)], delimiter);
        for (Index c = 0; c < points.values.cols(); ++c) {
            if (ids || c > 0) out.character(delimiter);
            if (is_as_read(points)) {
                out.number(points.values.view()(r, c));
            } else {
                out.number(value_of(points, r, c));
            }
        }
        out.character('\n');
    }
}

std::vector<double> all_values(const Points& points) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(points.values.view().size()));
    for (Index r = 0; r < points.values.rows(); ++r) {
        for (Index c = 0; c < points.values.cols(); ++c) values.push_back(value_of(points, r, c));
    }
    return values;
}

void write_array(Output& out, const Points& points) {
    const MatrixView<const float> rows = points.values.view();
    const bool as_read = is_as_read(points);
    out.text(npy_header(as_read ? "<f4" : "<f8",
                        {static_cast<std::uint64_t>(rows.rows), static_cast<std::uint64_t>(rows.cols)}));
    as_read ? out.raw(std::vector<float>(rows.data, rows.data + rows.size())) : out.raw(all_values(points));
}

}  // namespace

void write_points(const std::filesystem::path& path, const Points& points) {
    const char delimiter = delimiter_of(path);
    Output out(path);
    if (delimiter != 0) {
        write_header(out, points, delimiter);
        write_rows(out, points, delimiter);
    } else {
        write_array(out, points);
    }
    out.commit();
}

void write_clusters(const std::filesystem::path& path, const std::vector<Index>& clusters,
                    const std::vector<std::string>& ids) {
    const char delimiter = delimiter_of(path);
    Output out(path);
    if (delimiter == 0) {
        out.text(npy_header("<i4", {clusters.size()}));
        out.raw(clusters);
        return out.commit();
    }
    if (!ids.empty()) out.text("id"), out.character(delimiter);
    out.text("cluster\n");
    for (std::size_t r = 0; r < clusters.size(); ++r) {
        if (!ids.empty()) out.field(ids[r], delimiter), out.character(delimiter);
        out.number(clusters[r]);
        out.character('\n');
    }
    out.commit();
}

}  // namespace dunlin::io
