// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Dense>

#include <dunlin/mixture.hpp>

namespace dunlin::mixture {

using Vector = Eigen::VectorXd;
using Square = Eigen::MatrixXd;

/// A Gaussian with the factor of its covariance. diagonal, spherical: both are columns, `whitening` is 1 /
/// sqrt(covariance); full: `whitening` is the Cholesky factor L of covariance = L L^T; tied: only the first component
/// of a mixture has them.
struct Component {
    double share = 0;
    Vector mean;
    Square covariance;
    Square whitening;
    double log_scale = 0;  ///< log share - cols / 2 log(2 pi) - log det L

    /// log(share * density) at x; not of tied components.
    [[nodiscard]] double log_density(const float* x, Vector& scratch) const;
    /// A difference from the mean becomes L^-1 times it.
    void whiten(Eigen::Ref<Vector> from_mean) const;
};

/// x - origin in double.
Vector difference(const float* x, const Vector& origin);

/// Columns of the second moments of a component: a column of variances, a square, or nothing.
constexpr Index cols_of_second(Covariance covariance, Index cols) {
    if (covariance == Covariance::full) return cols;
    return covariance == Covariance::tied ? 0 : 1;
}

/// Components of a block of a loop over all that computes or copies their factors: fewer are not worth waking a thread.
constexpr Offset components_of_a_block(Index cols, Covariance covariance) {
    const Offset width = cols < 1 ? 1 : cols,
                 work = covariance == Covariance::full ? width * width * width : 30 * width;
    return work >= 200000 ? 1 : 200000 / work;
}

/// Sums over rows x with responsibilities r of one component: r, r (x - o), r (x - o)(x - o)^T (diagonal, spherical:
/// its diagonal; tied: nothing). The origin o is the mean of the component before the step.
struct ComponentMoments {
    double weight = 0;
    Vector first;
    Square second;

    ComponentMoments(Index cols, Covariance covariance);
    void add(double responsibility, const float* x, const Vector& origin, Vector& scratch);
    void add(const ComponentMoments& other);
};

/// The maximum likelihood component for these moments about the mean of `before`, but for a tied covariance, which it
/// keeps. A component without weight keeps its mean and covariance. n: rows; floors: added to the
/// variances of the columns.
Component maximized(const Component& before, const ComponentMoments& moments, double n, const Vector& floors,
                    Covariance covariance);

/// The tied covariance after a step. `pooled`: sum of (x - o)(x - o)^T over all rows, o: mean before the step of the
/// row's component; empty: the total covariance, which no step changes, less that between the means after it.
Square tied_covariance(const std::vector<Component>& before, const std::vector<Component>& after, const Square& pooled,
                       double n, const Vector& floors);

/// Computes whitening and log_scale from share and covariance. Returns false if the covariance is not positive
/// definite in float64.
[[nodiscard]] bool factorize(Component& component);
/// log_scale of a component whose covariance is that of `factorized`.
double log_scale_beside(const Component& factorized, double share);

}  // namespace dunlin::mixture
