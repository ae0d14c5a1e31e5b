// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/page.hpp>
#include <dunlin/plots.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "graph/communities.hpp"
#include "io/markup.hpp"
#include "io/output.hpp"
#include "picture/formats.hpp"
#include "picture/html_page.hpp"
#include "picture/names.hpp"
#include "picture/page_content.hpp"
#include "picture/paper.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

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

void check_graph(const Graph& graph, const Map& map) {
    if (graph.size() != map.size()) {
        throw Error(Fault::bad_input, fmt::format("picture: the graph has {} vertices and the map {} points; give the "
                                                  "graph the map was made from",
                                                  graph.size(), map.size()));
    }
    for (const Index target : graph.targets) {
        if (target < 0 || target >= graph.size())
            throw Error(Fault::bad_input, fmt::format("picture: an edge of the graph leads to vertex {}; there are {}",
                                                      target, graph.size()));
    }
}

void check_film(const ColorFilm& film, Index n) {
    constexpr Offset most_values = Offset{1} << 30;
    if (film.captions.size() != film.frames.size()) {
        throw Error(Fault::bad_input, fmt::format("picture: the film has {} frames and {} captions; give one for each",
                                                  film.frames.size(), film.captions.size()));
    }
    if (Offset{n} * std::ssize(film.frames) > most_values) {
        throw Error(Fault::bad_input, fmt::format("picture: a film of {} frames of {} points; give at most {} values",
                                                  film.frames.size(), n, most_values));
    }
    for (std::size_t f = 0; f < film.frames.size(); ++f) {
        if (std::ssize(film.frames[f]) == n) continue;
        throw Error(Fault::bad_input, fmt::format("picture: the map has {} points and frame {} of the film {} values; "
                                                  "give one for every point",
                                                  n, f, film.frames[f].size()));
    }
}

/// Throws for options of colors that these colors do not read.
void check_colors(const Options& options, const Groups& groups) {
    const Options none;
    if (!groups.scale && (!options.range.empty() || options.scale != none.scale || options.center))
        throw Error(Fault::bad_input,
                    "picture: range, scale and center are of numbers, and the colors show none; leave them out");
    const bool of_labels = std::any_of(options.colors.begin(), options.colors.end(),
                                       [](const LabelColor& each) { return !each.label.empty(); });
    if (groups.scale && of_labels)
        throw Error(Fault::bad_input, "picture: colors are of labels, and the points show numbers; give a palette");
    if (!groups.labeled() && (options.palette != none.palette || !options.colors.empty()))
        throw Error(Fault::bad_input,
                    "picture: palette and colors are of labels and numbers, and the points have none; leave them out");
}

/// Draws the first points below the others: those of their label, or, of a scale, without a value.
void put_below(Groups& groups, Index count) {
    if (!groups.scale) {
        groups.below = groups.group(0);
        groups.list[*groups.below].color = below_color;
        return;
    }
    groups.list[groups.group(0)].count -= count;
    groups.below = groups.list.size();
    std::fill_n(groups.of.begin(), count, static_cast<std::uint8_t>(*groups.below));
    groups.list.push_back({"map", count, below_color});
}

/// Says which of the names that are asked for are no ids.
void note_absent(const std::vector<std::string>& wanted, const std::vector<std::string>& ids, const Run& run) {
    if (wanted.empty() || !run.on_notice) return;
    const std::unordered_set<std::string_view> known(ids.begin(), ids.end());
    std::vector<std::string> absent;
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(absent),
                 [&](const std::string& name) { return !known.contains(name); });
    if (absent.empty()) return;
    run.on_notice(Notice::note, fmt::format("{} of {} names are no ids of the map, such as '{}', and are not shown",
                                            absent.size(), wanted.size(), io::clean_text(absent[0])));
}

void add_names(device::Cpu& cpu, Page& page, const NamedMap& named, const Options& options, bool has_labels) {
    const Index n = static_cast<Index>(named.flat.x.size()) - named.below;
    const Index most = most_names(options, n, !named.ids.empty());
    TextPlacement placement(page);
    if (options.label_names && options.color == ColorBy::labels && has_labels) {
        const std::vector<PlacedName> names = group_names(cpu, named.flat, named.groups, page, named.viewport);
        // Digits and letters can be large; words would hide their points
        const bool words =
            std::any_of(names.begin(), names.end(), [](const PlacedName& name) { return name.text.size() > 3; });
        const float size = page.name_size > 0 ? page.name_size : (words ? 1.02F : 1.36F) * page.text;
        add_group_names(placement, page, names, size);
    }
    add_point_names(placement, named, page, options, most);
}

