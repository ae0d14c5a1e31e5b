// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/parametric.hpp>

#include "math/at.hpp"

namespace dunlin::parametric {

namespace {

[[noreturn]] void fail(const std::string& why) {
    throw Error(Fault::bad_input, "the model " + why + "; train it again, or read it from its file again");
}

bool all_finite(const auto& values) {
    return std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); });
}

}  // namespace

void check(const Model& model) {
    if (model.layers.empty()) fail("has no layers");
    if (!std::isfinite(model.scale) || !all_finite(model.shift)) fail("has a shift or a scale that is not finite");
    Index inputs = model.cols();
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const Layer& layer = model.layers[l];
        if (layer.inputs != inputs || layer.inputs < 1 || layer.outputs < 1)
            fail(fmt::format("has a layer {} of {} inputs where there are {}", l + 1, layer.inputs, inputs));
        if (layer.weights.size() != at(layer.inputs) * at(layer.outputs) || layer.biases.size() != at(layer.outputs))
            fail(fmt::format("has a layer {} without a weight for each pair of its units", l + 1));
        if (!all_finite(layer.weights) || !all_finite(layer.biases))
            fail(fmt::format("has a layer {} with a number that is not finite", l + 1));
        inputs = layer.outputs;
    }
    if (model.prototypes.empty()) return;
    if (model.prototypes.size() % at(inputs) != 0 || model.dim() > 3)
        fail(fmt::format("has {} coordinates of prototypes where there are {} prototypes of 1 to 3",
                         model.prototypes.size(), inputs));
    if (!all_finite(model.prototypes)) fail("has a prototype that is not finite");
}

}  // namespace dunlin::parametric
