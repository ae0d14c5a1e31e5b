// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "forces/spring.hpp"
#include "graph/device_graph.cuh"

namespace dunlin::forces {

/// Spring forces of a graph in device memory, which must outlive this object. Rows that are too long for a few lanes
/// are cut into pieces, one warp each, so that many warps share the center of a star.
class CudaSprings {
public:
    /// weights: of the edges; null: those of the graph. Waits for the device, because the host needs the list of long
    /// rows.
    CudaSprings(device::Cuda& cuda, const graph::DeviceGraph& graph, const float* weights = nullptr);

    const device::CudaBuffer<Offset>& offsets;  ///< of the graph
    const device::CudaBuffer<Index>& targets;

    struct Piece {
        Index row;
        Offset begin, end;  ///< edges
    };
    /// A long row and its first piece; its pieces end where those of the next long row begin.
    struct LongRow {
        Index row, first;
    };

    /// Data of the kernels.
    struct View {
        graph::DeviceGraph::View graph;
        Offset longest;  ///< most edges of a row that is not cut
        const Piece* pieces;
        Index piece_count;
        const LongRow* long_rows;
        Index long_count;
        double* parts;  ///< sums of the pieces, 3 values each
    };
    [[nodiscard]] View view() const;
    [[nodiscard]] int lanes() const { return lanes_; }  ///< lanes per row that is not cut

private:
    graph::DeviceGraph::View graph_;
    int lanes_;
    device::CudaBuffer<Piece> pieces_;
    device::CudaBuffer<LongRow> long_rows_;
    device::CudaBuffer<double> parts_;
};

/// As forces::attract (attraction/springs.hpp), all in device memory. Only enqueues work.
template <class Spring>
void attract(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring);

/// As forces::sum_attractions (attraction/springs.hpp), all in device memory. Only enqueues work.
template <class Spring>
void sum_attractions(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, float* sums,
                     const Spring& spring);

}  // namespace dunlin::forces
