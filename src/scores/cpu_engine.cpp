// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "device/choose.hpp"
#include "forces/law.hpp"
#include "neighbors/search_rows.hpp"
#include "scores/data_ranks.hpp"
#include "scores/evaluated_rows.hpp"
#include "scores/kl.hpp"
#include "scores/sampled_pairs.hpp"
#include "scores/score_engine.hpp"

namespace dunlin::scores {

namespace {

/// Rows `rows` of a matrix.
std::vector<float> gathered(MatrixView<const float> values, std::span<const Index> rows) {
    std::vector<float> some;
    some.reserve(rows.size() * at(values.cols));
    for (const Index row : rows) {
        const auto own = values.row(row);
        some.insert(some.end(), own.begin(), own.end());
    }
    return some;
}

class CpuScoreEngine final : public ScoreEngine {
public:
    CpuScoreEngine(MatrixView<const float> points, neighbors::Metric metric, const Run& run)
        : cpu_(run), points_(points), metric_(metric), run_(run) {}

    [[nodiscard]] Device device() const override { return Device::cpu; }
    [[nodiscard]] device::Cpu& cpu() override { return cpu_; }

    [[nodiscard]] Index first_not_finite(const Map& map) override { return first_not_finite_row(cpu_, map.view()); }
    [[nodiscard]] Index first_not_finite_point() override { return first_not_finite_row(cpu_, points_); }

    [[nodiscard]] std::vector<Index> nearest_in_map(const Map& map, std::span<const Index> rows, Index k) override {
        const auto metric = neighbors::Metric::euclidean;
        return neighbors::search_rows(cpu_, map.view(), rows, k, metric, quiet_run(run_)).targets;
    }
    [[nodiscard]] std::vector<Index> nearest_in_data(std::span<const Index> rows, Index k) override {
        return neighbors::search_rows(cpu_, points_, rows, k, metric_, quiet_run(run_)).targets;
    }

    [[nodiscard]] std::vector<Index> data_ranks(std::span<const Index> rows, std::span<const Index> others) override {
        return scores::data_ranks(distances(), rows, others);
    }
    [[nodiscard]] std::vector<CoRanking> co_rank(std::span<const Map> maps, std::span<const Index> rows,
                                                 std::span<const std::vector<Index>> neighbors,
                                                 Index nearest) override {
        return scores::co_rank(cpu_, run_, distances(), maps, rows, neighbors, nearest);
    }

    [[nodiscard]] std::vector<float> to_others(std::span<const Index> rows, std::span<const Index> others) override {
        return distances().to_others(rows, others);
    }
    [[nodiscard]] std::vector<float> between(std::span<const Index> rows) override {
        const std::vector<float> values = gathered(points_, rows);
        const auto m = static_cast<Index>(rows.size());
        std::vector<Index> all(rows.size());
        for (Index i = 0; i < m; ++i) all[at(i)] = i;
        std::vector<float> table(rows.size() * rows.size());
        PairDistances pairs(cpu_, {values.data(), m, points_.cols}, metric_);
        pairs.visit_all(all, [&](std::size_t i, Index begin, std::span<const float> distance) {
            std::copy(distance.begin(), distance.end(), table.begin() + static_cast<Offset>(i) * m + begin);
        });
        return table;
    }

    [[nodiscard]] std::vector<std::vector<RankSums>> rank_sums(std::span<const Map> maps,
                                                               std::span<const Index> rows) override {
        const std::vector<double> in_data = pairs_of_table(cpu_, between(rows), rows.size());
        std::optional<PairRanks> of_data;
        std::vector<std::vector<RankSums>> sums;
        for (const Map& map : maps) {
            const std::vector<double> in_map = pairs_in_map(cpu_, map, rows);
            std::optional<PairRanks> of_map;
            cpu_.each(
                2,
                [&](Offset side) {
                    if (side == 0 && !of_data) of_data.emplace(in_data);
                    if (side == 1) of_map.emplace(in_map);
                },
                1);
            sums.push_back(rank_sums_of(cpu_, *of_data, *of_map, static_cast<Index>(rows.size())));
        }
        return sums;
    }

    [[nodiscard]] std::vector<double> centers(const Map& map, const ClassRows& classes, Center center) override {
        return class_centers(cpu_, map.view(), classes, center);
    }
    [[nodiscard]] std::vector<double> centers_of_points(const ClassRows& classes, Center center) override {
        return class_centers(cpu_, points_, classes, center);
    }

    [[nodiscard]] Score kl(const Graph& affinities, const Map& map, const Options& options) override {
        return kl_on_cpu(cpu_, forces::StudentT(), affinities, map, options, run_.seed);
    }

private:
    /// Distances in the data, prepared when they are first needed.
    PairDistances& distances() {
        if (!distances_) distances_.emplace(cpu_, points_, metric_);
        return *distances_;
    }

    device::Cpu cpu_;
    MatrixView<const float> points_;
    neighbors::Metric metric_;
    Run run_;
    std::optional<PairDistances> distances_;
};

/// Terms of distances from which a GPU gains: two cores take about 0.1 s, more than copying the points does.
constexpr Offset enough_for_gpu = Offset{1} << 31;

}  // namespace

std::unique_ptr<ScoreEngine> engine_on_cpu(MatrixView<const float> points, neighbors::Metric metric, const Run& run) {
    return std::make_unique<CpuScoreEngine>(points, metric, run);
}

std::unique_ptr<ScoreEngine> make_engine(MatrixView<const float> points, Index n, neighbors::Metric metric,
                                         const Run& run) {
    constexpr Index rows = 1000;  // that are compared with all
    const Offset terms = Offset{std::min(n, rows)} * n * std::max<Index>(points.cols, 2);
    const bool cuda = device::choose(run, terms >= enough_for_gpu, {.what = "scores are computed"}) == Device::cuda;
    return cuda && !row_of(metric).is_by_terms ? engine_on_cuda(points, metric, run)
                                               : engine_on_cpu(points, metric, run);
}

}  // namespace dunlin::scores
