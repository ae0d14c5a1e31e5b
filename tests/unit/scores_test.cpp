// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "cases/cases.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"
#include "scores/data_ranks.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {
namespace {

using neighbors::Metric;

Matrix random_points(Index n, Index d, std::uint64_t seed, float offset = 0) {
    std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(d));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(math::random_normal(seed, i)) + offset;
    }
    return {n, d, std::move(values)};
}

Map random_map(Index n, int dim, std::uint64_t seed, float scale = 10) {
    Map map{dim, {}};
    for (Offset i = 0; i < Offset{n} * dim; ++i) {
        map.coordinates.push_back(scale * static_cast<float>(math::random_normal(seed, static_cast<std::uint64_t>(i))));
    }
    return map;
}

/// A ring: edges from every point to its two neighbors, with different weights that sum to 1.
Graph ring(Index n) {
    Graph graph;
    for (Index i = 0; i < n; ++i) {
        for (const Index step : {1, -1}) {
            graph.targets.push_back((i + step + n) % n);
            graph.weights.push_back((step > 0 ? 0.75F : 0.25F) / static_cast<float>(n));
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

double distance(Metric metric, std::span<const float> x, std::span<const float> y) {
    double square = 0, absolute = 0, xy = 0, xx = 0, yy = 0;
    const double count = static_cast<double>(x.size());
    const bool centered = metric == Metric::correlation;
    const double mean_x = centered ? std::accumulate(x.begin(), x.end(), 0.0) / count : 0;
    const double mean_y = centered ? std::accumulate(y.begin(), y.end(), 0.0) / count : 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
        const double a = static_cast<double>(x[c]) - mean_x, b = static_cast<double>(y[c]) - mean_y;
        square += (a - b) * (a - b);
        absolute += std::abs(a - b);
        xy += a * b, xx += a * a, yy += b * b;
    }
    if (metric == Metric::euclidean) return square;
    if (metric == Metric::manhattan) return absolute;
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    return 1 - xy / std::sqrt(xx * yy);
}

/// The points other than i, sorted by (distance, id).
std::vector<Index> order_from(Metric metric, MatrixView<const float> points, Index i) {
    std::vector<std::pair<double, Index>> others;
    for (Index j = 0; j < points.rows; ++j) {
        if (j != i) others.emplace_back(distance(metric, points.row(i), points.row(j)), j);
    }
    std::sort(others.begin(), others.end());
    std::vector<Index> order;
    for (const auto& other : others) order.push_back(other.second);
    return order;
}

struct Expected {
    double trustworthiness = 1, preservation = 0;
};

Expected by_definition(Metric metric, MatrixView<const float> points, const Map& map, Index k) {
    Expected expected;
    const double n = points.rows;
    for (Index i = 0; i < points.rows; ++i) {
        const auto data = order_from(metric, points, i);
        const auto near = order_from(Metric::euclidean, map.view(), i);
        for (Index m = 0; m < k; ++m) {
            const auto rank =
                1 + (std::find(data.begin(), data.end(), near[static_cast<std::size_t>(m)]) - data.begin());
            if (rank <= k) expected.preservation += 1 / (n * k);
            if (rank > k) expected.trustworthiness -= 2 / (n * k * (2 * n - 3 * k - 1)) * static_cast<double>(rank - k);
        }
    }
    return expected;
}

double kl_by_definition(const Graph& p, const Map& map) {
    const auto q = [&](Index i, Index j) {
        return 1 / (1 + distance(Metric::euclidean, map.view().row(i), map.view().row(j)));
    };
    double z = 0, sum = 0;
    for (Index i = 0; i < map.size(); ++i) {
        for (Index j = 0; j < map.size(); ++j) z += i == j ? 0 : q(i, j);
    }
    for (Index i = 0; i < map.size(); ++i) {
        for (auto e = p.offsets[static_cast<std::size_t>(i)]; e < p.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const double weight = static_cast<double>(p.weights[static_cast<std::size_t>(e)]);
            sum += weight * std::log(weight / (q(i, p.targets[static_cast<std::size_t>(e)]) / z));
        }
    }
    return sum;
}

TEST(Kl, OfThreePointsByHand) {
    // Sides 1, 1 and 2: q = 1/2, 1/2, 1/5, Z = 2 (1/2 + 1/2 + 1/5) = 12/5. All of p on the two short sides.
    const Map map{2, {0, 0, 1, 0, 2, 0}};
    const Graph p{{0, 1, 3, 4}, {1, 0, 2, 1}, {0.25F, 0.25F, 0.25F, 0.25F}};
    EXPECT_NEAR(kl(p, map).value, std::log(0.25 / (0.5 / 2.4)), 1e-7);
    EXPECT_EQ(kl(p, map).se, 0);
}

TEST(Kl, IsTheDefinitionAtAwkwardSizes) {
    for (const int dim : {2, 3}) {
        for (const Index n : {2, 3, 31, 32, 33, 511, 513, 1100}) {
            const Map map = random_map(n, dim, 5);
            EXPECT_NEAR(kl(ring(n), map).value, kl_by_definition(ring(n), map), 2e-6) << n << " points, dim " << dim;
        }
    }
}

TEST(Kl, OfCoincidentPointsIsThatOfAUniformQ) {
    const Index n = 40;
    const Map map{2, std::vector<float>(80, 3.0F)};
    const double entropy = 0.75 * std::log(0.75 / n) + 0.25 * std::log(0.25 / n);
    EXPECT_NEAR(kl(ring(n), map).value, entropy + std::log(n * (n - 1.0)), 1e-6);
}

TEST(Kl, RefusesWhatItCannotUse) {
    EXPECT_THROW((void)kl(ring(4), random_map(5, 2, 1)), Error);
    EXPECT_THROW((void)kl(ring(1), random_map(1, 2, 1)), Error);
    EXPECT_THROW((void)kl(Graph{}, Map{}), Error);
    EXPECT_THROW((void)kl(ring(4), random_map(4, 4, 1)), Error);
    const auto said = refusal(Fault::bad_input, [] { (void)kl(ring(4), random_map(5, 2, 1)); });
    EXPECT_NE(said.find("4 points and the map has 5"), std::string::npos) << said;
}

TEST(Trustworthiness, OfSixPointsByHand) {
    // Data 0 1 2 3 4 5 on a line; in the map the first point lies beyond the last: order 1 2 3 4 5 0.
    const Matrix points(6, 1, {0, 1, 2, 3, 4, 5});
    const Map map{2, {6, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}};
    // k = 1, ties by id. Map neighbors: 0 -> 5 (rank 5), 1 -> 2 (0 and 2 tie, 0 first: rank 2), 2 -> 1, 3 -> 2,
    // 4 -> 3, 5 -> 0 (4 and 0 tie, 0 first; rank 5). Lacks 4 + 1 + 0 + 0 + 0 + 4 = 9; 2 / (6 * 1 * 8) * 9 = 3/8.
    EXPECT_DOUBLE_EQ(trustworthiness(points.view(), map, 1).value, 1 - 0.375);
    EXPECT_DOUBLE_EQ(preservation(points.view(), map, 1).value, 0.5);
}

TEST(Trustworthiness, OfAMapThatIsTheDataIsOne) {
    const Map map = random_map(1000, 2, 3);
    const MatrixView<const float> points = map.view();
    EXPECT_EQ(trustworthiness(points, map).value, 1);
    EXPECT_EQ(preservation(points, map, 10).value, 1);
}

TEST(RankScores, AreTheDefinitionForEveryMetricAndAwkwardSizes) {
    // float32 may swap two neighbors that are equally far to seven digits
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation}) {
        for (const Index n : {3, 7, 31, 32, 33, 257, 400}) {
            const Index d = n == 33 ? 300 : 5;
            const Matrix points = random_points(n, d, 7);
            const Map map = random_map(n, 2, 8);
            const Index k = std::min<Index>(12, (n - 1) / 2);
            const Expected expected = by_definition(metric, points.view(), map, k);
            EXPECT_NEAR(trustworthiness(points.view(), map, k, {.metric = metric}).value, expected.trustworthiness,
                        4.0 / (n * n));
            EXPECT_NEAR(preservation(points.view(), map, k, {.metric = metric}).value, expected.preservation,
                        4.0 / (n * n));
        }
    }
}

