// SPDX-License-Identifier: Apache-2.0
#include <dunlin/waves.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Doubles = ArrayOf<double, 1>;

/// A line, ring or grid (nodes of three axes, which of them are periodic, spacing) or a graph.
waves::Domain domain_of(const nb::tuple& nodes, const nb::tuple& periodic, double spacing, const Graph& graph,
                        bool is_graph) {
    if (is_graph) return waves::Domain::on(graph);
    waves::Domain domain;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        domain.nodes[axis] = nb::cast<Index>(nodes[axis]);
        domain.periodic[axis] = nb::cast<bool>(periodic[axis]);
    }
    domain.spacing = spacing;
    return domain;
}

/// (vertex, value, from, to, every)
waves::Stimulus stimulus_of(nb::handle given) {
    const auto s = nb::cast<nb::tuple>(given);
    return {nb::cast<Index>(s[0]), nb::cast<double>(s[1]), nb::cast<double>(s[2]), nb::cast<double>(s[3]),
            nb::cast<double>(s[4])};
}

nb::tuple simulate(const nb::tuple& place, const std::optional<nb::tuple>& graph, const std::optional<Doubles>& v,
                   const std::optional<Doubles>& w, const std::optional<Doubles>& current, const nb::list& stimuli,
                   const std::vector<double>& snapshots, const nb::dict& options, const nb::dict& run,
                   nb::object callback) {
    const auto chosen = options_from<waves::Options>(options);
    const Graph edges = graph_of(graph);
    const waves::Domain domain = domain_of(nb::cast<nb::tuple>(place[0]), nb::cast<nb::tuple>(place[1]),
                                           nb::cast<double>(place[2]), edges, graph.has_value());
    waves::Given given{
        .v = span_of(v), .w = span_of(w), .stimuli = {}, .current = span_of(current), .snapshots = snapshots};
    for (const nb::handle each : stimuli) given.stimuli.push_back(stimulus_of(each));
    Watched watched(run, std::move(callback), 0);
    waves::Result result = watched([&](const Run& r) { return waves::simulate(domain, chosen, r, given); });
    nb::dict all = outcome_of(result);
    all["v"] = array_of(std::move(result.field.v));
    all["w"] = array_of(std::move(result.field.w));
    all["activation"] = array_of(std::move(result.activation));
    nb::list states;
    for (waves::Snapshot& s : result.snapshots) {
        states.append(nb::make_tuple(s.time, array_of(std::move(s.field.v)), array_of(std::move(s.field.w))));
    }
    all["snapshots"] = states;
    all["time"] = result.time;
    all["step"] = result.step;
    all["step_limit"] = result.step_limit;
    all["rejected"] = result.rejected;
    all["evaluations"] = result.evaluations;
    all["newton"] = result.newton;
    all["speed"] = result.speed;
    return nb::make_tuple(all, watched.raised());
}

nb::tuple activation_matrix(const nb::tuple& place, const std::optional<nb::tuple>& graph, const nb::tuple& stimulus,
                            const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<waves::Options>(options);
    const Graph edges = graph_of(graph);
    const waves::Domain domain = domain_of(nb::cast<nb::tuple>(place[0]), nb::cast<nb::tuple>(place[1]),
                                           nb::cast<double>(place[2]), edges, graph.has_value());
    const waves::Stimulus each = stimulus_of(stimulus);
    Watched watched(run, std::move(callback), 0);
    auto times = watched([&](const Run& r) { return waves::activation_matrix(domain, chosen, r, each); });
    const std::size_t n = times.empty() ? 0 : static_cast<std::size_t>(domain.size());
    return nb::make_tuple(array_of(std::move(times), {n, n}), watched.raised());
}

}  // namespace

void bind_waves(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("waves", simulate, nb::arg(), none, none, none, none, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("activation_matrix", activation_matrix, nb::arg(), none, nb::arg(), nb::arg(), nb::arg(), none);
}

}  // namespace dunlin::python
