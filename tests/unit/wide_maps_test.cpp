// SPDX-License-Identifier: Apache-2.0
// Maps of UMAP and PaCMAP in more than 3 dimensions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "descent/repeller.hpp"
#include "forces/sampled/sampled.hpp"
#include "forces/width.hpp"
#include "math/at.hpp"
#include "pacmap/objective.hpp"
#include "pacmap/resolve.hpp"
#include "placement/sample.hpp"
#include "refusal.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin {
namespace {

using descent::Repulsion;
using made::is_finite;

const Run on_cpu{.device = Device::cpu};

std::vector<float> cloud(Index n, Index cols, std::uint64_t seed = 1) { return made::cloud(n, cols, 1, seed); }

/// Rows of `dim` numbers as rows of their width.
std::vector<float> at_width(const std::vector<float>& rows, int dim) {
    device::Cpu cpu(1);
    return forces::at_width(cpu, rows, dim);
}

TEST(Width, IsTheNextOfAFewAndTheRestIsZero) {
    EXPECT_EQ(forces::width_of(1), 2);
    EXPECT_EQ(forces::width_of(2), 2);
    EXPECT_EQ(forces::width_of(3), 3);
    EXPECT_EQ(forces::width_of(4), 4);
    EXPECT_EQ(forces::width_of(5), 8);
    EXPECT_EQ(forces::width_of(33), 64);
    EXPECT_EQ(forces::width_of(descent::most_dimensions), 64);
    EXPECT_EQ(at_width({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5),
              (std::vector<float>{1, 2, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0}));
}

/// The force of j on i by the formula, in double, added with this weight.
template <class Law>
void add_force(const Law& law, const float* i, const float* j, int dim, double weight, std::vector<double>& sum) {
    double r2 = 0;
    for (int c = 0; c < dim; ++c) r2 += std::pow(static_cast<double>(i[c]) - static_cast<double>(j[c]), 2);
    for (int c = 0; c < dim; ++c)
        sum[at(c)] += weight * law.strength(r2) * (static_cast<double>(i[c]) - static_cast<double>(j[c]));
}

template <class Law>
void expect_forces(const Law& law, int dim, Index n) {
    SCOPED_TRACE(testing::Message() << dim << "-D, " << n);
    const int width = forces::width_of(dim);
    const std::vector<float> y = cloud(n, dim, 3), rows = at_width(y, dim);
    const MatrixView<const float> view{rows.data(), n, width};
    std::vector<float> all(rows.size()), drawn(rows.size());
    device::Cpu cpu(2);
    const forces::Draws draws{forces::Draws::stream_of(5, 7), n, 70};
    forces::repel_all(cpu, law, view, {all.data(), n, width});
    forces::repel_drawn(cpu, law, draws, view, {drawn.data(), n, width});
    for (Index i = 0; i < n; ++i) {
        const float* place = rows.data() + Offset{i} * width;
        std::vector<double> by_all(at(width)), by_draws(at(width));
        double potential = 0;
        for (Index j = 0; j < n; ++j) {
            add_force(law, place, rows.data() + Offset{j} * width, dim, 1, by_all);
            double r2 = 0;
            for (int c = 0; c < dim; ++c) {
                const auto delta = static_cast<double>(place[c]) - static_cast<double>(rows[at(Offset{j} * width + c)]);
                r2 += delta * delta;
            }
            potential += forces::potential_of(law, r2);
        }
        for (Index s = 0; s < draws.count; ++s) {
            const Index j = draws.of(i, s);
            ASSERT_TRUE(j >= 0 && j < n);
            add_force(law, place, rows.data() + Offset{j} * width, dim, n / 70.0, by_draws);
        }
        for (int c = 0; c < width; ++c) {
            ASSERT_NEAR(all[at(Offset{i} * width + c)], by_all[at(c)], 2e-5 * n);
            ASSERT_NEAR(drawn[at(Offset{i} * width + c)], by_draws[at(c)], 2e-5 * n);
        }
        ASSERT_NEAR(forces::potential_of_all(law, view, place), potential, 1e-5 * n);
    }
}

TEST(WideForces, AreTheFormula) {
    for (const int dim : {4, 5, 16, 20, 64}) {
        for (const Index n : {1, 2, 65, 200}) {
            expect_forces(forces::Fuzzy(), dim, n);
            expect_forces(forces::FurtherPairs(), dim, n);
        }
    }
}

TEST(WideForces, OfDrawnPointsAreThoseOfAllOnAverage) {
    constexpr int dim = 5, width = 8;
    const Index n = 300;
    const std::vector<float> rows = at_width(cloud(n, dim, 4), dim);
    const MatrixView<const float> y{rows.data(), n, width};
    device::Cpu cpu(2);
    const forces::Fuzzy law;
    std::vector<float> all(rows.size()), drawn(rows.size());
    forces::repel_all(cpu, law, y, {all.data(), n, width});
    std::vector<double> mean(rows.size());
    constexpr int times = 2000;
    for (int t = 0; t < times; ++t) {
        forces::repel_drawn(cpu, law, {forces::Draws::stream_of(1, t), n, 32}, y, {drawn.data(), n, width});
        for (std::size_t k = 0; k < drawn.size(); ++k) mean[k] += static_cast<double>(drawn[k]) / times;
    }
    double error = 0, square = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
        error += std::pow(mean[k] - static_cast<double>(all[k]), 2);
        square += std::pow(static_cast<double>(all[k]), 2);
    }
    EXPECT_LT(std::sqrt(error / square), 0.03);
}

/// The objective's forces in a plane within a space of `dim` dimensions are those of the map in the plane.
template <class Options, class Edges, class Law, template <class> class ObjectiveOf>
void expect_forces_of_plane(Options options, const Edges& edges, const Law& law, const std::vector<float>& plane) {
    const auto n = static_cast<Index>(plane.size() / 2);
    device::Cpu cpu(2);
    const auto forces_in = [&](int dim) {
        options.dim = dim;
        std::vector<float> y(at(Offset{n} * dim));
        for (std::size_t i = 0; i < at(n); ++i)
            for (std::size_t c = 0; c < 2; ++c) y[i * at(dim) + c] = plane[2 * i + c];
        auto state = descent::descent_state_at(cpu, y, dim);
        descent::Repeller<Law> repeller(descent::repulsion_of(options), law);
        ObjectiveOf<device::Cpu> objective = [&] {
            if constexpr (std::is_same_v<Options, umap::Options>) {
                return ObjectiveOf<device::Cpu>(cpu, state, edges, options);
            } else {
                return ObjectiveOf<device::Cpu>(cpu, state, options);
            }
        }();
        repeller.choose(cpu, state.positions());
        objective.prepare(cpu, 0);
        objective.find_forces(cpu, state, edges, repeller);
        std::vector<float> all;
        for (Index i = 0; i < n; ++i) {
            for (int c = 0; c < state.dim; ++c) {
                const std::size_t k = at(Offset{i} * state.dim + c);
                if (c >= 2) {
                    EXPECT_EQ(state.attraction[k], 0);
                    EXPECT_EQ(state.repulsion[k], 0);
                } else {
                    all.push_back(state.attraction[k]);
                    all.push_back(state.repulsion[k]);
                }
            }
        }
        return all;
    };
    const std::vector<float> expected = forces_in(2);
    for (const int dim : {4, 7, 64}) {
        const std::vector<float> found = forces_in(dim);
        for (std::size_t k = 0; k < found.size(); ++k)
            ASSERT_NEAR(found[k], expected[k], 1e-4F * std::max(1.0F, std::abs(expected[k]))) << dim;
    }
}

TEST(WideForces, InAPlaneAreThoseOfThePlane) {
    const Index n = 150;
    const std::vector<float> x = cloud(n, 5, 2), plane = cloud(n, 2, 3);
    const Graph near = neighbors::search({x.data(), n, 5}, {.k = 9}).graph;
    const umap::Options u = umap::resolve_descent({.repulsion = Repulsion::exact}, n, Device::cpu);
    expect_forces_of_plane<umap::Options, Graph, forces::Fuzzy, umap::Objective>(u, umap::memberships(near),
                                                                                 umap::law_of(u), plane);
    device::Cpu cpu(2);
    const pacmap::Options p = pacmap::resolve_descent(
        pacmap::resolve_neighbors({.k = 4, .repulsion = Repulsion::exact}, n, 5, n - 1), n, Device::cpu);
    const pacmap::Pairs<Graph> pairs{pacmap::symmetric_pairs(cpu, pacmap::chosen_near(cpu, near, 4)),
                                     pacmap::symmetric_pairs(cpu, pacmap::drawn_mid_near(cpu, {x.data(), n, 5}, p, 1))};
    expect_forces_of_plane<pacmap::Options, pacmap::Pairs<Graph>, forces::FurtherPairs, pacmap::Objective>(p, pairs, {},
                                                                                                           plane);
}

template <class Options>
Options brief(int dim) {
    Options options;
    options.dim = dim;
    if constexpr (requires { options.momentum; }) {
        options.iterations = 60;
    } else {
        options.iterations = "20,20,30";
    }
    return options;
}

/// work(options) for both methods.
template <class Work>
void by_both(int dim, const Work& work) {
    work(brief<umap::Options>(dim));
    work(brief<pacmap::Options>(dim));
}

TEST(WideMaps, KeepNeighborhoodsAndCenter) {
    const Index n = 600;
    const made::Points points = made::corners(n, 8);
    for (const int dim : {4, 5, 10, 64}) {
        for (const auto start : {descent::Start::pca, descent::Start::spectral, descent::Start::random}) {
            by_both(dim, [&](auto options) {
                SCOPED_TRACE(testing::Message() << dim << "-D, " << name_of(start));
                options.start = start;
                const auto result = embed(points.view(), options, on_cpu);
                EXPECT_EQ(result.options.repulsion, Repulsion::drawn);
                ASSERT_EQ(result.map.dim, dim);
                ASSERT_EQ(result.map.size(), n);
                ASSERT_TRUE(is_finite(result.map));
                for (int c = 0; c < dim; ++c) {
                    double sum = 0, square = 0;
                    for (Index i = 0; i < n; ++i) sum += static_cast<double>(result.map.view()(i, c));
                    for (Index i = 0; i < n; ++i) square += std::pow(static_cast<double>(result.map.view()(i, c)), 2);
                    EXPECT_LT(std::abs(sum / n), 1e-3);
                    EXPECT_GT(square, 0);
                }
                EXPECT_GT(scores::trustworthiness(points.view(), result.map).value,
                          start == descent::Start::random ? 0.7 : 0.85);
            });
        }
    }
}

TEST(WideMaps, HaveTheSameBytesForAnyNumberOfThreads) {
    const Index n = 1500;
    const std::vector<float> x = cloud(n, 6, 4);
    for (const int dim : {5, 33}) {
        by_both(dim, [&](auto options) {
            options.start = descent::Start::spectral;
            const auto map = [&](int threads) {
                return embed({x.data(), n, 6}, options, {.device = Device::cpu, .threads = threads}).map.coordinates;
            };
            const auto one = map(1);
            EXPECT_EQ(map(2), one);
            EXPECT_EQ(map(7), one);
            EXPECT_NE(embed({x.data(), n, 6}, options, {.device = Device::cpu, .seed = 2}).map.coordinates, one);
        });
    }
}

TEST(WideMaps, OfFewPointsCopiesAndHugeNumbersAreFinite) {
    for (const Index n : {1, 2, 3, 4, 40}) {
        for (const float scale : {0.0F, 1.0F, 1e15F}) {
            std::vector<float> x = cloud(n, 3);
            for (float& value : x) value *= scale;
            for (const int dim : {4, 5, 64}) {
                by_both(dim, [&](const auto& options) {
                    const auto result = embed({x.data(), n, 3}, options, on_cpu);
                    EXPECT_TRUE(is_finite(result.map)) << n << ", " << scale << ", " << dim;
                    EXPECT_EQ(result.map.size(), n);
                });
            }
        }
    }
}

TEST(WideMaps, RefuseWhatIsNotThere) {
    const std::vector<float> x = cloud(50, 3);
    const MatrixView<const float> points{x.data(), 50, 3};
    const auto refused = [&](auto options) {
        return refusal(Fault::bad_input, [&] { embed(points, options, on_cpu); });
    };
    EXPECT_NE(refused(umap::Options{.dim = 65}).find("from 1 to 64"), std::string::npos);
    EXPECT_NE(refused(pacmap::Options{.dim = 0}).find("from 1 to 64"), std::string::npos);
    EXPECT_NE(refused(tsne::Options{.dim = 5, .perplexity = 5}).find("take umap or pacmap"), std::string::npos);
    for (const auto repulsion : {Repulsion::tree, Repulsion::grid, Repulsion::adaptive})
        EXPECT_NE(refused(umap::Options{.dim = 5, .repulsion = repulsion}).find("no tree and no grid"),
                  std::string::npos);
    EXPECT_NE(refused(umap::Options{.repulsion = Repulsion::drawn}).find("dim is 2"), std::string::npos);
    EXPECT_NE(refused(umap::Options{.draws = 9}).find("draws"), std::string::npos);
    EXPECT_NE(refused(umap::Options{.dim = 5, .repulsion = Repulsion::exact, .draws = 9}).find("draws"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), 0, 3}, umap::Options{.dim = 5}, on_cpu); }), "");
    std::vector<float> with_nan = x;
    with_nan[7] = std::numeric_limits<float>::quiet_NaN();
    by_both(5, [&](const auto& options) {
        EXPECT_NE(refusal(Fault::bad_input, [&] { embed({with_nan.data(), 50, 3}, options, on_cpu); }), "");
    });
}

