// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rung 0 of Eades' model on a GPU: a thread per vertex, with x and y in arrays of their own.

#include <vector>

#include "eades_program.cuh"

namespace dunlin::bench::eades {

struct Apart {
    float *x, *y;
    __device__ float2 of(Index i) const { return {x[i], y[i]}; }
    __device__ void set(Index i, float2 value) const { x[i] = value.x, y[i] = value.y; }
};

__global__ void apart_vertex_kernel(Index n, Apart at, const std::uint8_t* linked, Apart next, Apart velocity) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float2 force{0, 0};
    for (Index j = 0; j < n; ++j) {
        if (j != i)
            bench::add(force, bench::force_between(Eades{}, at.of(i), at.of(j), linked[Offset{i} * n + j] != 0));
    }
    float2 here = at.of(i), speed = velocity.of(i);
    bench::move(Eades{}, force, here, speed);
    next.set(i, here);
    velocity.set(i, speed);
}

__global__ void apart_energy_kernel(Index n, Apart velocity, float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) energy[i] = bench::energy_of(velocity.of(i));
}

class ArraysOfTheirOwn {
public:
    static constexpr const char* name = "thread per vertex: x and y apart";

    ArraysOfTheirOwn(device::Cuda& cuda, const Input& input) : s_(cuda, input) {
        const Drawing start = input.start();
        std::vector<float> x, y;
        for (const float2 at : start.at) x.push_back(at.x), y.push_back(at.y);
        cuda.upload(x_, x);
        cuda.upload(y_, y);
        for (CudaBuffer<float>* of : {&next_x_, &next_y_}) cuda.resize(*of, x.size());
        const std::vector<float> rest(x.size(), 0.0F);
        cuda.upload(velocity_x_, rest);
        cuda.upload(velocity_y_, rest);
    }
    double step() {
        const auto stream = s_.cuda.stream();
        const Apart velocity{velocity_x_.data(), velocity_y_.data()};
        apart_vertex_kernel<<<blocks_for(s_.n, threads), threads, 0, stream>>>(
            s_.n, {x_.data(), y_.data()}, s_.linked.data(), {next_x_.data(), next_y_.data()}, velocity);
        x_.swap(next_x_);
        y_.swap(next_y_);
        s_.cuda.wait();
        apart_energy_kernel<<<blocks_for(s_.n, threads), threads, 0, stream>>>(s_.n, velocity, s_.energy.data());
        return s_.energy_on_host();
    }
    std::vector<float2> positions() {
        const std::vector<float> x = s_.cuda.host(x_), y = s_.cuda.host(y_);
        std::vector<float2> at(x.size());
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = {x[i], y[i]};
        return at;
    }

private:
    State s_;
    CudaBuffer<float> x_, y_, next_x_, next_y_, velocity_x_, velocity_y_;
};

}  // namespace dunlin::bench::eades
