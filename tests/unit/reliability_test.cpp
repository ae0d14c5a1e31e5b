// SPDX-License-Identifier: Apache-2.0
// Diagnostics per point against their definitions, summed in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <dunlin/error.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "cases/maps.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "math/symmetric.hpp"
#include "refusal.hpp"
#include "reliability/home.hpp"
#include "reliability/local_ranks.hpp"
#include "reliability/null_model.hpp"
#include "reliability/resampled.hpp"
#include "reliability/summarize.hpp"

namespace dunlin::reliability {
namespace {

Matrix random_points(Index n, Index d, std::uint64_t seed = 1) { return {n, d, made::cloud(n, d, 1, seed)}; }

Map random_map(Index n, int dim, double deviation = 5, std::uint64_t seed = 3) {
    return {dim, made::cloud(n, dim, deviation, seed)};
}

double mean_of(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// --- ranks

Graph lists(std::initializer_list<std::initializer_list<Index>> rows) {
    Graph graph;
    for (const auto& row : rows) {
        for (const Index j : row) {
            graph.targets.push_back(j);
            graph.weights.push_back(static_cast<float>(graph.targets.size()));
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

TEST(ExcessRanks, ByHand) {
    device::Cpu cpu(1);
    // Of 5 points, ranks of the others in the data up to 3; k = 2
    const Graph data = lists({{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}, {0, 1, 2}});
    const Graph map = lists({{1, 2, 3}, {3, 4, 0}, {4, 3, 1}, {2, 4, 1}, {0, 1, 2}});
    // Largest sum: two neighbors of the ranks 4 and 3 (of 4 others): 2 + 1
    EXPECT_EQ(largest_excess(5, 2, 3), 3);
    const std::vector<float> intruders = excess_ranks(cpu, map, data, 2, 3);
    EXPECT_EQ(intruders[0], 0.0F);  // 1 and 2 have the ranks 1 and 2
    EXPECT_EQ(intruders[1], 1.0F);  // 3 has rank 3, 4 counts as rank 4: 1 + 2
    EXPECT_EQ(intruders[2], 1.0F);  // 4 counts as rank 4, 3 has rank 3
    EXPECT_EQ(intruders[3], 1.0F);  // 2 has rank 3, 4 counts as rank 4
    EXPECT_EQ(intruders[4], 0.0F);
    EXPECT_EQ(excess_ranks(cpu, data, map, 2, 3)[1], 1.0F);  // 0 has rank 3, 2 counts as rank 4
}

TEST(ExcessRanks, AreZeroIfAllPointsAreNeighbors) {
    device::Cpu cpu(1);
    EXPECT_EQ(largest_excess(2, 1, 1), 0);
    EXPECT_EQ(excess_ranks(cpu, lists({{1}, {0}}), lists({{1}, {0}}), 1, 1), (std::vector<float>{0, 0}));
}

TEST(Reliability, MeansOfAllRanksAreTrustworthinessAndContinuity) {
    const Index n = 200;
    const Matrix points = random_points(n, 5);
    for (const int dim : {1, 2, 3}) {
        const Map map = random_map(n, dim);
        const Result found = evaluate(map, points.view(), {.ranks = n - 1});
        const scores::Options all{.extent = scores::Extent::full};
        EXPECT_NEAR(mean_of(found.columns.intruders), 1 - scores::trustworthiness(points.view(), map, 12, all).value,
                    1e-6);
        EXPECT_NEAR(mean_of(found.columns.lost), 1 - scores::continuity(points.view(), map, 12, all).value, 1e-6);
    }
}

TEST(Reliability, IntrudersAndLostOfAPerfectMapAreZeroAndOfAnyOtherOneUpTo1) {
    const Matrix points = random_points(500, 2);
    const Map same{2, {points.view().data, points.view().data + points.view().size()}};
    for (const auto& column :
         {evaluate(same, points.view()).columns.intruders, evaluate(same, points.view()).columns.lost})
        EXPECT_EQ(*std::max_element(column.begin(), column.end()), 0.0F);
    const Result other = evaluate(random_map(500, 2), points.view());
    EXPECT_GT(mean_of(other.columns.lost), 0.7);
    EXPECT_LE(*std::max_element(other.columns.lost.begin(), other.columns.lost.end()), 1.0F);
    EXPECT_GT(other.summary.points_torn->value, 0.9);
}

// --- the loss and its derivatives

/// KL(P, Q) in double, from all pairs.
double kl_of(const Graph& p, const std::vector<double>& y, int dim) {
    const Index n = p.size();
    const auto squared = [&](Index i, Index j) {
        double sum = 0;
        for (int c = 0; c < dim; ++c) {
            const double d = y[at(i * dim + c)] - y[at(j * dim + c)];
            sum += d * d;
        }
        return sum;
    };
    double z = 0, cost = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) z += i == j ? 0 : 1 / (1 + squared(i, j));
    }
    for (Index i = 0; i < n; ++i) {
        for (Offset e = p.offsets[at(i)]; e < p.offsets[at(i) + 1]; ++e) {
            const double weight = p.weights[at(e)];
            if (weight > 0) cost += weight * std::log(weight * (1 + squared(i, p.targets[at(e)])) * z);
        }
    }
    return cost;
}

/// KL(P, Q) by the chain rule: sum_i p_i kl_i + sum_i p_i log(p_i / q_i).
double kl_by_rows(const Graph& p, const Map& map, const std::vector<float>& kl) {
    const Index n = p.size();
    std::vector<double> q(at(n));
    double z = 0, sum = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            double r2 = 0;
            for (int c = 0; c < map.dim; ++c) {
                const double d = map.view()(i, c) - map.view()(j, c);
                r2 += d * d;
            }
            q[at(i)] += i == j ? 0 : 1 / (1 + r2);
        }
        z += q[at(i)];
    }
    for (Index i = 0; i < n; ++i) {
        double row = 0;
        for (Offset e = p.offsets[at(i)]; e < p.offsets[at(i) + 1]; ++e) row += p.weights[at(e)];
        sum += row * (static_cast<double>(kl[at(i)]) + std::log(row / q[at(i)] * z));
    }
    return sum;
}

/// Hessian of KL(P, Q) with respect to point i by differences, packed as math/symmetric.hpp.
template <int D>
void hessian_of(const Graph& p, std::vector<double> y, Index i, double (&hessian)[math::symmetric_size<D>]) {
    const double h = 1e-3;
    const auto moved = [&](int a, double by, int b, double and_by) {
        std::vector<double> other = y;
        other[at(i * D + a)] += by;
        other[at(i * D + b)] += and_by;
        return kl_of(p, other, D);
    };
    for (int a = 0; a < D; ++a) {
        for (int b = a; b < D; ++b) {
            hessian[math::packed_at<D>(a, b)] =
                (moved(a, h, b, h) - moved(a, h, b, -h) - moved(a, -h, b, h) + moved(a, -h, b, -h)) / (4 * h * h);
        }
    }
}

template <int D>
void expect_singularity_by_differences() {
    const Index n = 40;
    const Matrix points = random_points(n, 4);
    const Graph nearest = neighbors::search(points.view(), {.k = 15}).graph;
    const Graph p = tsne::affinities(nearest, 5);
    const tsne::Result made =
        tsne::embed(points.view(), {.dim = D, .perplexity = 5, .iterations = 2000}, {}, {.neighbors = &nearest});
    const Result found = evaluate(made.map, points.view(), {.perplexity = 5}, {}, {.neighbors = &nearest});
    EXPECT_NEAR(kl_by_rows(p, made.map, found.columns.kl), scores::kl(p, made.map).value, 1e-5);
    const std::vector<double> y(made.map.coordinates.begin(), made.map.coordinates.end());
    int held = 0;
    for (Index i = 0; i < n; ++i) {
        double hessian[math::symmetric_size<D>]{};
        hessian_of<D>(p, y, i, hessian);
        const double least = math::smallest_eigenvalue<D>(hessian);
        const float singularity = found.columns.singularity[at(i)];
        if (least < 1e-6) continue;  // the difference has no digits left
        ++held;
        EXPECT_NEAR(singularity * least, 1, 1e-3) << D << "-D, point " << i;
    }
    EXPECT_GT(held, n / 2);
}

TEST(Reliability, SingularityIsTheInverseOfTheLeastEigenvalueOfTheHessian) {
    expect_singularity_by_differences<1>();
    expect_singularity_by_differences<2>();
    expect_singularity_by_differences<3>();
}

TEST(Reliability, KlOfTheMapFollowsFromThatOfThePoints) {
    for (const int dim : {2, 3}) {
        const Index n = 3000;  // the potential is evaluated on a grid
        const Matrix points = random_points(n, 6);
        const Graph nearest = neighbors::search(points.view(), {.k = 90}).graph;
        const Map map = random_map(n, dim, dim == 2 ? 15 : 6);
        const Graph p = tsne::affinities(nearest, 30);
        const double kl = scores::kl(p, map).value;
        EXPECT_NEAR(kl_by_rows(p, map, evaluate(map, points.view()).columns.kl), kl, 1e-3 * kl);
    }
}

TEST(Reliability, MapsOfAnyScale) {
    const Index n = 500;
    const Matrix points = random_points(n, 6);
    const Graph p = tsne::affinities(neighbors::search(points.view(), {.k = 90}).graph, 30);
    for (const int dim : {2, 3}) {
        for (const double deviation : {1e-3, 1.0, 20.0, 1000.0, 1e6}) {
            const Map map = random_map(n, dim, deviation);
            const double kl = scores::kl(p, map).value;
            EXPECT_NEAR(kl_by_rows(p, map, evaluate(map, points.view()).columns.kl), kl, 2e-3 * kl)
                << dim << "-D, " << deviation;
        }
    }
}

TEST(Reliability, APointAtAMaximumIsUnheld) {
    // One point of two clusters sits between them, where both repel it: no minimum
    Matrix points = random_points(100, 3);
    Map map = random_map(100, 2, 1);
    for (Index i = 0; i < 100; ++i) map.coordinates[at(2 * i)] += i % 2 == 0 ? -3.0F : 3.0F;
    const Result found = evaluate(map, points.view());
    const double unheld = found.summary.points_unheld->value;
    EXPECT_GT(unheld, 0);
    EXPECT_EQ(std::lround(unheld * 100),
              std::count_if(found.columns.singularity.begin(), found.columns.singularity.end(),
                            [](float s) { return std::isinf(s); }));
    for (const float s : found.columns.singularity) EXPECT_GT(s, 0);
}

// --- resampled data

TEST(Resampled, BootstrapRowsHaveTheExpectedNumberOfDistinctOnes) {
    const Index n = 10000;
    const std::vector<Index> rows = bootstrap_rows(n, 1, 0);
    ASSERT_EQ(std::ssize(rows), n);
    const std::set<Index> distinct(rows.begin(), rows.end());
    EXPECT_NEAR(static_cast<double>(distinct.size()) / n, 1 - std::exp(-1.0), 0.01);
    EXPECT_NE(rows, bootstrap_rows(n, 1, 1));
    EXPECT_NE(rows, bootstrap_rows(n, 2, 0));
    EXPECT_EQ(rows, bootstrap_rows(n, 1, 0));
}

TEST(Resampled, ColumnsKeepTheirValuesAndLoseTheirCorrelation) {
    device::Cpu cpu(2);
    const Index n = 5000;
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) values.insert(values.end(), {static_cast<float>(i), static_cast<float>(2 * i)});
    const Matrix null = columns_resampled(cpu, {values.data(), n, 2}, 1);
    double xy = 0, xx = 0, yy = 0;
    for (Index i = 0; i < n; ++i) {
        const double x = null.view()(i, 0), y = null.view()(i, 1);
        EXPECT_EQ(x, std::floor(x));
        EXPECT_EQ(std::fmod(y, 2), 0);
        const double mean = (n - 1) / 2.0;
        xy += (x - mean) * (y - 2 * mean);
        xx += (x - mean) * (x - mean);
        yy += (y - 2 * mean) * (y - 2 * mean);
    }
    EXPECT_LT(std::abs(xy) / std::sqrt(xx * yy), 0.05);
    device::Cpu one(1);
    const Matrix again = columns_resampled(one, {values.data(), n, 2}, 1);
    EXPECT_TRUE(std::equal(again.view().data, again.view().data + again.view().size(), null.view().data));
}

TEST(BootstrapMaps, VariancesOfDistancesByHand) {
    device::Cpu cpu(1);
    // Three points on a line; in the second map the third one is twice as far
    BootstrapMaps maps(3, 1, 3);
    maps.add(0, {0, 1, 2}, {1, {0, 1, 2}});
    maps.add(1, {0, 1, 2}, {1, {0, 1, 4}});
    maps.add(2, {0, 0, 0}, {1, {5, 5, 5}});  // no other point: adds nothing
    // Mean distances 4/3 and 8/3. d01: 0.75, 0.375; d02: 1.5, 1.5; d12: 0.75, 1.125; their variances .0703125, 0,
    // .0703125
    const std::vector<double> found = maps.distance_variances(cpu, 1);
    EXPECT_NEAR(found[0], 0.0703125 / 2, 1e-12);
    EXPECT_NEAR(found[1], 0.0703125, 1e-12);
    EXPECT_NEAR(found[2], 0.0703125 / 2, 1e-12);
}

TEST(SharesBelow, CountTiesHalfAndTheValueItself) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> found = shares_below(std::vector<float>{0, 2, 9, nan}, {3, 1, 2, nan});
    EXPECT_FLOAT_EQ(found[0], 0.5F / 4);
    EXPECT_FLOAT_EQ(found[1], (1 + 0.5F + 0.5F) / 4);
    EXPECT_FLOAT_EQ(found[2], 3.5F / 4);
    EXPECT_TRUE(std::isnan(found[3]));
}