TEST(RankScores, BreakTiesByIdInDataFullOfDuplicates) {
    const Index n = 300;
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) values.insert(values.end(), {static_cast<float>(i % 3), static_cast<float>(i % 2)});
    const Matrix points(n, 2, values);
    for (const Map& map : {random_map(n, 2, 8), Map{2, std::vector<float>(600, 1.0F)}}) {
        const Expected expected = by_definition(Metric::euclidean, points.view(), map, 12);
        EXPECT_NEAR(trustworthiness(points.view(), map).value, expected.trustworthiness, 1e-12);
        EXPECT_NEAR(preservation(points.view(), map, 12).value, expected.preservation, 1e-12);
    }
}

TEST(DataRanks, PutRowsOfLengthZeroTogetherAndHalfWayFromAllOthers) {
    device::Cpu cpu(1);
    const Matrix points(7, 3, {0, 0, 0, 1, 2, 3, 5, 5, 5, -1, -2, -3, 0, 0, 0, 2, 5, 6, 4, 4, 4});
    using Ranks = std::vector<Index>;
    PairDistances correlation(cpu, points.view(), Metric::correlation), cosine(cpu, points.view(), Metric::cosine);
    const Ranks rows = {0, 1}, of_both = {4, 2, 6, 5, 4, 3};
    // Correlation: constant rows 0, 2, 4, 6 coincide; from row 1, row 5 is near, they are at 1, row 3 is opposite
    EXPECT_EQ(data_ranks(correlation, rows, of_both), (Ranks{2, 1, 3, 1, 4, 6}));
    // Cosine: rows 2 and 6 are parallel, not zero
    const Ranks of_one = {5, 2, 6, 0, 4, 3};
    EXPECT_EQ(data_ranks(cosine, Ranks{1}, of_one), (Ranks{1, 2, 3, 4, 5, 6}));
}

