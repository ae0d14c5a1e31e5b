// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"
#include "scores/co_rank.hpp"
#include "scores/rank_sort.hpp"
#include "scores/sampled_pairs.hpp"

namespace dunlin::scores {
namespace {

using neighbors::Metric;

/// Integers, whose distances are exact in float32: ranks are those of double.
Matrix integer_points(Index n, Index d, std::uint64_t most, std::uint64_t seed) {
    std::vector<float> values;
    for (std::uint64_t i = 0; i < at(n) * at(d); ++i)
        values.push_back(static_cast<float>(math::random_below(most, seed, i)));
    return {n, d, std::move(values)};
}

Map random_map(Index n, int dim, std::uint64_t seed) {
    Map map{dim, {}};
    for (std::uint64_t i = 0; i < at(n) * at(dim); ++i)
        map.coordinates.push_back(static_cast<float>(math::random_normal(seed, i)));
    return map;
}

double distance(MatrixView<const float> rows, Index i, Index j) {
    double square = 0;
    for (Index c = 0; c < rows.cols; ++c)
        square += std::pow(static_cast<double>(rows(i, c)) - static_cast<double>(rows(j, c)), 2);
    return std::sqrt(square);
}

/// rank[j] of all points from i, by (distance, id); 0 for i.
std::vector<Index> ranks_from(MatrixView<const float> rows, Index i) {
    std::vector<std::pair<double, Index>> others;
    for (Index j = 0; j < rows.rows; ++j)
        if (j != i) others.emplace_back(distance(rows, i, j), j);
    std::sort(others.begin(), others.end());
    std::vector<Index> rank(at(rows.rows), 0);
    for (std::size_t p = 0; p < others.size(); ++p) rank[at(others[p].second)] = static_cast<Index>(p) + 1;
    return rank;
}

struct Expected {
    std::vector<double> curve;
    double auc = 0, continuity = 1;
};

/// From the definitions: counts of every K, term by term.
Expected by_definition(MatrixView<const float> points, MatrixView<const float> map, Index k) {
    const Index n = points.rows;
    Expected expected;
    expected.curve.assign(at(n - 2), 0.0);
    const double worst = static_cast<double>(n) * k * (2.0 * n - 3.0 * k - 1) / 2;
    for (Index i = 0; i < n; ++i) {
        const auto data = ranks_from(points, i), placed = ranks_from(map, i);
        for (Index j = 0; j < n; ++j) {
            if (j == i) continue;
            if (data[at(j)] <= k && placed[at(j)] > k) expected.continuity -= (placed[at(j)] - k) / worst;
            for (Index most = std::max(data[at(j)], placed[at(j)]); most <= n - 2; ++most)
                expected.curve[at(most - 1)] += 1;  // n K Q(K)
        }
    }
    double harmonic = 0;
    for (Index most = 1; most <= n - 2; ++most) {
        double& r = expected.curve[at(most - 1)];
        r = ((n - 1) * (r / n / most) - most) / (n - 1 - most);
        expected.auc += r / most;
        harmonic += 1.0 / most;
    }
    expected.auc /= harmonic;
    return expected;
}

TEST(RankSort, SortsByValueAndItemAndLeavesOneOut) {
    RankSort sort;
    for (const Index n : {0, 1, 2, 3, 1000, 5000}) {
        for (const std::uint64_t most : {1ULL, 2ULL, 100ULL, 1ULL << 40}) {
            std::vector<double> values;
            for (std::uint64_t i = 0; i < at(n); ++i)
                values.push_back(1 + std::ldexp(static_cast<double>(math::random_below(most, 1, i)), -39));
            for (const Index skip : {-1, 0, n / 2}) {
                std::vector<Index> expected;
                for (Index i = 0; i < n; ++i)
                    if (i != skip) expected.push_back(i);
                std::stable_sort(expected.begin(), expected.end(),
                                 [&](Index a, Index b) { return values[at(a)] < values[at(b)]; });
                std::vector<Index> found;
                for (const auto& item : sort.sort(n, skip, [&](Index i) -> double { return values[at(i)]; }))
                    found.push_back(item.item);
                EXPECT_EQ(found, expected) << n << " of " << most << " without " << skip;
            }
        }
    }
}

TEST(Rnx, OfFourPointsByHand) {
    // Data on a line: 0 1 3 7; in the map the last two change places: 0 1 7 3.
    const Matrix points(4, 1, {0, 1, 3, 7});
    const Map map{1, {0, 1, 7, 3}};
    // Orders in the data: 0: 1 2 3. 1: 0 2 3. 2: 1 0 3. 3: 2 1 0. In the map: 0: 1 3 2. 1: 0 3 2. 2: 3 1 0. 3: 1 0 2.
    // Kept with K = 1: yes yes no no: Q = 1/2, R = (3/2 - 1) / 2 = 1/4. With K = 2, of two each: 1, 1, {1 0} and {3 1}:
    // 1, {2 1} and {1 0}: 1: Q = 1/2, R = (3/2 - 2) / 1 = -1/2. (1/4 - 1/4) / (3/2) = 0.
    const Rnx found = rnx(points.view(), map);
    ASSERT_EQ(found.curve.size(), 2U);
    EXPECT_DOUBLE_EQ(found.curve[0], 0.25);
    EXPECT_DOUBLE_EQ(found.curve[1], -0.5);
    EXPECT_NEAR(found.auc.value, 0, 1e-15);
    EXPECT_EQ(found.auc.se, 0);
}

TEST(Rnx, AndContinuityAreTheDefinitionsWithTiesAndDuplicates) {
    for (const Index n : {3, 4, 5, 31, 32, 33, 260, 500}) {
        for (const std::uint64_t most : {2ULL, 1000ULL}) {
            const Matrix points = integer_points(n, n == 33 ? 300 : 4, most, 7);
            for (const Map& map :
                 {random_map(n, 2, 8), random_map(n, 3, 9), Map{2, std::vector<float>(at(2 * n), 1)}}) {
                const Index k = std::min<Index>(12, (n - 1) / 2);
                const Expected expected = by_definition(points.view(), map.view(), k);
                const Rnx found = rnx(points.view(), map, {.extent = Extent::full});
                EXPECT_NEAR(found.auc.value, expected.auc, 1e-12) << n;
                for (std::size_t i = 0; i < found.curve.size(); ++i)
                    EXPECT_NEAR(found.curve[i], expected.curve[i], 1e-12) << n;
                EXPECT_NEAR(continuity(points.view(), map, k, {.extent = Extent::full}).value, expected.continuity,
                            1e-12);
            }
        }
    }
}

TEST(GlobalScores, OfAMapThatIsTheDataAreOne) {
    for (const Index n : {3, 30, 1500}) {
        const Map map = random_map(n, 2, 3);
        const MatrixView<const float> points = map.view();
        // The pass over the data is in float32: two points may change places if their distances agree to seven digits
        EXPECT_NEAR(rnx(points, map).auc.value, 1, 1e-5);
        EXPECT_NEAR(distance_correlation(points, map).value, 1, 1e-9);
        EXPECT_NEAR(triplets(points, map).value, 1, 1e-4);
        if (n < 30) continue;
        EXPECT_NEAR(continuity(points, map).value, 1, 1e-6);
        EXPECT_NEAR(density_correlation(points, map).value, 1, 1e-5);
        Labels labels{{}, {"a", "b", "c", "d", "e", "f", "g"}};
        for (Index i = 0; i < n; ++i) labels.of.push_back(i % 7);
        EXPECT_EQ(centroid_neighbors(points, map, labels).value, 1);
        EXPECT_NEAR(centroid_correlation(points, map, labels).value, 1, 1e-12);
    }
}

/// Random places: rnx_auc, the correlations 0, triplets 1/2, all within their own standard errors (a few of many).
TEST(GlobalScores, OfRandomPlacesAreThoseOfChance) {
    const Index n = 3000;
    const Matrix points = integer_points(n, 5, 1 << 12, 1);
    const Map map = random_map(n, 2, 2);
    const Scores scores = evaluate(map, points.view(), {}, {});
    EXPECT_NEAR(scores.rnx_auc->value, 0, 5 * scores.rnx_auc->se);
    EXPECT_LT(scores.rnx_auc->se, 0.01);
    EXPECT_NEAR(scores.distance_correlation->value, 0, 5 * scores.distance_correlation->se + 0.02);
    EXPECT_NEAR(scores.triplets->value, 0.5, 5 * scores.triplets->se);
    EXPECT_NEAR(scores.density_correlation->value, 0, 0.1);
}

/// Mid-ranks and Pearson's correlation, by counting.
double spearman_by_counting(const std::vector<double>& x, const std::vector<double>& y) {
    const auto ranks = [](const std::vector<double>& v) {
        std::vector<double> rank;
        for (const double a : v) {
            double r = 0;
            for (const double b : v) r += b < a ? 1 : b == a ? 0.5 : 0;
            rank.push_back(r);
        }
        return rank;
    };
    const auto a = ranks(x), b = ranks(y);
    const double mean = std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(a.size());
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    return ab / std::sqrt(aa * bb);
}

TEST(DistanceCorrelation, IsSpearmansOfAllPairsWithTies) {
    for (const Index n : {3, 4, 31, 60}) {
        for (const std::uint64_t most : {2ULL, 1000ULL}) {
            const Matrix points = integer_points(n, 3, most, 5);
            const Map map = random_map(n, 2, 6);
            std::vector<double> x, y;
            for (Index i = 0; i < n; ++i) {
                for (Index j = 0; j < i; ++j) {
                    x.push_back(distance(points.view(), i, j));
                    y.push_back(distance(map.view(), i, j));
                }
            }
            EXPECT_NEAR(distance_correlation(points.view(), map).value, spearman_by_counting(x, y), 1e-12) << n;
        }
    }
    const Map flat{2, std::vector<float>(20, 1)};
    EXPECT_TRUE(std::isnan(distance_correlation(integer_points(10, 3, 9, 1).view(), flat).value));
}

/// The sums of the items, by counting.
std::vector<RankSums> rank_sums_by_counting(const std::vector<double>& x, const std::vector<double>& y, Index m) {
    struct Rank {
        std::int64_t rank = 0, equals = 0;
    };
    const auto rank_of = [](const std::vector<double>& values, double value) {
        const auto less = std::count_if(values.begin(), values.end(), [&](double v) { return v < value; }),
                   equal = std::count(values.begin(), values.end(), value);
        return Rank{2 * less + equal - std::ssize(values), equal};
    };
    const auto above = [&](const std::vector<double>& values, const std::vector<double>& others, std::size_t pair) {
        std::int64_t sum = 0;
        for (std::size_t q = 0; q < values.size(); ++q) {
            const int weight = values[q] > values[pair] ? 2 : values[q] == values[pair] ? 1 : 0;
            sum += weight * rank_of(others, others[q]).rank;
        }
        return sum;
    };
    std::vector<RankSums> items(at(m));
    std::size_t pair = 0;
    for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < i; ++j, ++pair) {
            const Rank a = rank_of(x, x[pair]), b = rank_of(y, y[pair]);
            const RankSums sums{a.rank * b.rank, above(x, y, pair) + above(y, x, pair), a.equals * a.equals,
                                b.equals * b.equals};
            items[at(i)] += sums;
            items[at(j)] += sums;
        }
    }
    return items;
}

