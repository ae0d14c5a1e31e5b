// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "device/scratch.cuh"

namespace dunlin::numerics {

struct CountUp {
    Index* values;
    __device__ void operator()(Offset i) const { values[i] = static_cast<Index>(i); }
};

/// values = 0, 1, .. n - 1.
inline void count_up(device::Cuda& cuda, Index n, device::CudaBuffer<Index>& values) {
    cuda.resize(values, static_cast<std::size_t>(n));
    cuda.each(n, CountUp{values.data()});
}

/// Sorts the first `count` keys by bits [first_bit, last_bit). `spare` is as large as `keys`.
template <class Key>
void sort_keys(device::Cuda& cuda, device::CudaBuffer<Key>& keys, device::CudaBuffer<Key>& spare, Offset count,
               int first_bit, int last_bit) {
    cub::DoubleBuffer<Key> both(keys.data(), spare.data());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, both, count, first_bit, last_bit, cuda.stream());
    });
    if (both.Current() != keys.data()) keys.swap(spare);
}

/// Stable sort of keys and their values by bits [first_bit, last_bit) of the keys. Needs temporary copies of both.
template <class Key, class Value>
void sort_pairs(device::Cuda& cuda, device::CudaBuffer<Key>& keys, device::CudaBuffer<Value>& values, int first_bit,
                int last_bit) {
    if (keys.size() == 0) return;
    device::CudaBuffer<Key> spare_keys(keys.size(), cuda.stream());
    device::CudaBuffer<Value> spare_values(values.size(), cuda.stream());
    cub::DoubleBuffer<Key> both_keys(keys.data(), spare_keys.data());
    cub::DoubleBuffer<Value> both_values(values.data(), spare_values.data());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, static_cast<Offset>(keys.size()),
                                               first_bit, last_bit, cuda.stream());
    });
    if (both_keys.Current() != keys.data()) keys.swap(spare_keys);
    if (both_values.Current() != values.data()) values.swap(spare_values);
}

}  // namespace dunlin::numerics
