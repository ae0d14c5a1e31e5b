// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::parametric {

/// force row i = sum over j of law.strength(r2) (y_i - y_j); mass = sum over ordered pairs i != j of law.mass(r2). As
/// forces::repel_exact, in any number of dimensions: y and force are n x dim. Float arithmetic within runs of 512
/// points, double between them. With StudentT and GeneralStudentT.
template <class Law>
void repel_all(device::Cpu& cpu, const Law& law, MatrixView<const float> y, MatrixView<float> force,
               device::Cell<double>& mass);

}  // namespace dunlin::parametric
