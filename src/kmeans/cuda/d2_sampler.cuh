// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Rows and their D^2 weights, in device memory.
struct D2Weights {
    const float *rows, *weights;
    float* nearest;      ///< squared distances to the nearest centroid
    Bits *parts, *sums;  ///< sums of D^2 weights: by block of rows; of all rows, for each candidate if it were added
    Bits* most;          ///< the largest D^2 weight, a double
    Index n, cols;
};

/// The sampler of d2_sampling.hpp on a GPU that holds all rows. add() only enqueues.
class CudaD2Sampler {
public:
    /// Keeps references to both; for at most `clusters` chosen rows.
    CudaD2Sampler(device::Cuda& cuda, const DeviceState& state, Index clusters);

    void begin(Offset row);
    void update(const std::vector<Offset>& rows);
    void add(Index k, std::uint64_t seed, int draws);
    std::vector<Offset> draw_many(double wanted, std::uint64_t seed, int round);
    std::vector<Offset> chosen();

private:
    void find_distances(const Index* rows, int count, bool updates);
    void add_up();

    device::Cuda& cuda_;
    Index chosen_count_ = 0;
    device::CudaBuffer<float> nearest_;
    device::CudaBuffer<Bits> parts_, sums_;
    device::CudaCell<Bits> most_;
    device::CudaBuffer<Index> chosen_, candidates_;  ///< row numbers
    D2Weights weights_;
};

}  // namespace dunlin::kmeans
