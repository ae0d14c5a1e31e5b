// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "numerics/sort.cuh"

/// What loops over items need besides the members of an executor. Found by the namespace of the executor, so that a
/// template over it need not know whose they are.
namespace dunlin::device {

/// Stable, by the low `bits` bits of the keys.
template <class Key>
void sort_by_key(Cuda& cuda, CudaBuffer<Key>& keys, CudaBuffer<Index>& items, int bits) {
    numerics::sort_pairs(cuda, keys, items, 0, bits);
}

/// Puts those of the n indices at `from` (null: 0, 1, ..) for which is(index) into `to`, in order. Returns how many.
template <class Is>
Index select(Cuda& cuda, const Index* from, Index n, const Is& is, CudaBuffer<Index>& to) {
    if (n == 0) return 0;
    CudaCell<Index> count;
    Index* const counted = cuda.address(count);
    with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return from == nullptr ? cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Index>(0), to.data(),
                                                       counted, n, is, cuda.stream())
                               : cub::DeviceSelect::If(scratch, bytes, from, to.data(), counted, n, is, cuda.stream());
    });
    return cuda.read(count);
}

/// values[i] becomes add(values[j] .. values[i]), j the first of the consecutive items with the key of i.
template <class Key, class Add>
void scan_by_key(Cuda& cuda, const Key* keys, Index* values, Index n, const Add& add) {
    if (n == 0) return;
    with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScanByKey(scratch, bytes, keys, values, values, add, n,
                                                   ::cuda::std::equal_to<>{}, cuda.stream());
    });
}

/// values[i] becomes values[0] + .. + values[i].
inline void scan(Cuda& cuda, Index* values, Index n) {
    if (n == 0) return;
    with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, values, values, n, cuda.stream());
    });
}

/// Copies a buffer to a vector of the host, whose memory is used if it is large enough.
template <class T>
void fetch(Cuda& cuda, const CudaBuffer<T>& from, std::vector<T>& to) {
    to.resize(from.size());
    cuda.copy_out(to.data(), from.data(), from.size() * sizeof(T));
}

inline void await(Cuda& cuda) { cuda.wait(); }

}  // namespace dunlin::device
