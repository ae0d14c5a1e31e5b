#pragma once

#include "kmeans/on_device/sketch.cuh"

namespace dunlin::kmeans {

/// Rows that halves could not decide.
struct Undecided {
    device::CudaBuffer<Index> rows;
    device::CudaBuffer<unsigned> count;
};

/// The centroid of the largest x.c - |c|^2 / 2 for every row, by the tensor cores, where the largest stands out by more
/// than both scores may be off; the other rows are listed, in any order, and their labels are not set.
void score(device::Cuda& cuda, const DeviceState& state, const RowSketch& rows, const CentroidSketch& centroids,
           Index* labels, Undecided& undecided);

/// Settles the undecided rows: in float32, and where that cannot tell in double.
void decide(device::Cuda& cuda, const DeviceState& state, const CentroidSketch& centroids, const Undecided& undecided,
            Index* labels);

}  // namespace dunlin::kmeans
