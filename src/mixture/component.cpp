// SPDX-License-Identifier: Apache-2.0
#include "mixture/component.hpp"

#include <lapacke.h>

#include <cmath>
#include <numbers>

namespace dunlin::mixture {

namespace {

bool is_diagonal(const Square& covariance) { return covariance.cols() == 1; }

/// log(share) - log of the Gaussian's normalization; log_volume: log det L.
double log_scale_of(double share, double cols, double log_volume) {
    return std::log(share) - 0.5 * cols * std::log(2 * std::numbers::pi) - log_volume;
}

/// Covariance of the means of the components, each with its share, about `center`.
Square covariance_between(const std::vector<Component>& components, const Vector& center) {
    Square between = Square::Zero(center.size(), center.size());
    for (const Component& component : components) {
        between.selfadjointView<Eigen::Lower>().rankUpdate(component.mean - center, component.share);
    }
    return between;
}

}  // namespace

Vector difference(const float* x, const Vector& origin) {
    return Eigen::Map<const Eigen::VectorXf>(x, origin.size()).cast<double>() - origin;
}

void Component::whiten(Eigen::Ref<Vector> from_mean) const {
    if (is_diagonal(whitening)) {
        from_mean.array() *= whitening.col(0).array();
    } else {
        whitening.triangularView<Eigen::Lower>().solveInPlace(from_mean);
    }
}

double Component::log_density(const float* x, Vector& scratch) const {
    scratch = difference(x, mean);
    whiten(scratch);
    return log_scale - 0.5 * scratch.squaredNorm();
}

ComponentMoments::ComponentMoments(Index cols, Covariance covariance)
    : first(Vector::Zero(cols)),
      second(Square::Zero(covariance == Covariance::tied ? 0 : cols, cols_of_second(covariance, cols))) {}

void ComponentMoments::add(double responsibility, const float* x, const Vector& origin, Vector& scratch) {
    scratch = difference(x, origin);
    weight += responsibility;
    first += responsibility * scratch;
    if (second.size() == 0) return;
    if (is_diagonal(second)) {
        second.array() += responsibility * scratch.array().square();
    } else {
        second.selfadjointView<Eigen::Lower>().rankUpdate(scratch, responsibility);
    }
}

void ComponentMoments::add(const ComponentMoments& other) {
    weight += other.weight;
    first += other.first;
    second += other.second;
}

Component maximized(const Component& before, const ComponentMoments& moments, double n, const Vector& floors,
                    Covariance covariance) {
    if (moments.weight <= 0) return {0, before.mean, before.covariance, {}, 0};
    const Vector step = moments.first / moments.weight;
    Component component{moments.weight / n, before.mean + step, {}, {}, 0};
    if (covariance == Covariance::tied) {
        component.covariance = before.covariance;
        return component;
    }
    component.covariance = moments.second / moments.weight;
    if (is_diagonal(component.covariance)) {
        component.covariance.array() += floors.array() - step.array().square();
        if (covariance == Covariance::spherical) component.covariance.setConstant(component.covariance.mean());
    } else {
        component.covariance -= step * step.transpose();
        component.covariance.diagonal() += floors;
    }
    return component;
}

Square tied_covariance(const std::vector<Component>& before, const std::vector<Component>& after, const Square& pooled,
                       double n, const Vector& floors) {
    if (pooled.size() == 0) {
        Vector center = Vector::Zero(before.front().mean.size());
        for (const Component& component : before) center += component.share * component.mean;
        return before.front().covariance + covariance_between(before, center) - covariance_between(after, center);
    }
    Square covariance = pooled / n;
    for (std::size_t k = 0; k < before.size(); ++k) {
        covariance.selfadjointView<Eigen::Lower>().rankUpdate(after[k].mean - before[k].mean, -after[k].share);
    }
    covariance.diagonal() += floors;
    return covariance;
}

bool factorize(Component& component) {
    double log_volume = 0;
    if (is_diagonal(component.covariance)) {
        if (!(component.covariance.minCoeff() > 0)) return false;
        component.whitening = component.covariance.array().sqrt().inverse();
        log_volume = 0.5 * component.covariance.array().log().sum();
    } else {
        component.whitening = component.covariance;
        const auto size = static_cast<lapack_int>(component.covariance.rows());
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', size, component.whitening.data(), size) != 0) return false;
        log_volume = component.whitening.diagonal().array().log().sum();
    }
    component.log_scale = log_scale_of(component.share, static_cast<double>(component.mean.size()), log_volume);
    return true;
}

double log_scale_beside(const Component& factorized, double share) {
    const Square& whitening = factorized.whitening;
    const double log_volume =
        is_diagonal(whitening) ? -whitening.array().log().sum() : whitening.diagonal().array().log().sum();
    return log_scale_of(share, static_cast<double>(factorized.mean.size()), log_volume);
}

}  // namespace dunlin::mixture
