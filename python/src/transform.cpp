// SPDX-License-Identifier: Apache-2.0
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
    tsne::Placer placer;
};

nb::dict dict_of_state(const tsne::PlaceState& state) {
    nb::dict all;
    all["rows"] = state.rows;
    all["cols"] = state.cols;
    all["fingerprint"] = state.fingerprint;
    all["perplexity"] = state.perplexity;
    all["k"] = state.k;
    all["pca"] = state.pca;
    all["metric"] = std::string(name_of(state.metric));
    std::vector<float> gaussians = state.gaussians;
    all["gaussians"] = array_of(std::move(gaussians));
    all["far_of_map"] = state.far_of_map;
    return all;
}

tsne::PlaceState state_of(const nb::dict& all) {
    tsne::PlaceState state;
    state.rows = nb::cast<Index>(all["rows"]);
    state.cols = nb::cast<Index>(all["cols"]);
    state.fingerprint = nb::cast<std::uint64_t>(all["fingerprint"]);
    state.perplexity = nb::cast<float>(all["perplexity"]);
    state.k = nb::cast<Index>(all["k"]);
    state.pca = nb::cast<Index>(all["pca"]);
    state.metric = value_of<neighbors::Metric>(all["metric"], "metric");
    const auto gaussians = nb::cast<Floats>(all["gaussians"]);
    state.gaussians.assign(gaussians.data(), gaussians.data() + gaussians.size());
    state.far_of_map = nb::cast<double>(all["far_of_map"]);
    return state;
}

nb::tuple placer(const FloatMatrix& points, const FloatMatrix& map, const std::optional<nb::tuple>& neighbors,
                 const std::optional<nb::dict>& state, const nb::dict& options, const nb::dict& run,
                 nb::object callback) {
    const auto chosen = options_from<tsne::PlaceOptions>(options);
    const Graph graph = graph_of(neighbors);
    const Map places = map_of(map);
    const tsne::PlaceState saved = state ? state_of(*state) : tsne::PlaceState{};
    const tsne::PlaceGiven given{neighbors ? &graph : nullptr, state ? &saved : nullptr};
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    tsne::Placer made = watched([&](const Run& r) { return tsne::Placer(view, places, chosen, r, given); });
    return nb::make_tuple(nb::cast(new HeldPlacer{points, std::move(made)}, nb::rv_policy::take_ownership),
                          watched.raised());
}

nb::dict dict_of_placed(tsne::Placed&& placed) {
    nb::dict all = outcome_of(placed);
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
    all["embedding"] = array_of(std::move(placed.map));
    return all;
}

nb::tuple place(const HeldPlacer& held, const FloatMatrix& queries, const nb::dict& run, nb::object callback) {
    const MatrixView<const float> view = view_of(queries);
    Watched watched(run, std::move(callback), 0);
    tsne::Placed placed = watched([&](const Run& r) { return held.placer.place(view, r); });
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
    const auto chosen = options_from<tsne::PlaceOptions>(options);
    const Graph graph = rectangular(affinities);
    const Map places = map_of(map), begin = start ? map_of(*start) : Map{};
    Watched watched(run, std::move(callback), 0);
    tsne::Placed placed =
        watched([&](const Run& r) { return tsne::place(places, graph, chosen, r, start ? &begin : nullptr); });
    return nb::make_tuple(dict_of_placed(std::move(placed)), watched.raised());
}

}  // namespace

void bind_transform(nb::module_& module) {
    const auto none = nb::arg().none();
    nb::class_<HeldPlacer>(module, "Placer")
        .def("place", place, nb::arg().noconvert(), nb::arg(), none)
        .def("state", [](const HeldPlacer& held) { return dict_of_state(held.placer.state()); });
    module.def("place_affinities", place_affinities, nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("placer", placer, nb::arg().noconvert(), nb::arg(), none, none, nb::arg(), nb::arg(), none);
}

}  // namespace dunlin::python
