// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"
#include "distance/features.hpp"
#include "distance/measure.hpp"

namespace dunlin::scores {

/// Distances of some points from others, for all scores: by tiles, in float32 of coordinate differences, so that a
/// common offset of the data loses no digits. A pair has the same bits in every tile. Values are as in
/// distance::Features: euclidean distances squared and times a power of two; cosine and correlation times a constant;
/// distances of metrics of terms are themselves.
class PairDistances {
public:
    PairDistances(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric);

    [[nodiscard]] Index size() const { return size_; }
    [[nodiscard]] Index cols() const { return features_.cols(); }
    [[nodiscard]] neighbors::Metric metric() const { return metric_; }

    /// Calls visit(r, begin, distances) for the r-th of `rows` and consecutive stretches of all points: distances[l] is
    /// that of point begin + l. Calls are concurrent, also those of a row; `distances` may be overwritten.
    template <class Visit>
    void visit_all(std::span<const Index> rows, const Visit& visit) {
        // A task has one tile of rows and a stretch of points, in tiles
        const auto row_tiles = static_cast<Offset>((rows.size() + tile_rows - 1) / tile_rows);
        const Offset stretches = (size_ + points_per_task - 1) / points_per_task;
        cpu_.blocks(row_tiles * stretches, 1, [&](Offset task, Offset, int worker) {
            Workspace& workspace = workspace_of(worker);
            const auto first = static_cast<std::size_t>(task % row_tiles) * tile_rows;
            const auto mine = rows.subspan(first, std::min<std::size_t>(tile_rows, rows.size() - first));
            const auto stretch = static_cast<Index>(task / row_tiles) * points_per_task;
            const Index end = size_ - stretch > points_per_task ? stretch + points_per_task : size_;
            for (Index begin = stretch; begin < end; begin += tile_points) {
                const Index count = std::min(tile_points, end - begin);
                fill_tile(mine, begin, count, workspace);
                for (std::size_t r = 0; r < mine.size(); ++r) {
                    float* distances = workspace.distances.data() + r * tile_points;
                    visit(first + r, begin, std::span(distances, static_cast<std::size_t>(count)));
                }
            }
        });
    }

    /// Distances of every row from its own k others (rows.size() x k).
    [[nodiscard]] std::vector<float> to_others(std::span<const Index> rows, std::span<const Index> others);

private:
    static constexpr Index chunk = 256;  ///< features per step
    // A tile of 384 rows x 256 points takes 1 MB of the L2 cache
    static constexpr Index tile_rows = 384;
    static constexpr Index tile_points = 256;
    static constexpr Index points_per_task = 16 * tile_points;

    /// Buffers of one thread.
    struct Workspace {
        std::vector<float> rows = std::vector<float>(std::size_t{tile_rows} * chunk);
        std::vector<float> points = std::vector<float>(std::size_t{16} * chunk);  ///< of one panel
        std::vector<float> panels = std::vector<float>(std::size_t{tile_points} * chunk);
        std::vector<float> distances = std::vector<float>(std::size_t{tile_rows} * tile_points);
    };

    /// Made on first use: with many threads, of which few points occupy one, they take longer than the distances.
    Workspace& workspace_of(int worker) {
        std::unique_ptr<Workspace>& own = workspaces_[static_cast<std::size_t>(worker)];
        if (!own) own = std::make_unique<Workspace>();
        return *own;
    }

    void fill_tile(std::span<const Index> rows, Index begin, Index count, Workspace& workspace) const;
    template <class PointAt>
    void fill(std::span<const Index> rows, Index count, const PointAt& point_at, Workspace& workspace) const;

    device::Cpu& cpu_;
    Index size_;
    neighbors::Metric metric_;
    distance::Features features_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;  ///< of each thread
    std::optional<distance::PairMeasure> measure_;        ///< metrics of terms, in place of the features
};

}  // namespace dunlin::scores
