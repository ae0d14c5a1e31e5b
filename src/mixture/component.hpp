// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Dense>

#include <dunlin/mixture.hpp>

namespace dunlin::mixture {

using Vector = Eigen::VectorXd;
using Square = Eigen::MatrixXd;

/// A Gaussian ready for densities. Its covariance is spread (diagonal: a column) = L L^T; `whitening` is L^-1.
struct Component {
    double share = 0;
    Vector mean;
    Square covariance;
    Square whitening;
    double log_scale = 0;  ///< log share - cols / 2 log(2 pi) - log det L

    /// log(share * density) at x.
    [[nodiscard]] double log_density(const float* x, Vector& scratch) const;
};

/// Sums of one component's responsibilities r: r, r (x - o), r (x - o)(x - o)^T (diagonal: its diagonal), the origin o
/// being the component's mean before.
struct ComponentMoments {
    double weight = 0;
    Vector first;
    Square second;

    ComponentMoments(Index cols, Covariance covariance);
    void add(double responsibility, const float* x, const Vector& origin, Vector& scratch);
    void add(const ComponentMoments& other);
};

/// The likeliest component for these moments about `before`; one without weight keeps its mean and spread. n: rows;
/// floor: added to every variance.
Component maximized(const Component& before, const ComponentMoments& moments, double n, double floor);

/// Sets what follows from share, mean and spread. False: in float64 the spread is not positive definite, so that there
/// is no density.
[[nodiscard]] bool factorize(Component& component);

}  // namespace dunlin::mixture
