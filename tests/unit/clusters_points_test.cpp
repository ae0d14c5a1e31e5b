// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "density_oracle.hpp"
#include "hierarchy/condense.hpp"
#include "refusal.hpp"
#include "spanning/keys.hpp"

namespace dunlin::clusters {
namespace {

Matrix matrix_of(Index rows, Index cols, const std::vector<float>& values) { return {rows, cols, values}; }

Matrix permuted(const Matrix& points, const std::vector<Index>& order) {
    std::vector<float> values;
    for (const Index r : order) values.insert(values.end(), points.row(r).begin(), points.row(r).end());
    return {points.rows(), points.cols(), std::move(values)};
}

std::vector<Index> shuffled(Index n, std::uint64_t seed) {
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        return math::random_uniform(seed, static_cast<std::uint64_t>(a)) <
               math::random_uniform(seed, static_cast<std::uint64_t>(b));
    });
    return order;
}

TEST(ClustersPoints, SumsHaveTheOrderOfTreeSum) {
    for (const Index cols : {1, 2, 3, 4, 5, 7, 31, 32, 33, 50, 64, 100, 1023, 1024, 1025, 3000}) {
        const Matrix points = blobs(17, cols, 3);
        std::vector<double> panel(at(cols) * spanning::leaf_points), row(at(cols)), keys(spanning::leaf_points);
        for (Index i = 0; i < spanning::leaf_points; ++i) {
            for (Index c = 0; c < cols; ++c)
                panel[at(Offset{c} * spanning::leaf_points + i)] = static_cast<double>(points.view()(i, c));
        }
        for (Index c = 0; c < cols; ++c) row[at(c)] = static_cast<double>(points.view()(16, c));
        spanning::panel_keys(spanning::Norm::l2, panel.data(), row.data(), cols, keys.data());
        for (Index i = 0; i < spanning::leaf_points; ++i) {
            EXPECT_EQ(keys[at(i)], squared(points.row(i), points.row(16))) << cols << " columns";
            std::vector<double> other(at(cols));
            for (Index c = 0; c < cols; ++c) other[at(c)] = static_cast<double>(points.view()(i, c));
            EXPECT_EQ(keys[at(i)], spanning::row_key(spanning::Norm::l2, row.data(), other.data(), cols));
        }
    }
}

TEST(ClustersPoints, TreesAreThoseOfTheDenseMatrix) {
    struct Case {
        Index n, cols, k, least;
        float grid;
    };
    for (const Case& c : {Case{2, 1, 1, 2, 0}, Case{3, 2, 2, 2, 0}, Case{17, 1, 3, 4, 0}, Case{100, 1, 2, 3, 0.5F},
                          Case{100, 2, 1, 5, 0}, Case{150, 2, 5, 5, 0}, Case{150, 2, 5, 5, 0.5F}, Case{150, 2, 1, 3, 1},
                          Case{120, 3, 8, 4, 0}, Case{120, 3, 4, 6, 1}, Case{120, 4, 20, 5, 0}, Case{110, 5, 3, 4, 0},
                          Case{110, 7, 4, 5, 1}, Case{100, 20, 3, 4, 0}, Case{60, 40, 60, 4, 0}}) {
        const Matrix points = blobs(c.n, c.cols, 11, c.grid);
        const Result result = cluster(points.view(), {.min_size = c.least, .min_samples = c.k});
        SCOPED_TRACE(testing::Message() << c.n << " x " << c.cols << ", k " << c.k << ", grid " << c.grid);
        EXPECT_TRUE(result.exact);
        expect_right_tree(result, reachability(points, c.k), c.least);
        expect_sound_groups(result.tree, c.least);
    }
}

TEST(ClustersPoints, AlphaDividesDistancesOnly) {
    const Matrix points = blobs(120, 2, 5);
    const Reachability m = reachability(points, 4);
    const Result result = cluster(points.view(), {.min_size = 4, .min_samples = 4, .alpha = 0.5});
    for (const Merge& merge : result.linkage) EXPECT_GT(merge.level, 0);
    double least = infinity;
    for (Index q = 1; q < 120; ++q)
        least = std::min(least,
                         std::max({m.core[0], m.core[at(q)], std::sqrt(squared(points.row(0), points.row(q))) / 0.5}));
    const auto first = std::find_if(result.linkage.begin(), result.linkage.end(),
                                    [](const Merge& merge) { return merge.first == 0 || merge.second == 0; });
    ASSERT_NE(first, result.linkage.end());
    EXPECT_NEAR(first->level, least, 1e-12 * least);
}

