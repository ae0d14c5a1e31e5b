// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/cuda.cuh"

/// The kernels of the executor of a GPU, and the functions by which other kernels add. Included by device/cuda.cuh
/// where nvcc compiles; g++ sees the declarations alone.
namespace dunlin::device {

/// One thread per item.
template <class Step>
__global__ void each_kernel(Offset n, Step step) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) step(i);
}

/// The value of the lane `lanes` further within a group of Lanes lanes. All lanes of the warp must call it.
template <int Lanes = 32>
__device__ inline double from_further(double value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes, Lanes);
}
template <int Lanes = 32, class Real, int Size>
__device__ math::Vec<Real, Size> from_further(math::Vec<Real, Size> value, int lanes) {
    for (int i = 0; i < Size; ++i) value.at[i] = __shfl_down_sync(~0U, value.at[i], lanes, Lanes);
    return value;
}

/// Sum over each group of Lanes lanes, valid in its first lane. All lanes of the warp must call it.
template <int Lanes, class T>
__device__ T group_sum(T value) {
    for (int lanes = Lanes / 2; lanes > 0; lanes /= 2) value += from_further<Lanes>(value, lanes);
    return value;
}

/// Sum over a block, valid in its first thread. All threads of the block must call it.
template <int Threads, class T>
__device__ T block_sum(T value) {
    __shared__ T parts[Threads / 32];
    value = group_sum<32>(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < Threads / 32; ++w) value += parts[w];
    }
    __syncthreads();
    return value;
}

constexpr int sum_threads = 256;

/// *total = sum of parts in a fixed order. Call from one block of sum_threads threads.
template <class T>
__device__ void sum_parts(int count, const T* parts, T* total) {
    T sum{};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += sum_threads) sum += parts[i];
    sum = block_sum<sum_threads>(sum);
    if (threadIdx.x == 0) *total = sum;
}

/// True in the last block of the grid that calls it; writes of the other blocks before their calls are then visible.
/// Resets the ticket to 0.
__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) __threadfence();
    return last;
}

/// Tree sum (math/ordered_sum.hpp) of term(i) over [0, sum_block), valid in the first thread of a block of sum_threads.
/// All threads of the block must call it.
template <class T, class Term>
__device__ T sum_of_block(const Term& term) {
    __shared__ T folds[math::fan_in];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int fold = warp; fold < math::fan_in; fold += sum_threads / 32) {
        const T sum = group_sum<32>(static_cast<T>(term(fold * 32 + lane)));
        if (lane == 0) folds[fold] = sum;
    }
    __syncthreads();
    T sum{};
    if (warp == 0) sum = group_sum<32>(folds[lane]);
    __syncthreads();
    return sum;
}

/// Size of the array that sum_tree needs for `count` values.
inline std::size_t tree_room(Offset count) {
    Offset room = count;
    while (count > 1) room += count = (count + math::fan_in - 1) / math::fan_in;
    return static_cast<std::size_t>(room);
}

/// Tree sum of `count` values, returned to all threads of the one block that calls it. Each level is stored after the
/// level below; size of the array: tree_room(count).
template <class T>
__device__ T sum_tree(Offset count, T* values) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    while (count > 1) {
        const Offset folds = (count + math::fan_in - 1) / math::fan_in;
        for (Offset fold = threadIdx.x / 32; fold < folds; fold += blockDim.x / 32) {
            const Offset i = fold * math::fan_in + lane;
            const T sum = group_sum<32>(i < count ? values[i] : T{});
            if (lane == 0) values[count + fold] = sum;
        }
        __syncthreads();
        values += count;
        count = folds;
    }
    return count > 0 ? values[0] : T{};
}

/// Sum of term(i) over a run, valid in the first thread of a block of sum_threads.
template <class T, class Term>
__device__ T sum_of_run(const math::Runs& runs, Offset run, const Term& term) {
    T part{};
    const Offset end = runs.end(run);
    for (Offset i = runs.begin(run) + threadIdx.x; i < end; i += sum_threads) part += static_cast<T>(term(i));
    return block_sum<sum_threads>(part);
}

/// One block per run, from run `first` on.
template <class T, class Term>
__global__ void run_sums_kernel(math::Runs runs, Offset first, Term term, T* sums) {
    const T part = sum_of_run<T>(runs, first + blockIdx.x, term);
    if (threadIdx.x == 0) sums[first + blockIdx.x] = part;
}

/// One block per run; the last block to finish adds the sums of the runs in order.
template <class T, class Term>
__global__ void sum_kernel(math::Runs runs, Term term, T* parts, T* total, unsigned* ticket) {
    const T part = sum_of_run<T>(runs, blockIdx.x, term);
    if (threadIdx.x == 0) parts[blockIdx.x] = part;
    if (is_last_block(ticket)) sum_parts(static_cast<int>(gridDim.x), parts, total);
}

template <class T>
__global__ void sum_parts_kernel(int count, const T* parts, T* total) {
    sum_parts(count, parts, total);
}

template <class Step>
void Cuda::each(Offset n, const Step& step) {
    constexpr int threads = 256;
    if (n == 0) return;
    each_kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream()>>>(n, step);
    cuda_check(cudaGetLastError());
}

template <class Term, class T>
void Cuda::sum(Offset n, const Term& term, Cell<T>& total) {
    static_assert(sizeof(T) <= sizeof(Part));
    const math::Runs runs = math::runs_of(n);
    const auto blocks = static_cast<unsigned>(std::max<Offset>(runs.count(), 1));
    sum_kernel<<<blocks, sum_threads, 0, stream()>>>(runs, term, reinterpret_cast<T*>(parts_.data()), address(total),
                                                     ticket_.data());
    cuda_check(cudaGetLastError());
}

template <class Term, class T>
void Cuda::run_sums(const math::Runs& runs, Offset first, Offset last, const Term& term, T* sums) {
    if (first == last) return;
    run_sums_kernel<<<static_cast<unsigned>(last - first), sum_threads, 0, stream()>>>(runs, first, term, sums);
    cuda_check(cudaGetLastError());
}

template <class T>
void Cuda::add_parts(int count, const T* parts, Cell<T>& total) {
    sum_parts_kernel<<<1, sum_threads, 0, stream()>>>(count, parts, address(total));
    cuda_check(cudaGetLastError());
}

template <class T>
struct Fill {
    T* values;
    T value;
    __device__ void operator()(Offset i) const { values[i] = value; }
};

template <class T>
void Cuda::fill(Buffer<T>& buffer, std::size_t size, T value) {
    resize(buffer, size);
    each(static_cast<Offset>(size), Fill<T>{buffer.data(), value});
}

}  // namespace dunlin::device