TEST(RankScores, DoNotMindAnOffsetOrAScale) {
    const Index n = 200;
    std::vector<float> near(n * 4), far(n * 4), large(n * 4), small(n * 4);
    for (std::size_t i = 0; i < near.size(); ++i) {
        near[i] = static_cast<float>(math::random_below(4096, 1, i));
        far[i] = near[i] + 8e6F;
        large[i] = near[i] * 1e30F;
        small[i] = near[i] * 1e-36F;
    }
    const Map map = random_map(n, 2, 2);
    const double expected = trustworthiness(Matrix(n, 4, near).view(), map).value;
    EXPECT_EQ(trustworthiness(Matrix(n, 4, far).view(), map).value, expected);
    EXPECT_NEAR(trustworthiness(Matrix(n, 4, large).view(), map).value, expected, 1e-4);
    EXPECT_NEAR(trustworthiness(Matrix(n, 4, small).view(), map).value, expected, 1e-3);
}

TEST(RankScores, RefuseSizesThatDifferAndKTooLarge) {
    const Matrix points = random_points(20, 3, 1);
    EXPECT_THROW((void)trustworthiness(points.view(), random_map(19, 2, 1)), Error);
    EXPECT_THROW((void)preservation(points.view(), random_map(21, 2, 1), 10), Error);
    EXPECT_THROW((void)trustworthiness(points.view(), random_map(20, 2, 1), 10), Error);
    EXPECT_NO_THROW((void)trustworthiness(points.view(), random_map(20, 2, 1), 9));
    EXPECT_THROW((void)preservation(points.view(), random_map(20, 2, 1), 20), Error);
    EXPECT_NO_THROW((void)preservation(points.view(), random_map(20, 2, 1), 19));
    EXPECT_THROW((void)preservation(points.view(), random_map(20, 2, 1), 0), Error);
    for (const Index n : {0, 1, 2}) {
        EXPECT_THROW((void)trustworthiness(random_points(n, 3, 1).view(), random_map(n, 2, 1), 1), Error) << n;
    }
}