TEST(WideMaps, ExactRepulsionIsOneOfTheChoices) {
    const Index n = 300;
    const std::vector<float> x = cloud(n, 6, 4);
    umap::Options options = brief<umap::Options>(5);
    options.repulsion = Repulsion::exact;
    const umap::Result exact = umap::embed({x.data(), n, 6}, options, on_cpu);
    EXPECT_EQ(exact.options.repulsion, Repulsion::exact);
    EXPECT_FALSE(exact.options.draws);
    options.repulsion = Repulsion::automatic;
    options.draws = 64;
    const umap::Result drawn = umap::embed({x.data(), n, 6}, options, on_cpu);
    EXPECT_EQ(*drawn.options.draws, 64);
    EXPECT_NEAR(drawn.cross_entropy, exact.cross_entropy, 0.05 * exact.cross_entropy);
}

TEST(WideMaps, GoOnFromAStartAndKeepFixedPoints) {
    const Index n = 200;
    const std::vector<float> x = cloud(n, 6, 4);
    by_both(6, [&](auto options) {
        const auto first = embed({x.data(), n, 6}, options, on_cpu);
        std::vector<std::uint8_t> fixed(at(n));
        std::fill_n(fixed.begin(), 50, std::uint8_t{1});
        const auto next =
            embed({x.data(), n, 6}, options, on_cpu, {.start = &first.map, .keeps_start = true, .fixed = fixed});
        EXPECT_TRUE(std::equal(first.map.coordinates.begin(), first.map.coordinates.begin() + 50 * 6,
                               next.map.coordinates.begin()));
        EXPECT_NE(first.map.coordinates, next.map.coordinates);
    });
}

