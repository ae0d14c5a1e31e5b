// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/coded_rows.cuh"
#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Shortens the lists that are marked to the `wanted` nearest by what codes stand for, measured anew in double, ties by
/// item: the same whichever rows were listed beside these. along: queries along the axes; which: the one of each list,
/// below 0: none.
void shorten_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                      const CodedRows& rows, const device::CudaBuffer<std::uint8_t>& marked, Index wanted,
                      CandidateLists& lists);

}  // namespace dunlin::neighbors