TEST(RankSums, AreThoseByCounting) {
    for (const Index m : {3, 4, 14}) {
        for (const std::uint64_t most : {1ULL, 2ULL, 9ULL, 1000000ULL}) {
            std::vector<double> x, y;
            for (std::uint64_t pair = 0; pair < at(m * (m - 1) / 2); ++pair) {
                x.push_back(static_cast<double>(math::random_below(most, 1, pair)));
                y.push_back(1e-9 * static_cast<double>(math::random_below(most + 1, 2, pair)) + 1);  // one float32
            }
            const auto expected = rank_sums_by_counting(x, y, m);
            for (const int threads : {1, 3}) {
                device::Cpu cpu(threads);
                EXPECT_EQ(rank_sums_of(cpu, PairRanks(x), PairRanks(y), m), expected) << m << " " << most;
            }
            if (most > 9) {
                EXPECT_NEAR(spearman_of(expected, m).value, spearman_by_counting(x, y), 1e-12);
                EXPECT_EQ(spearman_of(expected, m).se, 0);
            }
        }
    }
}

TEST(RankSums, OfManyPairsStayExact) {
    const Index m = 4000;  // 8 million pairs in order: the largest sums
    std::vector<double> x(at(number_of_pair(m, 0)));
    std::iota(x.begin(), x.end(), 0.0);
    device::Cpu cpu(2);
    const PairRanks ranks(x);
    const Score found = spearman_of(rank_sums_of(cpu, ranks, ranks, m), 2 * m);
    EXPECT_NEAR(found.value, 1, 1e-14);
    EXPECT_NEAR(found.se, 0, 1e-14);
}

