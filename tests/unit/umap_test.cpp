// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/umap.hpp>

#include "cases/cases.hpp"
#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "descent/repeller.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"
#include "umap/local_scale.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {
namespace {

using made::is_finite;

std::vector<float> random_points(Index n, Index d, std::uint64_t seed = 1) { return made::cloud(n, d, 1, seed); }

Graph neighbors_of(const std::vector<float>& x, Index d, Index k) {
    return neighbors::search({x.data(), static_cast<Index>(x.size()) / d, d}, {.k = k - 1}).graph;
}

// --- curve

TEST(UmapCurve, IsThatOfThePublishedDefaults) {
    const Curve usual = fit_curve(0.1F, 1);  // umap-learn 0.5: 1.576943, 0.895061
    EXPECT_NEAR(usual.a, 1.576943F, 2e-3F);
    EXPECT_NEAR(usual.b, 0.895061F, 1e-3F);
    const Curve wide = fit_curve(0.5F, 1);  // 0.583030, 1.334167
    EXPECT_NEAR(wide.a, 0.583030F, 1e-3F);
    EXPECT_NEAR(wide.b, 1.334167F, 2e-3F);
}

TEST(UmapCurve, FollowsTheUnitOfLength) {
    for (const float unit : {1e-3F, 0.5F, 20.0F}) {
        const Curve one = fit_curve(0.2F, 1), other = fit_curve(0.2F * unit, unit);
        EXPECT_NEAR(other.b, one.b, 1e-5F);
        EXPECT_NEAR(other.a * std::pow(unit, 2 * other.b) / one.a, 1, 1e-4F);
    }
    EXPECT_NE(refusal(Fault::bad_input, [] { fit_curve(2, 1); }).find("min-dist"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [] { fit_curve(0, 0); }), "");
}

// --- memberships

TEST(LocalScale, MembershipsOfNeighborsSumToTheLogarithmOfTheirNumber) {
    for (const Index k : {3, 15, 90}) {
        std::vector<float> d;
        for (Index j = 0; j < k - 1; ++j)
            d.push_back(static_cast<float>(1 + math::random_uniform(3, static_cast<std::uint64_t>(j))));
        const LocalScale scale = local_scale(d.data(), k - 1, 1, 1);
        EXPECT_EQ(scale.rho, *std::min_element(d.begin(), d.end()));
        double sum = 0;
        for (const float each : d) sum += static_cast<double>(scale.membership(each));
        EXPECT_NEAR(sum, std::log2(static_cast<double>(k)), 1e-4);
    }
}

TEST(LocalScale, ConnectivityInterpolatesAndOnlyDistancesAboveZeroCount) {
    const float d[] = {0, 3, 1, 0, 2};
    EXPECT_EQ(connected_distance(d, 5, 0), 0);
    EXPECT_FLOAT_EQ(connected_distance(d, 5, 0.5F), 0.5F);
    EXPECT_FLOAT_EQ(connected_distance(d, 5, 1), 1);
    EXPECT_FLOAT_EQ(connected_distance(d, 5, 2.25F), 2.25F);
    EXPECT_FLOAT_EQ(connected_distance(d, 5, 9), 3);
    const float none[] = {0, 0};
    EXPECT_EQ(connected_distance(none, 2, 1), 0);
    const float upon[3] = {2, 0, 1};  // a new point upon another one
    EXPECT_EQ(connected_distance(upon, 3, 1, Zeros::counted), 0);
    EXPECT_FLOAT_EQ(connected_distance(upon, 3, 1.5F, Zeros::counted), 0.5F);
    EXPECT_FLOAT_EQ(connected_distance(upon, 3, 3, Zeros::counted), 2);
    EXPECT_EQ(local_scale(none, 2, 1, 0.5F).membership(0), 1);
}

TEST(LocalScale, TheUnitOfTheDistancesHasNoEffect) {
    std::vector<float> d;
    for (int k = 1; k <= 14; ++k) d.push_back(std::sqrt(static_cast<float>(k)) + 0.1F);
    const LocalScale one = local_scale(d.data(), 14, 1, 1);
    for (const float unit : {0x1p-100F, 0x1p-50F, 0x1p-1F, 0x1p30F, 0x1p100F}) {
        std::vector<float> scaled = d;
        for (float& distance : scaled) distance *= unit;
        const LocalScale other = local_scale(scaled.data(), 14, 1, unit);
        for (std::size_t k = 0; k < d.size(); ++k) EXPECT_EQ(other.membership(scaled[k]), one.membership(d[k])) << unit;
    }
}

TEST(Memberships, AreTheUnionOfBothEnds) {
    const Index n = 120, d = 4, k = 10;
    const std::vector<float> x = random_points(n, d, 5);
    const Graph graph = neighbors_of(x, d, k);
    // By the definition, in double
    std::vector<double> one(static_cast<std::size_t>(n * n));
    for (Index i = 0; i < n; ++i) {
        const auto* row = graph.weights.data() + graph.offsets[static_cast<std::size_t>(i)];
        const double rho = static_cast<double>(row[0]);
        double low = 0, high = 1e6;
        for (int step = 0; step < 200; ++step) {
            const double sigma = (low + high) / 2;
            double sum = 0;
            for (Index j = 0; j < k - 1; ++j) sum += std::exp(-(static_cast<double>(row[j]) - rho) / sigma);
            (sum > std::log2(k) ? high : low) = sigma;
        }
        for (Index j = 0; j < k - 1; ++j) {
            const Index to = graph.targets[static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(i)] + j)];
            one[static_cast<std::size_t>(i * n + to)] = std::exp(-(static_cast<double>(row[j]) - rho) / low);
        }
    }
    for (const float mix : {1.0F, 0.3F, 0.0F}) {
        const Graph found = memberships(graph, {.mix = mix});
        Offset edges = 0;
        for (Index i = 0; i < n; ++i) {
            for (Offset e = found.offsets[static_cast<std::size_t>(i)];
                 e < found.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
                const Index j = found.targets[static_cast<std::size_t>(e)];
                const double a = one[static_cast<std::size_t>(i * n + j)], b = one[static_cast<std::size_t>(j * n + i)];
                const double wanted =
                    static_cast<double>(mix) * (a + b - a * b) + (1 - static_cast<double>(mix)) * a * b;
                EXPECT_NEAR(static_cast<double>(found.weights[static_cast<std::size_t>(e)]), wanted, 2e-4);
                edges += a > 0 || b > 0 ? 1 : 0;
            }
        }
        EXPECT_EQ(edges, found.edges());
    }
}

