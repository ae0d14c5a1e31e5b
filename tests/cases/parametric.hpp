// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/parametric.hpp>

/// Small networks that are trained in a fraction of a second.
namespace dunlin::parametric::cases {

inline Options short_training(Pretrain pretrain, Index epochs, Index pretrain_epochs) {
    Options o;
    o.layers = "20,15";
    o.pretrain = pretrain;
    o.perplexity = 10;
    o.batch = 100;
    o.epochs = epochs;
    if (pretrain != Pretrain::none) o.pretrain_epochs = pretrain_epochs;
    return o;
}

}  // namespace dunlin::parametric::cases