TEST(DensityCorrelation, IsPearsonsOfTheLogRadiiWithoutCoincidentPoints) {
    const Index n = 200, k = 5;
    Matrix points = integer_points(n, 3, 1000, 5);
    std::vector<float> values(points.view().data, points.view().data + 3 * n);
    for (Index i = 0; i < k + 1; ++i) std::copy_n(values.begin() + 30, 3, values.begin() + 3 * i);  // six copies of one
    points = Matrix(n, 3, values);
    const Map map = random_map(n, 2, 6);
    std::vector<double> x, y;
    const auto radius = [&](MatrixView<const float> rows, Index i) {
        const auto rank = ranks_from(rows, i);
        double sum = 0;
        for (Index j = 0; j < n; ++j)
            if (j != i && rank[at(j)] <= k) sum += std::pow(distance(rows, i, j), 2);
        return sum / k;
    };
    for (Index i = 0; i < n; ++i) {
        if (radius(points.view(), i) == 0) continue;
        x.push_back(std::log(radius(points.view(), i)));
        y.push_back(std::log(radius(map.view(), i)));
    }
    EXPECT_LT(x.size(), at(n));
    const double m = static_cast<double>(x.size()), mx = std::accumulate(x.begin(), x.end(), 0.0) / m,
                 my = std::accumulate(y.begin(), y.end(), 0.0) / m;
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    EXPECT_NEAR(density_correlation(points.view(), map, k).value, xy / std::sqrt(xx * yy), 1e-9);
    EXPECT_TRUE(std::isnan(density_correlation(points.view(), Map{2, std::vector<float>(at(2 * n), 1)}, k).value));
}

