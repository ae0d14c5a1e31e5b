// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/grid/shape.hpp"

namespace dunlin::forces {

/// GreensFunction computed on a GPU; layout [mode of x][mode of y][mode of z], nodes + 1 of each.
struct CudaGreensFunction {
    device::CudaBuffer<float> values;
    device::CudaCell<double> self;
    double scale = 0, floor = 0;

private:
    template <class Law>
    friend void make_greens_function(device::Cuda&, const GridShape&, CudaGreensFunction&, Law);
    device::CudaBuffer<float> kernel_, cosines_;
    device::CudaBuffer<double> factors_;
};

/// Computes the Green's function of a law for a shape. Reuses the buffers of `greens_function`.
template <class Law>
void make_greens_function(device::Cuda& cuda, const GridShape& shape, CudaGreensFunction& greens_function, Law law);

}  // namespace dunlin::forces
