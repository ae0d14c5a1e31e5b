// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "math/rng.hpp"
#include "math/symmetric.hpp"
#include "placement/loss.hpp"
#include "placement/minimize.hpp"

namespace dunlin::placement {
namespace {

using forces::Fuzzy, forces::FurtherPairs, forces::GeneralStudentT, forces::StudentT;

std::vector<float> random_map(Index n, int dim, double scale, std::uint64_t seed = 1) {
    std::vector<float> map(static_cast<std::size_t>(n * dim));
    for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<float>(scale * math::random_normal(seed, i));
    return map;
}

/// A point's edges to all rows of a map, with random affinities of sum 1.
struct RandomEdges {
    std::vector<Index> targets;
    std::vector<float> weights;

    explicit RandomEdges(Index n, std::uint64_t seed = 2) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) {
            targets.push_back(j);
            weights.push_back(static_cast<float>(math::random_uniform(seed, static_cast<std::uint64_t>(j))));
            sum += static_cast<double>(weights.back());
        }
        for (float& weight : weights) weight /= static_cast<float>(sum);
    }
    [[nodiscard]] Edges in(const std::vector<float>& map) const {
        return {map.data(), targets.data(), weights.data(), static_cast<Index>(targets.size())};
    }
};

template <int D, class Law>
Field<D, Law> exact_field(const std::vector<float>& map, Law law = {}) {
    Field<D, Law> field;
    field.law = law;
    field.map = map.data();
    field.points = static_cast<Index>(map.size()) / D;
    return field;
}

/// Compares the gradient with differences of the value, and the Hessian with differences of the gradient.
template <int D, class Loss>
void expect_derivatives(const Loss& loss, const double (&y)[D], double tolerance) {
    constexpr double h = 1e-5;
    const math::Expansion<D> here = loss.at(y);
    for (int d = 0; d < D; ++d) {
        double up[D], down[D];
        for (int c = 0; c < D; ++c) up[c] = down[c] = y[c];
        up[d] += h;
        down[d] -= h;
        const auto above = loss.at(up), below = loss.at(down);
        EXPECT_NEAR(here.gradient[d], (above.value - below.value) / (2 * h), tolerance) << "axis " << d;
        for (int e = 0; e < D; ++e) {
            EXPECT_NEAR(here.hessian[math::packed_at<D>(std::min(d, e), std::max(d, e))],
                        (above.gradient[e] - below.gradient[e]) / (2 * h), tolerance)
                << "axes " << d << " " << e;
        }
    }
}

template <int D, class Law>
void expect_derivatives_of_losses(Law law) {
    const Index n = 25;
    const std::vector<float> map = random_map(n, D, 3);
    const RandomEdges edges(n);
    const Field<D, Law> field = exact_field<D>(map, law);
    double y[D];
    for (int d = 0; d < D; ++d) y[d] = 0.3 + 0.4 * d;
    expect_derivatives<D>(loss_of_new(field, edges.in(map), 40.0), y, 2e-7);
    expect_derivatives<D>(loss_of_left_out(field, edges.in(map), 60.0, 3), y, 2e-7);
    expect_derivatives<D>(PointLoss<D, Law, WeightedRepulsion>{field, edges.in(map), {0.2}, nullptr}, y, 2e-7);
}

TEST(PointLoss, DerivativesAreThoseOfItsValue) {
    expect_derivatives_of_losses<1>(StudentT());
    expect_derivatives_of_losses<2>(StudentT());
    expect_derivatives_of_losses<3>(StudentT());
    expect_derivatives_of_losses<2>(GeneralStudentT{.freedom = 0.5F});
    expect_derivatives_of_losses<3>(GeneralStudentT{.freedom = 2});
    expect_derivatives_of_losses<2>(Fuzzy());
    expect_derivatives_of_losses<3>(Fuzzy());
    expect_derivatives_of_losses<1>(FurtherPairs());
    expect_derivatives_of_losses<2>(FurtherPairs());
    expect_derivatives_of_losses<3>(FurtherPairs());
}

