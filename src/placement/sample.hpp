// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "placement/loss.hpp"

/// The potential of a map of more than 3 dimensions at any place: of a sample of its points, the same for all queries.
namespace dunlin::placement {

constexpr Index sampled_points = 4096;

/// Sums over rows of a sample, of the laws of forces/law.hpp, delta = place - row.
template <int W>
struct SampleSums {
    double potential = 0, strength = 0;
    double force[W]{};     ///< strength delta
    double turn[W * W]{};  ///< (d strength / d r2) delta delta^T
};

/// Adds `count` rows of W numbers, in runs of 64 in float, which are added in double.
template <class Law, int W>
void add_rows(const Law& law, const float* rows, Index count, const float* place, SampleSums<W>& sums);

/// A map and its sample in rows of a width W of forces/width.hpp.
struct MapSample {
    int dim = 0;
    Index points = 0;
    std::vector<float> map;            ///< all points
    std::vector<float> rows;           ///< of the sample
    std::vector<std::uint8_t> chosen;  ///< of each point: whether it is in the sample

    /// all: the sample has all points.
    MapSample(MatrixView<const float> map, bool all, std::uint64_t seed);

    [[nodiscard]] Index size() const { return size_; }
    /// How many points each sampled one stands for, beside these neighbors, which count by themselves. 0: there are no
    /// other points.
    [[nodiscard]] double weight(const Edges& neighbors) const;

private:
    Index size_ = 0;
};

/// The loss of a point that is not in the map: PointLoss (loss.hpp), with the potential of its neighbors, and of the
/// sample for that of all others.
template <int W, class Law>
struct SampledLoss {
    const MapSample& sample;
    Law law;
    Edges edges;
    double push, weight;

    [[nodiscard]] double rounding(const Expansion<W>& at) const { return 1e-6 * std::abs(at.value); }

    [[nodiscard]] Expansion<W> at(const double (&y)[W]) const {
        Expansion<W> sum, potential;
        add_attraction<W>(law, edges, y, sum);
        add_sample(y, potential);
        for (Index e = 0; e < edges.count; ++e) {
            const Index j = edges.targets[e];
            const double left_out = sample.chosen[static_cast<std::size_t>(j)] != 0 ? weight : 0;
            add_potential<W>(law, 1 - left_out, edges.map + Offset{j} * W, y, potential);
        }
        sum.add(push, potential);
        // Axes beyond the map's have no force; a stiffness keeps them out of Newton's step
        double stiffest = 1;
        for (int d = 0; d < sample.dim; ++d) stiffest = std::fmax(stiffest, std::abs(sum.hessian[d]));
        for (int d = sample.dim; d < W; ++d) sum.hessian[d] = stiffest;
        return sum;
    }

private:
    void add_sample(const double (&y)[W], Expansion<W>& potential) const {
        float place[W];
        for (int d = 0; d < W; ++d) place[d] = static_cast<float>(y[d]);
        SampleSums<W> sums;
        add_rows<Law, W>(law, sample.rows.data(), sample.size(), place, sums);
        // d potential / d r2 = -strength
        potential.value += weight * sums.potential;
        for (int d = 0; d < W; ++d) {
            potential.gradient[d] -= 2 * weight * sums.force[d];
            potential.hessian[d] -= 2 * weight * sums.strength;
            for (int e = d; e < W; ++e)
                potential.hessian[math::packed_at<W>(d, e)] -= 4 * weight * sums.turn[d * W + e];
        }
    }
};

}  // namespace dunlin::placement
