// SPDX-License-Identifier: Apache-2.0
#include "picture/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include <dunlin/error.hpp>

#include "io/markup.hpp"
#include "picture/names.hpp"
#include "picture/text_placement.hpp"

namespace dunlin::picture {

namespace {

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

void check_count(const char* what, std::size_t count, Index points) {
    if (count == 0 || count == static_cast<std::size_t>(points)) return;
    throw Error(Fault::bad_input, fmt::format("picture: the map has {} points and there are {} {}; give one for every "
                                              "point, or none",
                                              points, count, what));
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

constexpr Index most_kept_off = 1'000'000;  // points that names of groups keep off; of more each is hardly seen

void add_names(device::Cpu& cpu, Page& page, const NamedMap& named, const Options& options, bool has_labels) {
    const Index n = static_cast<Index>(named.flat.x.size()) - named.below;
    const Index most = most_names(options, n, !shown_names(options, named.ids).empty());
    TextPlacement placement(page);
    if (most > 0 || n <= most_kept_off) avoid_marks(placement, named, page);
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

}  // namespace

void check(const Subject& subject) {
    const Index n = subject.map.size();
    check_count("ids", subject.ids.size(), n);
    if (subject.coloring != nullptr) check_film(subject.coloring->film, n);
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

Groups colored_groups(const Subject& subject, const Options& options, bool is_page) {
    const Coloring* coloring = subject.coloring;
    const Index n = subject.map.size();
    Groups groups = coloring != nullptr                ? groups_by_value(coloring->values, coloring->name, n, options)
                    : options.color == ColorBy::degree ? groups_by_degree(subject.graph, options)
                                                       : groups_of(subject.labels, n, options);
    check_colors(options, groups);
    if (subject.below > 0) put_below(groups, subject.below);
    if (!is_page) adapt(groups, look_of(options.dark));
    return groups;
}

Drawing drawing_of(device::Cpu& cpu, const Subject& subject, const FlatMap& flat, const Options& options, Groups groups,
                   Page page) {
    const auto& [graph, map, labels, ids, coloring, below] = subject;
    check_count("names", options.item_names.size(), map.size());
    check_count("ranks of names", options.name_ranks.size(), map.size());
    const bool has_edges = graph.edges() > 0;
    const Style style = has_edges ? vertex_style_of(options, page, map.size()) : style_of(options, page, map.size());
    const EdgeStyle edge_style = edge_style_of(options, page, graph.edges() / 2);
    const Viewport viewport = viewport_of(flat, page.plot, style.diameter);
    const Style named = below > 0 ? placed_style(style) : style;
    const NamedMap what{graph, flat, groups, ids, viewport, named, below};
    add_names(cpu, page, what, options, coloring == nullptr);
    const bool has_film = coloring != nullptr && !coloring->film.frames.empty();
    const bool has_first = !options.name_these.empty() || !options.name_ranks.empty();
    std::vector<Index> first = has_first ? order_of_names(what, options) : std::vector<Index>();
    return {graph,           map,
            labels,          shown_names(options, ids),
            options,         std::move(groups),
            std::move(page), flat,
            style,           edge_style,
            viewport,        has_film ? &coloring->film : nullptr,
            nullptr,         std::move(first)};
}

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

}  // namespace dunlin::picture
