// SPDX-License-Identifier: Apache-2.0
#include "mixture/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mixture {

namespace {

/// A component's axes: a row's coordinates are axes^T ((x - mean) / units), with these variances by the covariance.
/// Without a matrix of axes they are the columns.
struct Axes {
    Vector units, variances;
    Square axes;

    [[nodiscard]] Vector coordinates(const float* x, const Vector& mean) const {
        Vector all = difference(x, mean).array() / units.array();
        if (axes.size() > 0) all = axes.transpose() * all;
        return all;
    }
    /// A step of 1 along an axis, in the units of the columns.
    [[nodiscard]] Vector direction(Eigen::Index axis) const {
        Vector step = Vector::Unit(units.size(), axis);
        if (axes.size() > 0) step = axes.col(axis);
        return step.cwiseProduct(units);
    }
};

Axes axes_of(const Square& covariance) {
    if (covariance.cols() == 1) return {covariance.array().sqrt(), Vector::Ones(covariance.rows()), {}};
    const Vector units = covariance.diagonal().array().sqrt();
    const Vector inverse = units.cwiseInverse();
    const Square whole = covariance.selfadjointView<Eigen::Lower>();
    const Eigen::SelfAdjointEigenSolver<Square> principal(inverse.asDiagonal() * whole * inverse.asDiagonal());
    return {units, principal.eigenvalues(), principal.eigenvectors()};
}

/// Sums over the rows of a component: of the coordinates on each axis, of those above 0, and of squares.
struct HalvedRows {
    double rows = 0;
    Vector above, sum, sum_above, squares;

    explicit HalvedRows(Eigen::Index cols) : above(Vector::Zero(cols)), sum(above), sum_above(above), squares(above) {}

    void add(const Vector& y) {
        ++rows;
        above.array() += (y.array() > 0).cast<double>();
        sum += y;
        sum_above += y.cwiseMax(0);
        squares += y.cwiseAbs2();
    }
    [[nodiscard]] double below(Eigen::Index axis) const { return rows - above[axis]; }
    [[nodiscard]] double mean_above(Eigen::Index axis) const { return sum_above[axis] / above[axis]; }
    [[nodiscard]] double mean_below(Eigen::Index axis) const { return (sum[axis] - sum_above[axis]) / below(axis); }
    /// Sum of squares about the mean, and the part of it between the halves.
    [[nodiscard]] double total(Eigen::Index axis) const { return squares[axis] - sum[axis] * sum[axis] / rows; }
    [[nodiscard]] double between(Eigen::Index axis) const {
        const double apart = mean_above(axis) - mean_below(axis);
        return above[axis] * below(axis) / rows * apart * apart;
    }
};

/// A component and the axis along which it is divided.
struct SplitPlace {
    double gain = -std::numeric_limits<double>::infinity();
    std::size_t component = 0;
    Eigen::Index axis = -1;  ///< -1: none
    double share_above = 0;  ///< of the component's rows
    double apart = 0;        ///< the means of the halves
};

/// Rows that a half must have: fewer have a covariance of the floor.
double least_rows(Eigen::Index cols, Covariance form) {
    return form == Covariance::full ? static_cast<double>(cols) + 1 : 2;
}

/// What the log likelihood gains if the rows are divided, but for the shares: half of the rows whose variance changes
/// times the logarithm of its ratio.
double gain_of_variance(const HalvedRows& sides, const Axes& axes, Eigen::Index axis, double n, Covariance form) {
    constexpr double most = 1 - 1e-6;  // halves without a variance have that of the floor
    const double between = sides.between(axis);
    double rows = sides.rows, total = sides.total(axis);
    if (form == Covariance::spherical) {
        const auto cols = static_cast<double>(axes.units.size());
        rows *= cols;
        total = 0;
        for (Eigen::Index j = 0; j < axes.units.size(); ++j) total += sides.total(j);
    } else if (form == Covariance::tied) {
        rows = n;
        total = n * axes.variances[axis];
    }
    if (!(total > 0)) return 0;
    return -0.5 * rows * std::log1p(-std::min(most, between / total));
}

SplitPlace best_place(const HalvedRows& sides, const Axes& axes, std::size_t component, double n, Covariance form) {
    SplitPlace best;
    const double least = least_rows(axes.units.size(), form);
    for (Eigen::Index axis = 0; axis < axes.units.size(); ++axis) {
        const double above = sides.above[axis], below = sides.below(axis);
        if (above < least || below < least || !(sides.between(axis) > 0)) continue;
        const double gain = gain_of_variance(sides, axes, axis, n, form) + above * std::log(above / sides.rows) +
                            below * std::log(below / sides.rows);
        if (!(gain > best.gain)) continue;
        best = {gain, component, axis, above / sides.rows, sides.mean_above(axis) - sides.mean_below(axis)};
    }
    return best;
}

/// Rows in the order of their labels, and where those of a label begin.
struct RowsByLabel {
    std::vector<Index> rows;
    std::vector<Offset> begin;
};

RowsByLabel rows_by_label(const std::vector<Index>& labels, std::size_t count) {
    RowsByLabel sorted{std::vector<Index>(labels.size()), std::vector<Offset>(count + 1)};
    for (const Index label : labels) ++sorted.begin[at(label) + 1];
    std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
    std::vector<Offset> next(sorted.begin.begin(), sorted.begin.end() - 1);
    for (std::size_t r = 0; r < labels.size(); ++r) sorted.rows[at(next[at(labels[r])]++)] = static_cast<Index>(r);
    return sorted;
}

/// The covariance less that between the halves along the axis, `between`.
Square covariance_of_halves(const Square& covariance, const Axes& axes, const SplitPlace& place, double between,
                            Covariance form) {
    Square rest = covariance;
    if (form == Covariance::spherical) {
        rest *= 1 - between / static_cast<double>(axes.units.size());
    } else if (form == Covariance::diagonal) {
        rest(place.axis, 0) *= 1 - between;
    } else {
        rest.selfadjointView<Eigen::Lower>().rankUpdate(axes.direction(place.axis), -between);
    }
    return rest;
}

/// Puts the halves in the place of the component and at the end. They keep its mean and covariance, hence those of the
/// mixture, from which a tied covariance follows in later steps; so they are less far apart if the variance between
/// them were more than 0.99 of the whole, which keeps the rest definite. False: a covariance is singular.
bool divide(std::vector<Component>& components, const Axes& axes, const SplitPlace& place, Covariance form) {
    const bool tied = form == Covariance::tied;
    const double share = components[place.component].share;
    Component& owner = components[tied ? 0 : place.component];
    const double above = place.share_above, below = 1 - above;
    const double wanted = above * below * place.apart * place.apart * (tied ? share : 1);
    const bool spherical = form == Covariance::spherical;  // the sum of all axes becomes less
    const double variance = spherical ? static_cast<double>(axes.units.size()) : axes.variances[place.axis];
    const double between = std::min(wanted, 0.99 * variance);
    owner.covariance = covariance_of_halves(owner.covariance, axes, place, between, form);
    Component other = components[place.component];
    if (tied) other.covariance = other.whitening = {};
    const Vector step = place.apart * std::sqrt(between / wanted) * axes.direction(place.axis);
    Component& half = components[place.component];
    half.mean += below * step;
    other.mean -= above * step;
    half.share = share * above;
    other.share = share * below;
    components.push_back(std::move(other));
    if (!tied) return factorize(components[place.component]) && factorize(components.back());
    if (!factorize(components.front())) return false;
    for (Component& component : components) component.log_scale = log_scale_beside(components.front(), component.share);
    return true;
}

}  // namespace