// --- supervision

TEST(Supervision, IsUmapLearnsForCategories) {
    // A row of three: labels 0, 0, 1 and one unknown
    Graph mu;
    mu.offsets = {0, 3, 4, 5, 6};
    mu.targets = {1, 2, 3, 0, 0, 0};
    mu.weights = {0.5F, 1, 0.8F, 0.5F, 1, 0.8F};
    const Labels labels{{0, 0, 1, -1}, {"a", "b"}};
    const float weight = 0.5F;
    const double different = std::exp(-5.0), unknown = std::exp(-1.0);
    const Graph found = supervised(mu, labels, weight);
    ASSERT_EQ(found.targets, mu.targets);
    // Scaled: row 0 by its largest, 0.5; every other row has one edge, 1 after scaling
    const double of_row[] = {1, 1 * different / 0.5, 0.8 * unknown / 0.5};
    for (int e = 0; e < 3; ++e) {
        const double wanted = of_row[e] + 1 - of_row[e];
        EXPECT_NEAR(found.weights[static_cast<std::size_t>(e)], wanted, 1e-6) << e;
    }
    // An edge whose ends both have stronger ones
    Graph path;
    path.offsets = {0, 1, 3, 5, 6};
    path.targets = {1, 0, 2, 1, 3, 2};
    path.weights = {1, 1, 0.5F, 0.5F, 1, 1};
    const Graph cut = supervised(path, {{0, 0, 1, 1}, {"a", "b"}}, 0.5F);
    const double one = 0.5 * different;
    EXPECT_NEAR(cut.weights[2], 2 * one - one * one, 1e-6);
    EXPECT_EQ(supervised(path, {{0, 0, 1, 1}, {"a", "b"}}, 1).weights[2], 0);
    EXPECT_EQ(supervised(path, {{0, 0, 0, 0}, {"a"}}, 0.5F).weights[2], 0.75F);
    EXPECT_NEAR(supervised(path, {{0, 0, no_label, no_label}, {"a"}}, 0.5F).weights[2],
                0.5 * unknown + 0.5 - 0.25 * unknown, 1e-6);
}

