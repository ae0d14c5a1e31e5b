// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/scores.hpp>

#include "cases/cases.hpp"
#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "descent/repeller.hpp"
#include "math/at.hpp"
#include "pacmap/objective.hpp"
#include "pacmap/resolve.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::pacmap {
namespace {

using made::is_finite;

std::vector<float> random_points(Index n, Index d, std::uint64_t seed = 1) { return made::cloud(n, d, 1, seed); }

// --- pairs

TEST(PacmapPairs, ScalesAreMeansOfTheFourthToSixthDistance) {
    const float d[] = {5, 1, 2, 7, 3, 4, 6};
    EXPECT_DOUBLE_EQ(scale_of(d, 7), 5);
    EXPECT_DOUBLE_EQ(scale_of(d, 5), (5 + 7) / 2.0);  // 1 2 3 5 7: the 4th and 5th
    EXPECT_DOUBLE_EQ(scale_of(d, 2), 5);
    const float zeros[] = {0, 0, 0, 0, 0, 0};
    EXPECT_GT(scale_of(zeros, 6), 0);
    EXPECT_GT(scale_of(zeros, 0), 0);
}

TEST(PacmapPairs, NearPairsAreTheNearestByScaledDistance) {
    const Index n = 150, k = 7;
    const int d = 4;
    std::vector<float> x = random_points(n, d, 3);
    for (Index i = 0; i < n / 2; ++i) x[at(Offset{i} * d)] *= 20;  // two densities
    device::Cpu cpu(2);
    const Graph neighbors = neighbors::search({x.data(), n, d}, {.k = 30}).graph;
    const Graph near = chosen_near(cpu, neighbors, k);
    std::vector<double> scale(at(n));
    for (Index i = 0; i < n; ++i) {
        for (int r = 3; r < 6; ++r)
            scale[at(i)] += static_cast<double>(neighbors.weights[at(neighbors.offsets[at(i)] + r)]) / 3;
    }
    for (Index i = 0; i < n; ++i) {
        std::vector<std::pair<double, Index>> wanted;
        for (Offset e = neighbors.offsets[at(i)]; e < neighbors.offsets[at(i) + 1]; ++e) {
            const Index j = neighbors.targets[at(e)];
            wanted.emplace_back(made::distance2({x.data(), n, d}, i, j) / (scale[at(i)] * scale[at(j)]), j);
        }
        std::sort(wanted.begin(), wanted.end());
        ASSERT_EQ(near.offsets[at(i) + 1] - near.offsets[at(i)], k);
        for (Index e = 0; e < k; ++e) EXPECT_EQ(near.targets[at(near.offsets[at(i)] + e)], wanted[at(e)].second) << i;
    }
    // In any order of the neighbors
    Graph reversed = neighbors;
    for (Index i = 0; i < n; ++i) {
        const auto begin = neighbors.offsets[at(i)], end = neighbors.offsets[at(i) + 1];
        std::reverse(reversed.targets.begin() + begin, reversed.targets.begin() + end);
        std::reverse(reversed.weights.begin() + begin, reversed.weights.begin() + end);
    }
    EXPECT_EQ(chosen_near(cpu, reversed, k).targets, near.targets);
}

TEST(PacmapPairs, MidNearPairsAreSecondNearestOfSix) {
    const int d = 3;
    for (const Index n : {1, 2, 3, 7, 8, 40, 500}) {
        const std::vector<float> x = random_points(n, d, 5);
        const Options options = resolve_neighbors({}, n, d, n - 1);
        device::Cpu one(1), two(2);
        const Graph drawn = drawn_mid_near(one, MatrixView<const float>{x.data(), n, d}, options, 9);
        EXPECT_EQ(drawn.targets, drawn_mid_near(two, MatrixView<const float>{x.data(), n, d}, options, 9).targets);
        double near = 0, all = 0;
        for (Index i = 0; i < n; ++i) {
            const auto begin = drawn.targets.begin() + drawn.offsets[at(i)];
            const std::set<Index> row(begin, drawn.targets.begin() + drawn.offsets[at(i) + 1]);
            EXPECT_EQ(static_cast<Index>(row.size()), std::min<Index>(5, n - 1));  // distinct
            EXPECT_EQ(row.count(i), 0U);
            for (const Index j : row) {
                // Share of the points that are nearer
                Index nearer = 0;
                for (Index other = 0; other < n; ++other)
                    nearer += other != i && made::distance2({x.data(), n, d}, i, other) <
                                                made::distance2({x.data(), n, d}, i, j)
                                  ? 1
                                  : 0;
                near += nearer, all += n - 1;
            }
        }
        // The second smallest of 6 uniform numbers has the mean 2 / 7
        if (n == 500) {
            EXPECT_NEAR(near / all, 2.0 / 7, 0.01);
        }
    }
}

TEST(PacmapPairs, ACountIsThatOfTheEndsThatChose) {
    Graph chosen;
    chosen.offsets = {0, 1, 2, 3};
    chosen.targets = {1, 0, 0};
    chosen.weights = {1, 1, 1};
    device::Cpu cpu(1);
    const Graph pairs = symmetric_pairs(cpu, chosen);
    EXPECT_EQ(pairs.targets, (std::vector<Index>{1, 2, 0, 0}));
    EXPECT_EQ(pairs.weights, (std::vector<float>{2, 1, 2, 1}));
}

// --- objective

TEST(PacmapObjective, WeightsFollowThePhases) {
    const Phases phases{phases_of("100,50,20")};
    EXPECT_EQ(phases.iterations(), 170);
    EXPECT_EQ(phases.near_weight(0), 2);
    EXPECT_EQ(phases.near_weight(100), 3);
    EXPECT_EQ(phases.near_weight(150), 1);
    EXPECT_FLOAT_EQ(phases.mid_near_weight(0), 1000);
    EXPECT_FLOAT_EQ(phases.mid_near_weight(50), 501.5F);
    EXPECT_FLOAT_EQ(phases.mid_near_weight(100), 3);
    EXPECT_EQ(phases.mid_near_weight(150), 0);
    EXPECT_EQ(Phases{phases_of("0,0,5")}.near_weight(0), 1);
    for (const char* wrong : {"", "100", "100,100", "100,100,x", "100,-1,5", "1,2,3,4", "1,2,3,", "1.5,2,3", " 1,2,3",
                              "2000000000,2000000000,1", "99999999999,1,1"}) {
        EXPECT_NE(refusal(Fault::bad_input, [&] { static_cast<void>(phases_of(wrong)); }).find("100,100,250"),
                  std::string::npos)
            << wrong;
    }
}

TEST(PacmapObjective, AdamIsThePublishedOne) {
    // Two steps from 0 with gradients 3 and -1: m, v, bias corrections by hand
    float y = 0, mean = 0, square = 0;
    const float none = 0;
    double m = 0, v = 0, wanted = 0;
    const double gradients[] = {3, -1};
    for (int t = 0; t < 2; ++t) {
        const auto gradient = static_cast<float>(gradients[t]);
        float at[2] = {y, 0}, mean2[2] = {mean, 0}, square2[2] = {square, 0};
        const float pull[2] = {gradient, 0}, push[2] = {none, none};
        descent::AdamStep::advance<2>(at, mean2, square2, pull, push, 1,
                                      {1, 0.5F * descent::AdamStep::bias_correction(t), 0, 0, 0});
        y = at[0], mean = mean2[0], square = square2[0];
        m = 0.9 * m + 0.1 * gradients[t], v = 0.999 * v + 0.001 * gradients[t] * gradients[t];
        wanted -= 0.5 * (m / (1 - std::pow(0.9, t + 1))) / (std::sqrt(v / (1 - std::pow(0.999, t + 1))) + 1e-12);
        EXPECT_NEAR(y, wanted, 1e-4);
    }
}

TEST(PacmapObjective, ForcesAreTheGradientOfTheLoss) {
    for (const int dim : {2, 3}) {
        const Index n = 60;
        const std::vector<float> x = random_points(n, 5, 2), y = random_points(n, dim, 3);
        const Options o = resolve_descent(
            resolve_neighbors({.dim = dim, .k = 4, .further = 12, .repulsion = Repulsion::exact}, n, 5, n - 1), n,
            Device::cpu);
        device::Cpu cpu(2);
        const Graph neighbors = neighbors::search({x.data(), n, 5}, {.k = 20}).graph;
        const Graph near = chosen_near(cpu, neighbors, *o.k);
        const Graph mid = drawn_mid_near(cpu, MatrixView<const float>{x.data(), n, 5}, o, 1);
        Pairs<Graph> pairs{symmetric_pairs(cpu, near), symmetric_pairs(cpu, mid)};
        auto state = descent::descent_state_at(cpu, y, dim);
        descent::Repeller<forces::FurtherPairs> repeller(repulsion_of(o));
        Objective<device::Cpu> objective(cpu, state, o);
        repeller.choose(cpu, state.positions());
        const int t = 30;
        objective.prepare(cpu, t);
        objective.find_forces(cpu, state, pairs, repeller);
        const auto parameters = objective.parameters_at(t);
        const double w_near = 2, w_mid = 0.7 * 1000 + 0.3 * 3;

        // The loss as a sum over the lists of pairs, in double; its gradient by central differences
        std::vector<double> place(y.begin(), y.end());
        const auto d = [&](Index i, Index j) {
            double sum = 1;
            for (int c = 0; c < dim; ++c) sum += std::pow(place[at(i * dim + c)] - place[at(j * dim + c)], 2);
            return sum;
        };
        const auto loss = [&] {
            double sum = 0;
            for (Index i = 0; i < n; ++i) {
                for (Offset e = near.offsets[at(i)]; e < near.offsets[at(i) + 1]; ++e)
                    sum += w_near * d(i, near.targets[at(e)]) / (10 + d(i, near.targets[at(e)]));
                for (Offset e = mid.offsets[at(i)]; e < mid.offsets[at(i) + 1]; ++e)
                    sum += w_mid * d(i, mid.targets[at(e)]) / (10000 + d(i, mid.targets[at(e)]));
                for (Index j = 0; j < n; ++j) sum += j == i ? 0 : 12.0 / (n - 1) / (1 + d(i, j));
            }
            return sum;
        };
        for (std::size_t i = 0; i < place.size(); ++i) {
            const double own = place[i], step = 1e-4;
            place[i] = own + step;
            const double after = loss();
            place[i] = own - step;
            const double wanted = (after - loss()) / (2 * step);
            place[i] = own;
            const double found = static_cast<double>(
                descent::gradient_of(state.attraction[i], state.repulsion[i], parameters.exaggeration,
                                     static_cast<float>(descent::normalizer(state.mass.value))));
            EXPECT_NEAR(found, wanted, 2e-4 * (1 + std::abs(wanted))) << i;
        }
    }
}

// --- whole runs

TEST(Pacmap, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
    for (const Index n : {500, 3000}) {
        const std::vector<float> x = random_points(n, 6);
        const auto map = [&](int threads) {
            return embed({x.data(), n, 6}, {.iterations = "20,20,20"}, {.device = Device::cpu, .threads = threads})
                .map.coordinates;
        };
        const auto one = map(1);
        EXPECT_EQ(one, map(2));
        EXPECT_EQ(one, map(3));
    }
}

TEST(Pacmap, FewPointsAndDuplicates) {
    for (const int dim : {1, 2, 3}) {
        for (Index n = 1; n <= 9; ++n) {
            const std::vector<float> x = random_points(n, 3);
            const Result result = embed({x.data(), n, 3}, {.dim = dim, .iterations = "10,10,10"});
            EXPECT_EQ(result.map.size(), n);
            EXPECT_TRUE(is_finite(result.map)) << n;
            EXPECT_TRUE(std::isfinite(result.loss)) << n;
        }
    }
    const std::vector<float> same(2500 * 3, 2.5F);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        const Result result = embed({same.data(), 2500, 3}, {.iterations = "20,20,30", .repulsion = repulsion});
        EXPECT_TRUE(is_finite(result.map)) << name_of(repulsion);
    }
    const std::vector<float> x = random_points(300, 3);
    EXPECT_TRUE(is_finite(embed({x.data(), 300, 3}, {.mid_near = 0, .further = 0}).map));
}

