#pragma once

#include "neighbors/on_device/reach.cuh"

namespace dunlin::neighbors {

/// The nearest rows so far of each of a block of queries, by (key, id): queries x wanted.
struct Nearest {
    device::CudaBuffer<double> keys;
    device::CudaBuffer<Index> items;
    Index wanted = 0;
};

/// A block of rows among all items: row i is item first + i.
struct ItemRows {
    DeviceRows rows;
    Index first = 0;
};

/// Measures what the lists hold exactly and merges the nearest into `nearest`, which holds `wanted` already if `merge`.
/// left[q] is set to 1, and query q's nearest are as they were, if its list overflowed or may lack a neighbour.
void rank(device::Cuda& cuda, const ItemRows& queries, const Sketch& query_sketch, const ItemRows& base,
          const Sketch& base_sketch, const DeviceFrame& frame, const Lists& lists, const Reach& reach, bool merge,
          Nearest& nearest, device::CudaBuffer<std::uint8_t>& left);

/// Whether this GPU can rank lists of this capacity.
bool can_rank(const device::Cuda& cuda, int capacity);

}  // namespace dunlin::neighbors
