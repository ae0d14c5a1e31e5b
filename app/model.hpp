// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/parametric.hpp>

#include "common.hpp"
#include "report.hpp"

/// Models of dunlin train in the commands.
namespace dunlin::app {

/// The model of rows whose columns were not multiplied by `scale`, given that of rows whose were. Empty: ones.
void take_scales(parametric::Model& model, const std::vector<double>& scale);
/// The model of rows from which `shift` was not subtracted, given that of rows from which it was. Empty: zeros.
void add_shift(parametric::Model& model, const std::vector<double>& shift, double sign = 1);

/// {"layers": [784, 500, .., 2], "activation": .., "parameters": ..}
Json model_as_json(const parametric::Model& model);

/// dunlin transform NEW --model MODEL.
struct ModelTransform {
    fs::path input, model;
    CommonOptions common;
    picture::Options picture;
};
int transform_by_model(ModelTransform& command);

}  // namespace dunlin::app
