// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/parametric.hpp>

namespace dunlin::cases {

/// Of small networks that are trained in a fraction of a second.
inline parametric::Options short_training(parametric::Pretrain pretrain, Index epochs, Index pretrain_epochs) {
    parametric::Options o;
    o.layers = "20,15";
    o.pretrain = pretrain;
    o.perplexity = 10;
    o.batch = 100;
    o.epochs = epochs;
    if (pretrain != parametric::Pretrain::none) o.pretrain_epochs = pretrain_epochs;
    return o;
}

}  // namespace dunlin::cases