TEST(Pacmap, AllMetricsAndStarts) {
    const Index n = 300;
    const std::vector<float> x = random_points(n, 6);
    for (const auto metric : {neighbors::Metric::manhattan, neighbors::Metric::cosine, neighbors::Metric::correlation})
        EXPECT_TRUE(is_finite(embed({x.data(), n, 6}, {.metric = metric, .iterations = "9,9,9"}).map));
    for (const auto start : {Start::random, Start::spectral})
        EXPECT_TRUE(is_finite(embed({x.data(), n, 6}, {.start = start, .iterations = "9,9,9"}).map));
    EXPECT_TRUE(is_finite(embed({x.data(), n, 6}, {.pca = 3, .iterations = "9,9,9"}).map));
}

TEST(Pacmap, GivenNeighborsStartAndOptionsGiveTheSameBytes) {
    const Index n = 1200;
    const std::vector<float> x = random_points(n, 6);
    const MatrixView<const float> points{x.data(), n, 6};
    const Options options{.k = 8, .iterations = "20,10,10"};
    const dunlin::Run run{.device = Device::cpu};
    const Result first = embed(points, options, run);
    const Graph graph = neighbors::search(points, {.k = 58}).graph;
    EXPECT_EQ(embed(points, options, run, {.neighbors = &graph}).map.coordinates, first.map.coordinates);
    EXPECT_EQ(embed(points, first.options, run).map.coordinates, first.map.coordinates);
    const Map start{3, random_points(n, 3, 9)};
    const Result from = embed(points, {.iterations = "0,0,0"}, run, {.start = &start});
    EXPECT_EQ(from.map.coordinates, start.coordinates);  // as it is, not scaled
}

