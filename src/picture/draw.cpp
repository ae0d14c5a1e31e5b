// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
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

constexpr Index most_kept_off = 1'000'000;  // points that names of groups keep off; of more each is hardly seen

/// What names are placed on.
struct Named {
    const Graph& graph;
    const FlatMap& flat;
    const Groups& groups;
    const std::vector<std::string>& ids;
    const Viewport& viewport;
    const Style& style;
};

/// Says which of the names that are asked for are no ids, and no names that are shown.
void note_absent(const Options& options, const std::vector<std::string>& ids, const Run& run) {
    const std::vector<std::string>& wanted = options.name_these;
    if (wanted.empty() || !run.on_notice) return;
    std::unordered_set<std::string_view> known(ids.begin(), ids.end());
    known.insert(options.item_names.begin(), options.item_names.end());
    std::vector<std::string> absent;
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(absent),
                 [&](const std::string& name) { return !known.contains(name); });
    if (absent.empty()) return;
    run.on_notice(Notice::note, fmt::format("{} of {} names are no ids of the map, such as '{}', and are not shown",
                                            absent.size(), wanted.size(), io::clean_text(absent[0])));
}

void add_names(device::Cpu& cpu, Page& page, const Named& named, const Options& options, bool has_labels) {
    const Index n = static_cast<Index>(named.flat.x.size());
    const Index most = most_names(options, n, !shown_names(options, named.ids).empty());
    TextPlacement placement(page);
    if (most > 0 || n <= most_kept_off)
        avoid_marks(placement, named.graph, named.flat, page, named.viewport, named.style);
    if (options.label_names && options.color == ColorBy::labels && has_labels) {
        const std::vector<PlacedName> names = group_names(cpu, named.flat, named.groups, page, named.viewport);
        // Digits and letters can be large; words would hide their points
        const bool words =
            std::any_of(names.begin(), names.end(), [](const PlacedName& name) { return name.text.size() > 3; });
        const float size = page.name_size > 0 ? page.name_size : (words ? 1.02F : 1.36F) * page.text;
        add_group_names(placement, page, names, size);
    }
    add_point_names(placement, named.graph, named.flat, named.ids, page, named.viewport, named.style, options, most);
}

void check_count(const char* what, std::size_t count, const Map& map) {
    if (count == 0 || count == static_cast<std::size_t>(map.size())) return;
    throw Error(Fault::bad_input, fmt::format("picture: the map has {} points and there are {} {}; give one for every "
                                              "point, or none",
                                              map.size(), count, what));
}

/// Calls use(cpu, drawing).
void with_drawing(const Graph& graph, const Map& map, const Labels& labels, const std::vector<std::string>& ids,
                  const Options& options, const Run& run, const Coloring* coloring, const auto& use) {
    check(options);
    check_count("ids", ids.size(), map);
    check_count("names", options.item_names.size(), map);
    check_count("ranks of names", options.name_ranks.size(), map);
    if (coloring != nullptr) check_film(coloring->film, map.size());
    device::ProgressReporter reporter(run, "picture", 1);
    const FontScope font(options.font);
    device::Cpu cpu(run);
    FlatMap flat = flatten(cpu, map);
    Groups groups = coloring != nullptr                ? groups_by_value(coloring->values, coloring->name, map.size())
                    : options.color == ColorBy::degree ? groups_by_degree(graph)
                                                       : groups_of(labels, map.size());
    Page page = page_of(options, groups);
    const bool has_edges = graph.edges() > 0;
    const Style style = has_edges ? vertex_style_of(options, page, map.size()) : style_of(options, page, map.size());
    const EdgeStyle edge_style = edge_style_of(options, page, graph.edges() / 2);
    const Viewport viewport = viewport_of(flat, page.plot, style.diameter);
    note_absent(options, ids, run);
    add_names(cpu, page, {graph, flat, groups, ids, viewport, style}, options, coloring == nullptr);
    const bool has_film = coloring != nullptr && !coloring->film.frames.empty();
    const bool has_first = !options.name_these.empty() || !options.name_ranks.empty();
    const std::vector<Index> none;
    const Drawing drawing{graph,           map,
                          labels,          shown_names(options, ids),
                          options,         std::move(groups),
                          std::move(page), std::move(flat),
                          style,           edge_style,
                          viewport,        has_film ? &coloring->film : nullptr,
                          nullptr,         has_first ? order_of_names(graph, ids, options, map.size()) : none};
    use(cpu, drawing);
}

void draw_all(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels,
              const std::vector<std::string>& ids, const Options& options, const Run& run,
              const Coloring* coloring = nullptr) {
    const std::string extension = io::format_of(path, "a picture is", formats::pictures);
    with_drawing(graph, map, labels, ids, options, run, coloring, [&](device::Cpu& cpu, const Drawing& drawing) {
        const std::string bytes = extension == ".png"   ? png_of(cpu, drawing)
                                  : extension == ".svg" ? svg_of(cpu, drawing)
                                  : extension == ".pdf" ? pdf_of(cpu, drawing)
                                                        : html_of(cpu, drawing);
        io::Output file(path);
        file.text(bytes);
        file.commit();
    });
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
