// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::forces {

/// Bounding box on a GPU. operator+= is the union of boxes, so that device::Cuda::sum computes the box of all points.
template <int D>
struct DeviceBox {
    float least[D], most[D];
    bool holds_something;

    __device__ DeviceBox& operator+=(const DeviceBox& other) {
        if (!holds_something) return *this = other;
        if (!other.holds_something) return *this;
        for (int d = 0; d < D; ++d) {
            least[d] = fminf(least[d], other.least[d]);
            most[d] = fmaxf(most[d], other.most[d]);
        }
        return *this;
    }
};

template <int Lanes, int D>
__device__ DeviceBox<D> from_further(DeviceBox<D> box, int lanes) {
    for (int d = 0; d < D; ++d) {
        box.least[d] = __shfl_down_sync(~0U, box.least[d], lanes, Lanes);
        box.most[d] = __shfl_down_sync(~0U, box.most[d], lanes, Lanes);
    }
    box.holds_something = __shfl_down_sync(~0U, box.holds_something, lanes, Lanes);
    return box;
}

/// Box of point i, with coordinates clamped to [-limit, limit].
template <int D>
struct PointBox {
    const float* y;
    float limit;

    __device__ DeviceBox<D> operator()(Offset i) const {
        DeviceBox<D> box;
        for (int d = 0; d < D; ++d) box.least[d] = box.most[d] = fminf(fmaxf(y[i * D + d], -limit), limit);
        box.holds_something = true;
        return box;
    }
};

/// box = bounding box of n points. Only enqueues work.
template <int D>
void box_of(device::Cuda& cuda, const float* y, Index n, device::CudaCell<DeviceBox<D>>& box, float limit = INFINITY) {
    cuda.sum(n, PointBox<D>{y, limit}, box);
}

}  // namespace dunlin::forces