TEST(LabelAccuracy, OfTwoPairsAndAStrayByHand) {
    // On a line: a a . b b . a, k = 2. The neighbors of the last a are two b's; those of the first b are b and a: a
    // tie, which goes to the nearest, b.
    const Map map{2, {0, 0, 1, 0, 4, 0, 5, 0, 9, 0}};
    const Labels labels{{0, 0, 1, 1, 0}, {"a", "b"}};
    // 0: {1, 2} a b -> a, right. 1: {0, 2} -> a, right. 2: {3, 1} -> b, right. 3: {2, 1 or 4} -> b, right.
    // 4: {3, 2} -> b, wrong.
    EXPECT_DOUBLE_EQ(label_accuracy(map, labels, 2).value, 0.8);
    const Labels renamed{{1, 1, 0, 0, 1}, {"b", "a"}};
    EXPECT_DOUBLE_EQ(label_accuracy(map, renamed, 2).value, 0.8);
}

TEST(LabelAccuracy, RefusesFewerLabelsAndKTooLarge) {
    EXPECT_THROW((void)label_accuracy(random_map(5, 2, 1), Labels{{0, 0, 0, 0}, {"a"}}, 2), Error);
    EXPECT_THROW((void)label_accuracy(random_map(5, 2, 1), Labels{{0, 0, 0, 0, 0}, {"a"}}, 5), Error);
    EXPECT_DOUBLE_EQ(label_accuracy(random_map(5, 2, 1), Labels{{0, 0, 0, 0, 0}, {"a"}}, 4).value, 1);
}

TEST(Evaluate, GivesEveryScoreAsOneByOneForAnyNumberOfThreads) {
    const Index n = 900;
    const Matrix points = random_points(n, 20, 1);
    const Map map = random_map(n, 2, 2);
    Labels labels{{}, {"a", "b", "c"}};
    for (Index i = 0; i < n; ++i) labels.of.push_back(i % 3);
    for (const Options& options : {Options{}, Options{.extent = Extent::full}, thorough(),
                                   Options{.exact_rows = 100, .exact_votes = 200, .sample = 50}}) {
        for (const int threads : {1, 2, 3}) {
            const dunlin::Run run{.threads = threads};
            const Scores scores = evaluate(map, points.view(), ring(n), labels, options, run);
            const dunlin::Run alone{.threads = 1};
            EXPECT_EQ(scores.kl->value, kl(ring(n), map, options, alone).value);
            const Score trust = trustworthiness(points.view(), map, 12, options, alone);
            EXPECT_EQ(scores.trustworthiness->value, trust.value);
            EXPECT_EQ(scores.trustworthiness->se, trust.se);
            EXPECT_EQ(scores.preservation_10->value, preservation(points.view(), map, 10, options, alone).value);
            EXPECT_EQ(scores.preservation_15->value, preservation(points.view(), map, 15, options, alone).value);
            EXPECT_EQ(scores.label_accuracy->value, label_accuracy(map, labels, 10, options, alone).value);
        }
    }
}

TEST(Evaluate, LeavesOutWhatDoesNotApply) {
    const Scores nothing = evaluate(random_map(30, 2, 1), {}, {}, {});
    EXPECT_FALSE(nothing.kl || nothing.trustworthiness || nothing.preservation_10 || nothing.label_accuracy);
    for (const Index n : {0, 1, 2, 3, 11, 16, 24, 25}) {
        const Labels labels{std::vector<Index>(static_cast<std::size_t>(n), 0), {"a"}};
        const Scores scores = evaluate(random_map(n, 2, 1), random_points(n, 3, 1).view(), ring(n), labels);
        EXPECT_EQ(scores.kl.has_value(), n >= 2) << n;
        EXPECT_EQ(scores.trustworthiness.has_value(), n >= 25) << n;
        EXPECT_EQ(scores.preservation_10.has_value(), n >= 11) << n;
        EXPECT_EQ(scores.preservation_15.has_value(), n >= 16) << n;
        EXPECT_EQ(scores.label_accuracy.has_value(), n >= 11) << n;
    }
}

TEST(Evaluate, SampledScoresLieNearTheExactOnes) {
    const Index n = 3000;
    const Matrix points = random_points(n, 4, 1);
    const Map map = random_map(n, 2, 2);
    const Options sampled{.exact_rows = 1000, .sample = 600};
    const Score exact = trustworthiness(points.view(), map, 12, {.extent = Extent::full});
    const Score near = trustworthiness(points.view(), map, 12, sampled);
    EXPECT_EQ(exact.se, 0);
    EXPECT_GT(near.se, 0);
    EXPECT_NEAR(near.value, exact.value, 5 * near.se);
    EXPECT_NE(near.value, trustworthiness(points.view(), map, 12, sampled, {.seed = 2}).value);
}

