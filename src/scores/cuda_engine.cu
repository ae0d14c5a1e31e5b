// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "device/gpus.hpp"
#include "forces/law.hpp"
#include "forces/line.hpp"
#include "math/at.hpp"
#include "neighbors/cuda/range.cuh"
#include "neighbors/cuda/rows.cuh"
#include "neighbors/cuda/search.cuh"
#include "progress/cancel.hpp"
#include "scores/class_rows.cuh"
#include "scores/co_rank.cuh"
#include "scores/data_ranks.cuh"
#include "scores/kl.cuh"
#include "scores/score_engine.hpp"
#include "scores/spearman.cuh"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Without progress, which the caller reports, and with the stop of the caller's scope alone, as on a CPU: searches
/// that it ends are followed by a cancellation point.
Run quiet(const Run& run) {
    Run result = run;
    result.on_progress = {};
    const std::stop_token* const stop = progress::CancellationScope::current();
    result.stop = stop != nullptr ? *stop : std::stop_token();
    return result;
}

/// Rows `rows` of a matrix, written once, by all threads.
std::unique_ptr<float[]> gathered(device::Cpu& cpu, MatrixView<const float> values, std::span<const Index> rows) {
    auto some = std::make_unique_for_overwrite<float[]>(rows.size() * at(values.cols));
    const auto copy = [&](Offset r) { std::ranges::copy(values.row(rows[at(r)]), some.get() + r * values.cols); };
    cpu.each(std::ssize(rows), copy, 64);
    return some;
}

/// Lists of k + 1 without the row itself. If more than k others coincide with a row, its list may lack it; the last of
/// these goes then.
std::vector<Index> without_self(device::Cpu& cpu, std::span<const Index> lists, std::span<const Index> rows, Index k) {
    std::vector<Index> others(rows.size() * at(k));
    cpu.each(std::ssize(rows), [&](Offset r) {
        const auto list = lists.subspan(at(r) * at(k + 1), at(k + 1));
        const auto self = std::min(std::ranges::find(list, rows[at(r)]), list.end() - 1);
        const auto end = std::copy(list.begin(), self, others.begin() + r * k);
        std::copy(self + 1, list.end(), end);
    });
    return others;
}

class CudaScoreEngine final : public ScoreEngine {
public:
    CudaScoreEngine(MatrixView<const float> points, neighbors::Metric metric, const Run& run)
        : cpu_(run), cuda_(quiet(run)), points_(device::hold_points(cuda_, points)), metric_(metric) {}

    [[nodiscard]] Device device() const override { return Device::cuda; }
    [[nodiscard]] device::Cpu& cpu() override { return cpu_; }

    [[nodiscard]] Index first_not_finite(const Map& map) override {
        return first_not_finite(device::hold_points(cuda_, map.view()));
    }
    [[nodiscard]] Index first_not_finite_point() override { return first_not_finite(points_); }

    [[nodiscard]] std::vector<Index> nearest_in_map(const Map& map, std::span<const Index> rows, Index k) override {
        return nearest(device::hold_points(cuda_, map.view()), rows, k, neighbors::Metric::euclidean);
    }
    [[nodiscard]] std::vector<Index> nearest_in_data(std::span<const Index> rows, Index k) override {
        return nearest(points_, rows, k, metric_);
    }

    [[nodiscard]] std::vector<Index> data_ranks(std::span<const Index> rows, std::span<const Index> others) override {
        return scores::data_ranks(cuda_, distances(), rows, others);
    }
    [[nodiscard]] std::vector<CoRanking> co_rank(std::span<const Map> maps, std::span<const Index> rows,
                                                 std::span<const std::vector<Index>> neighbors,
                                                 Index nearest) override {
        return scores::co_rank(cuda_, distances(), maps, rows, neighbors, nearest);
    }

    [[nodiscard]] std::vector<float> to_others(std::span<const Index> rows, std::span<const Index> others) override {
        return cuda_.host(distances().to_others(rows, others));
    }
    [[nodiscard]] std::vector<float> between(std::span<const Index> rows) override { return distances().between(rows); }

    [[nodiscard]] std::vector<std::vector<RankSums>> rank_sums(std::span<const Map> maps,
                                                               std::span<const Index> rows) override {
        return scores::rank_sums(cuda_, distances(), maps, rows);
    }

    [[nodiscard]] std::vector<double> centers(const Map& map, const ClassRows& classes, Center center) override {
        return centers(device::hold_points(cuda_, map.view()), classes, center);
    }
    [[nodiscard]] std::vector<double> centers_of_points(const ClassRows& classes, Center center) override {
        return centers(points_, classes, center);
    }

    [[nodiscard]] Score kl(const Graph& affinities, const Map& map, const Options& options) override {
        progress::cancellation_point();
        const graph::DeviceGraph graph = graph::upload(cuda_, affinities);
        CudaBuffer<float> y;
        cuda_.upload(y, map.coordinates);
        if (map.dim == 1) y = forces::in_plane(cuda_, y);
        return kl_on_device(cuda_, forces::StudentT(), graph, {y.data(), map.size(), std::max(map.dim, 2)}, options);
    }

private:
    [[nodiscard]] Index first_not_finite(const device::DevicePoints& points) {
        if (points.host.size() == 0) return points.host.rows;
        if (!points.held()) return engine_on_cpu(points.host, metric_, cuda_.run())->first_not_finite_point();
        return neighbors::first_beyond(cuda_,
                                       {.values = points.values(), .count = points.host.rows, .cols = points.host.cols},
                                       std::numeric_limits<float>::max());
    }

    /// The exact search: of all points, or of queries, of which none is excluded.
    [[nodiscard]] std::vector<Index> nearest(const device::DevicePoints& points, std::span<const Index> rows, Index k,
                                             neighbors::Metric metric) {
        if (rows.empty()) return {};
        progress::cancellation_point();
        neighbors::require_range(cuda_, points, metric);
        if (std::ssize(rows) == points.host.rows) {
            const auto found = neighbors::search_on_device(cuda_, points, k, metric);
            progress::cancellation_point();
            return cuda_.host(found.graph.targets);
        }
        const std::unique_ptr<float[]> values = gathered(cpu_, points.host, rows);
        const MatrixView<const float> queries{values.get(), static_cast<Index>(rows.size()), points.host.cols};
        const auto found = neighbors::search_queries_on_device(cuda_, points, queries, k + 1, metric);
        progress::cancellation_point();
        return without_self(cpu_, cuda_.host(found.graph.targets), rows, k);
    }

    [[nodiscard]] std::vector<double> centers(const device::DevicePoints& points, const ClassRows& classes,
                                              Center center) {
        progress::cancellation_point();
        if (!points.held()) return class_centers(cpu_, points.host, classes, center);
        return class_centers(cuda_, {points.values(), points.host.rows, points.host.cols}, classes, center);
    }

    /// Distances in the data, prepared when they are first needed.
    DevicePairDistances& distances() {
        if (!distances_) distances_.emplace(cuda_, cpu_, points_, metric_);
        return *distances_;
    }

    device::Cpu cpu_;
    Cuda cuda_;
    device::DevicePoints points_;
    neighbors::Metric metric_;
    std::optional<DevicePairDistances> distances_;
};

}  // namespace

std::unique_ptr<ScoreEngine> backend::engine_on_cuda(MatrixView<const float> points, neighbors::Metric metric,
                                                     const Run& run) {
    return std::make_unique<CudaScoreEngine>(points, metric, run);
}

}  // namespace dunlin::scores