TEST(Centroids, OfSixClassesByHand) {
    // Class c at (c, 0) in the data, two points beside it; in the map the first and the last class change places.
    std::vector<float> data, placed;
    Labels labels{{}, {"a", "b", "unused", "c", "d", "e", "f"}};
    for (const float side : {-0.25F, 0.25F}) {
        for (Index c = 0; c < 6; ++c) {
            const Index there = c == 0 ? 5 : c == 5 ? 0 : c;
            data.insert(data.end(), {8e6F + static_cast<float>(4 * c), 8 * side});
            placed.insert(placed.end(), {static_cast<float>(there), side});
            labels.of.push_back(c < 2 ? c : c + 1);
        }
    }
    const Matrix points(12, 2, data);
    const Map map{2, placed};
    // Nearest 4 of 5 others: all but the farthest. Farthest in the data: 5 5 5 0 0 0 (of 0 .. 5; ties go to the larger
    // id: none here). In the map by place: 0 is at 5: farthest 5 (at 0); 1 at 1: farthest 0 (at 5); 2: 0; 3: 5; 4: 5;
    // 5: 0. The same for 0 and 5: 4 of 4; for the others 3 of 4.
    EXPECT_DOUBLE_EQ(centroid_neighbors(points.view(), map, labels).value, (2 * 4 + 4 * 3) / 24.0);
    std::vector<double> x, y;
    for (Index i = 0; i < 6; ++i) {
        for (Index j = 0; j < i; ++j) {
            x.push_back(i - j);
            const auto place = [](Index c) { return c == 0 ? 5 : c == 5 ? 0 : c; };
            y.push_back(std::abs(place(i) - place(j)));
        }
    }
    EXPECT_NEAR(centroid_correlation(points.view(), map, labels).value, spearman_by_counting(x, y), 1e-12);
}

