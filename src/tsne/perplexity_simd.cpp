// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "device/clones.hpp"
#include "math/exp.hpp"
#include "tsne/bandwidth.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

namespace {

DUNLIN_CLONES EntropySums entropy_sums(const float* d, Index count, float beta, float* p) {
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

/// Squared distances minus the least of the row, divided by their mean, so that no scale of the data overflows. Returns
/// false if all are equal.
bool normalize(std::span<const float> distances, float* d) {
    const auto count = static_cast<Index>(distances.size());
    const double least = *std::min_element(distances.begin(), distances.end());
    const double most = *std::max_element(distances.begin(), distances.end());
    if (!has_scale(least, most)) return false;
    const RowScale scale{least, 1 / most};
    double mean = 0;
    for (const float distance : distances) mean += scale(distance);
    mean /= count;
    if (!(mean > 0)) return false;
    for (Index j = 0; j < count; ++j) d[j] = static_cast<float>(scale(distances[static_cast<std::size_t>(j)]) / mean);
    return true;
}

void fill_row(std::span<const float> distances, double wanted, float* scratch, float* p) {
    const auto count = static_cast<Index>(distances.size());
    if (count == 0) return;
    if (!normalize(distances, scratch)) {
        std::fill_n(p, count, 1.0F / static_cast<float>(count));
        return;
    }
    const double sum = search_beta(wanted, [&](float beta) { return entropy_sums(scratch, count, beta, p); }).e;
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
