// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"
#include "scores/class_rows.hpp"
#include "scores/co_rank.hpp"
#include "scores/spearman.hpp"

namespace dunlin::scores {

/// What the scores of points take from the data and the maps: neighbors, ranks, distances and centers of classes,
/// computed on one device. The scores follow from these on the host, by the same code for every device. Ranks and
/// neighbors of both devices are the same bits, as are distances where the CPU has fused multiply-adds.
class ScoreEngine {
public:
    virtual ~ScoreEngine() = default;

    [[nodiscard]] virtual Device device() const = 0;
    /// For loops on the host.
    [[nodiscard]] virtual device::Cpu& cpu() = 0;

    /// The first row that holds NaN or infinity, or the number of rows; of a map, or of the points.
    [[nodiscard]] virtual Index first_not_finite(const Map& map) = 0;
    [[nodiscard]] virtual Index first_not_finite_point() = 0;

    /// The k nearest of each of `rows`, nearest first, ties by id, without the row itself: rows.size() x k. Rows are
    /// ascending, here and below.
    [[nodiscard]] virtual std::vector<Index> nearest_in_map(const Map& map, std::span<const Index> rows, Index k) = 0;
    [[nodiscard]] virtual std::vector<Index> nearest_in_data(std::span<const Index> rows, Index k) = 0;

    /// Ranks in the data of `others`, k points per row (rows.size() x k), by distance from their row: 1 is the nearest.
    /// Ties are broken by id; the row itself has no rank.
    [[nodiscard]] virtual std::vector<Index> data_ranks(std::span<const Index> rows, std::span<const Index> others) = 0;

    /// co_rank.hpp.
    [[nodiscard]] virtual std::vector<CoRanking> co_rank(std::span<const Map> maps, std::span<const Index> rows,
                                                         std::span<const std::vector<Index>> neighbors,
                                                         Index nearest) = 0;

    /// Distances in the data (pair_distances.hpp) of every row from its own k others (rows.size() x k), and of all
    /// pairs of some rows: rows.size() x rows.size().
    [[nodiscard]] virtual std::vector<float> to_others(std::span<const Index> rows, std::span<const Index> others) = 0;
    [[nodiscard]] virtual std::vector<float> between(std::span<const Index> rows) = 0;

    /// Sums over the pairs of `rows` (spearman.hpp): their distances in the data with those in each map.
    [[nodiscard]] virtual std::vector<std::vector<RankSums>> rank_sums(std::span<const Map> maps,
                                                                       std::span<const Index> rows) = 0;

    /// Means or medians of the classes: classes x cols. Of a map, or of the points.
    [[nodiscard]] virtual std::vector<double> centers(const Map& map, const ClassRows& classes, Center center) = 0;
    [[nodiscard]] virtual std::vector<double> centers_of_points(const ClassRows& classes, Center center) = 0;

    /// dunlin/scores.hpp; the affinities fit the map.
    [[nodiscard]] virtual Score kl(const Graph& affinities, const Map& map, const Options& options) = 0;
};

/// An engine for maps of these points (none: no rows), on the device of the run; automatic takes the GPU if there is
/// one and the work is large. Keeps a view of the points. Throws as device::choose, and Error{out_of_memory}.
std::unique_ptr<ScoreEngine> make_engine(MatrixView<const float> points, Index n, neighbors::Metric metric,
                                         const Run& run);

/// The engines of each device.
std::unique_ptr<ScoreEngine> engine_on_cpu(MatrixView<const float> points, neighbors::Metric metric, const Run& run);
std::unique_ptr<ScoreEngine> engine_on_cuda(MatrixView<const float> points, neighbors::Metric metric, const Run& run);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(scores::engine_on_cuda) engine_on_cuda;
}  // namespace backend

}  // namespace dunlin::scores