TEST(PrincipalAxes, AreThoseOfTheCovariance) {
    device::Cpu cpu(2);
    const Index n = 2000;
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i);
        const double a = 5 * math::random_normal(1, item, 0), b = math::random_normal(1, item, 1);
        values.insert(values.end(),
                      {100 + static_cast<float>(0.6 * a - 0.8 * b), static_cast<float>(0.8 * a + 0.6 * b)});
    }
    const auto axes = principal_axes(cpu, {values.data(), n, 2});
    ASSERT_EQ(axes.size(), 2U);
    EXPECT_NEAR(axes[0][0], 0.6, 0.02);
    EXPECT_NEAR(axes[0][1], 0.8, 0.02);
    EXPECT_NEAR(axes[0][0] * axes[1][0] + axes[0][1] * axes[1][1], 0, 1e-4);
    const std::vector<float> equal(20, 3.0F);
    EXPECT_TRUE(principal_axes(cpu, {equal.data(), 10, 2}).empty());
}

// --- the shares

TEST(Summarize, SharesOfTheGivenColumns) {
    const Map map{2, {0, 0, 1, 0, 2, 0, 100, 0}};
    Columns columns;
    columns.home = {0, 6, std::numeric_limits<float>::quiet_NaN(), 0};
    columns.lost = {0.4F, 0.6F, 0.7F, 0.5F};
    const Summary found = summarize(map, columns);
    EXPECT_EQ(found.nn_distance, 1);
    EXPECT_NEAR(found.points_elsewhere->value, 1.0 / 3, 1e-12);  // above 5% of the span of 100
    EXPECT_GT(found.points_elsewhere->se, 0);                    // of three of four points
    EXPECT_EQ(found.points_torn->value, 0.5);
    EXPECT_EQ(found.points_torn->se, 0);
    EXPECT_FALSE(found.points_unheld);
    columns.lost.pop_back();
    EXPECT_NE(refusal(Fault::bad_input, [&] { summarize(map, columns); }).find("lost"), std::string::npos);
}

TEST(Summarize, TheUnitIgnoresCoincidentPoints) {
    const Map map{1, {0, 0, 0, 0, 5, 5, 5}};
    EXPECT_EQ(summarize(map, {}).nn_distance, 5);
    EXPECT_TRUE(std::isnan(summarize({1, {2, 2, 2}}, {}).nn_distance));
}

}  // namespace
}  // namespace dunlin::reliability
