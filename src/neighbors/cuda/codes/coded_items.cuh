// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/codes/product_quantizer.cuh"
#include "neighbors/cuda/exact/block_search.cuh"
#include "neighbors/cuda/recall/recall_sample.cuh"

namespace dunlin::neighbors {

/// All items as product-quantization codes, sorted by cell.
class CodedItems {
public:
    /// Encodes all items, `at_once` at a time, and finds the sample's exact neighbors in the same pass by `exact`.
    /// Sorts the items, and the sample's, by cell; after a stop they remain unsorted.
    CodedItems(device::Cuda& cuda, ItemSource& items, const SearchParameters& parameters, Index at_once,
               BlockSearch& exact, CudaRecallSample& sample);

    [[nodiscard]] CellPartition& cells() { return sorted_.cells; }
    [[nodiscard]] const CellPartition& cells() const { return sorted_.cells; }
    [[nodiscard]] CodedRows rows() const { return quantizer_.rows(codes_, sorted_.cell); }
    [[nodiscard]] Projection& projection() { return quantizer_.projection(); }
    /// Assigns projected rows to cells; beyond `reach` a query is far.
    [[nodiscard]] CellQuantizer& coarse() { return sorted_.quantizer; }
    [[nodiscard]] double reach() const { return quantizer_.reach(); }

private:
    void sort(ItemSource& items, device::CudaBuffer<Index> cell, CudaRecallSample& sample);

    device::Cuda& cuda_;
    CudaProductQuantizer quantizer_;
    device::CudaBuffer<std::uint8_t> codes_;
    SortedItems sorted_;
};

}  // namespace dunlin::neighbors
