// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cuda.cuh"
#include "device/points.cuh"
#include "parametric/backend.hpp"
#include "parametric/units.hpp"

namespace dunlin::parametric {

/// A model in the memory of a GPU. Not for several threads at once.
class ModelOnCuda {
public:
    ModelOnCuda(device::Cuda& cuda, const Model& model);

    [[nodiscard]] int dim() const { return dim_; }
    /// places (count x dim, in the GPU's memory) of these rows in its memory, in parts, between which there is a
    /// cancellation point. Throws Error{bad_input} for rows that are not finite. Waits for the GPU.
    void place(device::Cuda& cuda, const float* rows, Index count, const Run& run, float* places);
    /// place() for rows in host memory.
    void place_host(device::Cuda& cuda, MatrixView<const float> rows, const Run& run, float* places);

private:
    struct LayerOnCuda {
        Index inputs, outputs;
        device::CudaBuffer<float> weights, biases;
        Unit unit;
    };

    [[nodiscard]] Index rows_at_once(const device::Cuda& cuda) const;
    /// Only enqueues work. first: the number of the first row.
    void place_part(device::Cuda& cuda, const float* rows, Index first, Index count, float* places);
    void require_finite(device::Cuda& cuda);

    std::vector<LayerOnCuda> layers_;
    device::CudaBuffer<float> shift_, prototypes_;
    int dim_;
    float scale_;
    Index part_ = 0;                              ///< rows at once
    device::CudaBuffer<float> rows_, from_, to_;  ///< of a part
    device::CudaCell<Index> not_finite_;          ///< the least row that is not finite
};

}  // namespace dunlin::parametric
