// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kmeans/cpu.hpp"
#include "math/ordered_sum.hpp"

namespace dunlin::kmeans {

/// Computes labels (the nearest of some centroids) or D^2 weights (d2_sampling.hpp) of the rows of a chunk, with the
/// same bits on a CPU and a GPU. Stores one of the two at a time, or neither; neither after a function has thrown. The
/// caller records the centroids that they belong to.
class ChunkEngine {
public:
    ChunkEngine() = default;
    virtual ~ChunkEngine() = default;
    ChunkEngine(const ChunkEngine&) = delete;
    ChunkEngine& operator=(const ChunkEngine&) = delete;
    ChunkEngine(ChunkEngine&&) = delete;
    ChunkEngine& operator=(ChunkEngine&&) = delete;

    /// Frees labels and distances.
    virtual void forget() = 0;

    /// Starts with these centroids. No row is assigned to a centroid yet.
    virtual void begin(const Scales& scales, const std::vector<float>& centroids) = 0;
    /// fill() moves a row to another cluster. place() moves the centroids.
    virtual void fill(Index row, Index cluster) = 0;
    virtual void place(const std::vector<float>& centroids) = 0;
    /// Assigns rows to the nearest centroids, and returns how many have changed. nodes: null, or set to the values of
    /// the inertia's tree (math/ordered_sum.hpp) for every 1,024 * 32^level rows.
    virtual Offset assign(Index level, std::vector<double>* nodes) = 0;
    /// Sums of the clusters' rows, as ClusterSums.
    virtual std::vector<Sum> sums() = 0;
    virtual std::vector<Index> labels() = 0;

    /// Distances to the nearest of no centroids.
    virtual void begin_distances() = 0;
    /// Lowers them by these centroids.
    virtual void lower_distances(const std::vector<float>& centroids) = 0;
    virtual double largest_weight() = 0;
    virtual Sum sum_of_weights(double scale) = 0;
    /// For each target, the row at which the running sum of D^2 weights exceeds it.
    virtual std::vector<Index> pick(const std::vector<Sum>& targets, double scale) = 0;
    /// For each candidate, the sum and the largest of the D^2 weights with it as a further centroid.
    virtual void score(const std::vector<float>& candidates, double scale, std::vector<Sum>& sums,
                       std::vector<double>& most) = 0;
    /// Rows of a round of k-means||. first: number of the chunk's first row among all.
    virtual std::vector<Index> draw(double wanted, Sum sum, double scale, std::uint64_t seed, int round,
                                    Offset first) = 0;

    /// The nearest centroid of each row. Afterwards it has neither labels nor distances.
    virtual std::vector<Index> labels_of(const std::vector<float>& centroids) = 0;
};

/// The CPU's executor of a shard, and memory that its chunks share.
struct ShardWorkspace {
    explicit ShardWorkspace(const Run& run) : cpu(run) {}

    device::Cpu cpu;
    std::shared_ptr<CpuLloyd::Workspaces> lloyd;
    std::size_t lloyd_size = 0;  ///< number of the centroids' coordinates that `lloyd` is for
};

/// Keeps a reference to `workspace`.
std::unique_ptr<ChunkEngine> chunk_on_cpu(ShardWorkspace& workspace, const Rows& rows);

/// Values of the tree's nodes (math/ordered_sum.hpp) that consist of `group` of these values each; stride columns.
template <class T>
std::vector<T> folded(const std::vector<T>& values, Offset group, std::size_t stride = 1) {
    const auto count = static_cast<Offset>(values.size() / stride);
    std::vector<T> nodes;
    for (Offset begin = 0; begin < count; begin += group) {
        for (std::size_t c = 0; c < stride; ++c) {
            nodes.push_back(math::tree_sum<T>(begin, std::min(begin + group, count), [&](Offset i) {
                return values[static_cast<std::size_t>(i) * stride + c];
            }));
        }
    }
    return nodes;
}

constexpr Offset power_of_fan_in(Index exponent) {
    Offset power = 1;
    while (exponent-- > 0) power *= math::fan_in;
    return power;
}

/// The place at which the running sum of `count` integers exceeds `target`, which is lowered by the values before it.
template <class Value>
Offset place_in_running_sum(Offset count, const Value& value, Sum& target) {
    Offset i = 0;
    for (; i + 1 < count; ++i) {
        const Sum here = value(i);
        if (target < here) break;
        target -= here;
    }
    return i;
}

}  // namespace dunlin::kmeans
