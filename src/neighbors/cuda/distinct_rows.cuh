// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Rows that are the same, gathered (neighbors/distinct_rows.hpp), so that the search sees each once: group g holds
/// members[offsets[g] .. offsets[g + 1]), ascending; groups are in the order of their first members. Where no two rows
/// are the same, all buffers are empty and group r is row r.
struct CudaDistinctRows {
    Index size = 0;
    device::CudaBuffer<Index> firsts, members;
    device::CudaBuffer<Offset> offsets;
    device::CudaBuffer<Index> group_of;  ///< per row

    [[nodiscard]] bool trivial() const { return firsts.size() == 0; }
};

/// Waits for the device.
CudaDistinctRows find_distinct_rows(device::Cuda& cuda, const DeviceRows& rows);

/// Group i becomes the one that was order[i]; groups that were trivial are so no longer. rows: how many there are.
void renumber(device::Cuda& cuda, const device::CudaBuffer<Index>& order, Index rows, CudaDistinctRows& groups);

/// Bytes find_distinct_rows takes while it works, and at most holds after.
std::uint64_t group_bytes(Index rows);

}  // namespace dunlin::neighbors