TEST(ClustersPoints, MetricsAgreeWithTheirMatrix) {
    const Matrix points = blobs(90, 6, 21);
    for (const neighbors::Metric metric : {neighbors::Metric::euclidean, neighbors::Metric::manhattan,
                                           neighbors::Metric::cosine, neighbors::Metric::correlation}) {
        for (const Index cols : {3, 6}) {
            std::vector<float> values;
            for (Index r = 0; r < 90; ++r)
                values.insert(values.end(), points.row(r).begin(), points.row(r).begin() + cols);
            if (metric != neighbors::Metric::correlation) std::fill_n(values.begin() + 3 * cols, cols, 0.0F);
            const Matrix part(90, cols, values);
            device::Cpu cpu(1);
            const distance::Space space(cpu, part.view(), metric);
            const Reachability m = reachability(
                90, 4, [&](Index p, Index q) { return static_cast<double>(space.distance(space.key(p, q))); });
            const Result result = cluster(part.view(), {.min_size = 5, .min_samples = 4, .metric = metric});
            for (Index p = 0; p < 90; ++p) EXPECT_NEAR(result.core[at(p)], m.core[at(p)], 1e-6 * (1 + m.core[at(p)]));
            std::vector<double> levels;
            for (const Merge& merge : result.linkage) levels.push_back(merge.level);
            // Prim
            std::vector<double> least(90, infinity), expected;
            std::vector<char> in(90, 0);
            for (Index added = 0, step = 0; step < 89; ++step) {
                in[at(added)] = 1;
                Index next = -1;
                for (Index q = 0; q < 90; ++q) {
                    if (in[at(q)] != 0) continue;
                    least[at(q)] = std::min(least[at(q)], m(added, q));
                    if (next < 0 || least[at(q)] < least[at(next)]) next = q;
                }
                expected.push_back(least[at(next)]);
                added = next;
            }
            std::sort(expected.begin(), expected.end());
            for (std::size_t i = 0; i < expected.size(); ++i)
                EXPECT_NEAR(levels[i], expected[i], 1e-6 * (1 + expected[i])) << name_of(metric) << ", edge " << i;
        }
    }
}

/// Sum of the levels by Prim's method, of keys that are summed as the library does.
double least_sum(const Matrix& points, Index k, neighbors::Metric metric) {
    const Index n = points.rows();
    const auto distance = [&](Index p, Index q) {
        if (metric == neighbors::Metric::euclidean) return std::sqrt(squared(points.row(p), points.row(q)));
        math::TreeSum<double> sum;
        for (Index c = 0; c < points.cols(); ++c)
            sum.add(std::abs(static_cast<double>(points.view()(p, c)) - static_cast<double>(points.view()(q, c))));
        return sum.total();
    };
    const Reachability m = reachability(n, k, distance);
    std::vector<double> least(at(n), infinity);
    std::vector<char> in(at(n), 0);
    double sum = 0;
    for (Index added = 0, step = 0; step < n - 1; ++step) {
        in[at(added)] = 1;
        Index next = -1;
        for (Index q = 0; q < n; ++q) {
            if (in[at(q)] != 0) continue;
            least[at(q)] = std::min(least[at(q)], m(added, q));
            if (next < 0 || least[at(q)] < least[at(next)]) next = q;
        }
        sum += least[at(next)];
        added = next;
    }
    return sum;
}

/// Enough points for many leaves of both searches.
TEST(ClustersPoints, TreesOfMoreColumnsAreMinimal) {
    for (const Index cols : {2, 5, 12, 60}) {
        for (const float grid : {0.0F, 1.0F}) {
            const Matrix points = blobs(500, cols, 51, grid);
            for (const auto metric : {neighbors::Metric::euclidean, neighbors::Metric::manhattan}) {
                const Result result = cluster(points.view(), {.min_size = 5, .min_samples = 4, .metric = metric});
                double sum = 0;
                for (const Merge& merge : result.linkage) sum += merge.level;
                EXPECT_NEAR(sum, least_sum(points, 4, metric), 1e-9 * sum)
                    << cols << " columns, grid " << grid << ", " << name_of(metric);
            }
        }
    }
}

