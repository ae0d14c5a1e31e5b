// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/choose.hpp"
#include "live/steering_core.hpp"
#include "math/at.hpp"
#include "mds/backend.hpp"
#include "mds/input/distance.hpp"
#include "mds/input/evaluation_rows.hpp"
#include "mds/resolve.hpp"
#include "mds/smacof/pull.hpp"
#include "mds/smacof/smacof.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "progress/cancel.hpp"
#include "scores/pair_means.hpp"
#include "scores/sample.hpp"

namespace dunlin::mds {

namespace {

using scores::Score;

/// Ratio estimator a / b from sums over rows, with its standard error if only some of n rows are used: linearized,
/// sampling without replacement (Cochran 1977, section 2.11).
Score ratio(const std::vector<StressSums>& rows, Index n, double StressSums::* a, double StressSums::* b) {
    double above = 0, below = 0;
    for (const StressSums& row : rows) {
        above += row.*a;
        below += row.*b;
    }
    if (!(below > 0)) return {0, 0};
    const double value = above / below, mean = below / static_cast<double>(rows.size());
    std::vector<double> influence;
    influence.reserve(rows.size());
    for (const StressSums& row : rows) influence.push_back((row.*a - value * (row.*b)) / mean);
    return {value, scores::mean_over(influence, n).se};
}

/// Square root of a score; the standard error by the delta method.
Score rooted(const Score& score) {
    const double root = std::sqrt(std::max(0.0, score.value));
    return {root, root > 0 ? score.se / (2 * root) : 0.0};
}

/// min over s of sum (s d - delta)^2 = sum e^2 - (sum d e)^2 / sum d^2 with e = d - delta. With the optimal s fixed,
/// each row contributes linearly, so the mean is a ratio estimator again.
Score scaled(std::vector<StressSums> rows, Index n) {
    StressSums all;
    for (const StressSums& row : rows) all += row;
    const double slope = all.d2 > 0 ? all.d_error / all.d2 : 0;
    for (StressSums& row : rows) row.error2 += slope * (slope * row.d2 - 2 * row.d_error);
    return rooted(ratio(rows, n, &StressSums::error2, &StressSums::delta2));
}

/// The s that minimizes sum (s d - delta)^2.
double best_scale(const std::vector<StressSums>& rows) {
    StressSums all;
    for (const StressSums& row : rows) all += row;
    return all.d2 > 0 ? 1 - all.d_error / all.d2 : 1;
}

/// True if the optimal scale is near 1. Otherwise scaled() cancels: it is a small difference of large numbers.
bool has_a_fitting_scale(const std::vector<StressSums>& rows) {
    const double scale = best_scale(rows);
    return scale > 0.5 && scale < 2;
}

Map rescaled(Map map, double scale) {
    for (float& c : map.coordinates) c = static_cast<float>(c * scale);
    return map;
}

/// StressSums as an array.
using Terms = std::array<double, 4>;  // error2, d2, d_error, delta2
Terms terms_of(const StressSums& sums) { return {sums.error2, sums.d2, sums.d_error, sums.delta2}; }

/// Dissimilarities among the m sampled items, m x m; empty if the rows are not a random sample.
using Between = std::vector<float>;

/// Two-way estimates from the pairs of sampled items with all items and with each other.
class Sampled {
public:
    Sampled(const std::vector<StressSums>& sums, const Map& map, std::span<const Index> rows, const Between& between)
        : map_(map), rows_(rows), between_(between), n_(map.size()) {
        for (const StressSums& row : sums) terms_.push_back(terms_of(row));
    }

    [[nodiscard]] Score normalized() const {
        return score([](const Terms& t) { return t[0] / t[3]; },
                     [](const Terms& t) { return Terms{1 / t[3], 0, 0, -t[0] / (t[3] * t[3])}; });
    }
    [[nodiscard]] Score map_normalized() const {
        return score([](const Terms& t) { return t[1] > 0 ? t[0] / t[1] : 0.0; },
                     [](const Terms& t) { return t[1] > 0 ? Terms{1 / t[1], -t[0] / (t[1] * t[1]), 0, 0} : Terms{}; });
    }
    /// As scaled(): the share of the error that no scale removes.
    [[nodiscard]] Score scaled1() const {
        const auto least = [](const Terms& t) { return t[1] > 0 ? t[0] - t[2] * t[2] / t[1] : t[0]; };
        return rooted(score([&](const Terms& t) { return least(t) / t[3]; },
                            [&](const Terms& t) {
                                const double slope = t[1] > 0 ? t[2] / t[1] : 0;
                                return Terms{1 / t[3], slope * slope / t[3], -2 * slope / t[3],
                                             -least(t) / (t[3] * t[3])};
                            }));
    }

private:
    [[nodiscard]] Terms pair(std::size_t i, std::size_t j) const {
        const auto delta = static_cast<double>(between_[i * rows_.size() + j]);
        if (std::isnan(delta)) return {};
        const float* y = map_.coordinates.data();
        const double d = distance<double>(y + Offset{rows_[i]} * map_.dim, y + Offset{rows_[j]} * map_.dim, map_.dim);
        return {(d - delta) * (d - delta), d * d, d * (d - delta), delta * delta};
    }
    template <class Value, class Gradient>
    [[nodiscard]] Score score(const Value& value, const Gradient& gradient) const {
        double deltas = 0;
        for (const Terms& row : terms_) deltas += row[3];
        if (!(deltas > 0)) return {0, 0};
        const auto found = scores::pair_means(
            std::span(terms_), n_, [&](std::size_t i, std::size_t j) { return pair(i, j); }, gradient);
        return {std::max(0.0, value(found.means)), found.se};
    }