/// The true value is within two standard errors for about 95% of the seeds: 95 of 100, standard deviation 2.2.
TEST(GlobalScores, HaveHonestStandardErrors) {
    const Index n = 600;
    const Matrix points = integer_points(n, 6, 1000, 1);
    Map map{2, {}};  // two of the six columns, and noise
    for (Index i = 0; i < n; ++i) {
        for (const Index c : {0, 1}) {
            const double noise = 200 * math::random_normal(4, at(i), at(c));
            map.coordinates.push_back(points.view()(i, c) + static_cast<float>(noise));
        }
    }
    const Options full{.extent = Extent::full}, some{.exact_rows = 0, .sample = 120};
    const double auc = rnx(points.view(), map, full).auc.value, near = continuity(points.view(), map, 12, full).value,
                 density = density_correlation(points.view(), map, 15, full).value,
                 global = distance_correlation(points.view(), map).value;
    int of_auc = 0, of_near = 0, of_density = 0, of_global = 0, of_order = 0;
    const auto engine = engine_on_cpu(points.view(), Metric::euclidean, {.threads = 1});
    const double order = SampledPairs(*engine, n, 300, 5).order(map).value;  // of 600 it takes 8 s
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const dunlin::Run run{.seed = seed};
        const auto covers = [](const Score& score, double truth) {
            EXPECT_GT(score.se, 0);
            return std::abs(score.value - truth) <= 2 * score.se ? 1 : 0;
        };
        of_auc += covers(rnx(points.view(), map, some, run).auc, auc);
        of_near += covers(continuity(points.view(), map, 12, some, run), near);
        of_density += covers(density_correlation(points.view(), map, 15, some, run), density);
        of_global += covers(SampledPairs(*engine, n, 120, seed).correlations({&map, 1}).front(), global);
        of_order += covers(SampledPairs(*engine, n, 30, seed).order(map), order);
    }
    for (const int covered : {of_auc, of_near, of_density, of_global, of_order}) EXPECT_GE(covered, 88);
}

/// Values and standard errors, without those that are not defined.
std::vector<double> values_of(const Scores& scores) {
    std::vector<double> values;
    each_score(scores, [&](const char*, const std::optional<Score>& score) {
        if (score && !std::isnan(score->value)) values.insert(values.end(), {score->value, score->se});
    });
    return values;
}

TEST(GlobalScores, AreTheSameForAnyNumberOfThreadsAndSeveralMapsAtOnce) {
    const Index n = 1700;
    const Matrix points = integer_points(n, 20, 50, 1);
    const std::vector<Map> maps = {random_map(n, 2, 2), random_map(n, 3, 3), {1, std::vector<float>(at(n), 2)}};
    Labels labels{{}, {"a", "b", "c", "d", "e", "f", "g"}};
    for (Index i = 0; i < n; ++i) labels.of.push_back(i % 7);
    for (const Options& options : {Options{}, Options{.exact_rows = 500, .sample = 300},
                                   Options{.metric = Metric::cosine}, Options{.metric = Metric::manhattan}}) {
        const auto expected = evaluate(maps, points.view(), {}, labels, options, {.threads = 1});
        for (const int threads : {2, 3}) {
            for (std::size_t m = 0; m < maps.size(); ++m) {
                const Scores one = evaluate(maps[m], points.view(), {}, labels, options, {.threads = threads});
                EXPECT_EQ(one.rnx_curve, expected[m].rnx_curve);
                EXPECT_EQ(values_of(one), values_of(expected[m]));
            }
        }
        const Scores& first = expected.front();
        EXPECT_EQ(first.rnx_auc->value, rnx(points.view(), maps[0], options).auc.value);
        EXPECT_EQ(first.continuity->value, continuity(points.view(), maps[0], 12, options).value);
        EXPECT_EQ(first.density_correlation->value, density_correlation(points.view(), maps[0], 15, options).value);
        EXPECT_EQ(first.distance_correlation->value, distance_correlation(points.view(), maps[0], options).value);
        EXPECT_EQ(first.triplets->value, triplets(points.view(), maps[0], options).value);
        EXPECT_EQ(first.centroid_neighbors->value, centroid_neighbors(points.view(), maps[0], labels, options).value);
        EXPECT_EQ(first.trustworthiness->value, trustworthiness(points.view(), maps[0], 12, options).value);
        EXPECT_EQ(first.preservation_15->value, preservation(points.view(), maps[0], 15, options).value);
    }
}

