// SPDX-License-Identifier: Apache-2.0
#include <dunlin/umap.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <dunlin/sparse.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "device_points.hpp"
#include "rows.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

nb::dict values_of(const umap::Result& result, nb::object embedding) {
    nb::dict all = outcome_of(result);
    all["embedding"] = std::move(embedding);
    all["cross_entropy"] = result.cross_entropy;
    all["cross_entropy_se"] = result.cross_entropy_se;
    all["recall"] = result.search_recall;
    all["recall_se"] = result.search_recall_se;
    return all;
}

nb::tuple tuple_of(umap::Result&& result, Watched& watched) {
    nb::object embedding = array_of(std::move(result.map));
    return nb::make_tuple(values_of(result, std::move(embedding)), watched.raised());
}

template <class Points>
nb::tuple umap_of_points(const Points& points, const std::optional<nb::tuple>& neighbors,
                         const std::optional<FloatMatrix>& start, const nb::dict& options, const nb::dict& run,
                         nb::object callback, int every) {
    const auto chosen = options_from<umap::Options>(options);
    const Graph graph = graph_of(neighbors);
    const Map map = start ? map_of(*start) : Map{};
    const umap::Given given{neighbors ? &graph : nullptr, start ? &map : nullptr};
    if constexpr (std::is_same_v<Points, DevicePoints>) {
        Watched watched(run, std::move(callback), every, points.view.rows, chosen.dim);
        const umap::DeviceResult result =
            watched([&](const Run& r) { return umap::embed(points.view, chosen, r, given); });
        return nb::make_tuple(values_of(result, device_array_of(result.device_map)), watched.raised());
    } else {
        const auto view = rows_of(points);
        Watched watched(run, std::move(callback), every, view.rows, chosen.dim);
        return tuple_of(watched([&](const Run& r) { return umap::embed(view, chosen, r, given); }), watched);
    }
}

nb::tuple umap_of_memberships(const nb::tuple& memberships, const FloatMatrix& start, const nb::dict& options,
                              const nb::dict& run, nb::object callback, int every) {
    const auto chosen = options_from<umap::Options>(options);
    Graph graph = graph_of(memberships);
    const Map map = map_of(start);
    Watched watched(run, std::move(callback), every, graph.size(), chosen.dim);
    return tuple_of(watched([&](const Run& r) { return umap::embed(std::move(graph), map, chosen, r); }), watched);
}

}  // namespace

void bind_umap(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("umap", umap_of_points<FloatMatrix>, nb::arg(), none, none, nb::arg(), nb::arg(), none, nb::arg());
    module.def("umap", umap_of_points<nb::tuple>, nb::arg(), none, none, nb::arg(), nb::arg(), none, nb::arg());
    module.def("umap", umap_of_points<DevicePoints>, nb::arg(), none, none, nb::arg(), nb::arg(), none, nb::arg());
    module.def("umap_of_memberships", umap_of_memberships, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none, nb::arg());
}

}  // namespace dunlin::python