/// Calls use(cpu, drawing). below: how many points, the first ones, are below the others.
void with_drawing(const Graph& graph, const Map& map, const Labels& labels, const std::vector<std::string>& ids,
                  const Options& options, const Run& run, const Coloring* coloring, const auto& use, Index below = 0) {
    check(options);
    if (!ids.empty() && ids.size() != static_cast<std::size_t>(map.size())) {
        throw Error(Fault::bad_input,
                    fmt::format("picture: the map has {} points and there are {} ids; give one for every "
                                "point, or none",
                                map.size(), ids.size()));
    }
    if (coloring != nullptr) check_film(coloring->film, map.size());
    device::ProgressReporter reporter(run, "picture", 1);
    const FontScope font(options.font);
    device::Cpu cpu(run);
    FlatMap flat = flatten(cpu, map);
    Groups groups = coloring != nullptr ? groups_by_value(coloring->values, coloring->name, map.size(), options)
                    : options.color == ColorBy::degree ? groups_by_degree(graph, options)
                                                       : groups_of(labels, map.size(), options);
    check_colors(options, groups);
    if (below > 0) put_below(groups, below);
    Page page = page_of(options, groups);
    const bool has_edges = graph.edges() > 0;
    const Style style = has_edges ? vertex_style_of(options, page, map.size()) : style_of(options, page, map.size());
    const EdgeStyle edge_style = edge_style_of(options, page, graph.edges() / 2);
    const Viewport viewport = viewport_of(flat, page.plot, style.diameter);
    note_absent(options.name_these, ids, run);
    add_names(cpu, page, {graph, flat, groups, ids, viewport, below > 0 ? placed_style(style) : style, below}, options,
              coloring == nullptr);
    const bool has_film = coloring != nullptr && !coloring->film.frames.empty();
    const Drawing drawing{graph,           map,
                          labels,          ids,
                          options,         std::move(groups),
                          std::move(page), std::move(flat),
                          style,           edge_style,
                          viewport,        has_film ? &coloring->film : nullptr};
    use(cpu, drawing);
}

void draw_all(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels,
              const std::vector<std::string>& ids, const Options& options, const Run& run,
              const Coloring* coloring = nullptr, Index below = 0) {
    const std::string extension = io::format_of(path, "a picture is", formats::pictures);
    with_drawing(
        graph, map, labels, ids, options, run, coloring,
        [&](device::Cpu& cpu, const Drawing& drawing) {
            const std::string bytes = extension == ".png"   ? png_of(cpu, drawing)
                                      : extension == ".svg" ? svg_of(cpu, drawing)
                                      : extension == ".pdf" ? pdf_of(cpu, drawing)
                                                            : html_of(cpu, drawing);
            io::Output file(path);
            file.text(bytes);
            file.commit();
        },
        below);
}

/// Labels of the points of a map, all alike, then of the new ones.
Labels labels_of_placed(Index old, Index placed, const Labels& labels) {
    if (!labels.empty() && std::ssize(labels.of) != placed)
        throw Error(Fault::bad_input, fmt::format("picture: there are {} new points and {} labels; give one for every "
                                                  "point, or none",
                                                  placed, labels.of.size()));
    Labels all{{}, labels.empty() ? std::vector<std::string>{"new"} : labels.names};
    std::string name = "map";
    while (std::find(all.names.begin(), all.names.end(), name) != all.names.end()) name = "the " + name;
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
    with_drawing(Graph{}, map, labels, ids, options, run, coloring, [&](device::Cpu& cpu, const Drawing& drawing) {
        const std::string html = html_of(cpu, drawing, extras, run);
        io::Output file(path);
        file.text(html);
        file.commit();
    });
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
    return device::run_cancellable(run.stop, [&] { draw_all(path, Graph{}, map, labels, ids, options, run); });
}

bool draw(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels,
          const std::vector<std::string>& ids, const Options& options, const Run& run) {
    check_graph(graph, map);
    return device::run_cancellable(run.stop, [&] {
        const bool by_community = options.color == ColorBy::community;
        const Labels communities = by_community ? graph::labels_of(graph::communities(graph)) : Labels{};
        draw_all(path, graph, map, by_community ? communities : labels, ids, options, run);
    });
}

bool draw(const std::filesystem::path& path, const Coloring& coloring, const Graph& graph, const Map& map,
          const std::vector<std::string>& ids, const Options& options, const Run& run) {
    check_coloring(graph, map, options, true);
    return device::run_cancellable(run.stop, [&] { draw_all(path, graph, map, {}, ids, options, run, &coloring); });
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
    all.coordinates.insert(all.coordinates.end(), placed.coordinates.begin(), placed.coordinates.end());
    std::vector<std::string> names = ids;
    if (!names.empty()) names.insert(names.begin(), static_cast<std::size_t>(old), "");
    Coloring values = coloring == nullptr ? Coloring{} : Coloring{coloring->values, coloring->name};
    values.values.insert(values.values.begin(), static_cast<std::size_t>(old),
                         std::numeric_limits<double>::quiet_NaN());
    const Labels all_labels = coloring == nullptr ? labels_of_placed(old, n, labels) : Labels{};
    Options style = options;
    style.label_names = options.label_names && !labels.empty();
    return device::run_cancellable(run.stop, [&] {
        draw_all(path, Graph{}, all, all_labels, names, style, run, coloring == nullptr ? nullptr : &values, old);
    });
}

PageContent page_content(const Map& map, const Graph& graph, const Labels& labels, const std::vector<std::string>& ids,
                         const Coloring* coloring, const Options& options, const Run& run, const PageExtras& extras) {
    check_coloring(graph, map, options, coloring != nullptr);
    PageContent content;
    const bool complete = device::run_cancellable(run.stop, [&] {
        const bool by_community = options.color == ColorBy::community;
        const Labels communities = by_community ? graph::labels_of(graph::communities(graph)) : Labels{};
        const Labels none;
        with_drawing(graph, map,
                     coloring != nullptr ? none
                     : by_community      ? communities
                                         : labels,
                     ids, options, run, coloring, [&](device::Cpu& cpu, const Drawing& drawing) {
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