TEST(Pacmap, FixedPointsStayToTheBit) {
    const Index n = 300;
    const std::vector<float> x = random_points(n, 6);
    const Map start{2, random_points(n, 2, 9)};
    std::vector<std::uint8_t> fixed(at(n));
    for (Index i = 0; i < n; i += 3) fixed[at(i)] = 1;
    const Result result =
        embed({x.data(), n, 6}, {.iterations = "20,20,20"}, {.device = Device::cpu}, {.start = &start, .fixed = fixed});
    Index moved = 0;
    for (Index i = 0; i < n; ++i) {
        const bool same = result.map.coordinates[at(2 * i)] == start.coordinates[at(2 * i)] &&
                          result.map.coordinates[at(2 * i + 1)] == start.coordinates[at(2 * i + 1)];
        if (fixed[at(i)] != 0) {
            EXPECT_TRUE(same) << i;
        }
        moved += same ? 0 : 1;
    }
    EXPECT_GT(moved, n / 2);
}

TEST(Pacmap, SparseRowsGiveTheMapOfTheirDenseRows) {
    const made::Points dense = made::mostly_zeros(300, 40);
    const SparseMatrix sparse = sparse_of(dense.view());
    const Options options{.start = Start::random};
    const Result by_sparse = embed(view_of(sparse), options), by_dense = embed(dense.view(), options);
    EXPECT_NEAR(by_sparse.loss, by_dense.loss, 0.02 * by_dense.loss);
}

