// SPDX-License-Identifier: Apache-2.0
#include "colors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "flags.hpp"
#include "matched.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// The .h5ad that FILE or FILE:MAP names; empty for another file.
fs::path annotated_of(const fs::path& main) {
    const io::FileColumn at = io::split_file_column(main.string());
    return is_annotated(at.file) ? at.file : fs::path{};
}

}  // namespace

void add_color_flags(CLI::App& app, CommonOptions& common, bool of_graph) {
    const std::string words = of_graph ? listed(names(picture::ColorBy{})) : "labels";
    app.add_option("--color", common.color,
                   std::string("what the colors show: labels, or a column of a file (name or 1-based number; of an "
                               ".h5ad obs:NAME or gene:NAME), words as classes and numbers as a scale") +
                       (of_graph ? "; of graphs also community or degree" : "") +
                       "; given more than once, a panel each")
        ->type_name(words + "|FILE:COLUMN")
        ->allow_extra_args(false)
        ->default_str("labels");
    app.add_option("--colors", common.label_colors,
                   "colors of labels: a table of a label and #1a2b3c a row, or the .h5ad of --color obs:NAME")
        ->type_name("FILE");
}

io::FileColumn column_named(const std::string& flag, const std::string& text, const std::string& or_else,
                            const fs::path& main) {
    if (io::FileColumn split = io::split_file_column(text); !split.file.empty()) return split;
    if (const fs::path annotated = annotated_of(main); !annotated.empty() && !text.empty())
        if (text.starts_with("obs:") || text.starts_with("gene:") || text.find(':') == std::string::npos)
            return {annotated, text};
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0)
        throw Error(Fault::bad_input, fmt::format("{} is '{}'; it must be {}FILE or FILE:COLUMN", flag, text, or_else));
    return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string labels_of(const std::string& labels, const fs::path& main) {
    const fs::path annotated = annotated_of(main);
    if (annotated.empty() || !io::split_file_column(labels).file.empty()) return labels;
    return annotated.string() + ":" + labels;
}

std::vector<ColorChoice> color_of(const CommonOptions& common, const fs::path& main, const std::string& labels,
                                  picture::Options& options) {
    std::vector<ColorChoice> choices;
    for (const std::string& text : common.color) {
        ColorChoice choice{text};
        if (const auto by = value_named<picture::ColorBy>(text))
            choice.by = *by;
        else
            choice.column = column_named("--color", text, listed(names(picture::ColorBy{})) + " or ", main);
        if (!common.label_colors.empty()) {
            const std::string column = text == name_of(picture::ColorBy::labels) ? labels : text;
            const io::FileColumn at = io::split_file_column(column);
            choice.own = picture::read_label_colors(common.label_colors, at.file.empty() ? column : at.column);
        }
        choices.push_back(std::move(choice));
    }
    if (choices.size() == 1) {
        options.color = choices.front().by;
        options.colors = choices.front().own;
    }
    return choices;
}

void refuse_graph_colors(const std::vector<ColorChoice>& choices, const fs::path& input) {
    for (const ColorChoice& choice : choices) {
        if (choice.by != picture::ColorBy::labels)
            throw Error(Fault::bad_input, fmt::format("--color {} is for graphs, and {} holds none; leave it out",
                                                      choice.text, input.string()));
    }
}

picture::Coloring coloring_of(const io::FileColumn& at, io::NumberColumn column) {
    if (!column.values.empty() && std::ranges::none_of(column.values, [](double v) { return std::isfinite(v); }))
        tell("warning: column '{}' of {} has no number\n", column.name, at.file.string());
    return {std::move(column.values), std::move(column.name)};
}

namespace {

picture::Panel panel_of(const CommonOptions& common, const ColorChoice& choice, const io::NamedRows& rows,
                        const Labels& labels) {
    picture::Panel panel{.title = choice.text, .by = choice.by, .colors = choice.own};
    if (!choice.column) {
        if (choice.by == picture::ColorBy::labels) panel.labels = labels;
        return panel;
    }
    io::ColorColumn read = matched_color(common, *choice.column, rows);
    const std::string& column = choice.column->column;
    panel.title = column.empty() ? choice.column->file.stem().string() : column.substr(column.find(':') + 1);
    if (read.numbers) {
        panel.title = read.numbers->name;
        panel.values = coloring_of(*choice.column, std::move(*read.numbers));
    } else {
        panel.labels = std::move(read.classes.labels);
    }
    return panel;
}

}  // namespace

PictureColors colors_of(const CommonOptions& common, const std::vector<ColorChoice>& choices, const io::NamedRows& rows,
                        const Labels& labels) {
    PictureColors colors;
    for (const ColorChoice& choice : choices) colors.panels.push_back(panel_of(common, choice, rows, labels));
    picture::Panel& first = colors.panels.front();
    colors.labels = labels;
    if (choices.size() > 1) {
        colors.values = first.values;
        if (first.by == picture::ColorBy::labels) colors.labels = first.labels;
        return colors;
    }
    colors.values = std::move(first.values);
    if (first.by == picture::ColorBy::labels) colors.labels = std::move(first.labels);
    colors.panels.clear();
    return colors;
}

bool draw(const fs::path& path, const PictureColors& colors, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const picture::Options& options, const Run& run) {
    if (!colors.panels.empty()) return picture::draw(path, colors.panels, graph, map, ids, options, run);
    if (colors.values) return picture::draw(path, *colors.values, graph, map, ids, options, run);
    if (graph.size() == 0) return picture::draw(path, map, colors.labels, ids, options, run);
    return picture::draw(path, graph, map, colors.labels, ids, options, run);
}

}  // namespace dunlin::app
