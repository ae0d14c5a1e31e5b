// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "math/at.hpp"
#include "umap/local_scale.hpp"

/// The loss of the row of data for one place in a map (umap::invert), a function of affine combinations of rows.
namespace dunlin::placement {

/// A vector sum_j c_j x_j of K rows, and what its squared distances are made of: image = D c, D the squared distances
/// of the rows. Of a difference of combinations the c_j sum to 0.
struct Combination {
    std::vector<double> weights, image;

    explicit Combination(std::size_t rows = 0) : weights(rows), image(rows) {}
    void add(double factor, const Combination& other) {
        for (std::size_t j = 0; j < weights.size(); ++j) {
            weights[j] += factor * other.weights[j];
            image[j] += factor * other.image[j];
        }
    }
    void scale(double factor) {
        for (std::size_t j = 0; j < weights.size(); ++j) weights[j] *= factor, image[j] *= factor;
    }
};

/// Inner product of two differences: |x - y|^2 = -c D c / 2.
inline double product_of(const Combination& u, const Combination& v) {
    double sum = 0;
    for (std::size_t j = 0; j < u.weights.size(); ++j) sum += u.weights[j] * v.image[j];
    return -sum / 2;
}

/// Term of a row at distance d, with membership v in the map: value and derivative by d. Within rho it is flat.
struct MembershipTerm {
    double value, slope;
};
inline MembershipTerm membership_term(double d, double v, double rho, double sigma) {
    constexpr double softening = 1e-3;  // of the pole at w = 1
    const double z = d > rho ? (d - rho) / sigma : 0, w = std::exp(-z), rest = softening + 1 - w;
    const double value = v * z - (1 - v) * std::log(rest / (softening + 1));
    return {value, d > rho ? (v - (1 - v) * w / rest) / sigma : 0};
}

/// The loss among K rows. All spans have K values, distances K x K.
struct MixtureLoss {
    std::span<const double> squared_distances;
    std::span<const double> memberships;
    std::span<const umap::LocalScale> scales;

    [[nodiscard]] std::size_t size() const { return memberships.size(); }

    /// |x - x_j|^2 = (D c)_j - c D c / 2 for weights that sum to 1; at least 0.
    [[nodiscard]] static double distance_to(const Combination& x, std::size_t j, double own) {
        return std::sqrt(std::max(0.0, x.image[j] - own));
    }
    [[nodiscard]] static double own_part(const Combination& x) {
        double sum = 0;
        for (std::size_t j = 0; j < x.weights.size(); ++j) sum += x.weights[j] * x.image[j];
        return sum / 2;
    }

    void set_image(Combination& x) const {
        for (std::size_t j = 0; j < size(); ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < size(); ++k) sum += squared_distances[j * size() + k] * x.weights[k];
            x.image[j] = sum;
        }
    }
    [[nodiscard]] double value_at(const Combination& x) const;
    [[nodiscard]] Combination gradient_at(const Combination& x) const;
};

/// Descends from x by at most `steps` steps of L-BFGS (Nocedal 1980), each no worse than the one before.
void improve(const MixtureLoss& loss, int steps, Combination& x);

}  // namespace dunlin::placement
