// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Barnes-Hut repulsion on a GPU: as Tree (tree.hpp), over a binary tree. docs/barnes-hut.md has error and time.
template <class Law>
class CudaTree {
public:
    explicit CudaTree(float theta, Law law = {});
    ~CudaTree();
    CudaTree(CudaTree&&) noexcept;
    CudaTree& operator=(CudaTree&&) noexcept;

    /// To be called when y has another shape. True if what a graph recorded of repel() is no longer right.
    bool prepare(device::Cuda& cuda, MatrixView<const float> y);
    /// As Tree::repel, all in device memory; a charged law leaves mass alone. Only enqueues.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass,
               const float* charges = nullptr);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
