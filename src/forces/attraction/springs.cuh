// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/spring.hpp"
#include "graph/device_graph.cuh"

namespace dunlin::forces {

/// A graph in device memory, which must outlive this, as springs. Rows longer than a few lanes can do alone are cut
/// into pieces, a warp for each, so that a star's center is shared like any other work.
class CudaSprings {
public:
    /// weights: of its edges, null: the graph's. Waits for the device, to learn which rows are long.
    CudaSprings(device::Cuda& cuda, const graph::DeviceGraph& graph, const float* weights = nullptr);

    const device::CudaBuffer<Offset>& offsets;  ///< the graph's
    const device::CudaBuffer<Index>& targets;

    struct Piece {
        Index row;
        Offset begin, end;  ///< edges
    };
    /// A long row and its pieces, from `first` to that of the next.
    struct LongRow {
        Index row, first;
    };

    /// What the kernels see.
    struct View {
        graph::DeviceGraph::View graph;
        Offset longest;  ///< edges of a row that is not cut
        const Piece* pieces;
        Index piece_count;
        const LongRow* long_rows;
        Index long_count;
        double* parts;  ///< a piece's sum, 3 values each
    };
    [[nodiscard]] View view() const;
    [[nodiscard]] int lanes() const { return lanes_; }  ///< for a row that is not cut

private:
    graph::DeviceGraph::View graph_;
    int lanes_;
    device::CudaBuffer<Piece> pieces_;
    device::CudaBuffer<LongRow> long_rows_;
    device::CudaBuffer<double> parts_;
};

/// As forces::attract (attraction_springs.hpp), all in device memory. Only enqueues.
template <class Spring>
void attract(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring);

/// As forces::sum_pulls (attraction_springs.hpp), likewise.
template <class Spring>
void sum_pulls(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, float* sums,
               const Spring& spring);

}  // namespace dunlin::forces
