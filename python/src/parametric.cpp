// SPDX-License-Identifier: Apache-2.0
#include <dunlin/parametric.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "device_points.hpp"
#include "run.hpp"

namespace dunlin::python {

namespace {

using Doubles = ArrayOf<double, 1>;

/// {"shift", "offset", "scale", "activation", "layers": [(weights, biases), ..], "prototypes", "columns", "made_by"}
nb::dict dict_of_model(parametric::Model&& model) {
    nb::dict all;
    all["shift"] = array_of(std::move(model.shift));
    if (!model.offset.empty()) all["offset"] = array_of(std::move(model.offset));
    all["scale"] = model.scale;
    all["activation"] = std::string(name_of(model.activation));
    const auto dim = static_cast<std::size_t>(model.dim());
    const std::size_t prototypes = dim == 0 ? 0 : model.prototypes.size() / dim;
    all["prototypes"] = array_of(std::move(model.prototypes), {prototypes, dim});
    nb::list layers;
    for (parametric::Layer& layer : model.layers) {
        const auto inputs = static_cast<std::size_t>(layer.inputs), outputs = static_cast<std::size_t>(layer.outputs);
        layers.append(
            nb::make_tuple(array_of(std::move(layer.weights), {inputs, outputs}), array_of(std::move(layer.biases))));
    }
    all["layers"] = layers;
    all["columns"] = model.columns;
    all["made_by"] = model.made_by;
    return all;
}

/// The library checks it.
parametric::Model model_of(const nb::dict& all) {
    parametric::Model model;
    const auto shift = nb::cast<Doubles>(all["shift"]);
    model.shift.assign(shift.data(), shift.data() + shift.size());
    if (all.contains("offset")) {
        const auto offset = nb::cast<Doubles>(all["offset"]);
        model.offset.assign(offset.data(), offset.data() + offset.size());
    }
    model.scale = nb::cast<double>(all["scale"]);
    model.activation = value_of<parametric::Activation>(all["activation"], "activation");
    for (const nb::handle each : nb::cast<nb::list>(all["layers"])) {
        const auto pair = nb::cast<nb::tuple>(each);
        const auto weights = nb::cast<FloatMatrix>(pair[0]);
        const auto biases = nb::cast<Floats>(pair[1]);
        model.layers.push_back({index_of(weights.shape(0)),
                                index_of(weights.shape(1)),
                                {weights.data(), weights.data() + weights.size()},
                                {biases.data(), biases.data() + biases.size()}});
    }
    const auto prototypes = nb::cast<FloatMatrix>(all["prototypes"]);
    model.prototypes.assign(prototypes.data(), prototypes.data() + prototypes.size());
    if (all.contains("columns")) model.columns = nb::cast<std::vector<std::string>>(all["columns"]);
    model.made_by = nb::cast<std::string>(all["made_by"]);
    return model;
}

nb::tuple train(const FloatMatrix& points, const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<parametric::Options>(options);
    const MatrixView<const float> view = view_of(points);
    Watched watched(run, std::move(callback), 0);
    parametric::Result result = watched([&](const Run& r) { return parametric::train(view, chosen, r); });
    nb::dict all = outcome_of(result);
    all["kl"] = result.kl;
    all["kl_of_start"] = result.kl_of_start;
    all["pretrain_error"] = result.pretrain_error;
    all["pretrain_variance"] = result.pretrain_variance;
    all["model"] = dict_of_model(std::move(result.model));
    all["embedding"] = array_of(std::move(result.map));
    return nb::make_tuple(all, watched.raised());
}

/// For calls of about so many rows.
parametric::HeldModel hold_model(const nb::dict& model, Index rows, const nb::dict& run) {
    parametric::Model network = model_of(model);
    Watched watched(run, nb::none(), 0);
    return watched([&](const Run& r) { return parametric::HeldModel(std::move(network), r, rows); });
}

nb::tuple apply_held(const parametric::HeldModel& held, const FloatMatrix& rows, const nb::dict& run,
                     nb::object callback) {
    const MatrixView<const float> view = view_of(rows);
    Watched watched(run, std::move(callback), 0);
    Map map = watched([&](const Run& r) { return held.transform(view, r); });
    return nb::make_tuple(array_of(std::move(map)), watched.raised());
}

nb::tuple apply_held_on_gpu(const parametric::HeldModel& held, const DevicePoints& rows, const nb::dict& run,
                            nb::object callback) {
    Watched watched(run, std::move(callback), 0);
    const DeviceMatrix<float> places = watched([&](const Run& r) { return held.transform(rows.view, r); });
    return nb::make_tuple(device_array_of(places), watched.raised());
}

}  // namespace

void bind_parametric(nb::module_& module) {
    const auto none = nb::arg().none();
    nb::class_<parametric::HeldModel>(module, "HeldModel").def_prop_ro("device", [](const parametric::HeldModel& held) {
        return std::string(name_of(held.device()));
    });
    module.def("hold_model", hold_model);
    module.def("apply_held", apply_held, nb::arg(), nb::arg().noconvert(), nb::arg(), none);
    module.def("apply_held_on_gpu", apply_held_on_gpu, nb::arg(), nb::arg(), nb::arg(), none);
    module.def("train", train, nb::arg().noconvert(), nb::arg(), nb::arg(), none);
    module.def("write_parametric_model", [](const std::string& path, const nb::dict& model) {
        const parametric::Model network = model_of(model);
        parametric::check(network);
        io::write_parametric_model(path, network);
    });
    module.def("read_parametric_model",
               [](const std::string& path) { return dict_of_model(io::read_parametric_model(path)); });
}

}  // namespace dunlin::python