TEST(ClustersPoints, ThreadsDoNotMatter) {
    for (const float grid : {0.0F, 0.25F}) {
        for (const Index cols : {2, 8}) {
            const Matrix points = blobs(3000, cols, 17, grid);
            const Result one = cluster(points.view(), {.min_size = 5}, {.threads = 1});
            for (const int threads : {2, 3}) {
                const Result more = cluster(points.view(), {.min_size = 5}, {.threads = threads});
                EXPECT_EQ(one.labels, more.labels);
                EXPECT_EQ(one.strengths, more.strengths);
                EXPECT_EQ(one.core, more.core);
                EXPECT_EQ(one.outlier_scores, more.outlier_scores);
                EXPECT_EQ(one.tree.home, more.tree.home);
                ASSERT_EQ(one.linkage.size(), more.linkage.size());
                for (std::size_t i = 0; i < one.linkage.size(); ++i) {
                    EXPECT_EQ(one.linkage[i].first, more.linkage[i].first);
                    EXPECT_EQ(one.linkage[i].second, more.linkage[i].second);
                    EXPECT_EQ(one.linkage[i].level, more.linkage[i].level);
                }
            }
        }
    }
}

TEST(ClustersPoints, OrderOfRowsDoesNotMatter) {
    for (const float grid : {0.0F, 0.5F, 1.0F}) {
        for (const Selection select : {Selection::eom, Selection::leaf}) {
            const Matrix points = blobs(600, 2, 31, grid);
            const Options options{.min_size = 5, .select = select};
            const Result result = cluster(points.view(), options);
            for (const std::uint64_t seed : {1, 2, 3, 4}) {
                const std::vector<Index> order = shuffled(600, seed);
                const Result other = cluster(permuted(points, order).view(), options);
                std::vector<Index> labels(600);
                std::vector<double> strengths(600), scores(600);
                for (Index i = 0; i < 600; ++i) {
                    labels[at(order[at(i)])] = other.labels[at(i)];
                    strengths[at(order[at(i)])] = other.strengths[at(i)];
                    scores[at(order[at(i)])] = other.outlier_scores[at(i)];
                }
                EXPECT_TRUE(same_partition(result.labels, labels));
                EXPECT_EQ(result.strengths, strengths);
                EXPECT_EQ(result.outlier_scores, scores);
            }
        }
    }
}

TEST(ClustersPoints, ScaledRowsHaveScaledTrees) {
    const Matrix points = blobs(500, 3, 41);
    const Result result = cluster(points.view(), {.min_size = 5});
    for (const int power : {-30, -3, 5, 30}) {
        std::vector<float> values;
        for (Index r = 0; r < 500; ++r) {
            for (const float value : points.row(r)) values.push_back(std::ldexp(value, power));
        }
        const Result scaled = cluster(Matrix(500, 3, values).view(), {.min_size = 5});
        EXPECT_EQ(result.labels, scaled.labels);
        EXPECT_EQ(result.strengths, scaled.strengths);
        EXPECT_EQ(std::ldexp(result.linkage.back().level, power), scaled.linkage.back().level);
    }
}

TEST(ClustersPoints, Copies) {
    std::vector<float> values;
    for (int site = 0; site < 3; ++site) {
        for (int i = 0; i < 10; ++i)
            values.insert(values.end(), {static_cast<float>(site), static_cast<float>(site * site)});
    }
    const Result sites = cluster(matrix_of(30, 2, values).view(), {.min_size = 5});
    EXPECT_EQ(sites.clusters, 3);
    for (Index p = 0; p < 30; ++p) EXPECT_EQ(sites.labels[at(p)], p / 10);
    EXPECT_EQ(sites.strengths, std::vector<double>(30, 1));
    const Matrix equal = matrix_of(40, 2, std::vector<float>(80, 3));
    EXPECT_EQ(cluster(equal.view(), {.min_size = 5}).labels, std::vector<Index>(40, noise));
    const Result single = cluster(equal.view(), {.min_size = 5, .single = true});
    EXPECT_EQ(single.labels, std::vector<Index>(40, 0));
    EXPECT_EQ(single.strengths, std::vector<double>(40, 1));
    EXPECT_EQ(cluster(matrix_of(5000, 2, std::vector<float>(10000, 3)).view(), {.min_size = 5}).clusters, 0);
}

