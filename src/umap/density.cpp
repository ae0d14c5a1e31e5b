// SPDX-License-Identifier: Apache-2.0
#include "umap/density.hpp"

#include <cmath>

#include "forces/attraction/edge_sum.hpp"
#include "forces/width.hpp"
#include "math/at.hpp"

namespace dunlin::umap {

namespace {

constexpr double least_map_radius = 1e-8;  ///< added to a radius in the map before the logarithm
constexpr Offset rows_per_block = 256;

}  // namespace

template <int D>
void DensityForce::measure(device::Cpu& cpu, const Graph& edges, MatrixView<const float> y) {
    sums_.resize(at(edges.size()));
    log_radii_.resize(at(edges.size()));
    cpu.blocks(edges.size(), rows_per_block, [&](Offset first_row, Offset end_row, int) {
        const Offset begin = edges.offsets[at(first_row)], end = edges.offsets[at(end_row)];
        std::vector<float> phi(at(end - begin)), moment(phi.size());
        forces::block_lengths<D>(edges, y, static_cast<Index>(first_row), begin, end, phi.data());
        radius_terms(law_, phi.data(), moment.data(), end - begin);
        for (Offset i = first_row; i < end_row; ++i) {
            double sum = 0, moments = 0;
            for (Offset e = edges.offsets[at(i)]; e < edges.offsets[at(i) + 1]; ++e) {
                sum += static_cast<double>(phi[at(e - begin)]);
                moments += static_cast<double>(moment[at(e - begin)]);
            }
            sums_[at(i)] = sum;
            log_radii_[at(i)] = sum > 0 ? std::log(least_map_radius + moments / sum) : 0;
        }
    });
}

double DensityForce::weigh(device::Cpu& cpu, const std::vector<Index>& original) {
    const Offset n = std::ssize(sums_);
    const auto total = [&](const auto& term) {
        device::Cell<double> sum;
        cpu.sum(n, [&](Offset i) { return sums_[at(i)] > 0 ? term(i) : 0.0; }, sum);
        return sum.value;
    };
    const double count = total([](Offset) { return 1.0; });
    if (count < 2) return 0;
    const double mean = total([&](Offset i) { return log_radii_[at(i)]; }) / count;
    const auto from_mean = [&](Offset i) { return log_radii_[at(i)] - mean; };
    const double variance = total([&](Offset i) { return from_mean(i) * from_mean(i); }) / count + shift_;
    if (!(variance > 0)) return 0;
    const auto wanted = [&](Offset i) { return static_cast<double>(radii_[at(original[at(i)])]); };
    const double correlation = total([&](Offset i) { return from_mean(i) * wanted(i); }) / (count - 1);
    shares_.resize(at(n));
    cpu.each(n, [&](Offset i) {
        if (!(sums_[at(i)] > 0)) {
            shares_[at(i)] = {};
            return;
        }
        const double by_sum = (wanted(i) - correlation * from_mean(i) / variance) / sums_[at(i)];
        shares_[at(i)] = {static_cast<float>(by_sum / std::exp(log_radii_[at(i)])), static_cast<float>(by_sum)};
    });
    return 1 / std::sqrt(variance);
}

template <int D>
void DensityForce::add_pulls(device::Cpu& cpu, const Graph& edges, DescentState<device::Cpu>& state, double factor) {
    const MatrixView<const float> y = state.positions();
    const auto slopes_of = [&](Index row, Offset begin, Offset end, float* slopes) {
        std::vector<DensityShare> shares(at(end - begin));
        forces::block_lengths<D>(edges, y, row, begin, end, slopes, [&](Index i, Offset first, Offset last) {
            const DensityShare own = shares_[at(i)];
            for (Offset e = first; e < last; ++e) {
                const DensityShare& other = shares_[at(edges.targets[at(e)])];
                shares[at(e - begin)] = {own.by_radius + other.by_radius, own.by_sum + other.by_sum};
            }
        });
        density_slopes(law_, shares.data(), slopes, end - begin);
    };
    const auto row_sum = forces::pull_batch<D>;
    force_.resize(state.y.size());
    forces::EdgeSum<D, decltype(row_sum), decltype(slopes_of)>(edges, y, {force_.data(), state.n, D}, row_sum,
                                                               slopes_of)
        .run(cpu);
    const auto scale = static_cast<float>(factor);
    cpu.each(std::ssize(force_), [&](Offset k) { state.repulsion[at(k)] += scale * force_[at(k)]; }, 1 << 14);
}

void DensityForce::add(device::Cpu& cpu, const Graph& edges, DescentState<device::Cpu>& state, double factor) {
    forces::with_width<forces::Fuzzy>(state.dim, [&]<int D>() {
        measure<D>(cpu, edges, state.positions());
        const double inverse = weigh(cpu, state.original);
        if (inverse > 0) add_pulls<D>(cpu, edges, state, factor * inverse);
    });
}

}  // namespace dunlin::umap
