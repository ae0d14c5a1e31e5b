// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/codes/product_quantizer.cuh"
#include "neighbors/cuda/exact/block_search.cuh"
#include "neighbors/cuda/recall/recall_sample.cuh"

namespace dunlin::neighbors {

/// All items as codes, in the order of their cells.
class CodedItems {
public:
    /// Codes all items' rows, `at_once` at a time, and finds the exact neighbors of the sample among them by `exact`.
    /// Puts the items, and the sample's, in the order of the cells. A stop leaves them as they were.
    CodedItems(device::Cuda& cuda, ItemSource& items, const SearchParameters& parameters, Index at_once,
               BlockSearch& exact, CudaRecallSample& sample);

    [[nodiscard]] CellPartition& cells() { return sorted_.cells; }
    [[nodiscard]] const CellPartition& cells() const { return sorted_.cells; }
    [[nodiscard]] CodedRows rows() const { return quantizer_.rows(codes_, sorted_.cell); }
    [[nodiscard]] Projection& projection() { return quantizer_.projection(); }

private:
    void sort(ItemSource& items, device::CudaBuffer<Index> cell, CudaRecallSample& sample);

    device::Cuda& cuda_;
    CudaProductQuantizer quantizer_;
    device::CudaBuffer<std::uint8_t> codes_;
    SortedItems sorted_;
};

}  // namespace dunlin::neighbors