TEST(Supervision, LabelsAreGivenExactlyWhenTheyAreRead) {
    const std::vector<float> x = random_points(60, 3);
    const MatrixView<const float> points{x.data(), 60, 3};
    Labels labels{std::vector<Index>(60), {"a", "b"}};
    for (Index i = 0; i < 60; ++i) labels.of[static_cast<std::size_t>(i)] = i % 2;
    const Options weighted{.labels_weight = 0.5F, .iterations = 5};
    EXPECT_TRUE(is_finite(embed(points, weighted, {}, {.labels = &labels}).map));
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, weighted); }).find("no labels"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {}, {}, {.labels = &labels}); }).find("labels-weight is 0"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.labels_weight = 1.5F}, {}, {.labels = &labels}); }), "");
    const Graph mu = memberships(neighbors_of(x, 3, 10));
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(mu, {2, random_points(60, 2)}, weighted); }), "");
    labels.of.pop_back();
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, weighted, {}, {.labels = &labels}); }).find("59"),
              std::string::npos);
}

TEST(Supervision, SeparatesClassesThatOverlap) {
    const Index n = 400;
    const std::vector<float> x = random_points(n, 4);  // one cloud, two labels at random
    Labels labels{{}, {"a", "b"}};
    for (Index i = 0; i < n; ++i)
        labels.of.push_back(math::random_uniform(2, static_cast<std::uint64_t>(i)) < 0.5 ? 0 : 1);
    const MatrixView<const float> points{x.data(), n, 4};
    const double plain = scores::label_accuracy(embed(points).map, labels, 10).value;
    const Result result = embed(points, {.labels_weight = 0.9F}, {}, {.labels = &labels});
    EXPECT_GT(scores::label_accuracy(result.map, labels, 10).value, plain + 0.2);
}

TEST(UmapPreset, NamesConstants) {
    EXPECT_EQ(options_of(Preset::umap_learn).start, Start::spectral);
    EXPECT_EQ(options_of(Preset::largevis).repulsion_strength, 7);
    EXPECT_EQ(*options_of(Preset::neg_tsne).b, 1);
    const std::vector<float> x = random_points(100, 3);
    for (const Preset preset : {Preset::umap_learn, Preset::largevis, Preset::neg_tsne}) {
        Options options = options_of(preset);
        options.iterations = 30;
        EXPECT_TRUE(is_finite(embed({x.data(), 100, 3}, options).map)) << name_of(preset);
    }
}

// --- gradient

TEST(UmapObjective, ForcesAreTheFormula) {
    for (const int dim : {2, 3}) {
        const Index n = 60;
        const std::vector<float> x = random_points(n, 5, 2), y = random_points(n, dim, 3);
        const Graph mu = memberships(neighbors_of(x, 5, 8));
        const Options o = resolve_descent(
            {.dim = dim, .negatives = 7, .repulsion_strength = 1.5F, .repulsion = Repulsion::exact}, n, Device::cpu);
        device::Cpu cpu(2);
        auto state = descent::descent_state_at(cpu, y, dim);
        descent::Repeller<forces::Fuzzy> repeller(repulsion_of(o), law_of(o));
        Objective<device::Cpu> objective(cpu, state, mu, o);
        repeller.choose(cpu, state.positions());
        objective.find_forces(cpu, state, mu, repeller);
        const auto parameters = objective.parameters_at(0);

        double total = 0;
        for (const float w : mu.weights) total += static_cast<double>(w);
        const double a = static_cast<double>(*o.a), b = static_cast<double>(*o.b);
        const double core = a * std::pow(static_cast<double>(o.softening), b);
        for (Index i = 0; i < n; ++i) {
            double wanted[3] = {}, degree = 0;
            const auto delta = [&](Index j, int c) {
                return static_cast<double>(y[static_cast<std::size_t>(i * dim + c)]) -
                       static_cast<double>(y[static_cast<std::size_t>(j * dim + c)]);
            };
            const auto r2 = [&](Index j) {
                double sum = 0;
                for (int c = 0; c < dim; ++c) sum += delta(j, c) * delta(j, c);
                return sum;
            };
            for (Offset e = mu.offsets[static_cast<std::size_t>(i)]; e < mu.offsets[static_cast<std::size_t>(i) + 1];
                 ++e) {
                const Index j = mu.targets[static_cast<std::size_t>(e)];
                const double m = static_cast<double>(mu.weights[static_cast<std::size_t>(e)]), r = r2(j);
                degree += m;
                for (int c = 0; c < dim; ++c)
                    wanted[c] += m * n / total * a * b * std::pow(r, b - 1) / (1 + a * std::pow(r, b)) * delta(j, c);
            }
            for (Index j = 0; j < n; ++j) {
                if (j == i) continue;
                const double r = r2(j), u = a * std::pow(r, b);
                for (int c = 0; c < dim; ++c)
                    wanted[c] -=
                        7 * 1.5 * degree / (2.0 * n * total / n) * b * u / (r * (core + u) * (1 + u)) * delta(j, c);
            }
            for (int c = 0; c < dim; ++c) {
                const std::size_t at = static_cast<std::size_t>(i * dim + c);
                const double found = static_cast<double>(
                    descent::gradient_of(state.attraction[at], state.repulsion[at], parameters.exaggeration,
                                         static_cast<float>(descent::normalizer(state.mass.value))));
                EXPECT_NEAR(found, wanted[c], 2e-5 * (1 + std::abs(wanted[c])));
            }
        }
    }
}

