// SPDX-License-Identifier: Apache-2.0
#include "per_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "streams.hpp"

namespace dunlin::app {

namespace {

std::string percentage_of(const scores::Score& share) {
    if (share.se > 0) return fmt::format("{:.1f}% (+- {:.1f})", 100 * share.value, 100 * share.se);
    return fmt::format("{:.1f}%", 100 * share.value);
}

}  // namespace

std::string field_of(const std::string& text, char mark) {
    if (text.find_first_of(std::string("\"\r\n") + mark) == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

void write_columns(const fs::path& path, const reliability::Columns& columns, const std::vector<std::string>& ids) {
    const char mark = path.extension() == ".tsv" ? '\t' : ',';
    std::vector<const std::vector<float>*> written;
    std::string text = ids.empty() ? "" : "id";
    reliability::each_column(columns, [&](const char* name, const std::vector<float>& column) {
        if (column.empty()) return;
        if (!text.empty()) text += mark;
        text += name;
        written.push_back(&column);
    });
    text += '\n';
    const std::size_t rows = written.empty() ? 0 : written.front()->size();
    for (std::size_t i = 0; i < rows; ++i) {
        std::string row = ids.empty() ? "" : field_of(ids[i], mark);
        for (std::size_t c = 0; c < written.size(); ++c) {
            if (c > 0 || !ids.empty()) row += mark;
            const float value = (*written[c])[i];
            if (!std::isnan(value)) fmt::format_to(std::back_inserter(row), "{}", value);
        }
        text += row + '\n';
    }
    io::write_text(path, text);
}

reliability::Columns columns_of(const io::Points& table) {
    reliability::Columns columns;
    const MatrixView<const float> values = table.values.view();
    reliability::each_column(columns, [&](const char* name, std::vector<float>& column) {
        const auto named = std::find(table.columns.begin(), table.columns.end(), name);
        if (named == table.columns.end()) return;
        const auto c = static_cast<Index>(named - table.columns.begin());
        const double shift = table.shift.empty() ? 0 : table.shift[static_cast<std::size_t>(c)];
        for (Index i = 0; i < values.rows; ++i)
            column.push_back(static_cast<float>(static_cast<double>(values(i, c)) + shift));
    });
    return columns;
}

void put_summary(Json& quality, const reliability::Result& result) {
    const reliability::Summary& summary = result.summary;
    if (summary.points_elsewhere) put_score(quality, "points_elsewhere", *summary.points_elsewhere);
    if (summary.points_torn) put_score(quality, "points_torn", *summary.points_torn);
    if (summary.points_unheld) put_score(quality, "points_unheld", *summary.points_unheld);
    if (result.median_newton_step) put_score(quality, "median_newton_step", {*result.median_newton_step, 0});
    put_score(quality, "nn_distance", {summary.nn_distance, 0});
}

std::string shares_in_words(const reliability::Summary& summary) {
    std::string words;
    if (summary.points_elsewhere)
        words += fmt::format(", {} of points would land elsewhere", percentage_of(*summary.points_elsewhere));
    if (summary.points_torn)
        words += fmt::format(", {} are torn from their neighbors", percentage_of(*summary.points_torn));
    return words;
}

void warn_of_motion(const CommonOptions& common, const fs::path& map, const reliability::Result& result) {
    if (common.quiet || !result.median_newton_step) return;
    const double step = *result.median_newton_step / result.summary.nn_distance;
    if (!(step > reliability::converged_step)) return;
    tell(
        "dunlin: {}: the map is not a minimum of t-SNE's loss: half of the points would move by {:.2g} or more "
        "nearest-neighbor distances; singularity, home and gap mean little (docs/reliability.md)\n",
        map.string(), step);
}

}  // namespace dunlin::app