/// KL(P, Q) of a map of n points whose row i moves to y; P has row i's affinities `p` in both directions.
double kl_with_row_at(const std::vector<float>& map, Index n, Index i, const std::vector<double>& p, const double* y) {
    std::vector<double> at(map.begin(), map.end());
    at[static_cast<std::size_t>(2 * i)] = y[0];
    at[static_cast<std::size_t>(2 * i + 1)] = y[1];
    double normalizer = 0, cost = 0;
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < n; ++b) {
            if (a == b) continue;
            const auto u = static_cast<std::size_t>(2 * a), v = static_cast<std::size_t>(2 * b);
            const double r2 = std::pow(at[u] - at[v], 2) + std::pow(at[u + 1] - at[v + 1], 2);
            normalizer += 1 / (1 + r2);
            if (a == i) cost += 2 * p[static_cast<std::size_t>(b)] * std::log(1 + r2);
        }
    }
    return cost + std::log(normalizer);
}

TEST(PointLoss, OfARowThatIsLeftOutIsKlOfTheMap) {
    const Index n = 40, i = 7;
    const std::vector<float> map = random_map(n, 2, 2);
    RandomEdges edges(n);
    edges.weights[static_cast<std::size_t>(i)] = 0;
    std::vector<double> p;  // p_ij, of the map's joint distribution
    for (const float weight : edges.weights) p.push_back(static_cast<double>(weight) / n);
    double normalizer = 0;
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < n; ++b) {
            if (a == b) continue;
            const float u = map[static_cast<std::size_t>(2 * a)] - map[static_cast<std::size_t>(2 * b)];
            const float v = map[static_cast<std::size_t>(2 * a + 1)] - map[static_cast<std::size_t>(2 * b + 1)];
            normalizer += 1 / (1 + static_cast<double>(u) * u + static_cast<double>(v) * v);
        }
    }
    const auto loss = loss_of_left_out(exact_field<2, StudentT>(map), edges.in(map), normalizer, i);
    const double own[2] = {map[2 * i], map[2 * i + 1]};
    const double there[2] = {own[0] + 1.5, own[1] - 0.7};
    EXPECT_NEAR(2.0 / n * (loss.at(there).value - loss.at(own).value),
                kl_with_row_at(map, n, i, p, there) - kl_with_row_at(map, n, i, p, own), 1e-9);

    // H_i = 4 sum_j p_ij (q I - 2 q^2 d d^T) + (2 / Z) Hess Phi - (16 / Z^2) g g^T, g = sum q^2 d
    double hessian[3]{}, g[2]{}, potential[3]{};
    for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        const double d[2] = {own[0] - static_cast<double>(map[static_cast<std::size_t>(2 * j)]),
                             own[1] - static_cast<double>(map[static_cast<std::size_t>(2 * j + 1)])};
        const double q = 1 / (1 + d[0] * d[0] + d[1] * d[1]);
        for (int a = 0; a < 2; ++a) {
            g[a] += q * q * d[a];
            for (int b = a; b < 2; ++b) {
                const int m = math::packed_at<2>(a, b);
                const double unit = a == b ? 1 : 0;
                hessian[m] += 4 * p[static_cast<std::size_t>(j)] * (q * unit - 2 * q * q * d[a] * d[b]);
                potential[m] += -2 * q * q * unit + 8 * q * q * q * d[a] * d[b];
            }
        }
    }
    for (int a = 0; a < 2; ++a) {
        for (int b = a; b < 2; ++b) {
            const int m = math::packed_at<2>(a, b);
            hessian[m] += 2 / normalizer * potential[m] - 16 / (normalizer * normalizer) * g[a] * g[b];
        }
    }
    const auto here = loss.at(own);
    for (int m = 0; m < 3; ++m) EXPECT_NEAR(2.0 / n * here.hessian[m], hessian[m], 1e-9);
}

