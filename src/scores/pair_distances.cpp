// SPDX-License-Identifier: Apache-2.0
#include "scores/pair_distances.hpp"

#include <array>

#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/kernels.hpp"

namespace dunlin::scores {

namespace {

/// A panel of 16 points, feature-major, from their rows.
void transpose(const float* rows, Index stride, Index cols, float* panel) {
    for (Index c = 0; c < cols; ++c)
        for (Index lane = 0; lane < panel_lanes; ++lane)
            panel[Offset{c} * panel_lanes + lane] = rows[Offset{lane} * stride + c];
}

Index up_to_multiple(Index n, Index of) { return (n + of - 1) / of * of; }

}  // namespace

PairDistances::PairDistances(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric)
    : cpu_(cpu),
      size_(points.rows),
      metric_(metric),
      features_(cpu, points, row_of(metric).is_by_terms ? neighbors::Metric::euclidean : metric),
      workspaces_(static_cast<std::size_t>(cpu.threads())) {
    if (row_of(metric).is_by_terms) measure_.emplace(cpu, points, metric);
    static_assert(tile_rows % panel_rows == 0 && tile_points % panel_lanes == 0);
}

/// Sets the distances of every row from every point.
template <class PointAt>
void PairDistances::fill(std::span<const Index> rows, Index count, const PointAt& point_at,
                         Workspace& workspace) const {
    const auto row_count = static_cast<Index>(rows.size());
    const auto distances_of = [&](Index r) { return workspace.distances.data() + Offset{r} * tile_points; };
    if (measure_) {
        std::array<Index, tile_points> others{};
        std::array<double, tile_points> found{};
        for (Index l = 0; l < count; ++l) others[at(l)] = point_at(l);
        progress::cancellation_point();
        for (Index r = 0; r < row_count; ++r) {
            measure_->between(rows[at(r)], std::span(others).first(at(count)), found.data());
            std::transform(found.begin(), found.begin() + count, distances_of(r),
                           [](double distance) { return static_cast<float>(distance); });
        }
        return;
    }
    for (Index r = 0; r < up_to_multiple(row_count, panel_rows); ++r)
        std::fill_n(distances_of(r), up_to_multiple(count, panel_lanes), 0.0F);
    for (Index begin = 0; begin < features_.cols(); begin += chunk) {
        progress::cancellation_point();
        const Index end = std::min(features_.cols(), begin + chunk);
        // Rows beyond the last keep old values; their sums are not used
        float* out = workspace.rows.data();
        for (const Index row : rows) {
            features_.copy(row, begin, end, out, 1);
            out += chunk;
        }
        for (Index l = 0; l < count; l += panel_lanes) {
            const Index last = std::min<Index>(panel_lanes, count - l);
            for (Index lane = 0; lane < last; ++lane)
                features_.copy(point_at(l + lane), begin, end, workspace.points.data() + Offset{lane} * chunk, 1);
            transpose(workspace.points.data(), chunk, end - begin, workspace.panels.data() + Offset{l} * chunk);
        }
        for (Index l = 0; l < count; l += panel_lanes) {
            const float* panel = workspace.panels.data() + Offset{l} * chunk;
            for (Index r = 0; r < row_count; r += panel_rows) {
                std::array<const float*, panel_rows> x;
                for (Index q = 0; q < panel_rows; ++q)
                    x[static_cast<std::size_t>(q)] = workspace.rows.data() + Offset{r + q} * chunk;
                panel_distances(x.data(), panel, end - begin, features_.manhattan(), distances_of(r) + l, tile_points);
            }
        }
    }
}

void PairDistances::fill_tile(std::span<const Index> rows, Index begin, Index count, Workspace& workspace) const {
    fill(rows, count, [begin](Index l) { return begin + l; }, workspace);
}

std::vector<float> PairDistances::to_others(std::span<const Index> rows, std::span<const Index> others) {
    std::vector<float> own(others.size());
    if (others.empty()) return own;
    const auto k = static_cast<Offset>(others.size() / rows.size());
    cpu_.blocks(static_cast<Offset>(rows.size()), 16, [&](Offset first, Offset last, int worker) {
        Workspace& workspace = workspace_of(worker);
        for (Offset r = first; r < last; ++r) {
            for (Offset begin = r * k; begin < (r + 1) * k; begin += tile_points) {
                const auto count = static_cast<Index>(std::min<Offset>(tile_points, (r + 1) * k - begin));
                const auto point_at = [&](Index l) { return others[static_cast<std::size_t>(begin + l)]; };
                fill(rows.subspan(static_cast<std::size_t>(r), 1), count, point_at, workspace);
                std::copy_n(workspace.distances.data(), count, own.begin() + begin);
            }
        }
    });
    return own;
}

}  // namespace dunlin::scores
