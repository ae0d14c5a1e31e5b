// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "device/aligned.hpp"
#include "kmeans/bytes.hpp"
#include "kmeans/centroids.hpp"
#include "kmeans/lloyd.hpp"

namespace dunlin::kmeans {

/// Lloyd's iteration on the threads of a CPU. Rows are read in order, block by block; the sums change only by the rows
/// that change their cluster.
class CpuLloyd {
public:
    struct CpuWorkspace;
    using Workspaces = std::vector<CpuWorkspace>;  ///< one per worker

    /// Holds `cpu`, `rows` and `scales` by reference. centroids: clusters x cols. workspaces: to share between objects
    /// of as many clusters and columns that are not used at the same time; null: its own.
    CpuLloyd(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids,
             std::shared_ptr<Workspaces> workspaces = nullptr);

    Pass assign(bool with_inertia);
    /// As assign; returns the number of changed rows. folds: null, or set to the inertia's sums of 32 rows.
    Offset assign_with(std::vector<double>* folds);
    void fill_empty();
    double move();
    [[nodiscard]] double inertia() const;

    [[nodiscard]] std::vector<Index> take_labels() { return std::move(labels_); }
    [[nodiscard]] const std::vector<float>& centroids() const { return centroids_; }

    [[nodiscard]] const LloydHistory& history() const { return history_; }
    void recall(const LloydMemory& memory);

    // For centroids and fills that come from elsewhere:
    [[nodiscard]] const std::vector<Index>& labels() const { return labels_; }
    [[nodiscard]] ClusterSums& sums() { return sums_; }
    [[nodiscard]] const std::shared_ptr<Workspaces>& workspaces() const { return workspaces_; }
    /// Moves the centroids to these.
    void place(std::vector<float> centroids);
    /// Moves a row to another cluster.
    void fill(Offset row, Index cluster);

    /// Memory of one worker.
    struct CpuWorkspace {
        device::AlignedBuffer<float> columns;
        std::vector<float> scratch;
        ClusterSums sums;
        ByteTile bytes;
        BestTwo best;
        Offset changed = 0;
    };

private:
    [[nodiscard]] bool is_due(float expires) const { return static_cast<double>(expires) <= drift_; }
    /// Whether label_tile finds the distances to the best two centroids; if not, tiles have no bound and are always
    /// due.
    [[nodiscard]] bool knows_best() const;
    void label_tile(Offset first, const float* x, Index rows, CpuWorkspace& workspace, Index* label);
    /// folds[row / 32] = inertia of 32 rows with these labels; `first` is a multiple of 32.
    void find_inertia(Offset first, const float* x, Index rows, const Index* label, double* folds) const;
    /// folds: null if the inertia is not requested.
    void assign_block(Offset begin, Offset end, double* folds, CpuWorkspace& workspace);
    /// Updates labels and sums by the new labels of a tile of rows. Returns whether any changed.
    bool apply_labels(Offset first, const float* x, Index rows, const Index* label, CpuWorkspace& workspace);

    device::Cpu& cpu_;
    const Rows& rows_;
    const Scales& scales_;
    Index clusters_;
    std::vector<float> centroids_;
    std::vector<Index> labels_;   ///< -1: none yet
    std::vector<float> expires_;  ///< drift at which the bound of each tile of rows expires
    double drift_ = 0;            ///< bound of the distance that any centroid has moved since the start
    ClusterSums sums_;
    LloydHistory history_;
    CenteredCentroids centered_;
    ByteCentroids bytes_;
    std::shared_ptr<Workspaces> workspaces_;
};

/// Memory in bytes of labels, bounds, centroids and sums of these rows.
std::uint64_t bytes_of_lloyd_rows(Offset rows, Index cols, Index clusters);
/// Memory in bytes of the workspaces of all threads.
std::uint64_t bytes_of_lloyd_workspaces(Index cols, Index clusters, int threads);
/// Memory of CpuLloyd in bytes: both.
std::uint64_t bytes_of_cpu_lloyd(const Rows& rows, Index clusters, int threads);

}  // namespace dunlin::kmeans
