// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/transform.hpp>

#include "arrays.hpp"
#include "device_points.hpp"
#include "rows.hpp"
#include "run.hpp"

/// Bindings that the neighbor embeddings share. A method is a struct with the types Options, Result and Given, the
/// functions embed(...) of its header, options_of_preset(name) and put_cost(dict, result).
namespace dunlin::python {

template <class Method>
nb::dict embedding_values(const typename Method::Result& result, nb::object embedding) {
    nb::dict all = outcome_of(result);
    all["embedding"] = std::move(embedding);
    Method::put_cost(all, result);
    all["start_scale"] = result.start_scale;
    if (result.start_scale != 1) all["start_note"] = descent::start_note(result.start_scale);
    all["recall"] = result.search_recall;
    all["recall_se"] = result.search_recall_se;
    return all;
}

template <class Method>
nb::tuple embedding_of(typename Method::Result&& result, Watched& watched) {
    nb::object embedding = array_of(std::move(result.map));
    return nb::make_tuple(embedding_values<Method>(result, std::move(embedding)), watched.raised());
}

template <class Method>
typename Method::Options options_with_preset(const nb::dict& options, const std::string& preset,
                                             const std::string& how = "", double new_share = 0) {
    typename Method::Options from;
    if (!preset.empty()) from = Method::options_of_preset(preset);
    if (!how.empty()) from = continuing(value_of<descent::Continuation>(nb::cast(how), "how"), new_share, from);
    return options_from(options, from);
}

/// What t-SNE alone is given: affinities (a graph), point_weights, anchors.
struct MoreGiven {
    std::optional<Graph> affinities;
    std::vector<float> point_weights;
    std::optional<Map> anchors;

    explicit MoreGiven(const nb::dict& more) {
        if (more.contains("affinities")) affinities = graph_of(nb::cast<nb::tuple>(more["affinities"]));
        if (more.contains("point_weights")) {
            const auto weights = nb::cast<Floats>(more["point_weights"]);
            point_weights.assign(weights.data(), weights.data() + weights.size());
        }
        if (more.contains("anchors")) anchors = map_of(nb::cast<FloatMatrix>(more["anchors"]));
    }
    void put(descent::Given& given) const {
        if (affinities) given.affinities = &*affinities;
        given.point_weights = point_weights;
        if (anchors) given.anchors = &*anchors;
    }
};

/// Points: FloatMatrix, nb::tuple (sparse rows) or DevicePoints. some: a map of some of the points, NaN for the others,
/// and how it goes on; of a FloatMatrix only.
template <class Method, class Points>
nb::tuple embed_points(const Points& points, const std::optional<nb::tuple>& neighbors,
                       const std::optional<FloatMatrix>& start, const std::optional<Indices>& labels,
                       const std::optional<FloatMatrix>& some, const std::string& how, const nb::dict& options,
                       const std::string& preset, const nb::dict& run, nb::object callback, int every,
                       const nb::dict& more_given) {
    const Map known = some ? map_of(*some) : Map{};
    const auto chosen = options_with_preset<Method>(options, preset, how, placement::share_of_new(known));
    const Graph graph = graph_of(neighbors);
    const Map map = start ? map_of(*start) : Map{};
    const Labels classes = labels_from(labels);
    typename Method::Given given;
    if (neighbors) given.neighbors = &graph;
    if (start) given.start = &map;
    if (labels) given.labels = &classes;
    const MoreGiven more(more_given);
    more.put(given);
    if constexpr (std::is_same_v<Points, DevicePoints>) {
        Watched watched(run, std::move(callback), every, points.view.rows, chosen.dim);
        const auto result = watched([&](const Run& r) { return Method::embed(points.view, chosen, r, given); });
        return nb::make_tuple(embedding_values<Method>(result, device_array_of(result.device_map)), watched.raised());
    } else {
        const auto view = rows_of(points);
        Watched watched(run, std::move(callback), every, view.rows, chosen.dim);
        if constexpr (std::is_same_v<Points, FloatMatrix>) {
            if (some) {
                const auto way = value_of<descent::Continuation>(nb::cast(how), "how");
                return embedding_of<Method>(
                    watched([&](const Run& r) { return continued(view, known, way, chosen, r, given); }), watched);
            }
        }
        return embedding_of<Method>(watched([&](const Run& r) { return Method::embed(view, chosen, r, given); }),
                                    watched);
    }
}

template <class Method>
nb::tuple embed_graph(const nb::tuple& edges, const FloatMatrix& start, bool keeps_start, const nb::dict& options,
                      const std::string& preset, const nb::dict& run, nb::object callback, int every) {
    const auto chosen = options_with_preset<Method>(options, preset);
    Graph graph = graph_of(edges);
    const Map map = map_of(start);
    Watched watched(run, std::move(callback), every, graph.size(), chosen.dim);
    return embedding_of<Method>(
        watched([&](const Run& r) { return Method::embed(std::move(graph), map, chosen, r, keeps_start); }), watched);
}

/// The function `name` of points in host memory, sparse rows, and points in GPU memory.
template <class Method>
void bind_embedding(nb::module_& module, const char* name) {
    const auto none = nb::arg().none();
    const auto define = [&](auto function) {
        module.def(name, function, nb::arg(), none, none, none, none, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none,
                   nb::arg(), nb::arg());
    };
    define(embed_points<Method, FloatMatrix>);
    define(embed_points<Method, nb::tuple>);
    define(embed_points<Method, DevicePoints>);
}

template <class Method>
void bind_embedding_of_graph(nb::module_& module, const char* name) {
    module.def(name, embed_graph<Method>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg().none(), nb::arg());
}

}  // namespace dunlin::python
