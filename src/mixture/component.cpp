// SPDX-License-Identifier: Apache-2.0
#include "mixture/component.hpp"

#include <lapacke.h>

#include <cmath>
#include <numbers>

namespace dunlin::mixture {

namespace {

bool is_diagonal(const Square& covariance) { return covariance.cols() == 1; }

Vector less(const float* x, const Vector& origin) {
    return Eigen::Map<const Eigen::VectorXf>(x, origin.size()).cast<double>() - origin;
}

}  // namespace

double Component::log_density(const float* x, Vector& scratch) const {
    scratch = less(x, mean);
    if (is_diagonal(whitening)) {
        scratch.array() *= whitening.array();
    } else {
        whitening.triangularView<Eigen::Lower>().solveInPlace(scratch);
    }
    return log_scale - 0.5 * scratch.squaredNorm();
}

ComponentMoments::ComponentMoments(Index cols, Covariance covariance)
    : first(Vector::Zero(cols)), second(Square::Zero(cols, covariance == Covariance::diagonal ? 1 : cols)) {}

void ComponentMoments::add(double responsibility, const float* x, const Vector& origin, Vector& scratch) {
    scratch = less(x, origin);
    weight += responsibility;
    first += responsibility * scratch;
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

Component maximized(const Component& before, const ComponentMoments& moments, double n, double floor) {
    if (moments.weight <= 0) return {0, before.mean, before.covariance, {}, 0};
    const Vector step = moments.first / moments.weight;
    Component component{moments.weight / n, before.mean + step, moments.second / moments.weight, {}, 0};
    if (is_diagonal(component.covariance)) {
        component.covariance.array() += floor - step.array().square();
    } else {
        component.covariance -= step * step.transpose();
        component.covariance.diagonal().array() += floor;
    }
    return component;
}

bool factorize(Component& component) {
    const auto cols = static_cast<double>(component.mean.size());
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
    component.log_scale = std::log(component.share) - 0.5 * cols * std::log(2 * std::numbers::pi) - log_volume;
    return true;
}

}  // namespace dunlin::mixture
