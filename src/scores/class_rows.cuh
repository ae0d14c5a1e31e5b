// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "scores/class_rows.hpp"

namespace dunlin::scores {

/// class_centers (class_rows.hpp) of values in device memory: the same bits.
std::vector<double> class_centers(device::Cuda& cuda, MatrixView<const float> values, const ClassRows& classes,
                                  Center center);

}  // namespace dunlin::scores
