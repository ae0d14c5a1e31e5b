#include <algorithm>
#include <cmath>

#include "device/clones.hpp"
#include "math/exp.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

namespace {

/// Sums over a row at one beta: of e = exp(-beta d), of e d and of e d^2, d being squared distances less the least.
struct Moments {
    double e = 0, ed = 0, edd = 0;

    /// Entropy of e / sum(e) in nats, and how fast it falls per unit of log(beta).
    [[nodiscard]] double entropy(double beta) const { return std::log(e) + beta * ed / e; }
    [[nodiscard]] double slope(double beta) const {
        const double mean = ed / e;
        return -beta * beta * std::max(0.0, edd / e - mean * mean);
    }
};

DUNLIN_CLONES Moments moments(const float* d, Index count, float beta, float* p) {
    float e_sum = 0, ed_sum = 0, edd_sum = 0;
    for (Index j = 0; j < count; ++j) {
        const float e = math::exp_of_negative(-beta * d[j]);
        p[j] = e;
        e_sum += e;
        ed_sum += e * d[j];
        edd_sum += e * d[j] * d[j];
    }
    return {e_sum, ed_sum, edd_sum};
}

/// Squared distances less the row's least, in units of their mean, so that no scale of the data overflows.
/// Returns false if all are equal.
bool normalise(std::span<const float> distances, float* d) {
    const auto count = static_cast<Index>(distances.size());
    const double least = *std::min_element(distances.begin(), distances.end());
    const double most = *std::max_element(distances.begin(), distances.end());
    if (!(most > least)) return false;
    // (d - least)(d + least) in units of `most` keeps the digits that d^2 - least^2 would cancel
    double mean = 0;
    for (const float distance : distances) mean += (distance - least) / most * ((distance + least) / most);
    mean /= count;
    if (!(mean > 0)) return false;
    for (Index j = 0; j < count; ++j) {
        const double x = distances[static_cast<std::size_t>(j)];
        d[j] = static_cast<float>((x - least) / most * ((x + least) / most) / mean);
    }
    return true;
}

/// Newton steps in log(beta), kept inside a bracket that only shrinks; the entropy falls as beta grows.
Moments search_beta(const float* d, Index count, double wanted, float* p) {
    constexpr int most_steps = 64;
    constexpr double tolerance = 1e-6;
    constexpr double least_log = -40, greatest_log = 40;
    double low = least_log, high = greatest_log, log_beta = 0;
    Moments m;
    for (int step = 0; step < most_steps; ++step) {
        const double beta = std::exp(log_beta);
        m = moments(d, count, static_cast<float>(beta), p);
        const double excess = m.entropy(beta) - wanted;
        if (std::abs(excess) < tolerance || high - low < 1e-9) break;
        (excess > 0 ? low : high) = log_beta;
        const double slope = m.slope(beta);
        const double newton = slope < 0 ? log_beta - excess / slope : high + 1;
        log_beta = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
    return m;
}

void fill_row(std::span<const float> distances, double wanted, float* scratch, float* p) {
    const auto count = static_cast<Index>(distances.size());
    if (count == 0) return;
    if (!normalise(distances, scratch)) {
        std::fill_n(p, count, 1.0F / static_cast<float>(count));
        return;
    }
    const double sum = search_beta(scratch, count, wanted, p).e;
    for (Index j = 0; j < count; ++j) p[j] = static_cast<float>(p[j] / sum);
}

}  // namespace

std::vector<float> conditional_affinities(device::Cpu& cpu, const Graph& neighbors, float perplexity) {
    std::vector<float> p(static_cast<std::size_t>(neighbors.edges()));
    const double wanted = std::log(static_cast<double>(perplexity));
    cpu.blocks(neighbors.size(), 256, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        for (Offset i = begin; i < end; ++i) {
            const Offset first = neighbors.offsets[static_cast<std::size_t>(i)];
            const auto count = static_cast<std::size_t>(neighbors.offsets[static_cast<std::size_t>(i) + 1] - first);
            scratch.resize(count);
            fill_row({neighbors.weights.data() + first, count}, wanted, scratch.data(), p.data() + first);
        }
    });
    return p;
}

}  // namespace dunlin::tsne