template <int D, class Law>
void expect_field_of_grid(double scale, double of_value, double of_slope, double of_curvature) {
    const Index n = 2000;
    const std::vector<float> map = random_map(n, D, scale);
    device::Cpu cpu(2);
    const MapField<Law> grid(cpu, {map.data(), n, D}, false, 0), exact(cpu, {map.data(), n, D}, true, 0);
    EXPECT_NEAR(grid.normalizer() / exact.normalizer(), 1, 1e-3);
    const std::vector<float> places = random_map(200, D, scale, 5);
    double value = 0, slope = 0, curvature = 0, largest = 0, steepest = 0, sharpest = 0;
    for (Index i = 0; i < 200; ++i) {
        double y[D];
        for (int d = 0; d < D; ++d) y[d] = static_cast<double>(places[static_cast<std::size_t>(i * D + d)]);
        const auto a = grid.template view<D>().at(y), b = exact.template view<D>().at(y);
        value = std::max(value, std::abs(a.value - b.value));
        largest = std::max(largest, b.value);
        for (int d = 0; d < D; ++d) {
            slope = std::max(slope, std::abs(a.gradient[d] - b.gradient[d]));
            steepest = std::max(steepest, std::abs(b.gradient[d]));
        }
        for (int m = 0; m < math::symmetric_size<D>; ++m) {
            curvature = std::max(curvature, std::abs(a.hessian[m] - b.hessian[m]));
            sharpest = std::max(sharpest, std::abs(b.hessian[m]));
        }
    }
    EXPECT_LE(value, of_value * largest);
    EXPECT_LE(slope, of_slope * steepest);
    EXPECT_LE(curvature, of_curvature * sharpest);
}

TEST(MapField, GridAgreesWithTheExactSum) {
    expect_field_of_grid<2, StudentT>(20, 1e-3, 5e-3, 2e-2);
    expect_field_of_grid<2, StudentT>(0.5, 1e-4, 1e-3, 2e-3);
    expect_field_of_grid<3, StudentT>(6, 1e-3, 5e-3, 5e-2);
    expect_field_of_grid<2, GeneralStudentT>(20, 1e-3, 5e-3, 2e-2);
}

TEST(MapField, ActsFromTheCenterOutsideTheGrid) {
    const std::vector<float> map = random_map(500, 2, 1);
    device::Cpu cpu(1);
    const MapField<StudentT> grid(cpu, {map.data(), 500, 2}, false, 0), exact(cpu, {map.data(), 500, 2}, true, 0);
    const double far[2] = {60, -80};
    EXPECT_NEAR(grid.view<2>().at(far).value / exact.view<2>().at(far).value, 1, 1e-2);
    EXPECT_NEAR(grid.view<2>().at(far).gradient[0] / exact.view<2>().at(far).gradient[0], 1, 1e-2);
}

TEST(MapField, OfOnePointIsItsPotential) {
    const std::vector<float> map = {1, 2, 3};
    device::Cpu cpu(1);
    for (const bool exact : {true, false}) {
        const MapField<StudentT> field(cpu, {map.data(), 1, 3}, exact, 0);
        const double y[3] = {1, 2, 5};
        EXPECT_NEAR(field.view<3>().at(y).value, 0.2, 1e-4);
        EXPECT_NEAR(field.normalizer(), 0, 1e-4);
    }
}