TEST(Pacmap, BadInputIsOneClearError) {
    std::vector<float> x = random_points(20, 3);
    const MatrixView<const float> points{x.data(), 20, 3};
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.k = 0}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.mid_near = -1}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.further = -1}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.iterations = "450"}); }).find("three numbers"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.metric = neighbors::Metric::inner_product}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.dim = 1, .repulsion = Repulsion::grid}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), 0, 3}); }).find("0 rows"), std::string::npos);
    x[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points); }), "");
}

TEST(Pacmap, AStopLeavesTheMapSoFar) {
    const Index n = 3000;
    const std::vector<float> x = random_points(n, 4);
    std::stop_source source;
    dunlin::Run run{.device = Device::cpu};
    run.stop = source.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done >= 20) source.request_stop();
    };
    const Result result = embed({x.data(), n, 4}, {}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_LT(result.iterations, 450);
    EXPECT_TRUE(is_finite(result.map));
    const Result none = embed({x.data(), n, 4}, {}, run);
    EXPECT_TRUE(std::isnan(none.loss));
    EXPECT_EQ(none.map.size(), n);
}

TEST(Pacmap, TheLossIsTheFormula) {
    const Index n = 150;
    const std::vector<float> x = random_points(n, 5);
    const Map start{2, random_points(n, 2, 8)};
    const Result result = embed({x.data(), n, 5}, {.k = 6, .iterations = "0,0,0"}, {}, {.start = &start});
    device::Cpu cpu(1);
    const Graph near = chosen_near(cpu, neighbors::search({x.data(), n, 5}, {.k = 56}).graph, 6);
    double wanted = 0;
    for (Index i = 0; i < n; ++i) {
        for (Offset e = near.offsets[at(i)]; e < near.offsets[at(i) + 1]; ++e) {
            const double d = 1 + made::distance2(start.view(), i, near.targets[at(e)]);
            wanted += d / (10 + d) / n;
        }
        for (Index j = 0; j < n; ++j)
            wanted += j == i ? 0 : 20.0 / (n - 1) / (2 + made::distance2(start.view(), i, j)) / n;
    }
    EXPECT_NEAR(result.loss, wanted, 1e-5 * wanted);
    EXPECT_EQ(result.loss_se, 0);
}

TEST(Pacmap, DigitsKeepTheirNeighborhoods) {
    const io::Points digits = io::read_points(std::filesystem::path(DUNLIN_EXAMPLES) / "digits.csv.gz");
    const Result result = embed(digits.values.view());
    const double trust = scores::trustworthiness(digits.values.view(), result.map, 5).value;
    EXPECT_GT(trust, 0.95);
    for (const auto repulsion : {Repulsion::tree, Repulsion::grid}) {
        const Result other = embed(digits.values.view(), {.repulsion = repulsion});
        EXPECT_NEAR(other.loss, result.loss, 0.01 * result.loss) << name_of(repulsion);
        EXPECT_NEAR(scores::trustworthiness(digits.values.view(), other.map, 5).value, trust, cases::score_spread);
    }
}

}  // namespace
}  // namespace dunlin::pacmap