TEST(UmapStart, OutliersLeaveRoomForTheOthers) {
    device::Cpu cpu(2);
    for (const int dim : {2, 3}) {
        SCOPED_TRACE(dim);
        std::vector<float> y = random_points(500, dim);
        for (float& value : y) value = std::clamp(value, -1.0F, 1.0F);
        const std::vector<float> without = y;
        auto state = descent::descent_state_at(cpu, y, dim);
        draw_outliers_near(cpu, state);
        EXPECT_TRUE(std::equal(without.begin(), without.end(), state.y.begin()));  // no point is far

        for (int d = 0; d < dim; ++d) y[static_cast<std::size_t>(d)] = 1e4F * static_cast<float>(d + 1);
        state = descent::descent_state_at(cpu, y, dim);
        draw_outliers_near(cpu, state);
        EXPECT_TRUE(std::equal(without.begin() + dim, without.end(), state.y.begin() + dim));
        const auto along = static_cast<double>(state.y[0]) / static_cast<double>(y[0]);
        double before = 0, after = 0;
        for (int d = 0; d < dim; ++d) {
            const auto c = static_cast<std::size_t>(d);
            EXPECT_NEAR(static_cast<double>(state.y[c]), along * static_cast<double>(y[c]),
                        1e-4);  // the same direction
            before += std::pow(y[c], 2), after += std::pow(state.y[c], 2);
        }
        EXPECT_GT(before, 1e7);
        EXPECT_LT(std::sqrt(after), 50);
        EXPECT_GT(std::sqrt(after), 3);
    }
    auto state = descent::descent_state_at(cpu, std::vector<float>(20, 0.0F), 2);
    draw_outliers_near(cpu, state);  // all at one place
    EXPECT_EQ(std::count(state.y.begin(), state.y.end(), 0.0F), 20);
    state = descent::descent_state_at(cpu, std::vector<float>{}, 2);
    draw_outliers_near(cpu, state);
}

TEST(UmapObjective, TheLearningRateFallsInTheLastFifth) {
    const Options o = resolve_descent({.iterations = 100}, 10, Device::cpu);
    const std::vector<float> x = random_points(10, 2);
    const Graph mu = memberships(neighbors_of(x, 2, 4));
    device::Cpu cpu(1);
    auto state = descent::descent_state_at(cpu, x, 2);
    const Objective<device::Cpu> objective(cpu, state, mu, o);
    EXPECT_EQ(objective.parameters_at(79).learning_rate, 1);
    EXPECT_EQ(objective.parameters_at(80).learning_rate, 1);
    EXPECT_FLOAT_EQ(objective.parameters_at(90).learning_rate, 0.5F);
    EXPECT_FALSE(objective.changes_at(50));
    EXPECT_TRUE(objective.changes_at(0) && objective.changes_at(81));
}

// --- whole runs

TEST(Umap, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
    for (const Index n : {500, 3000}) {
        const std::vector<float> x = random_points(n, 6);
        const auto map = [&](int threads) {
            return embed({x.data(), n, 6}, {.iterations = 60}, {.device = Device::cpu, .threads = threads})
                .map.coordinates;
        };
        const auto one = map(1);
        EXPECT_EQ(one, map(2));
        EXPECT_EQ(one, map(3));
    }
}

