// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// What the kernels that draw know of rows and their shares.
struct D2Weights {
    const float *rows, *weights;
    float* nearest;      ///< squared distances
    Bits *parts, *sums;  ///< of shares: by block of rows; of all, were a candidate added
    Bits* most;          ///< the largest, a double
    Index n, cols;
};

/// The spread of draws.hpp on a GPU, which holds all rows. What `add` does is only enqueued.
class CudaD2Sampler {
public:
    /// Holds both by reference; for at most `clusters` chosen rows.
    CudaD2Sampler(device::Cuda& cuda, const DeviceState& state, Index clusters);

    void begin(Offset row);
    void update(const std::vector<Offset>& rows);
    void add(Index k, std::uint64_t seed, int draws);
    std::vector<Offset> draw_many(double wanted, std::uint64_t seed, int round);
    std::vector<Offset> chosen();

private:
    void look(const Index* rows, int count, bool updates);
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
