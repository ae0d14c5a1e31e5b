// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// force row i = sum over j != i of law.strength(r2) (y_i - y_j), times charges[j] if the law is charged; radii are
/// read if the law is sized (borders.hpp). mass = sum over ordered pairs i != j of law.mass(r2). y and force are n x
/// dim, dim 2 or 3. O(n^2), the specification of the tree and the grid. Float arithmetic, double sums;
/// tests/cases/repulsion.hpp is the same in double.
template <class Law>
void repel_exact(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
                 const float* charges = nullptr, const float* radii = nullptr, Law law = {});

}  // namespace dunlin::forces