FitState split(device::Cpu& cpu, MatrixView<const float> points, const std::vector<Index>& labels,
               const FitState& mixture, Covariance form) {
    const std::vector<Component>& components = mixture.components;
    const bool tied = form == Covariance::tied;
    const RowsByLabel sorted = rows_by_label(labels, components.size());
    const Axes shared = tied ? axes_of(components.front().covariance) : Axes{};
    std::vector<SplitPlace> places(components.size());
    const auto find_place = [&](Offset at_component) {
        const std::size_t k = at(at_component);
        const Axes own = tied ? Axes{} : axes_of(components[k].covariance);
        const Axes& axes = tied ? shared : own;
        HalvedRows sides(axes.units.size());
        for (Offset i = sorted.begin[k]; i < sorted.begin[k + 1]; ++i) {
            if (i % 256 == 0) progress::cancellation_point();
            sides.add(axes.coordinates(points.row(sorted.rows[at(i)]).data(), components[k].mean));
        }
        if (sides.rows > 0) places[k] = best_place(sides, axes, k, static_cast<double>(points.rows), form);
    };
    cpu.each(static_cast<Offset>(components.size()), find_place, 1);
    const auto best = std::max_element(places.begin(), places.end(),
                                       [](const SplitPlace& a, const SplitPlace& b) { return a.gain < b.gain; });
    FitState halves{mixture.components, mixture.floors};
    if (best->axis < 0) return {};
    const Axes axes = tied ? shared : axes_of(components[best->component].covariance);
    return divide(halves.components, axes, *best, form) ? halves : FitState{};
}

FitState with_one_twice(FitState mixture, Covariance form) {
    Component& first = mixture.components.front();
    first.share /= 2;
    first.log_scale -= std::log(2);
    Component other = first;
    if (form == Covariance::tied) other.covariance = other.whitening = {};
    mixture.components.push_back(std::move(other));
    return mixture;
}

std::uint64_t bytes_of_split(Index rows, Index cols, Index components, Covariance form) {
    const auto n = static_cast<std::uint64_t>(rows), d = static_cast<std::uint64_t>(cols),
               k = static_cast<std::uint64_t>(components);
    const bool has_matrices = form == Covariance::full || form == Covariance::tied;
    const std::uint64_t of_component = sizeof(double) * (3 * d + (form == Covariance::full ? 2 * d * d : 2 * d));
    // labels and rows in their order; three mixtures; the axes of a component
    return 2 * n * sizeof(Index) + 3 * k * of_component + (has_matrices ? 4 * d * d * sizeof(double) : 0);
}

}  // namespace dunlin::mixture
