// SPDX-License-Identifier: Apache-2.0
#include "parametric/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/at.hpp"
#include "parametric/units.hpp"
#include "progress/cancel.hpp"
#include "scores/map_distance.hpp"

namespace dunlin::parametric {

namespace {

using scores::squared_distance;

constexpr Offset grain = 16;  ///< rows of a block

/// The row farthest from the mean of some rows.
std::size_t farthest_from_mean(MatrixView<const float> rows) {
    std::vector<double> sums(at(rows.cols));
    for (Index i = 0; i < rows.rows; ++i) {
        for (Index d = 0; d < rows.cols; ++d) sums[at(d)] += static_cast<double>(rows(i, d));
    }
    std::vector<float> mean(at(rows.cols));
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] = static_cast<float>(sums[d] / rows.rows);
    std::vector<double> r2(at(rows.rows));
    for (Index i = 0; i < rows.rows; ++i) r2[at(i)] = squared_distance(rows.row(i).data(), mean.data(), rows.cols);
    return at(std::max_element(r2.begin(), r2.end()) - r2.begin());
}

}  // namespace

std::vector<float> prototypes_of(MatrixView<const float> map, Index count) {
    constexpr Index most_rows = 20'000;
    const Index n = std::min(map.rows, most_rows);
    std::vector<float> sample;
    for (Index r = 0; r < n; ++r) {
        const auto row = map.row(static_cast<Index>(Offset{r} * map.rows / n));
        sample.insert(sample.end(), row.begin(), row.end());
    }
    const MatrixView<const float> rows{sample.data(), n, map.cols};

    std::vector<float> prototypes;
    std::vector<double> r2(at(n), std::numeric_limits<double>::infinity());  // to the nearest prototype
    std::size_t next = farthest_from_mean(rows);
    for (Index a = 0; a < count; ++a) {
        progress::cancellation_point();
        const auto prototype = rows.row(static_cast<Index>(next));
        prototypes.insert(prototypes.end(), prototype.begin(), prototype.end());
        for (Index i = 0; i < n; ++i)
            r2[at(i)] = std::min(r2[at(i)], squared_distance(rows.row(i).data(), prototype.data(), map.cols));
        next = at(std::max_element(r2.begin(), r2.end()) - r2.begin());
    }
    return prototypes;
}

float sharpness_of(MatrixView<const float> prototypes) {
    std::vector<double> nearest;
    for (Index a = 0; a < prototypes.rows; ++a) {
        double least = std::numeric_limits<double>::infinity();
        for (Index b = 0; b < prototypes.rows; ++b) {
            const double r2 = squared_distance(prototypes.row(a).data(), prototypes.row(b).data(), prototypes.cols);
            if (r2 > 0) least = std::min(least, r2);
        }
        if (std::isfinite(least)) nearest.push_back(least);
    }
    if (nearest.empty()) return 1;
    const auto middle = nearest.begin() + std::ssize(nearest) / 2;
    std::nth_element(nearest.begin(), middle, nearest.end());
    return static_cast<float>(1 / (2 * *middle));
}

void place_row(MatrixView<const float> prototypes, float* values, float* place) {
    soften(values, prototypes.rows);
    for (Index d = 0; d < prototypes.cols; ++d) {
        double sum = 0;
        for (Index a = 0; a < prototypes.rows; ++a)
            sum += static_cast<double>(values[a]) * static_cast<double>(prototypes(a, d));
        place[d] = static_cast<float>(sum);
    }
}

void place_by_prototypes(device::Cpu& cpu, MatrixView<const float> prototypes, const float* values, Index rows,
                         float* places) {
    cpu.blocks(rows, grain, [&](Offset begin, Offset end, int) {
        std::vector<float> weights(at(prototypes.rows));
        for (Offset r = begin; r < end; ++r) {
            std::copy_n(values + r * prototypes.rows, prototypes.rows, weights.data());
            place_row(prototypes, weights.data(), places + r * prototypes.cols);
        }
    });
}

void descend_to_values(device::Cpu& cpu, MatrixView<const float> prototypes, const float* values, const float* places,
                       const float* gradient, Index rows, float* delta) {
    cpu.each(
        rows,
        [&](Offset r) {
            float* const out = delta + r * prototypes.rows;
            std::copy_n(values + r * prototypes.rows, prototypes.rows, out);
            soften(out, prototypes.rows);
            for (Index a = 0; a < prototypes.rows; ++a) {
                out[a] = value_gradient(out[a], prototypes.row(a).data(), places + r * prototypes.cols,
                                        gradient + r * prototypes.cols, prototypes.cols);
            }
        },
        grain);
}

void match_shares(device::Cpu& cpu, const PrototypeShares& shares, const float* wanted, const float* values, Index rows,
                  float* delta, double* costs) {
    const MatrixView<const float> prototypes = shares.prototypes;
    const float share_of_mean = 1 / static_cast<float>(rows);
    cpu.blocks(rows, grain, [&](Offset begin, Offset end, int) {
        std::vector<float> exponents(at(prototypes.rows)), target;
        for (Offset r = begin; r < end; ++r) {
            const float *const place = wanted + r * prototypes.cols, *const own = values + r * prototypes.rows;
            for (Index a = 0; a < prototypes.rows; ++a)
                exponents[at(a)] = share_value(place, prototypes.row(a).data(), prototypes.cols, shares.sharpness);
            target = exponents;
            float* const out = delta + r * prototypes.rows;
            std::copy_n(own, prototypes.rows, out);
            const double of_target = soften(target.data(), prototypes.rows), of_own = soften(out, prototypes.rows);
            double cost = of_own - of_target;
            for (Index a = 0; a < prototypes.rows; ++a) {
                const double difference = static_cast<double>(exponents[at(a)]) - static_cast<double>(own[a]);
                cost += static_cast<double>(target[at(a)]) * difference;
                out[a] = (out[a] - target[at(a)]) * share_of_mean;
            }
            costs[r] = cost;
        }
    });
}

}  // namespace dunlin::parametric
