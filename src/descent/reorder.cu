// SPDX-License-Identifier: Apache-2.0
#include "descent/reorder.cuh"

#include "forces/box.cuh"
#include "graph/relabel.cuh"
#include "math/morton.hpp"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"

namespace dunlin::descent {

namespace {

using device::CudaBuffer;

constexpr Index worthwhile = 50000;  // measured, see docs/lab/tsne.md

template <int D>
struct Code {
    const float* y;
    const forces::DeviceBox<D>* box;
    std::uint32_t* codes;
    Index* items;
    __device__ void operator()(Offset i) const {
        codes[i] = math::MortonBox<D>(box->least, box->most).code(y + i * D);
        items[i] = static_cast<Index>(i);
    }
};

template <int D>
CudaBuffer<Index> morton_order(device::Cuda& cuda, const float* y, Index n) {
    const auto size = static_cast<std::size_t>(n);
    device::CudaCell<forces::DeviceBox<D>> box;
    forces::box_of<D>(cuda, y, n, box);
    CudaBuffer<std::uint32_t> codes(size, cuda.stream());
    CudaBuffer<Index> order(size, cuda.stream());
    cuda.each(n, Code<D>{y, cuda.address(box), codes.data(), order.data()});
    numerics::sort_pairs(cuda, codes, order, 0, D * math::morton_bits<D>);
    return order;
}

template <class T>
struct Permute {
    const T* from;
    const Index* order;
    T* to;
    int width;
    __device__ void operator()(Offset i) const {
        for (int c = 0; c < width; ++c) to[i * width + c] = from[Offset{order[i]} * width + c];
    }
};

template <class T>
void permute(device::Cuda& cuda, CudaBuffer<T>& values, const CudaBuffer<Index>& order, int width) {
    CudaBuffer<T> moved(values.size(), cuda.stream());
    cuda.each(static_cast<Offset>(order.size()), Permute<T>{values.data(), order.data(), moved.data(), width});
    values.swap(moved);
}

}  // namespace

bool reorders_at(const DescentState<device::Cuda>& state, int iteration) {
    return state.n >= worthwhile && state.map_dim <= 3 && (iteration == 50 || iteration == 250 || iteration == 500);
}

CudaBuffer<Index> reorder_points(device::Cuda& cuda, DescentState<device::Cuda>& state) {
    auto order = state.dim == 2 ? morton_order<2>(cuda, state.y.data(), state.n)
                                : morton_order<3>(cuda, state.y.data(), state.n);
    for (auto* values : {&state.y, &state.velocity, &state.gain}) permute(cuda, *values, order, state.dim);
    permute(cuda, state.original, order, 1);
    return order;
}

void reorder(device::Cuda& cuda, DescentState<device::Cuda>& state, graph::DeviceGraph& affinities) {
    if (state.n == 0) return;
    affinities = graph::relabel(cuda, affinities, reorder_points(cuda, state));
}

void reorder(device::Cuda& cuda, DescentState<device::Cuda>& state, graph::HalfGraph& affinities) {
    if (state.n == 0) return;
    const progress::Uncancellable whole;  // half of a new order is none
    graph::relabel(cuda, affinities, reorder_points(cuda, state));
}

void renumber(device::Cuda& cuda, const DescentState<device::Cuda>& state, graph::DeviceGraph& affinities) {
    affinities = graph::relabel(cuda, affinities, state.original);
}

void renumber(device::Cuda& cuda, const DescentState<device::Cuda>& state, graph::HalfGraph& affinities) {
    const progress::Uncancellable whole;
    graph::relabel(cuda, affinities, state.original);
}

}  // namespace dunlin::descent
