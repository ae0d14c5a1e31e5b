#include <fmt/format.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/choose.hpp"
#include "device/heed.hpp"
#include "mds/backend.hpp"
#include "mds/judged.hpp"
#include "mds/pull.hpp"
#include "mds/resolve.hpp"
#include "mds/smacof.hpp"
#include "mds/stress_rows.hpp"
#include "metrics/sample.hpp"

namespace dunlin::mds {

namespace {

using metrics::Score;

/// a / b from sums over rows, and its standard error where not all of n rows were looked at: that of the ratio,
/// linearised, rows without replacement (Cochran 1977, section 2.11).
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
    return {value, metrics::mean_over(influence, n).se};
}

/// The root of a score: by the chain rule, its error too.
Score rooted(const Score& score) {
    const double root = std::sqrt(std::max(0.0, score.value));
    return {root, root > 0 ? score.se / (2 * root) : 0.0};
}

/// min over s of sum (s d - delta)^2 = sum e^2 - (sum d e)^2 / sum d^2 with e = d - delta. Taken row by row, its mean
/// is linear in what the rows add, hence a ratio again.
Score scaled(std::vector<StressSums> rows, Index n) {
    StressSums all;
    for (const StressSums& row : rows) all += row;
    const double slope = all.d2 > 0 ? all.d_error / all.d2 : 0;
    for (StressSums& row : rows) row.error2 += slope * (slope * row.d2 - 2 * row.d_error);
    return rooted(ratio(rows, n, &StressSums::error2, &StressSums::delta2));
}

/// The s that makes sum (s d - delta)^2 least.
double best_scale(const std::vector<StressSums>& rows) {
    StressSums all;
    for (const StressSums& row : rows) all += row;
    return all.d2 > 0 ? 1 - all.d_error / all.d2 : 1;
}

/// Whether errors are no larger than what they are errors of: else scaled() takes a small number from a large one.
bool has_a_fitting_scale(const std::vector<StressSums>& rows) {
    const double scale = best_scale(rows);
    return scale > 0.5 && scale < 2;
}

Map rescaled(Map map, double scale) {
    for (float& c : map.coordinates) c = static_cast<float>(c * scale);
    return map;
}

constexpr Index enough_for_gpu = 10000;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();  ///< after a stop

/// sums_at(map): of the rows that are looked at.
template <class SumsAt>
Stress stress_from(const Map& map, const SumsAt& sums_at) {
    const std::vector<StressSums> sums = sums_at(map);
    const Index n = map.size();
    return {ratio(sums, n, &StressSums::error2, &StressSums::delta2),
            rooted(ratio(sums, n, &StressSums::error2, &StressSums::d2)),
            scaled(has_a_fitting_scale(sums) ? sums : sums_at(rescaled(map, best_scale(sums))), n)};
}

}  // namespace

Stress stress(const Dissimilarities& items, const Map& map, const StressOptions& options, const Run& run) {
    require_same_size(items, map);
    const bool fed = items.feed() != nullptr;
    const Device device =
        device::choose(run, !fed && items.size() >= enough_for_gpu && fits_on_gpu(bytes_on_gpu(items, false), run));
    if (items.size() < 2) return {};
    if (device == Device::cuda && !fed) {  // rows that are fed lie on the host
        const std::vector<Index> rows = metrics::rows_to_judge(items.size(), options.exact_rows.value_or(500000),
                                                               options.sample.value_or(2000), run.seed);
        return stress_from(map, [&](const Map& at) { return stress_rows_on_cuda(items, at, rows, run); });
    }
    Stress found{{unknown, 0}, {unknown, 0}, {unknown, 0}};
    device::unless_stopped(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        const std::vector<Index> rows = judged_rows(cpu, items, source, options, run);
        found = stress_from(
            map, [&](const Map& at) { return stress_rows(cpu, source, at.coordinates.data(), at.dim, rows); });
    });
    return found;
}

double weighted_stress(const Dissimilarities& items, const Map& map, const Matrix& weights, const Run& run) {
    require_same_size(items, map);
    check_weights(weights, items.size());
    if (items.feed() != nullptr)
        throw Error(Fault::bad_input, "weighted stress is of all pairs, and these dissimilarities are fed");
    double stress = unknown;
    device::unless_stopped(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        auto shape = shape_at(cpu, map);
        const CpuItems pulling{&source, weights.view().data};
        const double total = total_of(cpu, pulling, shape);
        pull_all(cpu, pulling, shape);
        stress = total > 0 ? shape.stress.value / total : 0;
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
    quiet.device = Device::cpu;  // not worth waking a GPU
    const Result best = place(simplex, {.dim = dim, .method = Method::smacof, .start = Start::random}, quiet);
    return stress(simplex, best.map, {}, quiet).normalized_stress.value;
}

}  // namespace dunlin::mds