TEST(ClustersPoints, FewPoints) {
    EXPECT_NE(refusal(Fault::bad_input, [] { cluster(MatrixView<const float>{nullptr, 0, 2}); }), "");
    const Matrix points = blobs(3, 2, 1);
    EXPECT_EQ(cluster({points.view().data, 1, 2}).labels, std::vector<Index>{noise});
    EXPECT_EQ(cluster({points.view().data, 2, 2}).labels, (std::vector<Index>{noise, noise}));
    EXPECT_EQ(cluster(points.view()).labels, std::vector<Index>(3, noise));
    EXPECT_NE(refusal(Fault::bad_input, [&] { cluster(points.view(), {.min_samples = 4}); }).find("min-samples is 4"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { cluster(points.view(), {.min_size = 1}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { cluster(points.view(), {.metric = neighbors::Metric::inner_product}); }),
              "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { cluster(points.view(), {.max_size = 9, .select = Selection::leaf}); }),
              "");
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { cluster(blobs(5000, 2, 1).view(), {}, {.memory = 1000}); }), "");
}

TEST(ClustersPoints, RowsThatAreNotFiniteTakeNoPart) {
    const Matrix points = blobs(200, 2, 8);
    std::vector<float> values(points.view().data, points.view().data + 400);
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    values.insert(values.begin(), {nan, 1, inf, 2, -inf, inf});
    values.insert(values.end(), {2, -inf});
    const Result all = cluster(points.view(), {.min_size = 5}),
                 some = cluster(matrix_of(204, 2, values).view(), {.min_size = 5});
    EXPECT_EQ(std::vector<Index>(some.labels.begin(), some.labels.begin() + 3), (std::vector<Index>{-3, -2, -3}));
    EXPECT_EQ(some.labels[203], -2);
    EXPECT_EQ(std::vector<Index>(some.labels.begin() + 3, some.labels.end() - 1), all.labels);
    EXPECT_TRUE(std::isnan(some.strengths[0]));
    EXPECT_EQ(some.strengths[1], 0);
    EXPECT_EQ(std::vector<double>(some.strengths.begin() + 3, some.strengths.end() - 1), all.strengths);
    EXPECT_EQ(some.tree.home[0], -1);
    expect_sound_groups(some.tree, 5);
    EXPECT_EQ(cluster(matrix_of(2, 1, {nan, inf}).view(), {}).labels, (std::vector<Index>{-3, -2}));
}

TEST(ClustersPoints, Matrices) {
    for (const float grid : {0.0F, 0.5F}) {
        const Matrix points = blobs(150, 2, 12, grid);
        std::vector<float> d;
        for (Index p = 0; p < 150; ++p) {
            for (Index q = 0; q < 150; ++q)
                d.push_back(static_cast<float>(std::sqrt(squared(points.row(p), points.row(q)))));
        }
        const Reachability m =
            reachability(150, 4, [&](Index p, Index q) { return static_cast<double>(d[at(p * 150 + q)]); });
        const Result result = cluster_matrix({d.data(), 150, 150}, {.min_size = 4, .min_samples = 4});
        expect_right_tree(result, m, 4);
        d[1] = 7;
        EXPECT_NE(refusal(Fault::bad_input, [&] { cluster_matrix({d.data(), 150, 150}); }), "");
        d[1] = std::numeric_limits<float>::quiet_NaN();
        EXPECT_NE(refusal(Fault::bad_input, [&] { cluster_matrix({d.data(), 150, 150}); }), "");
        EXPECT_NE(refusal(Fault::bad_input, [&] { cluster_matrix({d.data(), 100, 150}); }), "");
    }
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> apart = {0, 1, inf, inf, 1, 0, inf, inf, inf, inf, 0, 2, inf, inf, 2, 0};
    const Result two = cluster_matrix({apart.data(), 4, 4}, {.min_size = 2, .min_samples = 1});
    EXPECT_EQ(two.labels, (std::vector<Index>{0, 0, 1, 1}));
    EXPECT_EQ(two.linkage.back().level, infinity);
}

