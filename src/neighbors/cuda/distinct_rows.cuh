// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Groups of equal rows (neighbors/distinct_rows.hpp), of which the search handles each once: group g has
/// members[offsets[g] .. offsets[g + 1]), ascending. Groups are in the order of their first members. If all rows are
/// distinct, all buffers are empty and group r is row r.
struct CudaDistinctRows {
    Index size = 0;
    device::CudaBuffer<Index> firsts, members;
    device::CudaBuffer<Offset> offsets;
    device::CudaBuffer<Index> group_of;  ///< per row

    [[nodiscard]] bool trivial() const { return firsts.size() == 0; }
};

/// Synchronous.
CudaDistinctRows find_distinct_rows(device::Cuda& cuda, const DeviceRows& rows);

/// Reorders the groups: group i becomes the former group order[i]. The result is never trivial(). rows: number of rows.
void renumber(device::Cuda& cuda, const device::CudaBuffer<Index>& order, Index rows, CudaDistinctRows& groups);

/// Upper bound of the bytes that find_distinct_rows uses, result included.
std::uint64_t group_bytes(Index rows);

}  // namespace dunlin::neighbors
