// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "device/aligned.hpp"
#include "kmeans/bytes.hpp"
#include "kmeans/centroids.hpp"
#include "kmeans/lloyd.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration on the threads of a CPU. Rows are read in order, block by block; those that keep their cluster
/// cost nothing but the look at the centroids.
class CpuLloyd {
public:
    /// Holds `cpu`, `rows` and `scales` by reference. centroids: clusters x cols.
    CpuLloyd(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids);

    Pass assign(bool with_inertia);
    void fill_empty();
    double move();
    [[nodiscard]] double inertia() const;

    /// The labels, which are not kept: there may be billions.
    [[nodiscard]] std::vector<Index> take_labels() { return std::move(labels_); }
    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_; }

private:
    /// What a worker has of its own.
    struct CpuWorkspace {
        device::AlignedBuffer<float> columns;
        std::vector<float> scratch;
        ClusterSums sums;
        ByteTile bytes;
        BestTwo best;
        Offset changed = 0;
    };
    [[nodiscard]] bool is_due(float expires) const { return static_cast<double>(expires) <= drift_; }
    /// Whether label_tile finds the best two; else tiles do not expire.
    [[nodiscard]] bool knows_best() const;
    void label_tile(Offset first, const float* x, Index rows, CpuWorkspace& workspace, Index* label);
    /// The inertia of rows with these labels, folded by 32: folds[row / 32]. `first` is a multiple of that.
    void find_inertia(Offset first, const float* x, Index rows, const Index* label, double* folds) const;
    /// folds: none if the inertia is not asked for.
    void assign_block(Offset begin, Offset end, double* folds, CpuWorkspace& workspace);
    /// Labels and sums follow what was found for a tile of rows. Returns whether any changed.
    bool apply_labels(Offset first, const float* x, Index rows, const Index* label, CpuWorkspace& workspace);

    device::Cpu& cpu_;
    const Rows& rows_;
    const Scales& scales_;
    Index clusters_;
    std::vector<float> centroids_;
    std::vector<Index> labels_;   ///< -1: none yet
    std::vector<float> expires_;  ///< of each tile of rows, the drift from which on it must be looked at again
    double drift_ = 0;            ///< how far any centroid may have come since the start
    ClusterSums sums_;
    CenteredCentroids centered_;
    ByteCentroids bytes_;
    std::vector<CpuWorkspace> workspaces_;
};

/// Memory that CpuLloyd takes.
std::uint64_t bytes_of_cpu_lloyd(const Rows& rows, Index clusters, int threads);

}  // namespace dunlin::kmeans
