#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "device/scratch.cuh"

namespace dunlin::device {

/// Sorts keys and their values by bits [first_bit, last_bit) of the keys; what is equal there keeps its order. Holds
/// both twice meanwhile.
template <class Key, class Value>
void sort_pairs(Cuda& cuda, CudaBuffer<Key>& keys, CudaBuffer<Value>& values, int first_bit, int last_bit) {
    if (keys.size() == 0) return;
    CudaBuffer<Key> spare_keys(keys.size(), cuda.stream());
    CudaBuffer<Value> spare_values(values.size(), cuda.stream());
    cub::DoubleBuffer<Key> both_keys(keys.data(), spare_keys.data());
    cub::DoubleBuffer<Value> both_values(values.data(), spare_values.data());
    with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, static_cast<Offset>(keys.size()),
                                               first_bit, last_bit, cuda.stream());
    });
    if (both_keys.Current() != keys.data()) keys.swap(spare_keys);
    if (both_values.Current() != values.data()) values.swap(spare_values);
}

}  // namespace dunlin::device
