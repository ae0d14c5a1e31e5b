// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <dunlin/kmeans.hpp>

/// What Lloyd's iteration depends on of earlier iterations, for checkpoints. Labels are no part of it: they are those
/// of the centroids before the last move, and of the rows that filled empty clusters since.
namespace dunlin::kmeans {

/// A row that fills an empty cluster.
struct FilledCluster {
    Offset row, cluster;
};

struct LloydStatus {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
    double last_inertia = std::numeric_limits<double>::infinity();  ///< before the last move; only if requested
};

/// The centroids before the last move, clusters x cols; empty: they have not moved yet. And the rows that had filled
/// clusters then.
class LloydHistory {
public:
    LloydHistory() = default;
    LloydHistory(std::vector<float> previous, std::vector<FilledCluster> fills)
        : previous_(std::move(previous)), fills_(std::move(fills)) {}

    void fill(std::vector<FilledCluster> rows) { next_fills_ = std::move(rows); }
    /// To be called before the centroids move from these.
    void move_from(const std::vector<float>& centroids) {
        previous_ = centroids;
        fills_ = std::exchange(next_fills_, {});
    }

    [[nodiscard]] const std::vector<float>& previous() const { return previous_; }
    [[nodiscard]] const std::vector<FilledCluster>& fills() const { return fills_; }

private:
    std::vector<float> previous_;
    std::vector<FilledCluster> fills_, next_fills_;
};

/// The state of a run between two iterations.
struct LloydMemory {
    LloydStatus status;
    std::uint8_t has_ended = 0;  ///< there is no next iteration
    LloydHistory history;
    std::vector<float> centroids;
};

inline void write(auto& archive, const LloydStatus& status, bool has_ended, const LloydHistory& history,
                  const std::vector<float>& centroids) {
    archive(status.iterations), archive(status.stopped), archive(status.last_inertia);
    archive(static_cast<std::uint8_t>(has_ended ? 1 : 0));
    archive(history.previous()), archive(history.fills()), archive(centroids);
}

/// For so many rows and centroids of `values` numbers.
LloydMemory read_lloyd_memory(auto& archive, Offset rows, const Options& options, std::size_t values) {
    LloydMemory memory;
    LloydStatus& status = memory.status;
    archive(status.iterations), archive(status.stopped), archive(status.last_inertia), archive(memory.has_ended);
    archive.require(status.iterations >= 0 && status.iterations <= options.iterations, "iteration");
    archive.require(status.last_inertia >= 0, "inertia");
    std::vector<float> previous;
    std::vector<FilledCluster> fills;
    archive(previous), archive(fills);
    archive.finite(memory.centroids, values, "set of centroids");
    archive.require(previous.empty() || previous.size() == values, "number of centroids");
    for (const float value : previous) archive.require(std::isfinite(value), "set of centroids");
    for (const FilledCluster& fill : fills) {
        archive.require(fill.row >= 0 && fill.row < rows && fill.cluster >= 0 && fill.cluster < options.clusters,
                        "row of an empty cluster");
    }
    memory.history = {std::move(previous), std::move(fills)};
    return memory;
}

}  // namespace dunlin::kmeans