TEST(ClustersPoints, GraphsOfAllNeighborsAreExact) {
    const Matrix points = blobs(120, 2, 14, 0.25F);
    const Graph lists = neighbors::search(points.view(), {.k = 119}).graph;
    const Reachability m = reachability(120, 5, [&](Index p, Index q) {
        return static_cast<double>(static_cast<float>(std::sqrt(squared(points.row(p), points.row(q)))));
    });
    expect_right_tree(cluster_graph(lists, {.min_size = 5}), m, 5);
}

/// A graph of pairs, each listed by its first item.
Graph listed_once(Index items, const std::vector<std::tuple<Index, Index, float>>& pairs) {
    Graph lists;
    lists.offsets = {0};
    for (Index p = 0; p < items; ++p) {
        for (const auto& [first, second, distance] : pairs) {
            if (first != p) continue;
            lists.targets.push_back(second);
            lists.weights.push_back(distance);
        }
        lists.offsets.push_back(std::ssize(lists.targets));
    }
    return lists;
}

TEST(ClustersPoints, APairCountsForBothOfItsItems) {
    // A path 0 - 1 - 2; the pair of 2 and 3 is listed by both, with two distances, and once more
    const Graph path = listed_once(5, {{0, 1, 1.0F}, {2, 1, 2.0F}, {2, 3, 4.0F}, {3, 2, 3.0F}, {3, 2, 5.0F}});
    const auto core = [&](Index k) { return cluster_graph(path, {.min_size = 2, .min_samples = k}).core; };
    EXPECT_EQ(core(1), (std::vector<double>{0, 0, 0, 0, 0}));
    EXPECT_EQ(core(2), (std::vector<double>{1, 1, 2, 3, infinity}));
    EXPECT_EQ(core(3), (std::vector<double>{infinity, 2, 3, infinity, infinity}));
    // All pairs, listed at either end alone
    const Matrix points = blobs(90, 2, 17);
    std::vector<std::tuple<Index, Index, float>> pairs;
    const auto distance = [&](Index p, Index q) {
        return static_cast<float>(std::sqrt(squared(points.row(p), points.row(q))));
    };
    for (Index p = 0; p < 90; ++p) {
        for (Index q = p + 1; q < 90; ++q) pairs.emplace_back(q % 2 == 0 ? p : q, q % 2 == 0 ? q : p, distance(p, q));
    }
    const Reachability m = reachability(90, 5, [&](Index p, Index q) { return static_cast<double>(distance(p, q)); });
    expect_right_tree(cluster_graph(listed_once(90, pairs), {.min_size = 5}), m, 5);
    EXPECT_EQ(cluster_graph(listed_once(1, {}), {.min_size = 2}).core, std::vector<double>{0});
}

TEST(ClustersPoints, ListsOfFewNeighborsAreNearlyExact) {
    for (const Index cols : {2, 10}) {
        const Matrix points = blobs(1500, cols, 15);
        const Result graph = cluster(points.view(), {.method = Method::graph}),
                     exact = cluster(points.view(), {.method = Method::exact});
        EXPECT_FALSE(graph.exact);
        double sum = 0, least = 0;
        for (std::size_t i = 0; i < graph.linkage.size(); ++i) {
            sum += graph.linkage[i].level;
            least += exact.linkage[i].level;
        }
        EXPECT_GE(sum, least * (1 - 1e-12));
        EXPECT_LE(sum, least * 1.01);
    }
}

TEST(ClustersPoints, PredictionsOfThePointsAreTheirLabels) {
    for (const bool single : {false, true}) {
        for (const float grid : {0.0F, 0.5F}) {
            const Matrix points = blobs(400, 3, 18, grid);
            const Result result = cluster(points.view(), {.min_size = 6, .single = single});
            const Predicted predicted = predict(result, points.view(), points.view());
            EXPECT_EQ(predicted.labels, result.labels);
            EXPECT_EQ(predicted.strengths, result.strengths);
        }
    }
}