TEST(Umap, FewPointsDuplicatesAndStars) {
    for (const int dim : {1, 2, 3}) {
        for (Index n = 1; n <= 6; ++n) {
            const std::vector<float> x = random_points(n, 3);
            const Result result = embed({x.data(), n, 3}, {.dim = dim, .iterations = 50});
            EXPECT_EQ(result.map.size(), n);
            EXPECT_TRUE(is_finite(result.map)) << n;
            EXPECT_TRUE(std::isfinite(result.cross_entropy)) << n;
        }
    }
    const std::vector<float> same(2500 * 3, 2.5F);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        const Result result = embed({same.data(), 2500, 3}, {.iterations = 100, .repulsion = repulsion});
        EXPECT_TRUE(is_finite(result.map)) << name_of(repulsion);
    }
    // A star: the center is a neighbor of all, and every membership is 1
    Graph star;
    const Index leaves = 30;
    star.offsets = {0};
    for (Index i = 0; i <= leaves; ++i) {
        for (Index j = 0; j <= leaves; ++j) {
            if (i != j && (i == 0 || j == 0)) star.targets.push_back(j), star.weights.push_back(1);
        }
        star.offsets.push_back(static_cast<Offset>(star.targets.size()));
    }
    const Map start{2, random_points(leaves + 1, 2)};
    const Result mapped = embed(star, start, {.iterations = 300});
    EXPECT_TRUE(is_finite(mapped.map));
    const float* center = mapped.map.coordinates.data();
    for (Index i = 1; i <= leaves; ++i) {  // every leaf stays with the center, and leaves repel each other
        const float* leaf = center + Offset{2} * i;
        EXPECT_LT(std::hypot(leaf[0] - center[0], leaf[1] - center[1]), 10) << i;
        for (Index j = 1; j < i; ++j)
            EXPECT_GT(std::hypot(leaf[0] - center[2 * j], leaf[1] - center[2 * j + 1]), 0.05F) << i << ", " << j;
    }
}

TEST(Umap, FarBlobsStayApartAndFinite) {
    const Index n = 400;
    for (const float gap : {50.0F, 1e6F}) {
        std::vector<float> x = random_points(n, 5);
        for (Index i = n / 2; i < n; ++i) x[static_cast<std::size_t>(i) * 5] += gap;
        const Result result = embed({x.data(), n, 5});
        ASSERT_TRUE(is_finite(result.map));
        // Between blobs no membership, within each all: a line separates them
        double mean[2][2] = {};
        for (Index i = 0; i < n; ++i) {
            for (int c = 0; c < 2; ++c)
                mean[i / (n / 2)][c] +=
                    static_cast<double>(result.map.coordinates[static_cast<std::size_t>(2 * i + c)]) / (n / 2);
        }
        Index wrong = 0;
        for (Index i = 0; i < n; ++i) {
            double side = 0;
            for (int c = 0; c < 2; ++c) {
                const double middle = (mean[0][c] + mean[1][c]) / 2;
                side += (static_cast<double>(result.map.coordinates[static_cast<std::size_t>(2 * i + c)]) - middle) *
                        (mean[1][c] - mean[0][c]);
            }
            wrong += (side > 0) != (i >= n / 2) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << gap;
    }
}

TEST(Umap, GivenNeighborsStartAndOptionsGiveTheSameBytes) {
    const Index n = 1200;
    const std::vector<float> x = random_points(n, 6);
    const MatrixView<const float> points{x.data(), n, 6};
    const Options options{.k = 12, .iterations = 50};
    const dunlin::Run run{.device = Device::cpu};
    const Result first = embed(points, options, run);
    const Graph graph = neighbors_of(x, 6, 12);
    EXPECT_EQ(embed(points, options, run, {.neighbors = &graph}).map.coordinates, first.map.coordinates);
    EXPECT_EQ(embed(points, first.options, run).map.coordinates, first.map.coordinates);
    const Map start{3, random_points(n, 3, 9)};
    const Result from = embed(points, {.iterations = 0}, run, {.start = &start});
    EXPECT_EQ(from.map.dim, 3);
    EXPECT_EQ(from.map.coordinates, start.coordinates);  // as it is, not scaled
    const Graph mu = memberships(graph);
    const Map flat{2, random_points(n, 2, 9)};
    EXPECT_EQ(embed(mu, flat, options, run).map.coordinates,
              embed(points, options, run, {.neighbors = &graph, .start = &flat}).map.coordinates);
}

TEST(Umap, SparseRowsGiveTheMapOfTheirDenseRows) {
    const made::Points dense = made::mostly_zeros(300, 40);
    const SparseMatrix sparse = sparse_of(dense.view());
    const Options options{.start = Start::random, .iterations = 100};
    const Result by_sparse = embed(view_of(sparse), options), by_dense = embed(dense.view(), options);
    EXPECT_NEAR(by_sparse.cross_entropy, by_dense.cross_entropy, 0.05 * by_dense.cross_entropy);
}

TEST(Umap, BadInputIsOneClearError) {
    std::vector<float> x = random_points(20, 3);
    const MatrixView<const float> points{x.data(), 20, 3};
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.a = 1.0F}); }).find("both"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.min_dist = 2}); }).find("spread"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.k = 1}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.mix = 1.5F}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.metric = neighbors::Metric::inner_product}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.dim = 1, .repulsion = Repulsion::grid}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), 0, 3}); }).find("0 rows"), std::string::npos);
    const Map start{2, random_points(7, 2)};
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {}, {}, {.start = &start}); }).find("7 points"),
              std::string::npos);
    Graph similar = neighbors_of(x, 3, 5);
    similar.weights[3] = -1;
    EXPECT_NE(refusal(Fault::bad_input, [&] { memberships(similar); }).find("row 0"), std::string::npos);
    x[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points); }), "");
}

