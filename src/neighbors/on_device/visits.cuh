#pragma once

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// Which tiles of the base each tile of queries meets, and in which order.
struct VisitsView {
    const Index* tiles = nullptr;    ///< lists one after another; null: every query meets every tile
    const Offset* begins = nullptr;  ///< per tile of queries, where its list begins
    const Index* counts = nullptr;   ///< and how long it is
};

struct Visits {
    device::CudaBuffer<Index> tiles, counts;
    device::CudaBuffer<Offset> begins;
    Index longest = 0;

    [[nodiscard]] VisitsView view() const { return {tiles.data(), begins.data(), counts.data()}; }
};

}  // namespace dunlin::neighbors
