// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "forces/law.hpp"

namespace dunlin::forces {

/// repel_exact on a GPU, y and force in device memory. Every pair is evaluated once, for both points. Float arithmetic;
/// sums of a few hundred to a few thousand terms are float, their sums are double, in an order fixed by n.
template <class Law>
class CudaExact {
public:
    explicit CudaExact(Law law = {}) : law_(law) {}

    /// Call when the shape of y has changed. Returns true if a recorded graph of repel() is no longer valid.
    bool prepare(device::Cuda& cuda, MatrixView<const float> y);
    /// As repel_exact, with charges and radii in device memory. A law without a normalizer does not write mass. Only
    /// enqueues work.
    void repel(device::Cuda& cuda, MatrixView<const float> y, MatrixView<float> force, device::CudaCell<double>& mass,
               const float* charges = nullptr, const float* radii = nullptr);

private:
    Law law_;
    Index rows_ = -1, cols_ = -1;
    device::CudaBuffer<float> parts_;
    device::CudaBuffer<double> masses_;
};

/// potential_of_row[r] = sum over j != rows[r] of the law's potential at |y_rows[r] - y_j|^2, all three in device
/// memory.
template <class Law>
void exact_potentials(device::Cuda& cuda, MatrixView<const float> y, const Index* rows, Index count,
                      double* potential_of_row, Law law = {});

}  // namespace dunlin::forces
