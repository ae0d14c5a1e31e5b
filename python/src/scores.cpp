// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <dunlin/check.hpp>
#include <dunlin/coincident.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/panels.hpp>
#include <dunlin/scores.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "item_names.hpp"
#include "picture_options.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

nb::tuple pair_of(const scores::Score& score) { return nb::make_tuple(score.value, score.se); }

void put(nb::dict& all, const char* name, const std::optional<scores::Score>& score) {
    if (score) all[name] = pair_of(*score);
}

nb::tuple judge(const FloatMatrix& map, const std::optional<FloatMatrix>& points,
                const std::optional<nb::tuple>& affinities, const std::optional<Indices>& labels,
                const std::vector<std::string>& names, const nb::dict& options, const nb::dict& run,
                nb::object callback) {
    const auto chosen = options_from<scores::Options>(options, scores::thorough());
    const Map placed = map_of(map);
    const Graph graph = graph_of(affinities);
    const Labels classes = labels_from(labels, names);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    scores::Scores found =
        watched([&](const Run& r) { return scores::evaluate(placed, view, graph, classes, chosen, r); });
    nb::dict all;
    scores::each_score(found,
                       [&](const char* name, const std::optional<scores::Score>& score) { put(all, name, score); });
    all["ran_on"] = std::string(name_of(found.device));
    if (!found.rnx_curve.empty()) all["rnx_curve"] = array_of(std::move(found.rnx_curve));
    return nb::make_tuple(all, watched.raised());
}

nb::tuple judge_layout(const nb::tuple& graph, const FloatMatrix& map, const nb::dict& options, const nb::dict& run,
                       nb::object callback) {
    const auto chosen = options_from<scores::LayoutOptions>(options, scores::thorough_layout());
    const Map placed = map_of(map);
    const Graph edges = graph_of(graph);
    Watched watched(run, std::move(callback), 0);
    const scores::LayoutScores found =
        watched([&](const Run& r) { return scores::evaluate(edges, placed, chosen, r); });
    nb::dict all;
    put(all, "scaled_stress", found.scaled_stress);
    put(all, "neighborhood_preservation", found.neighborhood_preservation);
    put(all, "edge_length_cv", found.edge_length_cv);
    put(all, "crossings", found.crossings);
    put(all, "min_angle", found.min_angle);
    return nb::make_tuple(all, watched.raised());
}

nb::tuple trustworthiness(const FloatMatrix& points, const FloatMatrix& map, Index k, const nb::dict& options,
                          const nb::dict& run) {
    const auto chosen = options_from<scores::Options>(options, scores::thorough());
    const Map placed = map_of(map);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, nb::none(), 0);
    const scores::Score found =
        watched([&](const Run& r) { return scores::trustworthiness(view, placed, k, chosen, r); });
    return nb::make_tuple(found.value, found.se, watched.raised());
}

nb::tuple draw(const std::string& path, const FloatMatrix& map, const std::optional<nb::tuple>& graph,
               const std::optional<Indices>& labels, const std::vector<std::string>& names,
               const std::vector<std::string>& ids, const ItemNames& item_names,
               const std::optional<ArrayOf<double, 1>>& values, const std::string& value_name,
               const std::vector<std::pair<std::string, ArrayOf<double, 1>>>& film, const nb::dict& options,
               const std::vector<std::pair<std::string, std::string>>& colors, const nb::dict& landscape_options,
               const std::optional<FloatMatrix>& placed_in, const nb::dict& run, nb::object callback) {
    picture::Options chosen = picture_options_from(options, colors);
    std::tie(chosen.name_these, chosen.item_names, chosen.name_ranks) = item_names;
    const auto landscape = options_from<picture::LandscapeOptions>(landscape_options);
    const Map placed = map_of(map);
    const Graph edges = graph_of(graph);
    const Labels classes = labels_from(labels, names);
    Watched watched(run, std::move(callback), 0);
    picture::Coloring coloring{{}, value_name};
    if (values) coloring.values.assign(values->data(), values->data() + values->size());
    coloring.film.name = value_name;
    for (const auto& [caption, frame] : film) {
        coloring.film.captions.push_back(caption);
        coloring.film.frames.emplace_back(frame.data(), frame.data() + frame.size());
    }
    const Map below = placed_in ? map_of(*placed_in) : Map{};
    const bool drawn = watched([&](const Run& r) {
        if (placed_in)
            return picture::draw_placed(path, below, placed, classes, ids, chosen, r, values ? &coloring : nullptr);
        if (landscape.style == picture::MapStyle::landscape) {
            return picture::draw_landscape(path, placed, classes, landscape, chosen, r, values ? &coloring : nullptr,
                                           ids);
        }
        options::check(landscape);
        if (values) return picture::draw(path, coloring, edges, placed, ids, chosen, r);
        return graph ? picture::draw(path, edges, placed, classes, ids, chosen, r)
                     : picture::draw(path, placed, classes, ids, chosen, r);
    });
    return nb::make_tuple(drawn, watched.raised());
}