TEST(Evaluate, ByTheTableLooksAtSomeRowsAndByFullAtAll) {
    const Index n = 2500;
    const Matrix points = random_points(n, 6, 1);
    const Map map = random_map(n, 2, 2);
    const Scores full = evaluate(map, points.view(), {}, {}, {.extent = Extent::full});
    const Scores old = evaluate(map, points.view(), {}, {}, thorough());  // all rows up to 20,000
    EXPECT_EQ(full.trustworthiness->se, 0);
    EXPECT_EQ(full.trustworthiness->value, old.trustworthiness->value);
    EXPECT_EQ(full.preservation_10->value, old.preservation_10->value);
    EXPECT_EQ(full.preservation_15->value, old.preservation_15->value);
    for (const int threads : {1, 3}) {
        const dunlin::Run run{.threads = threads};
        const Scores some = evaluate(map, points.view(), {}, {}, {}, run);
        EXPECT_GT(some.trustworthiness->se, 0);
        EXPECT_LT(some.preservation_10->se, cases::score_spread);
        EXPECT_NEAR(some.preservation_10->value, full.preservation_10->value, 5 * some.preservation_10->se);
        EXPECT_NEAR(some.trustworthiness->value, full.trustworthiness->value, 5 * some.trustworthiness->se);
        EXPECT_EQ(some.preservation_10->value, preservation(points.view(), map, 10).value);
        EXPECT_EQ(some.preservation_15->value, preservation(points.view(), map, 15).value);
    }
    EXPECT_FALSE(evaluate(map, points.view(), {}, {}, {.extent = Extent::none}).trustworthiness);
}

/// The search finds the same nearest points as the ranks, including ties and copies.
TEST(Preservation, ByTheNearestIsThatByRanks) {
    const Index n = 1500;
    std::vector<float> values;
    for (Index i = 0; i < 3 * n; ++i)
        values.push_back(static_cast<float>(math::random_below(5, 1, static_cast<std::uint64_t>(i))));
    const Matrix points(n, 3, values);
    const Map map = random_map(n, 2, 8);
    const Score some = preservation(points.view(), map, 10);
    EXPECT_GT(some.se, 0);
    const auto rows = preservation_rows(n);
    EXPECT_EQ(some.value, preservation(points.view(), map, 10, {.exact_rows = 0, .sample = rows.sample}).value);
}

/// The true value is within two standard errors for about 95% of 200 seeds: 190, standard deviation 3.1.
TEST(RankScores, HaveHonestStandardErrors) {
    const Index n = 700;
    for (const Index d : {2, 20}) {
        const Matrix points = random_points(n, d, 3);
        const Map map = random_map(n, 2, 4);
        const double trust = trustworthiness(points.view(), map).value,
                     kept = preservation(points.view(), map, 10).value;
        int trust_covered = 0, kept_covered = 0;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const Options some{.exact_rows = 0, .sample = 120};
            const Scores s = evaluate(map, points.view(), {}, {}, some, {.threads = 1, .seed = seed});
            trust_covered += std::abs(s.trustworthiness->value - trust) <= 2 * s.trustworthiness->se ? 1 : 0;
            kept_covered += std::abs(s.preservation_10->value - kept) <= 2 * s.preservation_10->se ? 1 : 0;
        }
        EXPECT_GE(trust_covered, 180) << d;
        EXPECT_GE(kept_covered, 180) << d;
    }
}

TEST(Evaluate, StopsWhenAsked) {
    std::stop_source source;
    const dunlin::Run run{.stop = source.get_token(), .on_progress = [&](const Progress& p) {
                              if (p.done == 1) source.request_stop();
                          }};
    const Scores scores = evaluate(random_map(100, 2, 1), random_points(100, 3, 1).view(), ring(100), {}, {}, run);
    EXPECT_TRUE(scores.kl);
    EXPECT_FALSE(scores.trustworthiness);
    EXPECT_FALSE(evaluate(random_map(100, 2, 1), {}, ring(100), {}, {}, run).kl);  // in the midst of a score
}

}  // namespace
}  // namespace dunlin::scores