TEST(GlobalScores, SortFewerRowsThanTheyRankOfManyPoints) {
    const Index n = 40000;  // 2^25 / n < 1,000
    const Matrix points = integer_points(n, 2, 1 << 11, 1);
    const Map map = random_map(n, 2, 2);
    const Scores scores = evaluate(map, points.view(), {}, {});
    EXPECT_EQ(scores.trustworthiness->value, trustworthiness(points.view(), map).value);
    EXPECT_EQ(scores.trustworthiness->se, trustworthiness(points.view(), map).se);
    EXPECT_GT(scores.rnx_auc->se, 0);
    EXPECT_EQ(scores.rnx_auc->value, rnx(points.view(), map).auc.value);
}

TEST(GlobalScores, RefuseTooFewPointsOtherSizesAndNaN) {
    for (const Index n : {0, 1, 2}) {
        const Matrix points = integer_points(n, 3, 9, 1);
        const Map map = random_map(n, 2, 1);
        EXPECT_THROW((void)rnx(points.view(), map), Error) << n;
        EXPECT_THROW((void)continuity(points.view(), map, 1), Error) << n;
        EXPECT_THROW((void)distance_correlation(points.view(), map), Error) << n;
        EXPECT_THROW((void)density_correlation(points.view(), map, 1), Error) << n;
        EXPECT_THROW((void)triplets(points.view(), map), Error) << n;
        const Scores scores = evaluate(map, points.view(), {}, {});
        EXPECT_FALSE(scores.rnx_auc || scores.distance_correlation || scores.triplets || scores.density_correlation);
    }
    const Scores three = evaluate(random_map(3, 2, 1), integer_points(3, 3, 9, 1).view(), {}, {});
    EXPECT_TRUE(three.rnx_auc && three.distance_correlation && three.triplets);
    EXPECT_FALSE(three.density_correlation || three.continuity);
    EXPECT_THROW((void)rnx(integer_points(9, 3, 9, 1).view(), random_map(8, 2, 1)), Error);
    const Labels few{{0, 1, 0, 1, 0}, {"a", "b"}};
    EXPECT_THROW((void)centroid_neighbors(integer_points(5, 3, 9, 1).view(), random_map(5, 2, 1), few), Error);
    EXPECT_THROW((void)centroid_correlation(integer_points(5, 3, 9, 1).view(), random_map(5, 2, 1), few), Error);

    std::vector<float> values(40, 1);
    values[13] = std::numeric_limits<float>::quiet_NaN();
    const Matrix broken(20, 2, values);
    const Map fine = random_map(20, 2, 1), torn{2, values};
    const auto of_points = refusal(Fault::bad_input, [&] { (void)evaluate(fine, broken.view(), {}, {}); });
    EXPECT_NE(of_points.find("row 6 of the points"), std::string::npos) << of_points;
    const auto of_map = refusal(Fault::bad_input, [&] { (void)rnx(fine.view(), torn); });
    EXPECT_NE(of_map.find("row 6 of the map"), std::string::npos) << of_map;
    const std::vector<Map> uneven = {random_map(20, 2, 1), random_map(19, 2, 1)};
    EXPECT_THROW((void)evaluate(uneven, {}, {}, {}), Error);
}

}  // namespace
}  // namespace dunlin::scores