class ResumedWide : public cases::Resumed {};

TEST_F(ResumedWide, MapsHaveTheBytesOfARunThatIsNotStopped) {
    const Index n = 400;
    const std::vector<float> x = cloud(n, 5, 2);
    by_both(5, [&](const auto& options) {
        expect_resumed([&](const dunlin::Run& run) { return cases::bytes_of(embed({x.data(), n, 5}, options, run)); });
    });
}

// --- new points

TEST(SampledLoss, HasTheDerivativesOfItsValueAndIsThatOfAllPoints) {
    constexpr int dim = 5, width = 8;
    const Index n = 90;
    const std::vector<float> map = cloud(n, dim, 6);
    const placement::MapSample all({map.data(), n, dim}, true, 1);
    const std::vector<Index> targets{4, 11, 50};
    const std::vector<float> weights{1, 0.5F, 0.2F};
    const placement::Edges edges{all.map.data(), targets.data(), weights.data(), 3};
    const forces::Fuzzy law;
    EXPECT_DOUBLE_EQ(all.weight(edges), 1);
    const placement::SampledLoss<width, forces::Fuzzy> loss{all, law, edges, 0.3, all.weight(edges)};
    double y[width] = {0.2, -0.4, 0.9, 0.1, -0.6};
    const auto here = loss.at(y);

    double value = 0;
    const auto square = [&](Index j) {
        double r2 = 0;
        for (int c = 0; c < dim; ++c) r2 += std::pow(y[c] - static_cast<double>(map[at(Offset{j} * dim + c)]), 2);
        return r2;
    };
    for (std::size_t e = 0; e < 3; ++e) value += static_cast<double>(weights[e]) * law.cost(1.0, square(targets[e]));
    for (Index j = 0; j < n; ++j) value += 0.3 * law.potential(square(j));
    EXPECT_NEAR(here.value, value, 1e-5 * value);
    for (int c = 0; c < dim; ++c) {
        constexpr double step = 1e-2;
        double beyond[width], before[width];
        std::copy_n(y, width, beyond);
        std::copy_n(y, width, before);
        beyond[c] += step, before[c] -= step;
        const auto after = loss.at(beyond), first = loss.at(before);
        EXPECT_NEAR(here.gradient[c], (after.value - first.value) / (2 * step), 2e-2);
        for (int d = 0; d < dim; ++d)
            EXPECT_NEAR(here.hessian[math::packed_at<width>(c, d)],
                        (after.gradient[d] - first.gradient[d]) / (2 * step), 5e-2);
    }
    for (int c = dim; c < width; ++c) EXPECT_EQ(here.gradient[c], 0);
}

