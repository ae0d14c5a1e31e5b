// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/law.hpp"

namespace dunlin::forces {

/// Barnes-Hut repulsion on a GPU: as Tree (tree.hpp), over a binary tree. Errors and times: docs/repulsion.md.
template <class Law>
class CudaTree {
public:
    explicit CudaTree(float theta, Law law = {});
    ~CudaTree();
    void set_theta(float theta);  ///< a recorded graph of repel() is no longer valid
    CudaTree(CudaTree&&) noexcept;
    CudaTree& operator=(CudaTree&&) noexcept;

    /// Call when the shape of y has changed. Returns true if a recorded graph of repel() is no longer valid.
    bool prepare(device::Cuda& cuda, MatrixView<const float> y);
    /// As Tree::repel, all in device memory. A law without a normalizer does not write mass. Only enqueues work.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass,
               const float* charges = nullptr);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace dunlin::forces
