// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Barnes-Hut repulsion over a quadtree or octree. A cell is accepted if side / distance < theta; it then acts by its
/// multipole expansion up to second order (quadrupole). Keeps its buffers between calls. Measured errors:
/// docs/repulsion.md.
template <class Law>
class Tree {
public:
    explicit Tree(float theta, Law law = {});
    ~Tree();

    /// Another accuracy from the next call on.
    void set_theta(float theta);

    /// As repel_exact, which it equals at theta = 0 up to the order of sums. The mass of a law without a normalizer is
    /// 0 at any theta.
    void repel(device::Cpu& cpu, MatrixView<const float> y, MatrixView<float> force, device::Cell<double>& mass,
               const float* charges = nullptr);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
