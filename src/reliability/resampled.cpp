// SPDX-License-Identifier: Apache-2.0
#include "reliability/resampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "scores/sample.hpp"

namespace dunlin::reliability {

namespace {

// Streams of random numbers of one seed
constexpr std::uint64_t bootstrap_stream = 0x626f6f74, null_stream = 0x6e756c6c;

}  // namespace

std::vector<Index> bootstrap_rows(Index n, std::uint64_t seed, int draw) {
    std::vector<Index> rows(at(n));
    for (Index i = 0; i < n; ++i) {
        rows[at(i)] =
            static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), seed ^ bootstrap_stream,
                                                  static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(draw)));
    }
    return rows;
}

Matrix rows_of(device::Cpu& cpu, MatrixView<const float> points, const std::vector<Index>& rows) {
    std::vector<float> values(rows.size() * at(points.cols));
    cpu.each(
        std::ssize(rows),
        [&](Offset r) {
            const auto row = points.row(rows[at(r)]);
            std::copy(row.begin(), row.end(), values.begin() + r * points.cols);
        },
        256);
    return {static_cast<Index>(rows.size()), points.cols, std::move(values)};
}

Matrix columns_resampled(device::Cpu& cpu, MatrixView<const float> points, std::uint64_t seed) {
    std::vector<float> values(at(points.size()));
    cpu.each(
        points.rows,
        [&](Offset r) {
            for (Index c = 0; c < points.cols; ++c) {
                const auto from = static_cast<Index>(
                    math::random_below(static_cast<std::uint64_t>(points.rows), seed ^ null_stream,
                                       static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c)));
                values[at(r * points.cols + c)] = points(from, c);
            }
        },
        64);
    return {points.rows, points.cols, std::move(values)};
}

BootstrapMaps::BootstrapMaps(Index n, int dim, int maps)
    : n_(n),
      dim_(dim),
      maps_(maps),
      coordinates_(at(Offset{n} * dim * maps), std::numeric_limits<float>::quiet_NaN()) {}

void BootstrapMaps::add(int draw, const std::vector<Index>& rows, const Map& map) {
    // Copies of a row share the place of the last one
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto from = map.view().row(static_cast<Index>(r));
        std::copy(from.begin(), from.end(), coordinates_.begin() + (Offset{draw} * n_ + rows[r]) * dim_);
    }
}

double BootstrapMaps::distance(int draw, Index i, Index j) const {
    const float* map = coordinates_.data() + Offset{draw} * n_ * dim_;
    double square = 0;
    for (int c = 0; c < dim_; ++c) {
        const double d =
            static_cast<double>(map[Offset{i} * dim_ + c]) - static_cast<double>(map[Offset{j} * dim_ + c]);
        square += d * d;
    }
    return std::sqrt(square);
}

std::vector<double> BootstrapMaps::distance_variances(device::Cpu& cpu, std::uint64_t seed) const {
    const std::vector<Index> others = scores::sample_rows(n_, std::min(n_, others_at_most), seed);
    std::vector<double> mean(at(maps_));
    for (int b = 0; b < maps_; ++b) {
        device::Cell<double> sum, count;
        const auto over_pairs = [&](Offset i, const auto& value) {
            double part = 0;
            for (const Index j : others) {
                const double d = j == static_cast<Index>(i) ? NAN : distance(b, static_cast<Index>(i), j);
                if (!std::isnan(d)) part += value(d);
            }
            return part;
        };
        cpu.sum(n_, [&](Offset i) { return over_pairs(i, [](double d) { return d; }); }, sum, 256);
        cpu.sum(n_, [&](Offset i) { return over_pairs(i, [](double) { return 1.0; }); }, count, 256);
        mean[at(b)] = count.value > 0 ? sum.value / count.value : 0;
    }
    std::vector<double> variances(at(n_));
    cpu.each(
        n_,
        [&](Offset i) {
            double total = 0;
            int pairs = 0;
            for (const Index j : others) {
                if (j == static_cast<Index>(i)) continue;
                double sum = 0, squares = 0;
                int common = 0;
                for (int b = 0; b < maps_; ++b) {
                    const double d = distance(b, static_cast<Index>(i), j) / mean[at(b)];
                    if (!std::isfinite(d)) continue;
                    sum += d;
                    squares += d * d;
                    ++common;
                }
                if (common < 2) continue;
                total += std::max(0.0, (squares - sum * sum / common) / (common - 1));
                ++pairs;
            }
            variances[at(i)] = pairs > 0 ? total / pairs : NAN;
        },
        64);
    return variances;
}

std::uint64_t BootstrapMaps::bytes(Index n, int dim, int maps) {
    return sizeof(float) * static_cast<std::uint64_t>(Offset{n} * dim * maps);
}

}  // namespace dunlin::reliability