TEST(SampledLoss, CountsNeighborsOnceAndTheOthersByTheSample) {
    const Index n = 10000;
    const std::vector<float> map = cloud(n, 4, 6);
    const placement::MapSample sample({map.data(), n, 4}, false, 1);
    EXPECT_EQ(sample.size(), placement::sampled_points);
    EXPECT_EQ(std::count(sample.chosen.begin(), sample.chosen.end(), 1), placement::sampled_points);
    std::vector<Index> targets(30);
    for (std::size_t e = 0; e < targets.size(); ++e) targets[e] = static_cast<Index>(7 * e);
    const std::vector<float> weights(30, 1.0F);
    const placement::Edges edges{sample.map.data(), targets.data(), weights.data(), 30};
    Index both = 0;
    for (const Index j : targets) both += sample.chosen[at(j)];
    EXPECT_DOUBLE_EQ(sample.weight(edges), (n - 30.0) / (placement::sampled_points - both));
}

TEST(PlacedWide, PointsComeNearTheirPlacesAndARowAloneIsARowOfABatch) {
    const Index n = 5000;
    const made::Points points = made::corners(n, 8);
    by_both(5, [&](const auto& options) {
        const auto made = embed(points.view(), options, on_cpu);
        const auto how = placement::options_of(made.options);
        const placement::Placer placer(points.view(), made.map, how, on_cpu);
        const MatrixView<const float> some{points.values.data(), 60, points.columns};
        const placement::Result placed = placer.place(some, on_cpu);
        ASSERT_EQ(placed.map.dim, 5);
        ASSERT_TRUE(is_finite(placed.map));
        EXPECT_EQ(placed.engines.back().name, "sampled");
        double distance = 0, span = 0;
        for (Index i = 0; i < 60; ++i) {
            for (int c = 0; c < 5; ++c) {
                distance += std::pow(static_cast<double>(placed.map.view()(i, c) - made.map.view()(i, c)), 2);
                span += std::pow(static_cast<double>(made.map.view()(i, c)), 2);
            }
        }
        EXPECT_LT(std::sqrt(distance / span), 0.2);
        for (const Index row : {0, 17, 59}) {
            const auto alone = placer.place({points.values.data() + Offset{row} * points.columns, 1, points.columns},
                                            {.device = Device::cpu, .threads = 1});
            for (int c = 0; c < 5; ++c) EXPECT_EQ(alone.map.view()(0, c), placed.map.view()(row, c));
        }
        EXPECT_EQ(placer.place({nullptr, 0, points.columns}, on_cpu).map.size(), 0);
    });
}

