// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/map_origin.hpp>
#include <dunlin/page.hpp>
#include <dunlin/plots.hpp>

#include "communities/sequential.hpp"
#include "io/markup.hpp"
#include "io/output.hpp"
#include "picture/compose.hpp"
#include "picture/formats.hpp"
#include "picture/html_page.hpp"
#include "picture/names.hpp"
#include "picture/page_content.hpp"
#include "picture/text.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

void write(const std::filesystem::path& path, const std::string& bytes) {
    io::Output file(path);
    file.text(bytes);
    file.commit();
}

std::string bytes_of(device::Cpu& cpu, const Sheet& sheet, std::string_view extension) {
    return extension == ".png" ? png_of(cpu, sheet) : extension == ".svg" ? svg_of(cpu, sheet) : pdf_of(cpu, sheet);
}

namespace {

void check_alpha(const char* name, float alpha) {
    if (alpha >= 0 && alpha <= 1) return;
    throw Error(Fault::bad_input, fmt::format("{}: {}; use 0 (by the number of points or edges) to 1", name, alpha));
}

void check_graph_options(const Options& options) {
    const Options none;
    if (options.color == none.color && options.edge_width == 0 && options.edge_alpha == 0 && !options.vertex_names)
        return;
    throw Error(
        Fault::bad_input,
        "picture: color, edge-width, edge-alpha and vertex-names are for graphs; leave them out, or give a graph");
}

/// Calls use(cpu, drawing).
void with_drawing(const Subject& subject, const Options& options, const Run& run, bool is_page, const auto& use) {
    check(options);
    const progress::ProgressReporter reporter(run, "picture", 1);
    const FontScope font(options.font);
    device::Cpu cpu(run);
    const FlatMap flat = flatten(cpu, subject.map);
    check(subject);
    Groups groups = colored_groups(subject, options, is_page);
    Page page = page_of(options, groups);
    note_absent(options, subject.ids, run);
    use(cpu, drawing_of(cpu, subject, flat, options, std::move(groups), std::move(page)));
}

void draw_all(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels,
              const std::vector<std::string>& ids, const Options& options, const Run& run,
              const Coloring* coloring = nullptr, Index below = 0) {
    const std::string extension = io::format_of(path, "a picture is", formats::pictures);
    const bool is_page = extension == ".html";
    with_drawing({graph, map, labels, ids, coloring, below}, options, run, is_page,
                 [&](device::Cpu& cpu, Drawing drawing) {
                     if (is_page) return write(path, html_of(cpu, drawing));
                     Sheet sheet{options, paper_of(options), {}, {}};
                     sheet.parts.push_back({std::move(drawing)});
                     write(path, bytes_of(cpu, sheet, extension));
                 });
}

/// A map less the origin of another.
Map beside(const Map& other, const Map& map) {
    const std::vector<double> zeros(static_cast<std::size_t>(map.dim), 0.0);
    return io::map_of(map.dim, io::coordinates_of(map), other.origin.empty() ? zeros : other.origin);
}

/// Labels of the points of a map, all alike, then of the new ones.
Labels labels_of_placed(Index old, Index placed, const Labels& labels) {
    if (!labels.empty() && std::ssize(labels.of) != placed)
        throw Error(Fault::bad_input, fmt::format("picture: there are {} new points and {} labels; give one for every "
                                                  "point, or none",
                                                  placed, labels.of.size()));
    Labels all{{}, labels.empty() ? std::vector<std::string>{"new"} : labels.names};
    std::string name = "map";
    while (std::find(all.names.begin(), all.names.end(), name) != all.names.end()) name.insert(0, "the ");
    all.names.push_back(name);
    all.of.assign(static_cast<std::size_t>(old), static_cast<Index>(all.names.size()) - 1);
    if (labels.empty())
        all.of.insert(all.of.end(), static_cast<std::size_t>(placed), 0);
    else
        all.of.insert(all.of.end(), labels.of.begin(), labels.of.end());
    return all;
}

}  // namespace

void draw_page(const std::filesystem::path& path, const Map& map, const Labels& labels,
               const std::vector<std::string>& ids, const Options& options, const Run& run, const Coloring* coloring,
               const PageExtras& extras) {
    const Graph none;
    with_drawing({none, map, labels, ids, coloring}, options, run, true,
                 [&](device::Cpu& cpu, const Drawing& drawing) { write(path, html_of(cpu, drawing, extras, run)); });
}

namespace {

/// The coloring is read by picture::Options::color, labels or values.
void check_coloring(const Graph& graph, const Map& map, const Options& options, bool by_value) {
    if (by_value && options.color != ColorBy::labels)
        throw Error(Fault::bad_input, "picture: color is given twice, as values and as an option; leave one out");
    if (graph.size() == 0) check_graph_options(options);
    if (graph.size() > 0) check_graph(graph, map);
}

}  // namespace