/// A title, a word of ColorBy, labels and their names, and values.
using PanelArrays = std::tuple<std::string, std::string, std::optional<Indices>, std::vector<std::string>,
                               std::optional<ArrayOf<double, 1>>>;

nb::tuple draw_panels(const std::string& path, const FloatMatrix& map, const std::optional<nb::tuple>& graph,
                      const std::vector<PanelArrays>& given, const std::vector<std::string>& ids,
                      const ItemNames& item_names, const nb::dict& options,
                      const std::vector<std::pair<std::string, std::string>>& colors, const nb::dict& run) {
    picture::Options chosen = picture_options_from(options, colors);
    std::tie(chosen.name_these, chosen.item_names, chosen.name_ranks) = item_names;
    std::vector<picture::Panel> panels;
    for (const auto& [title, word, labels, names, values] : given) {
        picture::Panel panel{.title = title, .labels = labels_from(labels, names)};
        panel.by = value_named<picture::ColorBy>(word).value_or(picture::ColorBy::labels);
        if (values) panel.values = picture::Coloring{{values->data(), values->data() + values->size()}, title};
        panels.push_back(std::move(panel));
    }
    const Map placed = map_of(map);
    const Graph edges = graph_of(graph);
    Watched watched(run, nb::none(), 0);
    const bool drawn =
        watched([&](const Run& r) { return picture::draw(path, panels, edges, placed, ids, chosen, r); });
    return nb::make_tuple(drawn, watched.raised());
}

/// frames: (caption, values of the nodes); nodes: rows and columns.
nb::tuple draw_film(const std::string& path, const std::vector<std::pair<std::string, ArrayOf<double, 1>>>& frames,
                    const std::pair<Index, Index>& nodes, double spacing, const nb::dict& options,
                    const nb::dict& run) {
    const auto chosen = options_from<picture::Options>(options);
    const auto [rows, columns] = nodes;
    picture::GridFilm film{.rows = rows,
                           .columns = columns,
                           .name = "v",
                           .x = {"x", 0, (columns - 1) * spacing},
                           .y = {rows > 1 ? "y" : "t", 0, (rows - 1) * spacing}};
    for (const auto& [caption, frame] : frames) {
        film.captions.push_back(caption);
        film.frames.emplace_back(frame.data(), frame.size());
    }
    Watched watched(run, nb::none(), 0);
    const bool drawn = watched([&](const Run& r) { return picture::draw(path, film, chosen, r); });
    return nb::make_tuple(drawn, watched.raised());
}

}  // namespace

void bind_scores(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("judge", judge, nb::arg(), none, none, none, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("judge_layout", judge_layout, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("trustworthiness", trustworthiness);
    module.def("coincident", [](const FloatMatrix& map) { return scores::sentence_of_coincident(map_of(map)); });
    module.def("draw_film", draw_film);
    module.def("draw_panels", draw_panels, nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg(), nb::arg());
    module.def("draw", draw, nb::arg(), nb::arg(), none, none, nb::arg(), nb::arg(), nb::arg(), none, nb::arg(),
               nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, nb::arg(), none);
}

}  // namespace dunlin::python
