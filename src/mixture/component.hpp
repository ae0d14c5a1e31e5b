// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Dense>

#include <dunlin/mixture.hpp>

namespace dunlin::mixture {

using Vector = Eigen::VectorXd;
using Square = Eigen::MatrixXd;

/// A Gaussian with the factor of its covariance. diagonal: both are columns, `whitening` is 1 / sqrt(covariance);
/// full: `whitening` is the Cholesky factor L of covariance = L L^T.
struct Component {
    double share = 0;
    Vector mean;
    Square covariance;
    Square whitening;
    double log_scale = 0;  ///< log share - cols / 2 log(2 pi) - log det L

    /// log(share * density) at x.
    [[nodiscard]] double log_density(const float* x, Vector& scratch) const;
};

/// Sums over rows x with responsibilities r of one component: r, r (x - o), r (x - o)(x - o)^T (diagonal: its
/// diagonal). The origin o is the mean of the component before the step.
struct ComponentMoments {
    double weight = 0;
    Vector first;
    Square second;

    ComponentMoments(Index cols, Covariance covariance);
    void add(double responsibility, const float* x, const Vector& origin, Vector& scratch);
    void add(const ComponentMoments& other);
};

/// The maximum likelihood component for these moments about the mean of `before`. A component without weight keeps its
/// mean and covariance. n: rows; floor: added to every variance.
Component maximized(const Component& before, const ComponentMoments& moments, double n, double floor);

/// Computes whitening and log_scale from share and covariance. Returns false if the covariance is not positive
/// definite in float64.
[[nodiscard]] bool factorize(Component& component);

}  // namespace dunlin::mixture
