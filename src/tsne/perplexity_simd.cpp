// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

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
/// the scale and the mean; a mean of 0 if all are equal.
struct NormalizedRow {
    RowScale scale;
    double mean = 0;
};
NormalizedRow normalize(std::span<const float> distances, float* d) {
    const auto count = static_cast<Index>(distances.size());
    const double least = *std::min_element(distances.begin(), distances.end());
    const double most = *std::max_element(distances.begin(), distances.end());
    const RowScale scale{least, 1 / most};
    if (!has_scale(least, most)) return {scale, 0};
    double mean = 0;
    for (const float distance : distances) mean += scale(distance);
    mean /= count;
    if (!(mean > 0)) return {scale, 0};
    for (Index j = 0; j < count; ++j) d[j] = static_cast<float>(scale(distances[static_cast<std::size_t>(j)]) / mean);
    return {scale, mean};
}

RowGaussian fill_row(std::span<const float> distances, double wanted, float* scratch, float* p) {
    const auto count = static_cast<Index>(distances.size());
    if (count == 0) return {};
    const NormalizedRow row = normalize(distances, scratch);
    const auto least = static_cast<float>(row.scale.least);
    const float most = *std::max_element(distances.begin(), distances.end());
    if (row.mean <= 0) {
        std::fill_n(p, count, 1.0F / static_cast<float>(count));
        return {std::numeric_limits<float>::infinity(), least, most, std::log(static_cast<float>(count))};
    }
    float beta = 1;
    const double sum = search_beta(wanted, [&](float next) {
                           beta = next;
                           return entropy_sums(scratch, count, beta, p);
                       }).e;
    for (Index j = 0; j < count; ++j) p[j] = static_cast<float>(p[j] / sum);
    const double unit = row.scale.inverse_most;
    const auto rate = static_cast<float>(static_cast<double>(beta) / row.mean * unit * unit);
    return {rate, least, most, static_cast<float>(std::log(sum))};
}

/// The affinities of a row by several perplexities.
void fill_row(std::span<const float> distances, const RowRule& rule, float* scratch, float* p) {
    const auto count = static_cast<Index>(distances.size());
    const NormalizedRow row = count > 0 ? normalize(distances, scratch) : NormalizedRow{};
    if (row.mean <= 0) {
        std::fill_n(p, count, 1.0F / static_cast<float>(count));
        return;
    }
    GaussianSum sum;
    for (const float perplexity : rule.perplexities) {
        float beta = 1;
        const EntropySums found = search_beta(std::log(static_cast<double>(perplexity)), [&](float next) {
            beta = next;
            return entropy_sums(scratch, count, beta, p);
        });
        sum.add(beta, found.e);
    }
    const double least = row.scale.least * row.scale.inverse_most;
    rule.kind == AffinityKind::mixture ? sum.settle_as_mixture(least * least / row.mean) : sum.settle_as_mean();
    for (Index j = 0; j < count; ++j) p[j] = sum.at(scratch[j]);
}

/// Calls take(row, its Gaussian, its affinities) for every row of the graph; from any thread.
template <class Take>
void each_row(device::Cpu& cpu, const Graph& neighbors, float perplexity, const Take& take) {
    const double wanted = std::log(static_cast<double>(perplexity));
    cpu.blocks(neighbors.size(), 256, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch, p;
        for (Offset i = begin; i < end; ++i) {
            const Offset first = neighbors.offsets[static_cast<std::size_t>(i)];
            const auto count = static_cast<std::size_t>(neighbors.offsets[static_cast<std::size_t>(i) + 1] - first);
            scratch.resize(count);
            p.resize(count);
            const RowGaussian row =
                fill_row({neighbors.weights.data() + first, count}, wanted, scratch.data(), p.data());
            take(i, row, p);
        }
    });
}

}  // namespace

std::vector<float> conditional_affinities(device::Cpu& cpu, const Graph& neighbors, const RowRule& rule) {
    std::vector<float> all(static_cast<std::size_t>(neighbors.edges()));
    if (rule.kind != AffinityKind::uniform && rule.perplexities.size() == 1) {
        each_row(cpu, neighbors, rule.perplexities[0], [&](Offset i, const RowGaussian&, const std::vector<float>& p) {
            std::copy(p.begin(), p.end(), all.begin() + neighbors.offsets[static_cast<std::size_t>(i)]);
        });
        return all;
    }
    cpu.blocks(neighbors.size(), 256, [&](Offset begin, Offset end, int) {
        std::vector<float> scratch;
        for (Offset i = begin; i < end; ++i) {
            const Offset first = neighbors.offsets[static_cast<std::size_t>(i)];
            const auto count = static_cast<std::size_t>(neighbors.offsets[static_cast<std::size_t>(i) + 1] - first);
            if (rule.kind == AffinityKind::uniform) {
                std::fill_n(all.begin() + first, count, 1.0F / static_cast<float>(count));
                continue;
            }
            scratch.resize(count);
            fill_row({neighbors.weights.data() + first, count}, rule, scratch.data(), all.data() + first);
        }
    });
    return all;
}

std::vector<RowGaussian> row_gaussians(device::Cpu& cpu, const Graph& neighbors, float perplexity) {
    std::vector<RowGaussian> rows(static_cast<std::size_t>(neighbors.size()));
    each_row(cpu, neighbors, perplexity, [&](Offset i, const RowGaussian& row, const std::vector<float>&) {
        rows[static_cast<std::size_t>(i)] = row;
    });
    return rows;
}

}  // namespace dunlin::tsne
