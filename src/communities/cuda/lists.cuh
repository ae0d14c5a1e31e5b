// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "communities/cuda/engine.cuh"

namespace dunlin::communities {

/// Keys of the vertices, and how many have each.
template <class KeyOf>
__global__ void keys_kernel(Index n, KeyOf key_of, std::uint8_t* keys, unsigned* counts) {
    __shared__ unsigned own[VertexLists::most];
    for (unsigned k = threadIdx.x; k < VertexLists::most; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (Offset v = Offset{blockIdx.x} * blockDim.x + threadIdx.x; v < n; v += Offset{gridDim.x} * blockDim.x) {
        const int key = key_of(static_cast<Index>(v));
        keys[v] = static_cast<std::uint8_t>(key);
        atomicAdd(own + key, 1U);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < VertexLists::most; k += blockDim.x) {
        if (own[k] != 0) atomicAdd(counts + k, own[k]);
    }
}

template <class KeyOf>
void VertexLists::make(device::Cuda& cuda, Index n, const KeyOf& key_of) {
    constexpr int threads = 256, blocks_each = 8;
    prepare(cuda, n);
    cuda.fill(counts_, most, 0U);
    if (n > 0) {
        const Offset blocks =
            std::min<Offset>((Offset{n} + threads - 1) / threads, Offset{cuda.multiprocessors()} * blocks_each);
        keys_kernel<<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(n, key_of, keys_.data(),
                                                                                  counts_.data());
        device::cuda_check(cudaGetLastError());
    }
    sort(cuda, n);
}

/// Blocks of a launch for `count` vertices of a kind.
template <int Kind>
unsigned blocks_of(Offset count) {
    constexpr int groups = Kind == hub_kind ? 1 : group_threads / threads_of_kind[Kind];
    return static_cast<unsigned>((count + groups - 1) / groups);
}
template <int Kind>
struct KindTag {
    static constexpr int value = Kind;
};

/// Calls launch(KindTag, vertices, count) for the kinds in consecutive lists from `first` on that are not empty.
template <class Launch>
void each_kind(const VertexLists& lists, int first, const Launch& launch) {
    const auto call = [&](auto kind) {
        const int key = first + kind.value;
        if (lists.count(key) == 0) return;
        launch(kind, lists.list(key), lists.count(key));
        device::cuda_check(cudaGetLastError());
    };
    call(KindTag<0>());
    call(KindTag<1>());
    call(KindTag<2>());
    call(KindTag<3>());
}

/// row_sums_kernel for the vertices of consecutive lists.
template <class Value, class Act>
void each_row(device::Cuda& cuda, const LevelView& level, const VertexLists& lists, int first, const Value& value,
              const Act& act) {
    each_kind(lists, first, [&](auto kind, const Index* vertices, Offset count) {
        constexpr int k = decltype(kind)::value;
        row_sums_kernel<k><<<blocks_of<k>(count), block_of<k>, 0, cuda.stream()>>>(level, vertices, count, value, act);
    });
}

struct KindOf {
    const Offset* offsets;
    __device__ int operator()(Index v) const { return kind_of(offsets[v + 1] - offsets[v]); }
};

/// Sets the rows of a level by kind.
inline void list_rows(device::Cuda& cuda, CudaLevel& level) {
    level.rows.make(cuda, level.size(), KindOf{level.offsets.data()});
}

}  // namespace dunlin::communities
