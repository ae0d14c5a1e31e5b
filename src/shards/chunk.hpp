// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kmeans/cpu.hpp"
#include "shards/message.hpp"

namespace dunlin::kmeans {

/// The executor of a shard and memory that its chunks share.
struct ShardWorkspace {
    explicit ShardWorkspace(const Run& run) : cpu(run) {}

    device::Cpu cpu;
    std::shared_ptr<CpuLloyd::Workspaces> lloyd;
    std::size_t lloyd_size = 0;  ///< number of the centroids' coordinates that `lloyd` is for
};

/// The rows of a chunk. Its response to a request is a function of the request and these rows. What it keeps between
/// requests is used only where the request says that it applies: the labels if they belong to the request's centroids,
/// the distances if they are to the request's first centroids.
class ChunkOfRows {
public:
    ChunkOfRows(Offset first, const Rows& rows) : first_(first), rows_(rows) {}

    [[nodiscard]] Chunk chunk() const { return {first_, rows_.count()}; }
    [[nodiscard]] ShardResponse respond(ShardWorkspace& workspace, const ShardRequest& request);

private:
    /// Labels of the nearest centroids, with what CpuLloyd refers to.
    struct Assigned {
        Rows rows;
        Scales scales;
        CpuLloyd lloyd;
        Assigned(ShardWorkspace& workspace, const Rows& rows, const Scales& scales,
                 const std::vector<float>& centroids);
    };

    void check(const ShardRequest& request) const;
    void survey(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const;
    void measure(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const;
    void find_rows(const std::vector<Offset>& wanted, ShardResponse& response) const;
    void sample(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response);
    void pick(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const;
    void score(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const;
    void draw(const ShardRequest& request, ShardResponse& response) const;
    void assign(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);
    void find_far(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);
    void find_moments(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);
    void find_expectations(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);
    void find_nearest(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);
    void find_labels(ShardWorkspace& workspace, const ShardRequest& request, ShardResponse& response);

    /// Brings nearest_ up to these centroids.
    void update_nearest(device::Cpu& cpu, const std::vector<float>& chosen);
    [[nodiscard]] double d2_weight(Offset row) const;
    /// Sums of the D^2 weights of blocks of grain_of rows.
    [[nodiscard]] std::vector<Sum> d2_sums(device::Cpu& cpu, double scale) const;

    /// The labels for these centroids. Taken out of assigned_, so that a failure leaves nothing half done.
    [[nodiscard]] std::unique_ptr<Assigned> assigned_to(ShardWorkspace& workspace, const Scales& scales,
                                                        const std::vector<float>& centroids);

    Offset first_;
    Rows rows_;
    std::unique_ptr<Assigned> assigned_;
    std::vector<float> chosen_, nearest_;  ///< centroids; each row's squared distance to the nearest of them
};

}  // namespace dunlin::kmeans
