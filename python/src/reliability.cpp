// SPDX-License-Identifier: Apache-2.0
#include <dunlin/reliability.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

void put(nb::dict& all, const std::string& name, const std::optional<scores::Score>& score) {
    if (!score) return;
    all[name.c_str()] = score->value;
    all[(name + "_se").c_str()] = score->se;
}

nb::tuple reliability(const FloatMatrix& map, const FloatMatrix& points, const std::optional<nb::tuple>& neighbors,
                      const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<reliability::Options>(options);
    const Map placed = map_of(map);
    const Graph graph = graph_of(neighbors);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    reliability::Result result = watched(
        [&](const Run& r) { return reliability::evaluate(placed, view, chosen, r, {neighbors ? &graph : nullptr}); });
    nb::dict all = outcome_of(result);
    nb::dict columns;
    reliability::each_column(result.columns, [&](const char* name, std::vector<float>& column) {
        if (!column.empty()) columns[name] = array_of(std::move(column));
    });
    all["columns"] = columns;
    put(all, "points_elsewhere", result.summary.points_elsewhere);
    put(all, "points_torn", result.summary.points_torn);
    put(all, "points_unheld", result.summary.points_unheld);
    if (result.median_newton_step) all["median_newton_step"] = *result.median_newton_step;
    all["nn_distance"] = result.summary.nn_distance;
    all["recall"] = result.search_recall;
    all["recall_se"] = result.search_recall_se;
    return nb::make_tuple(all, watched.raised());
}

}  // namespace

void bind_reliability(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("reliability", reliability, nb::arg(), nb::arg(), none, nb::arg(), nb::arg(), none);
}

}  // namespace dunlin::python
