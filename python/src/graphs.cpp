// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <dunlin/communities.hpp>
#include <dunlin/components.hpp>
#include <dunlin/edges.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/overlap.hpp>
#include <dunlin/strengths.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Bytes = ArrayOf<std::uint8_t, 1>;

nb::tuple place(const nb::tuple& graph, const std::optional<FloatMatrix>& start, const std::optional<Bytes>& pinned,
                const std::optional<Floats>& radii, const std::optional<Floats>& masses, const nb::dict& options,
                const nb::dict& run, nb::object callback, int every) {
    const auto chosen = options_from<layout::Options>(options);
    const Graph edges = graph_of(graph);
    const Map map = start ? map_of(*start) : Map{};
    const layout::Given given{start ? &map : nullptr, span_of(pinned), span_of(radii), span_of(masses)};
    Watched watched(run, std::move(callback), every, edges.size(), chosen.dim);
    layout::Result result = watched([&](const Run& r) { return layout::place(edges, chosen, r, given); });
    nb::dict all = outcome_of(result);
    all["pos"] = array_of(std::move(result.map));
    all["kinetic_energy"] = result.kinetic_energy;
    all["cost"] = result.cost;
    all["component_scale"] = result.component_scale;
    nb::list said;
    const std::string ignored = layout::sentence_of_strengths(edges, result.options);
    if (!ignored.empty()) said.append(ignored);
    all["said"] = said;
    return nb::make_tuple(all, watched.raised());
}

nb::tuple simple_graph(Index vertices, const Indices& sources, const Indices& targets,
                       const std::optional<Floats>& weights, const nb::dict& run, const std::string& repeated) {
    const auto rule = value_of<graph::Repeated>(nb::cast(repeated), "repeated");
    Watched watched(run, nb::none(), 0);
    graph::SimpleGraph made = watched([&](const Run& r) {
        return graph::simple_graph(vertices, span_of(sources), span_of(targets), span_of(weights), r, rule);
    });
    const Offset joined = made.both_ends ? 0 : made.multi_edges;
    return nb::make_tuple(graph_arrays(std::move(made.graph)), made.self_loops, joined, watched.raised());
}

nb::tuple components(const nb::tuple& graph, const nb::dict& run) {
    const Graph edges = graph_of(graph);
    Watched watched(run, nb::none(), 0);
    graph::Components found = watched([&](const Run& r) { return graph::components(edges, r); });
    const Index count = found.count();
    return nb::make_tuple(count, array_of(std::move(found.of)), watched.raised());
}

nb::tuple communities_of(const nb::tuple& graph, const std::optional<Indices>& start, const nb::dict& options,
                         const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<communities::Options>(options);
    const Graph edges = graph_of(graph);
    Watched watched(run, std::move(callback), 0);
    communities::Result result =
        watched([&](const Run& r) { return communities::find(edges, chosen, r, span_of(start)); });
    nb::dict all = outcome_of(result);
    all["labels"] = array_of(std::move(result.labels));
    nb::list levels;
    for (std::vector<Index>& level : result.levels) levels.append(array_of(std::move(level)));
    all["levels"] = levels;
    all["n_communities"] = result.count;
    all["modularity"] = result.modularity;
    all["quality"] = result.quality;
    return nb::make_tuple(all, watched.raised());
}

nb::tuple remove_overlaps(const FloatMatrix& map, const Floats& radii, float gap, const nb::dict& run) {
    Map moved = map_of(map);
    Watched watched(run, nb::none(), 0);
    const int rounds = watched([&](const Run& r) { return layout::remove_overlaps(moved, span_of(radii), gap, r); });
    return nb::make_tuple(array_of(std::move(moved)), rounds, watched.raised());
}

}  // namespace

void bind_graphs(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("layout", place, nb::arg(), none, none, none, none, nb::arg(), nb::arg(), none, nb::arg());
    module.def("communities", communities_of, nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("simple_graph", simple_graph, nb::arg("vertices"), nb::arg("sources"), nb::arg("targets"),
               nb::arg("weights").none(), nb::arg("run"), nb::arg("repeated") = "largest");
    module.def("components", components);
    module.def("remove_overlaps", remove_overlaps);
}

}  // namespace dunlin::python