TEST(ClustersPoints, NewPointsJoinTheClustersAroundThem) {
    const Matrix points = blobs(500, 2, 19);
    const Result result = cluster(points.view(), {.min_size = 10});
    ASSERT_GE(result.clusters, 3);
    std::vector<float> queries;
    std::vector<Index> expected;
    for (Index p = 0; p < 500; ++p) {
        if (result.labels[at(p)] < 0 || result.strengths[at(p)] < 1) continue;
        queries.insert(queries.end(), {points.view()(p, 0) + 1e-4F, points.view()(p, 1)});
        expected.push_back(result.labels[at(p)]);
    }
    queries.insert(queries.end(), {1e4F, 1e4F});
    expected.push_back(noise);
    const auto count = static_cast<Index>(expected.size());
    const Predicted predicted = predict(result, points.view(), {queries.data(), count, 2});
    Index right = 0;
    for (Index q = 0; q < count; ++q) right += predicted.labels[at(q)] == expected[at(q)] ? 1 : 0;
    EXPECT_GE(right, count - count / 50);
    EXPECT_EQ(predicted.labels.back(), noise);
    EXPECT_NE(refusal(Fault::bad_input, [&] { predict(result, points.view(), {queries.data(), 1, 1}); }), "");
}

TEST(ClustersPoints, StabilityIsThatOfHalves) {
    // Two clusters apart, a row that is not finite, and uniform points, whose clusters hang on chance
    std::vector<float> values;
    for (Index i = 0; i < 300; ++i) {
        values.push_back(static_cast<float>(math::random_normal(1, static_cast<std::uint64_t>(i), 0)) +
                         (i % 2 == 0 ? 0.0F : 40.0F));
        values.push_back(static_cast<float>(math::random_normal(1, static_cast<std::uint64_t>(i), 1)));
    }
    values[7] = std::numeric_limits<float>::quiet_NaN();
    const Matrix apart(300, 2, values);
    const Result two = cluster(apart.view(), {.min_size = 20});
    ASSERT_EQ(two.clusters, 2);
    const std::vector<double> stable = stabilities(two, apart.view());
    ASSERT_EQ(stable.size(), 2U);
    for (const double value : stable) EXPECT_TRUE(value > 0.8 && value <= 1) << value;
    EXPECT_EQ(stabilities(two, apart.view(), {.threads = 3}), stable);
    EXPECT_NE(stabilities(two, apart.view(), {.seed = 9}), std::vector<double>{});
    for (float& value : values)
        value = static_cast<float>(math::random_uniform(5, static_cast<std::uint64_t>(&value - values.data())));
    const Matrix uniform(300, 2, values);
    const Result chance = cluster(uniform.view(), {.min_size = 6});
    ASSERT_GT(chance.clusters, 3);
    std::vector<double> weak = stabilities(chance, uniform.view());
    std::sort(weak.begin(), weak.end());
    EXPECT_LT(weak[weak.size() / 2], stable_from);
}

TEST(ClustersPoints, StabilityOfFewPointsAndOfOthers) {
    const Matrix one = matrix_of(1, 2, {1, 2});
    EXPECT_TRUE(stabilities(cluster(one.view()), one.view()).empty());
    const Matrix four = matrix_of(4, 1, {0, 0.1F, 9, 9.1F});
    const Result pairs = cluster(four.view(), {.min_size = 2});
    for (const double value : stabilities(pairs, four.view()))
        EXPECT_TRUE(std::isnan(value) || (value >= 0 && value <= 1));
    EXPECT_NE(refusal(Fault::bad_input, [&] { stabilities(pairs, one.view()); }).find("1 points"), std::string::npos);
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(stabilities(pairs, four.view(), {.stop = source.get_token()}).empty());
}

TEST(ClustersPoints, AStopGivesNoLabels) {
    std::stop_source source;
    source.request_stop();
    const Result result = cluster(blobs(1000, 2, 1).view(), {}, {.stop = source.get_token()});
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_TRUE(result.labels.empty());
}

}  // namespace
}  // namespace dunlin::clusters
