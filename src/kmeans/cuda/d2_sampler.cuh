// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Rows and their D^2 weights, in device memory.
struct D2Weights {
    const float *rows, *weights;
    float* nearest;      ///< squared distances to the nearest centroid
    Bits *parts, *sums;  ///< sums of D^2 weights: by block of rows; of all rows, for each candidate if it were added
    Bits* most;          ///< the largest D^2 weight, a double; of a chunk, one for each candidate
    Index n, cols;
    double scale = 0;  ///< of integer D^2 weights; 0: by the largest of them
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

/// D^2 weights of the rows of a chunk, for centroids and by scales that come from elsewhere (shards/engine.hpp).
class CudaChunkWeights {
public:
    /// Keeps references to both. All distances are infinite.
    CudaChunkWeights(device::Cuda& cuda, const DeviceState& state);

    /// Lowers the distances to those to the nearest of these centroids (count x cols).
    void lower(const std::vector<float>& centroids);
    double most();
    /// Sums of blocks of 1,024 rows.
    std::vector<Sum> block_sums(double scale);
    /// Distances of the rows [begin, end).
    std::vector<float> distances(Offset begin, Offset end);
    /// For each candidate, the sum and the largest of the D^2 weights if it were added.
    void score(const std::vector<float>& candidates, double scale, std::vector<Sum>& sums, std::vector<double>& most);
    /// The rows drawn in a round of k-means||, ascending; first: number of the first row here among all.
    std::vector<Offset> draw(double wanted, Sum sum, double scale, std::uint64_t seed, int round, Offset first);

private:
    [[nodiscard]] Index count_of(const std::vector<float>& values) const;

    device::Cuda& cuda_;
    device::CudaBuffer<float> nearest_, centroids_;
    device::CudaBuffer<Bits> parts_, sums_, most_;
    D2Weights weights_;
};

}  // namespace dunlin::kmeans
