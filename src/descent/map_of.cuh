// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "descent/state.hpp"
#include "device/cuda.cuh"

namespace dunlin::descent {

/// Copies the first map_dim coordinates.
struct ToOriginal {
    const float* y;
    const Index* original;
    float* result;
    int dim, map_dim;
    math::Vec<double, 3> origin;
    __device__ void operator()(Offset i) const {
        for (int c = 0; c < map_dim; ++c)
            result[Offset{original[i]} * map_dim + c] = in_map(y[i * dim + c], c < 3 ? origin.at[c] : 0.0);
    }
};

/// The map in the original order, on the host.
inline Map map_of(device::Cuda& cuda, const DescentState<device::Cuda>& state) {
    const auto size = static_cast<std::size_t>(Offset{state.n} * state.map_dim);
    device::CudaBuffer<float> ordered(size, cuda.stream());
    cuda.each(state.n, ToOriginal{state.y.data(), state.original.data(), ordered.data(), state.dim, state.map_dim,
                                  state.origin});
    return {state.map_dim, cuda.host(ordered)};
}

}  // namespace dunlin::descent