void check(const Options& options) {
    (void)paper_of(options);
    if (!(options.point_size >= 0 && options.point_size <= 200)) {
        throw Error(Fault::bad_input,
                    fmt::format("point-size: {} pixels; use 0 (by the number of points) to 200", options.point_size));
    }
    check_alpha("alpha", options.alpha);
    check_alpha("edge-alpha", options.edge_alpha);
    most_names(options, 0, false);  // throws for one that it does not know
    if (!(options.edge_width >= 0 && options.edge_width <= 200)) {
        throw Error(Fault::bad_input,
                    fmt::format("edge-width: {} pixels; use 0 (by the number of edges) to 200", options.edge_width));
    }
}

bool draw(const std::filesystem::path& path, const Map& map, const Labels& labels, const std::vector<std::string>& ids,
          const Options& options, const Run& run) {
    check_graph_options(options);
    return progress::run_cancellable(run.stop, [&] { draw_all(path, Graph{}, map, labels, ids, options, run); });
}

bool draw(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels,
          const std::vector<std::string>& ids, const Options& options, const Run& run) {
    check_graph(graph, map);
    return progress::run_cancellable(run.stop, [&] {
        const bool by_community = options.color == ColorBy::community;
        const Labels communities =
            by_community ? communities::labels_of(communities::find_sequentially(graph)) : Labels{};
        draw_all(path, graph, map, by_community ? communities : labels, ids, options, run);
    });
}

bool draw(const std::filesystem::path& path, const Coloring& coloring, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const Options& options, const Run& run) {
    check_coloring(graph, map, options, true);
    return progress::run_cancellable(run.stop, [&] { draw_all(path, graph, map, {}, ids, options, run, &coloring); });
}

bool draw_placed(const std::filesystem::path& path, const Map& map, const Map& placed, const Labels& labels,
                 const std::vector<std::string>& ids, const Options& options, const Run& run,
                 const Coloring* coloring) {
    check_graph_options(options);
    const Index old = map.size(), n = placed.size();
    if (old > 0 && n > 0 && map.dim != placed.dim)
        throw Error(Fault::bad_input, fmt::format("picture: the map has {} dimensions and the new points {}; they must "
                                                  "agree",
                                                  map.dim, placed.dim));
    Map all{old > 0 ? map.dim : placed.dim, map.coordinates, map.origin};
    const std::vector<float> added = placed.origin == all.origin ? placed.coordinates : beside(all, placed).coordinates;
    all.coordinates.insert(all.coordinates.end(), added.begin(), added.end());
    std::vector<std::string> names = ids;
    if (!names.empty()) names.insert(names.begin(), static_cast<std::size_t>(old), "");
    Coloring values = coloring == nullptr ? Coloring{} : Coloring{coloring->values, coloring->name};
    values.values.insert(values.values.begin(), static_cast<std::size_t>(old),
                         std::numeric_limits<double>::quiet_NaN());
    const Labels all_labels = coloring == nullptr ? labels_of_placed(old, n, labels) : Labels{};
    Options style = options;
    style.label_names = options.label_names && !labels.empty();
    if (!style.item_names.empty()) style.item_names.insert(style.item_names.begin(), static_cast<std::size_t>(old), "");
    if (!style.name_ranks.empty())
        style.name_ranks.insert(style.name_ranks.begin(), static_cast<std::size_t>(old),
                                std::numeric_limits<double>::quiet_NaN());
    return progress::run_cancellable(run.stop, [&] {
        draw_all(path, Graph{}, all, all_labels, names, style, run, coloring == nullptr ? nullptr : &values, old);
    });
}

PageContent page_content(const Map& map, const Graph& graph, const Labels& labels, const std::vector<std::string>& ids,
                         const Coloring* coloring, const Options& options, const Run& run, const PageExtras& extras) {
    check_coloring(graph, map, options, coloring != nullptr);
    PageContent content;
    const bool complete = progress::run_cancellable(run.stop, [&] {
        const bool by_community = options.color == ColorBy::community;
        const Labels communities =
            by_community ? communities::labels_of(communities::find_sequentially(graph)) : Labels{};
        const Labels none;
        const Labels& shown = coloring != nullptr ? none : by_community ? communities : labels;
        with_drawing({graph, map, shown, ids, coloring}, options, run, true,
                     [&](device::Cpu& cpu, const Drawing& drawing) {
                         content = page_content(cpu, drawing, false, extras, run);
                     });
    });
    return complete ? content : PageContent{};
}

PageFiles page_files() {
    return {page_body,          page_style,      page_script,      page_relief_script, page_film_script,
            page_webgpu_script, page_run_script, page_port_script, page_widget_module};
}

}  // namespace dunlin::picture
