// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/coded_rows.cuh"
#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Shortens the marked lists to the `wanted` nearest by decoded distance, recomputed in double, ties by item. The
/// result does not depend on which other rows were listed. along: projected queries. which: the query of each list;
/// negative: none.
void shorten_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                      const CodedRows& rows, const device::CudaBuffer<std::uint8_t>& marked, Index wanted,
                      CandidateLists& lists);

}  // namespace dunlin::neighbors
