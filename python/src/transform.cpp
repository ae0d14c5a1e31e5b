// SPDX-License-Identifier: Apache-2.0
#include <dunlin/inverse.hpp>
#include <dunlin/transform.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

/// A map made ready, with the array of its points, which it reads.
struct HeldPlacer {
    FloatMatrix points;
    placement::Placer placer;
};

nb::dict dict_of_state(const placement::State& state) {
    nb::dict all;
    all["method"] = std::string(name_of(state.method));
    all["rows"] = state.rows;
    all["cols"] = state.cols;
    all["fingerprint"] = state.fingerprint;
    all["perplexity"] = state.perplexity;
    all["k"] = state.k;
    all["pca"] = state.pca;
    all["metric"] = std::string(name_of(state.metric));
    all["local_connectivity"] = state.local_connectivity;
    std::vector<float> scales = state.scales;
    all["scales"] = array_of(std::move(scales));
    all["mean_distance"] = state.mean_distance;
    all["far_of_map"] = state.far_of_map;
    all["map_fingerprint"] = state.map_fingerprint;
    all["neighbor_distance"] = state.neighbor_distance;
    return all;
}

placement::State state_of(const nb::dict& all) {
    placement::State state;
    state.method = value_of<placement::Method>(all["method"], "method");
    state.rows = nb::cast<Index>(all["rows"]);
    state.cols = nb::cast<Index>(all["cols"]);
    state.fingerprint = nb::cast<std::uint64_t>(all["fingerprint"]);
    state.perplexity = nb::cast<float>(all["perplexity"]);
    state.k = nb::cast<Index>(all["k"]);
    state.pca = nb::cast<Index>(all["pca"]);
    state.metric = value_of<neighbors::Metric>(all["metric"], "metric");
    state.local_connectivity = nb::cast<float>(all["local_connectivity"]);
    const auto scales = nb::cast<Floats>(all["scales"]);
    state.scales.assign(scales.data(), scales.data() + scales.size());
    state.mean_distance = nb::cast<double>(all["mean_distance"]);
    state.far_of_map = nb::cast<double>(all["far_of_map"]);
    state.map_fingerprint = nb::cast<std::uint64_t>(all["map_fingerprint"]);
    state.neighbor_distance = nb::cast<double>(all["neighbor_distance"]);
    return state;
}

nb::tuple placer(const FloatMatrix& points, const FloatMatrix& map, const std::optional<nb::tuple>& neighbors,
                 const std::optional<nb::dict>& state, const nb::dict& options, const nb::dict& run,
                 nb::object callback) {
    const auto chosen = options_from<placement::Options>(options);
    const Graph graph = graph_of(neighbors);
    const Map places = map_of(map);
    const placement::State saved = state ? state_of(*state) : placement::State{};
    const placement::Given given{neighbors ? &graph : nullptr, state ? &saved : nullptr};
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    placement::Placer made = watched([&](const Run& r) { return placement::Placer(view, places, chosen, r, given); });
    return nb::make_tuple(nb::cast(new HeldPlacer{points, std::move(made)}, nb::rv_policy::take_ownership),
                          watched.raised());
}

nb::dict dict_of_placed(placement::Result&& placed) {
    nb::dict all = outcome_of(placed);
    // Not after a stop before the choice
    const bool has_choice =
        placed.options.affinity == placement::Affinity::best && placed.by_own.size() == placed.cost.size();
    all["far"] = placed.far;
    all["far_of_map"] = placed.far_of_map;
    all["neighbor_distance"] = placed.neighbor_distance;
    all["preservation"] = placed.preservation;
    all["preservation_se"] = placed.preservation_se;
    all["recall"] = placed.search_recall;
    all["recall_se"] = placed.search_recall_se;
    all["cost"] = array_of(std::move(placed.cost));
    all["gap"] = array_of(std::move(placed.gap));
    all["distance"] = array_of(std::move(placed.distance));
    all["remoteness"] = array_of(std::move(placed.remoteness));
    all["by_own"] = has_choice ? array_of(std::move(placed.by_own)).attr("astype")("bool") : nb::none();
    all["embedding"] = array_of(std::move(placed.map));
    return all;
}

nb::tuple place(const HeldPlacer& held, const FloatMatrix& queries, const nb::dict& run, nb::object callback) {
    const MatrixView<const float> view = view_of(queries);
    Watched watched(run, std::move(callback), 0);
    placement::Result placed = watched([&](const Run& r) { return held.placer.place(view, r); });
    return nb::make_tuple(dict_of_placed(std::move(placed)), watched.raised());
}

/// (offsets, targets, weights) of a graph whose targets are points of a map; the library checks them.
Graph rectangular(const nb::tuple& arrays) {
    const auto offsets = nb::cast<ArrayOf<Offset, 1>>(arrays[0]);
    const auto targets = nb::cast<Indices>(arrays[1]);
    const auto weights = nb::cast<Floats>(arrays[2]);
    Graph graph;
    graph.offsets.assign(offsets.data(), offsets.data() + offsets.size());
    graph.targets.assign(targets.data(), targets.data() + targets.size());
    graph.weights.assign(weights.data(), weights.data() + weights.size());
    return graph;
}

nb::tuple place_affinities(const FloatMatrix& map, const nb::tuple& affinities, const std::optional<FloatMatrix>& start,
                           const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<placement::Options>(options);
    const Graph graph = rectangular(affinities);
    const Map places = map_of(map), begin = start ? map_of(*start) : Map{};
    Watched watched(run, std::move(callback), 0);
    placement::Result placed =
        watched([&](const Run& r) { return placement::place(places, graph, chosen, r, start ? &begin : nullptr); });
    return nb::make_tuple(dict_of_placed(std::move(placed)), watched.raised());
}

/// Rows of data for places in a map of UMAP.
nb::tuple inverse(const FloatMatrix& points, const FloatMatrix& map, const FloatMatrix& places,
                  const std::optional<nb::tuple>& neighbors, const nb::dict& options, const nb::dict& run,
                  nb::object callback) {
    const auto chosen = options_from<umap::InverseOptions>(options);
    const Graph graph = graph_of(neighbors);
    const Map known = map_of(map), wanted = map_of(places);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    umap::InverseResult found = watched([&](const Run& r) {
        return umap::invert(view, known, wanted, chosen, r, {.neighbors = neighbors ? &graph : nullptr});
    });
    nb::dict all = outcome_of(found);
    all["neighbor_distance"] = found.neighbor_distance;
    all["distance"] = array_of(std::move(found.distance));
    all["rows"] = array_of(found.rows);
    return nb::make_tuple(all, watched.raised());
}

}  // namespace

void bind_transform(nb::module_& module) {
    const auto none = nb::arg().none();
    nb::class_<HeldPlacer>(module, "Placer")
        .def("place", place, nb::arg().noconvert(), nb::arg(), none)
        .def("state", [](const HeldPlacer& held) { return dict_of_state(held.placer.state()); });
    module.def("place_affinities", place_affinities, nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("inverse", inverse, nb::arg().noconvert(), nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("placer", placer, nb::arg().noconvert(), nb::arg(), none, none, nb::arg(), nb::arg(), none);
}

}  // namespace dunlin::python