TEST(PlacedWide, MapsOfFewPointsAndCopiesTakeNewOnes) {
    for (const Index n : {1, 2, 30}) {
        for (const float scale : {0.0F, 1.0F}) {
            std::vector<float> x = cloud(n, 3);
            for (float& value : x) value *= scale;
            by_both(7, [&](const auto& options) {
                const auto made = embed({x.data(), n, 3}, options, on_cpu);
                const auto placed = placement::place({x.data(), n, 3}, made.map, {x.data(), n, 3},
                                                     placement::options_of(options), on_cpu);
                EXPECT_TRUE(is_finite(placed.map)) << n << ", " << scale;
            });
        }
    }
    const std::vector<float> x = cloud(40, 3), places = cloud(40, 5);
    const Map map{5, places};
    EXPECT_NE(
        refusal(Fault::bad_input,
                [&] { placement::place({x.data(), 40, 3}, map, {x.data(), 40, 3}, {.perplexity = 5.0F}, on_cpu); })
            .find("5 dimensions"),
        std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input,
                      [&] {
                          placement::place({x.data(), 40, 3}, map, {x.data(), 40, 3},
                                           {.method = placement::Method::umap, .repulsion = placement::Potential::grid},
                                           on_cpu);
                      })
                  .find("grid"),
              std::string::npos);
}

TEST(PlacedWide, MapsGrow) {
    const Index n = 300;
    const std::vector<float> x = cloud(n, 5, 3);
    const umap::Result made = umap::embed({x.data(), 200, 5}, brief<umap::Options>(5), on_cpu);
    Map some = made.map;
    some.coordinates.resize(at(Offset{n} * 5), std::numeric_limits<float>::quiet_NaN());
    const umap::Result grown =
        umap::continued({x.data(), n, 5}, some, descent::Continuation::fixed, brief<umap::Options>(5), on_cpu);
    EXPECT_TRUE(is_finite(grown.map));
    EXPECT_TRUE(std::equal(made.map.coordinates.begin(), made.map.coordinates.end(), grown.map.coordinates.begin()));
}

}  // namespace
}  // namespace dunlin
