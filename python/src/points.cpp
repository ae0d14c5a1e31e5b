// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/distinct.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/sparse.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "curve.hpp"
#include "device_points.hpp"
#include "mixture.hpp"
#include "rows.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

nb::dict search_values(const neighbors::Result& result) {
    nb::dict all = outcome_of(result);
    all["probes"] = result.probes;
    all["recall"] = result.recall;
    all["recall_se"] = result.recall_se;
    return all;
}

nb::tuple search(const FloatMatrix& points, const nb::dict& options, const nb::dict& run, nb::object callback,
                 const std::optional<FloatMatrix>& queries) {
    const auto chosen = options_from<neighbors::Options>(options);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    neighbors::Result result = watched([&](const Run& r) {
        return queries ? neighbors::search(view, view_of(*queries), chosen, r) : neighbors::search(view, chosen, r);
    });
    nb::dict all = search_values(result);
    all["graph"] = graph_arrays(std::move(result.graph));
    return nb::make_tuple(all, watched.raised());
}

nb::tuple search_sparse(const nb::tuple& points, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<neighbors::Options>(options);
    const SparseView view = sparse_view_of(points);
    Watched watched(run, std::move(callback), 0);
    neighbors::Result result = watched([&](const Run& r) { return neighbors::search(view, chosen, r); });
    nb::dict all = search_values(result);
    all["graph"] = graph_arrays(std::move(result.graph));
    return nb::make_tuple(all, watched.raised());
}

nb::tuple search_device_points(const DevicePoints& points, const nb::dict& options, const nb::dict& run,
                               nb::object callback) {
    const auto chosen = options_from<neighbors::Options>(options);
    Watched watched(run, std::move(callback), 0);
    const neighbors::DeviceResult result =
        watched([&](const Run& r) { return neighbors::search(points.view, chosen, r); });
    nb::dict all = search_values(result);
    all["indices"] = device_array_of(result.device_ids);
    all["distances"] = device_array_of(result.device_distances);
    return nb::make_tuple(all, watched.raised());
}

nb::dict cluster_values(kmeans::Result& result, nb::object labels, nb::object centers) {
    nb::dict all = outcome_of(result);
    all["labels"] = std::move(labels);
    all["centers"] = std::move(centers);
    all["counts"] = array_of(std::move(result.counts));
    all["inertia"] = result.inertia;
    return all;
}

nb::dict clusters_of(kmeans::Result&& result) {
    nb::object labels = array_of(std::move(result.labels)), centers = array_of(result.centroids);
    return cluster_values(result, std::move(labels), std::move(centers));
}

/// Labels in GPU memory, on one axis.
nb::object device_labels_of(const DeviceMatrix<Index>& labels) {
    return device_array_of(labels, {static_cast<std::size_t>(labels.rows())});
}

template <class Points>
nb::tuple cluster(const Points& points, const std::optional<FloatMatrix>& centroids,
                  const std::optional<Floats>& weights, const nb::dict& options, const nb::dict& run,
                  nb::object callback) {
    const auto chosen = options_from<kmeans::Options>(options);
    const kmeans::Given given{view_of(centroids), span_of(weights)};
    const auto view = rows_of(points);
    Watched watched(run, std::move(callback), 0);
    kmeans::Result result = watched([&](const Run& r) { return kmeans::cluster(view, chosen, r, given); });
    return nb::make_tuple(clusters_of(std::move(result)), watched.raised());
}

nb::tuple cluster_device_points(const DevicePoints& points, const std::optional<FloatMatrix>& centroids,
                                const std::optional<Floats>& weights, const nb::dict& options, const nb::dict& run,
                                nb::object callback) {
    const auto chosen = options_from<kmeans::Options>(options);
    const kmeans::Given given{view_of(centroids), span_of(weights)};
    Watched watched(run, std::move(callback), 0);
    kmeans::DeviceResult result = watched([&](const Run& r) { return kmeans::cluster(points.view, chosen, r, given); });
    nb::object labels = device_labels_of(result.device_labels), centers = device_array_of(result.device_centroids);
    return nb::make_tuple(cluster_values(result, std::move(labels), std::move(centers)), watched.raised());
}

template <class Points>
nb::tuple assign(const Points& points, const FloatMatrix& centroids, const std::string& metric, const nb::dict& run,
                 nb::object callback) {
    const auto chosen = value_of<kmeans::Metric>(nb::cast(metric), "metric");
    const auto view = rows_of(points);
    const MatrixView<const float> centers = view_of(centroids);
    Watched watched(run, std::move(callback), 0);
    kmeans::Assignment result = watched([&](const Run& r) { return kmeans::assign(view, centers, chosen, r); });
    nb::dict all;
    all["labels"] = array_of(std::move(result.labels));
    all["counts"] = array_of(std::move(result.counts));
    all["inertia"] = result.inertia;
    return nb::make_tuple(all, watched.raised());
}

nb::tuple assign_device_points(const DevicePoints& points, const FloatMatrix& centroids, const std::string& metric,
                               const nb::dict& run, nb::object callback) {
    const auto chosen = value_of<kmeans::Metric>(nb::cast(metric), "metric");
    const MatrixView<const float> centers = view_of(centroids);
    Watched watched(run, std::move(callback), 0);
    kmeans::DeviceAssignment result =
        watched([&](const Run& r) { return kmeans::assign(points.view, centers, chosen, r); });
    nb::dict all;
    all["labels"] = device_labels_of(result.device_labels);
    all["counts"] = array_of(std::move(result.counts));
    all["inertia"] = result.inertia;
    return nb::make_tuple(all, watched.raised());
}

