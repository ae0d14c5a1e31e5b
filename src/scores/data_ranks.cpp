// SPDX-License-Identifier: Apache-2.0
#include "scores/data_ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "device/cancel.hpp"
#include "distance/features.hpp"
#include "scores/kernels.hpp"

namespace dunlin::scores {

namespace {

constexpr Index chunk = 256;  // features per step
// A tile of 384 rows x 256 points takes 1 MB of the L2 cache
constexpr Index tile_rows = 64 * panel_rows;
constexpr Index tile_points = 16 * panel_lanes;
constexpr Index points_per_task = 16 * tile_points;

/// Buffers of one thread.
struct RankWorkspace {
    std::vector<float> rows = std::vector<float>(std::size_t{tile_rows} * chunk);
    std::vector<float> panels = std::vector<float>(std::size_t{tile_points} * chunk);
    std::vector<float> distances = std::vector<float>(std::size_t{tile_rows} * tile_points);

    [[nodiscard]] float* distances_of(Index r) { return distances.data() + Offset{r} * tile_points; }
};

Index up_to_multiple(Index n, Index of) { return (n + of - 1) / of * of; }

/// Copies features [begin, end) of the rows, with stride `chunk`. Rows beyond the last keep old values; their sums are
/// not used.
void lay_rows(const distance::Features& features, std::span<const Index> rows, Index begin, Index end,
              RankWorkspace& workspace) {
    float* out = workspace.rows.data();
    for (const Index row : rows) {
        features.copy(row, begin, end, out, 1);
        out += chunk;
    }
}

/// Copies features [begin, end) of the points into panels of 16 points, feature-major.
template <class PointAt>
void lay_panels(const distance::Features& features, Index count, const PointAt& point_at, Index begin, Index end,
                RankWorkspace& workspace) {
    for (Index l = 0; l < count; ++l) {
        float* out = workspace.panels.data() + Offset{l / panel_lanes} * panel_lanes * chunk + l % panel_lanes;
        features.copy(point_at(l), begin, end, out, panel_lanes);
    }
}

/// Sets the distances of every row from every point.
template <class PointAt>
void compute_distances(const distance::Features& features, std::span<const Index> rows, Index count,
                       const PointAt& point_at, RankWorkspace& workspace) {
    const auto row_count = static_cast<Index>(rows.size());
    for (Index r = 0; r < up_to_multiple(row_count, panel_rows); ++r) {
        std::fill_n(workspace.distances_of(r), up_to_multiple(count, panel_lanes), 0.0F);
    }
    for (Index begin = 0; begin < features.cols(); begin += chunk) {
        device::cancellation_point();
        const Index end = std::min(features.cols(), begin + chunk);
        lay_rows(features, rows, begin, end, workspace);
        lay_panels(features, count, point_at, begin, end, workspace);
        for (Index l = 0; l < count; l += panel_lanes) {
            const float* panel = workspace.panels.data() + Offset{l} * chunk;
            for (Index r = 0; r < row_count; r += panel_rows) {
                std::array<const float*, panel_rows> x;
                for (Index q = 0; q < panel_rows; ++q)
                    x[static_cast<std::size_t>(q)] = workspace.rows.data() + Offset{r + q} * chunk;
                panel_distances(x.data(), panel, end - begin, features.manhattan(), workspace.distances_of(r) + l,
                                tile_points);
            }
        }
    }
}

/// Distances of every row from its own k others, in the same arithmetic as all distances.
std::vector<float> own_distances(device::Cpu& cpu, const distance::Features& features, std::span<const Index> rows,
                                 std::span<const Index> others, std::vector<RankWorkspace>& workspaces) {
    std::vector<float> own(others.size());
    const auto k = static_cast<Offset>(others.size() / rows.size());
    cpu.blocks(static_cast<Offset>(rows.size()), 16, [&](Offset first, Offset last, int worker) {
        RankWorkspace& workspace = workspaces[static_cast<std::size_t>(worker)];
        for (Offset r = first; r < last; ++r) {
            for (Offset begin = r * k; begin < (r + 1) * k; begin += tile_points) {
                const auto count = static_cast<Index>(std::min<Offset>(tile_points, (r + 1) * k - begin));
                const auto point_at = [&](Index l) { return others[static_cast<std::size_t>(begin + l)]; };
                compute_distances(features, rows.subspan(static_cast<std::size_t>(r), 1), count, point_at, workspace);
                std::copy_n(workspace.distances_of(0), count, own.begin() + begin);
            }
        }
    });
    return own;
}

/// Number of the points [begin, begin + count), at `distance` from a row, that rank before `other`, which is at
/// `bound`.
Index count_before(const float* distance, Index begin, Index count, Index other, float bound) {
    const Index smaller_ids = std::clamp(other - begin, Index{0}, count);
    const Below first = count_below(distance, smaller_ids, bound);
    const Below second = count_below(distance + smaller_ids, count - smaller_ids, bound);
    return first.less + first.equal + second.less;
}

/// Adds the points [begin, begin + count) to the ranks of one row.
void count_row(float* distance, Index begin, Index count, Index row, std::span<const Index> others,
               std::span<const float> own, std::span<Index> ranks) {
    if (row >= begin && row < begin + count) distance[row - begin] = std::numeric_limits<float>::infinity();
    const float farthest = *std::max_element(own.begin(), own.end());
    const Below any = count_below(distance, count, farthest);
    if (any.less + any.equal == 0) return;
    for (std::size_t j = 0; j < others.size(); ++j) {
        // Integer sums do not depend on the order
        std::atomic_ref<Index>(ranks[j]).fetch_add(count_before(distance, begin, count, others[j], own[j]),
                                                   std::memory_order_relaxed);
    }
}

}  // namespace

std::vector<Index> data_ranks(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                              std::span<const Index> rows, std::span<const Index> others) {
    std::vector<Index> ranks(others.size(), 1);
    if (others.empty()) return ranks;
    const distance::Features features(cpu, points, metric);
    std::vector<RankWorkspace> workspaces(static_cast<std::size_t>(cpu.threads()));
    const std::vector<float> own = own_distances(cpu, features, rows, others, workspaces);
    const std::size_t k = others.size() / rows.size();

    // A task has one tile of rows and a stretch of points, in tiles
    const auto row_tiles = static_cast<Offset>((rows.size() + tile_rows - 1) / tile_rows);
    const Offset stretches = (points.rows + points_per_task - 1) / points_per_task;
    cpu.blocks(row_tiles * stretches, 1, [&](Offset task, Offset, int worker) {
        RankWorkspace& workspace = workspaces[static_cast<std::size_t>(worker)];
        const auto first = static_cast<std::size_t>(task % row_tiles) * tile_rows;
        const auto mine = rows.subspan(first, std::min<std::size_t>(tile_rows, rows.size() - first));
        const auto stretch = static_cast<Index>(task / row_tiles) * points_per_task;
        const Index stretch_end = points.rows - stretch > points_per_task ? stretch + points_per_task : points.rows;
        for (Index begin = stretch; begin < stretch_end; begin += tile_points) {
            const Index count = std::min(tile_points, stretch_end - begin);
            compute_distances(features, mine, count, [&](Index l) { return begin + l; }, workspace);
            for (std::size_t r = 0; r < mine.size(); ++r) {
                const std::size_t at = (first + r) * k;
                count_row(workspace.distances_of(static_cast<Index>(r)), begin, count, mine[r], others.subspan(at, k),
                          std::span(own).subspan(at, k), std::span(ranks).subspan(at, k));
            }
        }
    });
    return ranks;
}

}  // namespace dunlin::scores
