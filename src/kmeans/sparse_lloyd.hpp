// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "kmeans/lloyd.hpp"
#include "kmeans/sparse_input.hpp"
#include "kmeans/sums.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration (lloyd.hpp) for sparse rows on the threads of a CPU.
class SparseLloyd {
public:
    /// Holds `cpu`, `rows` and `scales` by reference. centroids: clusters x cols.
    SparseLloyd(device::Cpu& cpu, const SparseInput& rows, const Scales& scales, std::vector<float> centroids);

    Pass assign(bool with_inertia);
    void fill_empty();
    double move();
    [[nodiscard]] double inertia() const;

    [[nodiscard]] std::vector<Index> take_labels() { return std::move(labels_); }
    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_; }
    [[nodiscard]] const LloydHistory& history() const { return history_; }
    void recall(const LloydMemory& memory);

private:
    void place(std::vector<float> centroids);

    struct LabelWorkspace {
        CentroidColumns::Scratch scratch;
        ClusterSums sums;
        Offset changed = 0;
    };

    device::Cpu& cpu_;
    const SparseInput& rows_;
    const Scales& scales_;
    std::vector<float> centroids_;
    CentroidColumns columns_;    ///< of the present centroids
    std::vector<Index> labels_;  ///< -1: none yet
    ClusterSums sums_;
    LloydHistory history_;
    std::vector<LabelWorkspace> workspaces_;
};

/// Adds (sign 1) or subtracts (-1) a sparse row of this weight.
void add_sparse(ClusterSums& sums, Index cluster, SparseRow row, Index cols, double weight, const Scales& scales,
                Sum sign);

/// Memory of SparseLloyd in bytes.
std::uint64_t bytes_of_sparse_lloyd(const SparseView& points, Index clusters, Metric metric, int threads);

/// Initial centroids (start.hpp) from sparse rows.
std::vector<float> start_centroids(device::Cpu& cpu, const SparseInput& rows, Index clusters, Start start,
                                   std::uint64_t seed, const Run& run);

/// fill_empty_clusters (centroids.hpp) for sparse rows.
std::vector<FilledCluster> fill_empty_clusters(device::Cpu& cpu, const SparseInput& rows, const Scales& scales,
                                               const CentroidColumns& centroids, std::vector<Index>& labels,
                                               ClusterSums& sums);

}  // namespace dunlin::kmeans
