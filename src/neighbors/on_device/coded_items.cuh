#pragma once

#include "neighbors/on_device/block_search.cuh"
#include "neighbors/on_device/coder.cuh"
#include "neighbors/on_device/judges.cuh"

namespace dunlin::neighbors {

/// All items as codes, in the order of their cells.
class CodedItems {
public:
    /// Has all items' rows pass by once, `at_once` at a time, whence the judges' nearest are found by `exact` too. Puts
    /// the items, and the judges, in the order of the cells. A stop leaves them as they were.
    CodedItems(device::Cuda& cuda, ItemSource& items, const Effort& effort, Index at_once, BlockSearch& exact,
               Judges& judges);

    [[nodiscard]] Cells& cells() { return sorted_.cells; }
    [[nodiscard]] const Cells& cells() const { return sorted_.cells; }
    [[nodiscard]] CodedRows rows() const { return coder_.rows(codes_, sorted_.cell); }
    [[nodiscard]] Projection& projection() { return coder_.projection(); }

private:
    void sort(ItemSource& items, device::CudaBuffer<Index> cell, Judges& judges);

    device::Cuda& cuda_;
    Coder coder_;
    device::CudaBuffer<std::uint8_t> codes_;
    SortedItems sorted_;
};

}  // namespace dunlin::neighbors