TEST(Symmetric, SmallestEigenvaluesAndSolutions) {
    EXPECT_EQ(math::smallest_eigenvalue<1>({3}), 3);
    EXPECT_NEAR(math::smallest_eigenvalue<2>({2, 2, 1}), 1, 1e-14);
    EXPECT_NEAR(math::smallest_eigenvalue<3>({2, 2, 2, -1, 0, -1}), 2 - std::sqrt(2), 1e-12);
    EXPECT_EQ(math::smallest_eigenvalue<3>({4, 4, 4, 0, 0, 0}), 4);
    EXPECT_NEAR(math::smallest_eigenvalue<3>({1, 5, -3, 0, 0, 0}), -3, 1e-12);
    const double m[6] = {4, 5, 6, 1, 2, 3}, right[3] = {1, 2, 3};
    double x[3];
    math::solve_shifted<3>(m, 1, right, x);
    EXPECT_NEAR(5 * x[0] + 1 * x[1] + 2 * x[2], 1, 1e-12);
    EXPECT_NEAR(1 * x[0] + 6 * x[1] + 3 * x[2], 2, 1e-12);
    EXPECT_NEAR(2 * x[0] + 3 * x[1] + 7 * x[2], 3, 1e-12);
}

/// (y - 3)^2 (y + 2)^2 + y / 10: minima near -2, the lower one, and 3.
struct TwoWells {
    [[nodiscard]] math::Expansion<1> at(const double (&y)[1]) const {
        const double x = y[0], a = x - 3, b = x + 2;
        math::Expansion<1> sum;
        sum.value = a * a * b * b + x / 10;
        sum.gradient[0] = 2 * a * b * (a + b) + 0.1;
        sum.hessian[0] = 2 * (a + b) * (a + b) + 4 * a * b;
        return sum;
    }
    [[nodiscard]] static double rounding(const math::Expansion<1>&) { return 0; }
};

TEST(Minimize, FindsTheMinimumOfItsBasinAndTheGap) {
    const auto never = [](const double(&)[1]) { return false; };
    const MinimizeRule rule{50, 1e-10};
    const Minimum<1> high = minimize<1>(TwoWells(), {1.1}, rule, never);
    EXPECT_TRUE(high.converged);
    EXPECT_NEAR(high.y[0], 3, 0.01);
    double starts[most_starts][1] = {{1.1}, {3.5}, {-40}};
    const Place<1> place = place_from<1>(TwoWells(), starts, 3, rule, 0.5);
    EXPECT_NEAR(place.minimum.y[0], -2, 0.01);
    EXPECT_NEAR(place.gap, 0.5, 0.01);
    EXPECT_EQ(place_from<1>(TwoWells(), starts, 2, rule, 0.5).gap, std::numeric_limits<double>::infinity());
    EXPECT_EQ(minimize<1>(TwoWells(), {1.1}, {0, 1e-10}, never).y[0], 1.1);
}

TEST(Starts, AreTheMedianOfTenAndTheNearest) {
    std::vector<float> map;
    for (int i = 0; i < 12; ++i) map.push_back(static_cast<float>(i * i));
    const Index nearest[12] = {4, 2, 3, 1, 0, 5, 6, 7, 8, 9, 11, 10};
    double starts[most_starts][1];
    EXPECT_EQ(starts_of<1>(map.data(), nearest, 12, 4, 0, starts), 4);
    EXPECT_EQ(starts[0][0], (16 + 25) / 2.0);
    EXPECT_EQ(starts[1][0], 16);
    EXPECT_EQ(starts[3][0], 9);
    EXPECT_EQ(starts_of<1>(map.data(), nearest, 3, 16, 0, starts), 3);  // the median is one of them
    EXPECT_EQ(starts[0][0], 9);
    EXPECT_EQ(starts_of<1>(map.data(), nearest, 0, 4, 0, starts), 0);
    EXPECT_EQ(starts_of<1>(map.data(), nearest, 12, 4, 8, starts), 4);  // 16 is within 8 of the median
    EXPECT_EQ(starts[1][0], 4);
    const std::vector<float> copies{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5};
    const Index all[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    EXPECT_EQ(starts_of<1>(copies.data(), all, 12, 4, 0.1, starts), 2);
    EXPECT_EQ(starts[1][0], 5);
}

}  // namespace
}  // namespace dunlin::placement
