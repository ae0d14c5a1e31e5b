// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "neighbors/cuda/coded_rows.cuh"
#include "neighbors/cuda/reach.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::neighbors {

/// Shortens the marked lists to the `wanted` nearest by decoded distance, recomputed in double, ties by item. The
/// result does not depend on which other rows were listed. along: projected queries. which: the query of each list;
/// negative: none.
void shorten_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                      const CodedRows& rows, const device::CudaBuffer<std::uint8_t>& marked, Index wanted,
                      CandidateLists& lists);

/// The same for all lists, with all ties at the last distance, and whether each has these of all rows that were
/// filtered: incomplete[l] becomes 1 if list l overflowed, is too short, or does not end within its search radius.
/// scale: search radius / distance.
void shorten_all_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                          const CodedRows& rows, double scale, const Reach& reach, Index wanted, CandidateLists& lists,
                          device::CudaBuffer<std::uint8_t>& incomplete);

/// Fills some lists so from these items, by sorting all; a list overflows if there are too many ties. some: the lists.
/// Uses about `memory` bytes, or those of one list: 24 per item. Synchronous.
void list_by_codes(device::Cuda& cuda, const DeviceRows& along, const device::CudaBuffer<Index>& which,
                   const CodedRows& rows, std::span<const Index> some, std::span<const Index> items,
                   std::uint64_t memory, Index wanted, CandidateLists& lists);

}  // namespace dunlin::neighbors
