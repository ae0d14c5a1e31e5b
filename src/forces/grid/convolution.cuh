// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "device/cuda.cuh"
#include "forces/grid/points.cuh"
#include "forces/grid/shape.hpp"
#include "numerics/fft.cuh"

namespace dunlin::forces {

/// GridConvolution on a GPU: charges to potential, real and aperiodic, with a Green's function of 2 * nodes per axis.
/// As on the CPU a transform of n values and n zeros is two transforms of length n, one per parity of the modes, both
/// in the shared memory of one block. Two real rows, half a grid apart, are transformed as one complex row. In 2-D
/// there are three kernels: rows forward; columns forward, product, columns backward; rows backward.
class CudaGridConvolution {
public:
    void prepare(device::Cuda& cuda, const GridShape& shape);

    /// Computes the potential and clears the charges. Green's function: as CudaGreensFunction's.
    void run(device::Cuda& cuda, const float* greens_function);

    [[nodiscard]] GridCharge* charges() const { return charges_.data(); }
    [[nodiscard]] const float* potential() const { return potential_.data(); }
    /// Strides of the arrays of charges and potential.
    [[nodiscard]] CudaGridStrides strides() const;

private:
    void transform_rows(device::Cuda& cuda, bool forward);
    void convolve_columns(device::Cuda& cuda, const float* greens_function);
    void transform_columns(device::Cuda& cuda, bool forward);
    void convolve_depths(device::Cuda& cuda, const float* greens_function);

    GridShape shape_{.dim = 0};
    unsigned block_bytes_ = 0;                                    ///< maximum shared memory per block
    std::array<device::CudaBuffer<numerics::Complex>, 3> roots_;  ///< along x, y, z
    device::CudaBuffer<GridCharge> charges_;
    device::CudaBuffer<float> potential_;
    device::CudaBuffer<numerics::Complex> rows_;     ///< [z][pair of rows][parity][mode of x / 2]
    device::CudaBuffer<numerics::Complex> columns_;  ///< 3-D: [z][parity][mode of y / 2][slot, see XMode]
};

}  // namespace dunlin::forces
