// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "shards/engine.hpp"
#include "shards/message.hpp"

namespace dunlin::kmeans {

/// The rows of a chunk. Its response to a request is a function of the request and these rows. What its engine keeps
/// between requests is used only where the request says that it applies: the labels if they belong to the request's
/// centroids, the distances if they are to the request's first centroids.
class ChunkOfRows {
public:
    ChunkOfRows(Offset first, const Rows& rows, std::unique_ptr<ChunkEngine> engine)
        : first_(first), rows_(rows), engine_(std::move(engine)) {}

    [[nodiscard]] Chunk chunk() const { return {first_, rows_.count()}; }
    [[nodiscard]] ShardResponse respond(device::Cpu& cpu, const ShardRequest& request);

private:
    void check(const ShardRequest& request) const;
    void survey(device::Cpu& cpu, ShardResponse& response) const;
    void measure(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response) const;
    void find_rows(const std::vector<Offset>& wanted, ShardResponse& response) const;
    /// find_rows() for rows that are numbered within the chunk.
    void find_own_rows(const std::vector<Index>& wanted, ShardResponse& response) const;
    void sample(const ShardRequest& request, ShardResponse& response);
    void pick(const ShardRequest& request, ShardResponse& response);
    void assign(const ShardRequest& request, ShardResponse& response);
    void find_far(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response);
    void find_moments(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response);
    void find_expectations(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response);
    void find_nearest(device::Cpu& cpu, const ShardRequest& request, ShardResponse& response);

    /// Before the engine changes: until this is undone nothing is known of it.
    void forget();
    /// Updates the distances in the engine for these centroids.
    void update_distances(const std::vector<float>& chosen);
    /// Updates the labels in the engine for these centroids. Clears labeled_, which the caller must set again.
    void take_labels_to(const Scales& scales, const std::vector<float>& centroids);
    [[nodiscard]] std::vector<Index> labels_for(const std::vector<float>& centroids);

    /// Scales and centroids that the labels of the engine belong to.
    struct Labeled {
        Scales scales;
        std::vector<float> centroids;
    };

    Offset first_;
    Rows rows_;
    std::unique_ptr<ChunkEngine> engine_;
    std::optional<Labeled> labeled_;
    std::vector<float> chosen_;  ///< centroids of the engine's distances; empty: none
};

}  // namespace dunlin::kmeans