TEST(Umap, MoreNeighborsThanPointsAreAllPoints) {
    const std::vector<float> x = random_points(9, 3);
    EXPECT_EQ(embed({x.data(), 9, 3}, {.k = 200, .iterations = 10}).options.k, 9);
    EXPECT_EQ(embed({x.data(), 9, 3}, {.iterations = 10}).options.k, 9);
}

TEST(Umap, AStopLeavesTheMapSoFar) {
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
    EXPECT_LT(result.iterations, 500);
    EXPECT_EQ(result.map.size(), n);
    EXPECT_TRUE(is_finite(result.map));
    EXPECT_FALSE(result.varies_because.empty());
    source.request_stop();
    const Result none = embed({x.data(), n, 4}, {}, run);
    EXPECT_TRUE(std::isnan(none.cross_entropy));
    EXPECT_EQ(none.map.size(), n);
}

TEST(Umap, TheCrossEntropyIsTheFormulaAndFalls) {
    const Index n = 150;
    const std::vector<float> x = random_points(n, 5);
    const Graph mu = memberships(neighbors_of(x, 5, 10));
    const Map start{2, random_points(n, 2, 8)};
    const Result begin = embed(mu, start, {.iterations = 0}), end = embed(mu, start, {.iterations = 300});
    EXPECT_LT(end.cross_entropy, begin.cross_entropy);
    const forces::Fuzzy law = law_of(begin.options);
    double total = 0, attraction = 0, repulsion = 0;
    for (const float w : mu.weights) total += static_cast<double>(w);
    for (Index i = 0; i < n; ++i) {
        double degree = 0, sum = 0;
        const auto r2 = [&](Index j) {
            const double dx = static_cast<double>(start.coordinates[static_cast<std::size_t>(2 * i)]) -
                              static_cast<double>(start.coordinates[static_cast<std::size_t>(2 * j)]);
            const double dy = static_cast<double>(start.coordinates[static_cast<std::size_t>(2 * i + 1)]) -
                              static_cast<double>(start.coordinates[static_cast<std::size_t>(2 * j + 1)]);
            return dx * dx + dy * dy;
        };
        for (Offset e = mu.offsets[static_cast<std::size_t>(i)]; e < mu.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const double m = static_cast<double>(mu.weights[static_cast<std::size_t>(e)]);
            degree += m;
            attraction += law.cost(m, r2(mu.targets[static_cast<std::size_t>(e)]));
        }
        for (Index j = 0; j < n; ++j) sum += j == i ? 0 : law.potential(r2(j));
        repulsion += 5 * degree / (2.0 * n) * sum;
    }
    const double wanted = (attraction + repulsion) / total;
    EXPECT_NEAR(begin.cross_entropy, wanted, 1e-4 * wanted);
    EXPECT_EQ(begin.cross_entropy_se, 0);
}

TEST(Umap, DigitsKeepTheirNeighborhoods) {
    const io::Points digits = io::read_points(std::filesystem::path(DUNLIN_EXAMPLES) / "digits.csv.gz");
    const Result result = embed(digits.values.view());
    const double trust = scores::trustworthiness(digits.values.view(), result.map, 5).value;
    EXPECT_GT(trust, 0.95);  // the bound of umap-learn's own test
    for (const auto repulsion : {Repulsion::tree, Repulsion::grid}) {
        const Result other = embed(digits.values.view(), {.repulsion = repulsion});
        EXPECT_NEAR(other.cross_entropy, result.cross_entropy, 0.01 * result.cross_entropy) << name_of(repulsion);
        EXPECT_NEAR(scores::trustworthiness(digits.values.view(), other.map, 5).value, trust, cases::score_spread);
    }
}

}  // namespace
}  // namespace dunlin::umap
