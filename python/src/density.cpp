// SPDX-License-Identifier: Apache-2.0
#include <dunlin/density.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bind.hpp"
#include "device_points.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Doubles = ArrayOf<double, 1>;
using Three = std::array<double, 3>;

nb::list list_of(const std::vector<density::Band>& bands) {
    nb::list all;
    for (const density::Band& band : bands) {
        nb::dict one;
        one["percentage"] = band.percentage;
        one["level"] = band.level;
        one["points"] = band.points;
        all.append(one);
    }
    return all;
}

/// All but the values of the fields.
nb::dict values_of(const density::Result& result) {
    nb::dict all = outcome_of(result);
    all["shape"] = nb::make_tuple(result.field.nodes[0], result.field.nodes[1], result.field.nodes[2]);
    all["origin"] = result.field.origin;
    all["spacing"] = result.field.spacing;
    all["bands"] = list_of(result.bands);
    all["mean_bands"] = list_of(result.mean_bands);
    all["mass"] = result.mass;
    all["missing"] = result.missing;
    return all;
}

nb::tuple estimate(const FloatMatrix& map, const std::optional<Doubles>& values, const nb::dict& options,
                   const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<density::Options>(options);
    const MatrixView<const float> placed = view_of(map);
    Watched watched(run, std::move(callback), 0);
    density::Result result =
        watched([&](const Run& r) { return density::estimate(placed, chosen, r, {.values = span_of(values)}); });
    nb::dict all = values_of(result);
    all["field"] = array_of(std::move(result.field.values));
    all["mean"] = array_of(std::move(result.mean.values));
    return nb::make_tuple(all, watched.raised());
}

nb::tuple estimate_on_device(const DevicePoints& map, const std::optional<Doubles>& values, const nb::dict& options,
                             const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<density::Options>(options);
    Watched watched(run, std::move(callback), 0);
    const density::DeviceResult result =
        watched([&](const Run& r) { return density::estimate(map.view, chosen, r, {.values = span_of(values)}); });
    nb::dict all = values_of(result);
    all["field"] = device_array_of(result.device_field);
    all["mean"] = device_array_of(result.device_mean);
    return nb::make_tuple(all, watched.raised());
}

/// Values of nodes, the first axis in sequence.
ScalarField field_of(const Floats& values, int dim, const std::array<Index, 3>& shape, const Three& origin,
                     double spacing) {
    return {dim, shape, origin, spacing, {values.data(), values.data() + values.size()}};
}

nb::tuple contours(const Floats& values, int dim, const std::array<Index, 3>& shape, const Three& origin,
                   double spacing, double level, const nb::dict& run) {
    const ScalarField field = field_of(values, dim, shape, origin, spacing);
    Watched watched(run, nb::none(), 0);
    std::vector<density::Contour> found = watched([&](const Run& r) { return density::contours(field, level, r); });
    nb::list all;
    for (const density::Contour& contour : found) {
        std::vector<double> points;
        for (const auto& [x, y] : contour.points) points.insert(points.end(), {x, y});
        all.append(array_of(std::move(points), {contour.points.size(), 2}));
    }
    return nb::make_tuple(all, watched.raised());
}

nb::tuple peaks(const Floats& values, int dim, const std::array<Index, 3>& shape, const Three& origin, double spacing,
                double least_prominence, const nb::dict& run) {
    const ScalarField field = field_of(values, dim, shape, origin, spacing);
    Watched watched(run, nb::none(), 0);
    const std::vector<density::Peak> found =
        watched([&](const Run& r) { return density::peaks(field, least_prominence, r); });
    std::vector<double> positions, heights, prominences;
    for (const density::Peak& peak : found) {
        positions.insert(positions.end(), peak.position.begin(), peak.position.begin() + dim);
        heights.push_back(peak.height);
        prominences.push_back(peak.prominence);
    }
    nb::dict all;
    all["positions"] = array_of(std::move(positions), {found.size(), static_cast<std::size_t>(dim)});
    all["heights"] = array_of(std::move(heights));
    all["prominences"] = array_of(std::move(prominences));
    return nb::make_tuple(all, watched.raised());
}

}  // namespace

void bind_density(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("density", estimate, nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("density", estimate_on_device, nb::arg(), none, nb::arg(), nb::arg(), none);
    module.def("contours", contours);
    module.def("peaks", peaks);
}

}  // namespace dunlin::python