    const Map& map_;
    std::span<const Index> rows_;
    const Between& between_;
    Index n_;
    std::vector<Terms> terms_;
};

Between between(device::Cpu& cpu, const Source& source, std::span<const Index> rows) {
    Between found(rows.size() * rows.size());
    cpu.blocks(std::ssize(rows), 1, [&](Offset i, Offset, int) {
        for (std::size_t j = 0; j < at(i); ++j) found[at(i) * rows.size() + j] = source.between(rows[at(i)], rows[j]);
    });
    return found;
}

/// True if the rows are a sample and few enough for a matrix of their pairs.
bool is_two_way(std::span<const Index> rows, Index n) {
    return std::ssize(rows) < n && rows.size() >= 3 && std::ssize(rows) <= scores::max_pair_sample;
}

constexpr Index enough_for_gpu = 10000;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  ///< after a cancellation

/// sums_at(map): sums of the evaluated rows. between: their mutual dissimilarities; empty if the rows are not a random
/// sample.
template <class SumsAt>
Stress stress_from(const Map& map, std::span<const Index> rows, const Between& between, const SumsAt& sums_at) {
    const std::vector<StressSums> sums = sums_at(map);
    const Index n = map.size();
    const bool fits = has_a_fitting_scale(sums);
    if (between.empty()) {
        const Score of_map = ratio(sums, n, &StressSums::error2, &StressSums::d2);
        return {ratio(sums, n, &StressSums::error2, &StressSums::delta2), rooted(of_map),
                scaled(fits ? sums : sums_at(rescaled(map, best_scale(sums))), n), of_map};
    }
    const Sampled sampled(sums, map, rows, between);
    const Score of_map = sampled.map_normalized();
    if (fits) return {sampled.normalized(), rooted(of_map), sampled.scaled1(), of_map};
    const Map other = rescaled(map, best_scale(sums));
    return {sampled.normalized(), rooted(of_map), Sampled(sums_at(other), other, rows, between).scaled1(), of_map};
}

}  // namespace

Stress stress(const Dissimilarities& items, const Map& map, const StressOptions& options, const Run& run) {
    require_same_size(items, map);
    const bool on_demand = items.on_demand() != nullptr;
    const Device device = device::choose(
        run, !on_demand && items.size() >= enough_for_gpu && fits_on_gpu(bytes_on_gpu(items, false), run),
        {.what = "stress is computed"});
    if (items.size() < 2) return {};
    if (device == Device::cuda && !on_demand) {  // on-demand rows are in host memory
        const std::vector<Index> rows = default_evaluation_rows(items.size(), options, run.seed);
        Between pairs;
        if (is_two_way(rows, items.size())) {
            device::Cpu cpu(run);
            pairs = between(cpu, Source(cpu, items), rows);
        }
        return stress_from(map, rows, pairs, [&](const Map& at) { return stress_rows_on_cuda(items, at, rows, run); });
    }
    Stress found{{unknown, 0}, {unknown, 0}, {unknown, 0}, {unknown, 0}};
    progress::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        const std::vector<Index> rows = evaluation_rows(cpu, items, source, options, run);
        const bool drawn = is_two_way(rows, items.size()) && !has_unknown_distances(items);
        const Between pairs = drawn ? between(cpu, source, rows) : Between{};
        found = stress_from(map, rows, pairs, [&](const Map& at) {
            return stress_rows(cpu, source, at.coordinates.data(), at.dim, rows);
        });
    });
    return found;
}

double weighted_stress(const Dissimilarities& items, const Map& map, const Matrix& weights, const Run& run) {
    require_same_size(items, map);
    check_weights(weights, items.size());
    if (items.on_demand() != nullptr)
        throw Error(Fault::bad_input, "weighted stress needs all pairs, and these dissimilarities are on demand");
    double stress = unknown;
    progress::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        auto configuration = configuration_at(cpu, map);
        const CpuItems pulling{&source, weights.view().data};
        const double total = total_of(cpu, pulling, configuration);
        pull_all(cpu, pulling, configuration);
        stress = total > 0 ? configuration.stress.value / total : 0;
    });
    return stress;
}

double simplex_stress(Index n, int dim, const Run& run) {
    const Index m = std::min<Index>(n, 500);
    if (m <= dim + 1) return 0;
    std::vector<float> all_one(static_cast<std::size_t>(Offset{m} * m), 1.0F);
    for (Index i = 0; i < m; ++i) all_one[static_cast<std::size_t>(Offset{i} * (m + 1))] = 0;
    const auto simplex = Dissimilarities::of_matrix(Matrix(m, m, std::move(all_one)), run);
    Run quiet = run;
    quiet.on_progress = {};
    quiet.device = Device::cpu;  // too small for a GPU
    const live::Alone not_seen_or_steered;
    const Result best =
        place(simplex, {.dim = dim, .method = Method::smacof, .start = Start::random, .iterations = 1000}, quiet);
    return stress(simplex, best.map, {}, quiet).normalized_stress.value;
}

}  // namespace dunlin::mds
