#pragma once

#include <cufft.h>

#include "device/cuda.cuh"
#include "forces/grid_points.cuh"
#include "forces/grid_shape.hpp"

namespace dunlin::forces {

/// GridConvolution on a GPU: charges to potential, by transforms of twice the nodes per axis.
class CudaGridConvolution {
public:
    CudaGridConvolution() = default;
    ~CudaGridConvolution();
    CudaGridConvolution(const CudaGridConvolution&) = delete;
    CudaGridConvolution& operator=(const CudaGridConvolution&) = delete;

    void prepare(device::Cuda& cuda, const GridShape& shape);

    /// The charges become zero again.
    void run(device::Cuda& cuda, const float* spectrum);

    [[nodiscard]] GridCharge* charges() const { return charges_.data(); }
    [[nodiscard]] CudaGridStrides charge_strides() const;
    [[nodiscard]] const float* potential() const { return potential_.data(); }
    [[nodiscard]] CudaGridStrides potential_strides() const;

private:
    void drop_plans();

    GridShape shape_;
    device::CudaBuffer<GridCharge> charges_;
    device::CudaBuffer<float> padded_, potential_;
    device::CudaBuffer<float2> harmonics_;
    device::CudaBuffer<char> work_;
    cufftHandle forward_ = 0, backward_ = 0;
};

}  // namespace dunlin::forces