nb::tuple choose(const FloatMatrix& points, Index most, const std::string& criterion, const nb::dict& options,
                 const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<kmeans::Options>(options);
    const auto by = value_of<kmeans::Criterion>(nb::cast(criterion), "criterion");
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    kmeans::Choice choice = watched([&](const Run& r) { return kmeans::choose(view, most, by, chosen, r); });
    const nb::list curve = list_of(choice.curve);
    const std::string last = kmeans::sentence_of_choice(choice, most);
    return nb::make_tuple(curve, clusters_of(std::move(choice.best)), last, watched.raised());
}

/// scale: of the columns, or none.
nb::tuple fit(const FloatMatrix& points, const nb::dict& options, const nb::dict& run, nb::object callback,
              bool responsibilities, const nb::object& names, const std::vector<double>& scale) {
    const auto chosen = options_from<mixture::Options>(options);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    mixture::Result result =
        watched([&](const Run& r) { return mixture::fit(view, chosen, r, {.responsibilities = responsibilities}); });
    result.variances = mixture::unscaled_variances(result, {{}, scale});
    return nb::make_tuple(mixture_as_dict(std::move(result), names), watched.raised());
}

/// The curve: (components, log likelihood of a row, parameters, BIC, AIC).
nb::tuple choose_mixture(const FloatMatrix& points, Index most, const std::string& criterion, const nb::dict& options,
                         const nb::dict& run, nb::object callback, bool responsibilities, const nb::object& names,
                         const std::vector<double>& scale) {
    const auto chosen = options_from<mixture::Options>(options);
    const auto by = value_of<mixture::Criterion>(nb::cast(criterion), "criterion");
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    mixture::Choice choice = watched([&](const Run& r) {
        return mixture::choose(view, most, by, chosen, r, {.responsibilities = responsibilities});
    });
    nb::list curve;
    for (const auto& tried : choice.curve)
        curve.append(nb::make_tuple(tried.components, tried.log_likelihood, tried.parameters, tried.bic, tried.aic));
    const std::string last = mixture::sentence_of_choice(choice, most);
    choice.best.variances = mixture::unscaled_variances(choice.best, {{}, scale});
    return nb::make_tuple(curve, mixture_as_dict(std::move(choice.best), names), last, watched.raised());
}

/// (the points with scaled columns, shift, scale).
nb::tuple normalized(const FloatMatrix& points, const std::string& how, const nb::dict& run) {
    const auto chosen = value_of<Normalize>(nb::cast(how), "normalize");
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, nb::none(), 0);
    ColumnScales scales;
    const Matrix values = watched([&](const Run& r) {
        scales = scales_of(view, chosen, r);
        return scaled(view, scales, r);
    });
    return nb::make_tuple(array_of(values), scales.shift, scales.scale);
}

/// Rows that are compared with points, scaled by their numbers.
nb::object scaled_rows(const FloatMatrix& rows, const std::vector<double>& shift, const std::vector<double>& scale,
                       const nb::dict& run) {
    const MatrixView<const float> view = view_of(rows);
    Watched watched(run, nb::none(), 0);
    return array_of(watched([&](const Run& r) { return scaled(view, {shift, scale}, r); }));
}

/// (column, its standard deviation, the usual one); column -1: none.
nb::tuple ruling(const FloatMatrix& points) {
    const RulingColumn found = ruling_column(view_of(points));
    return nb::make_tuple(found.column, found.deviation, found.usual);
}

/// Empty: there are as many distinct rows as parts.
std::string few_distinct(const FloatMatrix& points, Index parts, const std::string& name) {
    return sentence_of_distinct(distinct_rows(view_of(points), parts), parts, name);
}

}  // namespace

void bind_points(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("neighbors", search, nb::arg().noconvert(), nb::arg(), nb::arg(), none,
               nb::arg("queries").none() = nb::none());
    module.def("kmeans", cluster<FloatMatrix>, nb::arg().noconvert(), none, none, nb::arg(), nb::arg(), none);
    module.def("assign", assign<FloatMatrix>, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), none);
    // The same functions of sparse rows
    module.def("mostly_zero", [](const nb::tuple& rows) { return mostly_zero(sparse_view_of(rows)); });
    module.def("neighbors", search_sparse, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("kmeans", cluster<nb::tuple>, nb::arg(), none, none, nb::arg(), nb::arg(), none);
    module.def("assign", assign<nb::tuple>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    // And of points in GPU memory, with results there
    module.def("neighbors", search_device_points, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("kmeans", cluster_device_points, nb::arg(), none, none, nb::arg(), nb::arg(), none);
    module.def("assign", assign_device_points, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("choose_k", choose, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("few_distinct", few_distinct, nb::arg().noconvert(), nb::arg(), nb::arg());
    module.def("mixture", fit, nb::arg().noconvert(), nb::arg(), nb::arg(), none, nb::arg("responsibilities") = false,
               nb::arg("names") = nb::none(), nb::arg("scale") = std::vector<double>{});
    module.def("choose_mixture", choose_mixture, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               none, nb::arg("responsibilities") = false, nb::arg("names") = nb::none(),
               nb::arg("scale") = std::vector<double>{});
    module.def("normalized", normalized, nb::arg().noconvert(), nb::arg(), nb::arg());
    module.def("scaled_rows", scaled_rows, nb::arg().noconvert(), nb::arg(), nb::arg(), nb::arg());
    module.def("ruling_column", ruling, nb::arg().noconvert());
}

}  // namespace dunlin::python
