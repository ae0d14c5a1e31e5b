// SPDX-License-Identifier: Apache-2.0
// Variants of t-SNE's affinities, kernel and loss
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "cases/cases.hpp"
#include "cases/maps.hpp"
#include "cases/result_bytes.hpp"
#include "cases/resumed.hpp"
#include "descent/repeller.hpp"
#include "refusal.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

std::vector<float> some_points(Index n, Index d) { return made::cloud(n, static_cast<int>(d), 1, 3); }

Graph neighbors_of(const std::vector<float>& x, Index n, Index k) {
    return neighbors::search({x.data(), n, static_cast<Index>(x.size()) / n}, {.k = k}).graph;
}

double sum_of(const Graph& graph) { return std::accumulate(graph.weights.begin(), graph.weights.end(), 0.0); }

/// Rows p_.|i by the definition in double: the precision by bisection in the unshifted distances.
std::vector<double> rows_by_definition(const Graph& graph, const std::vector<double>& perplexities, bool mixture) {
    std::vector<double> rows(graph.weights.size());
    for (std::size_t i = 0; i + 1 < graph.offsets.size(); ++i) {
        const auto first = static_cast<std::size_t>(graph.offsets[i]),
                   last = static_cast<std::size_t>(graph.offsets[i + 1]);
        for (const double perplexity : perplexities) {
            double low = -50, high = 50;
            std::vector<double> p(last - first);
            double sum = 0, beta = 1;
            for (int step = 0; step < 200; ++step) {
                beta = std::exp(0.5 * (low + high));
                double weighted = 0;
                sum = 0;
                for (std::size_t e = first; e < last; ++e) {
                    const double d2 = std::pow(static_cast<double>(graph.weights[e]), 2);
                    p[e - first] = std::exp(-beta * d2);
                    sum += p[e - first];
                    weighted += p[e - first] * d2;
                }
                const double entropy = std::log(sum) + beta * weighted / sum;
                (entropy > std::log(perplexity) ? low : high) = std::log(beta);
            }
            const double factor = mixture ? std::sqrt(beta) : 1 / (sum * static_cast<double>(perplexities.size()));
            for (std::size_t e = first; e < last; ++e) rows[e] += factor * p[e - first];
        }
        double total = 0;
        for (std::size_t e = first; e < last; ++e) total += rows[e];
        for (std::size_t e = first; e < last; ++e) rows[e] /= total;
    }
    return rows;
}

// --- affinities

TEST(Family, SeveralPerplexitiesAreTheirMeanOrOneDensity) {
    const Index n = 120;
    const auto x = some_points(n, 6);
    const Graph graph = neighbors_of(x, n, 60);
    device::Cpu cpu(2);
    for (const AffinityKind kind : {AffinityKind::gaussian, AffinityKind::mixture}) {
        const auto rows = conditional_affinities(cpu, graph, {kind, {5, 20}});
        const auto expected = rows_by_definition(graph, {5, 20}, kind == AffinityKind::mixture);
        for (std::size_t e = 0; e < rows.size(); ++e) EXPECT_NEAR(rows[e], expected[e], 2e-6) << name_of(kind);
    }
    // The mean of the symmetric affinities
    const Graph both = affinities(graph, {.perplexities = "5,20"});
    const Graph narrow = affinities(graph, 5), wide = affinities(graph, 20);
    ASSERT_EQ(both.targets, narrow.targets);
    for (std::size_t e = 0; e < both.weights.size(); ++e)
        EXPECT_NEAR(both.weights[e], 0.5F * (narrow.weights[e] + wide.weights[e]), 1e-8);
    EXPECT_NEAR(sum_of(both), 1, 1e-5);
}

TEST(Family, OnePerplexityInAListGivesTheBytesOfOne) {
    const Index n = 150;
    const auto x = some_points(n, 5);
    const Graph graph = neighbors_of(x, n, 30);
    EXPECT_EQ(affinities(graph, {.perplexities = "8"}).weights, affinities(graph, 8).weights);
    EXPECT_EQ(affinities(graph, {.perplexities = "8", .affinities = AffinityKind::mixture}).weights,
              affinities(graph, 8).weights);
    const std::vector<float> ones(static_cast<std::size_t>(n), 1), tens(static_cast<std::size_t>(n), 10);
    for (const auto& weights : {ones, tens})
        EXPECT_EQ(affinities(graph, {.perplexity = 8}, {}, weights).weights, affinities(graph, 8).weights);

    const MatrixView<const float> points{x.data(), n, 5};
    const auto plain = embed(points, {.perplexity = 8, .iterations = 60}).map.coordinates;
    EXPECT_EQ(embed(points, {.perplexities = "8", .iterations = 60}).map.coordinates, plain);
    EXPECT_EQ(embed(points, {.perplexity = 8, .freedom = 1, .iterations = 60}).map.coordinates, plain);
    EXPECT_EQ(embed(points, {.perplexity = 8, .iterations = 60}, {}, {.point_weights = tens}).map.coordinates, plain);
}

TEST(Family, UniformAffinitiesCountTheDirectionsOfAnEdge) {
    const Index n = 90, k = 7;
    const auto x = some_points(n, 4);
    const Graph graph = neighbors_of(x, n, k);
    const Graph p = affinities(graph, {.affinities = AffinityKind::uniform});
    EXPECT_NEAR(sum_of(p), 1, 1e-5);
    const float one = 1.0F / (2 * n * k);
    for (const float w : p.weights) EXPECT_TRUE(std::abs(w - one) < 1e-8F || std::abs(w - 2 * one) < 1e-8F) << w;
    const Result map = embed({x.data(), n, 4}, {.affinities = AffinityKind::uniform, .iterations = 30});
    EXPECT_EQ(*map.options.k, 15);
    EXPECT_FALSE(map.options.perplexity);
}

TEST(Family, RowsWithoutAScaleAreUniform) {
    Graph graph;  // points at the same place, and a row of the nearest two at the same distance
    graph.offsets = {0, 4, 8, 12, 16, 20};
    for (Index i = 0; i < 5; ++i)
        for (Index j = 1; j < 5; ++j) graph.targets.push_back((i + j) % 5), graph.weights.push_back(0);
    device::Cpu cpu(1);
    for (const AffinityKind kind : {AffinityKind::gaussian, AffinityKind::mixture, AffinityKind::uniform})
        for (const float p : conditional_affinities(cpu, graph, {kind, {1.5F, 3}})) EXPECT_FLOAT_EQ(p, 0.25F);
    for (std::size_t e = 2; e < 4; ++e) graph.weights[e] = 7;
    for (const AffinityKind kind : {AffinityKind::gaussian, AffinityKind::mixture}) {
        const auto rows = conditional_affinities(cpu, graph, {kind, {1.2F, 1.5F}});  // below the two nearest
        EXPECT_NEAR(rows[0], 0.5F, 1e-5);
        EXPECT_NEAR(rows[2], 0, 1e-5);
    }
}

TEST(Family, AWeightIsAPointsShare) {
    const Index n = 60;
    const auto x = some_points(n, 4);
    const Graph graph = neighbors_of(x, n, 12);
    std::vector<float> weights(static_cast<std::size_t>(n), 1);
    weights[5] = 10;
    const Graph p = affinities(graph, {.perplexity = 4}, {}, weights);
    device::Cpu cpu(1);
    const auto rows = conditional_affinities(cpu, graph, 4);
    EXPECT_NEAR(sum_of(p), 1, 1e-5);
    // p_ij = (w_i p_j|i + w_j p_i|j) / (2 sum w), by the definition
    const auto of = [&](Index i, Index j) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(i)]; e < graph.offsets[static_cast<std::size_t>(i) + 1];
             ++e)
            if (graph.targets[static_cast<std::size_t>(e)] == j)
                return static_cast<double>(rows[static_cast<std::size_t>(e)]);
        return 0.0;
    };
    for (Index i = 0; i < n; ++i) {
        for (Offset e = p.offsets[static_cast<std::size_t>(i)]; e < p.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const Index j = p.targets[static_cast<std::size_t>(e)];
            const double wi = weights[static_cast<std::size_t>(i)], wj = weights[static_cast<std::size_t>(j)];
            EXPECT_NEAR(p.weights[static_cast<std::size_t>(e)], (wi * of(i, j) + wj * of(j, i)) / (2.0 * (n + 9)),
                        1e-8);
        }
    }
    for (const float bad : {std::nanf(""), 0.0F, -1.0F, std::numeric_limits<float>::infinity()}) {
        weights[7] = bad;
        const auto text = refusal(Fault::bad_input,
                                  [&] { embed({x.data(), n, 4}, {.iterations = 1}, {}, {.point_weights = weights}); });
        EXPECT_NE(text.find("weight of point 7"), std::string::npos) << text;
    }
    weights.pop_back();
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), n, 4}, {}, {}, {.point_weights = weights}); }), "");
}

// --- given affinities

TEST(Family, GivenAffinitiesAreUsedAsTheyAre) {
    const Index n = 200;
    const auto x = some_points(n, 5);
    const MatrixView<const float> points{x.data(), n, 5};
    const Result own = embed(points, {.perplexity = 10, .iterations = 80});
    const Graph p = affinities(neighbors_of(x, n, 30), 10);
    const Result given = embed(points, {.iterations = 80}, {}, {.affinities = &p});
    EXPECT_FALSE(given.symmetrized);
    EXPECT_EQ(given.map.coordinates, own.map.coordinates);
    EXPECT_FALSE(given.options.perplexity || given.options.k);
    // A factor does not matter, up to rounding; one direction of each edge is enough
    Graph scaled = p, half;
    for (float& w : scaled.weights) w *= 8;
    half.offsets = {0};
    for (Index i = 0; i < n; ++i) {
        for (Offset e = p.offsets[static_cast<std::size_t>(i)]; e < p.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            if (p.targets[static_cast<std::size_t>(e)] < i) continue;
            half.targets.push_back(p.targets[static_cast<std::size_t>(e)]);
            half.weights.push_back(p.weights[static_cast<std::size_t>(e)]);
        }
        half.offsets.push_back(static_cast<Offset>(half.targets.size()));
    }
    for (const Graph* graph : {&scaled, &half}) {
        const JointAffinities joint = joint_affinities(*graph);
        EXPECT_EQ(joint.symmetrized, graph == &half);
        ASSERT_EQ(joint.graph.targets, p.targets);
        for (std::size_t e = 0; e < p.weights.size(); ++e) EXPECT_NEAR(joint.graph.weights[e], p.weights[e], 1e-7);
    }
}

TEST(Family, GivenAffinitiesAreChecked) {
    const Index n = 3;
    const std::vector<float> x = {0, 1, 3};
    const auto text_of = [&](Graph graph, const Options& options = {}) {
        return refusal(Fault::bad_input, [&] { embed({x.data(), n, 1}, options, {}, {.affinities = &graph}); });
    };
    const Graph good{{0, 1, 2, 2}, {1, 0}, {0.5F, 0.5F}};
    EXPECT_NE(text_of({{0, 1, 2, 2}, {1, 0}, {0.5F, std::nanf("")}}).find("row 1"), std::string::npos);
    EXPECT_NE(text_of({{0, 1, 2, 2}, {1, 0}, {-0.5F, 1}}).find("row 0"), std::string::npos);
    EXPECT_NE(text_of({{0, 1, 2, 2}, {0, 0}, {0.5F, 1}}).find("itself"), std::string::npos);
    EXPECT_NE(text_of({{0, 2, 2, 2}, {1, 1}, {0.5F, 1}}).find("twice"), std::string::npos);
    EXPECT_NE(text_of({{0, 1, 1, 1}, {9}, {0.5F}}).find("point 9"), std::string::npos);
    EXPECT_NE(text_of({{0, 1, 2, 2}, {1, 0}, {0, 0}}).find("no weight"), std::string::npos);
    EXPECT_NE(text_of({{0, 1, 2}, {1, 0}, {1, 1}}), "");
    EXPECT_NE(text_of(good, {.perplexity = 2}).find("perplexity"), std::string::npos);
    EXPECT_NE(text_of(good, {.k = 2}).find("k is given"), std::string::npos);
    EXPECT_NE(text_of(good, {.affinities = AffinityKind::uniform}), "");
    EXPECT_EQ(text_of(good, {.iterations = 5}), "");
    const Graph none{{0, 0}, {}, {}};  // of one point
    EXPECT_EQ(embed({x.data(), 1, 1}, {.iterations = 5}, {}, {.affinities = &none}).map.size(), 1);
    const std::vector<float> weights(3, 1);
    const Graph lists{{0, 1, 2, 3}, {1, 0, 1}, {1, 1, 2}};
    for (const Given& both :
         {Given{.neighbors = &lists, .affinities = &good}, Given{.affinities = &good, .point_weights = weights}})
        EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), n, 1}, {}, {}, both); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { umap::embed({x.data(), n, 1}, {}, {}, {.affinities = &good}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { pacmap::embed({x.data(), n, 1}, {}, {}, {.point_weights = weights}); }),
              "");
}

// --- options

TEST(Family, PerplexitiesAreRead) {
    EXPECT_EQ(perplexities_of("30,n/100", 6000), (std::vector<float>{30, 60}));
    EXPECT_EQ(perplexities_of("30,n/100", 2000), (std::vector<float>{30}));
    EXPECT_EQ(perplexities_of("n/100", 50), (std::vector<float>{1}));
    EXPECT_EQ(perplexities_of("2.5,7", 9), (std::vector<float>{2.5F, 7}));
    for (const char* list : {"", "30,", ",30", "30;40", "0.5", "nan", "inf", "30,x", "n", "1,2,3,4,5,6,7,8,9", "-3"})
        EXPECT_NE(refusal(Fault::bad_input, [&] { perplexities_of(list, 100); }), "") << list;
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.perplexity = 30, .perplexities = "30,100"}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.perplexity = 30, .affinities = AffinityKind::uniform}); }), "");
    const auto text = refusal(Fault::bad_input, [] { resolve_neighbors({.perplexities = "5,100"}, 50, 3, 49); });
    EXPECT_NE(text.find("at most 49"), std::string::npos) << text;

    const Options o = resolve_neighbors(options_of(Preset::kobak_berens), 9000, 50, 8999);
    EXPECT_EQ(*o.perplexities, "30,90");
    EXPECT_EQ(*o.k, 270);
    const auto late = [](Index n) {
        const Options d = resolve_descent(options_of(Preset::kobak_berens), n, Device::cpu);
        return std::pair{*d.late_exaggeration, *d.late_learning_rate};
    };
    EXPECT_EQ(late(12000), std::pair(1.0F, 1000.0F));
    EXPECT_EQ(late(120000), std::pair(4.0F, 10000.0F));
    Options given = options_of(Preset::kobak_berens);
    given.late_exaggeration = 1;
    EXPECT_EQ(*resolve_descent(given, 120000, Device::cpu).late_exaggeration, 1);
}

TEST(Family, PrecisionFollowsTheSizeOnAGpuAlone) {
    const auto resolved = [](Precision wanted, Index n, Index k, Device where) {
        return resolve_descent({.affinity_precision = wanted, .k = k}, n, where).affinity_precision;
    };
    EXPECT_EQ(resolved(Precision::automatic, 100'000'000, 90, Device::cuda), Precision::half);
    EXPECT_EQ(resolved(Precision::automatic, 100'000'000, 30, Device::cuda), Precision::single);
    EXPECT_EQ(resolved(Precision::automatic, 100'000'000, 31, Device::cuda), Precision::half);
    EXPECT_EQ(resolved(Precision::automatic, 100'000'000, 90, Device::cpu), Precision::single);
    EXPECT_EQ(resolved(Precision::single, 100'000'000, 90, Device::cuda), Precision::single);
    EXPECT_EQ(resolved(Precision::half, 100, 9, Device::cuda), Precision::half);
    EXPECT_NE(refusal(Fault::bad_input, [&] { resolved(Precision::half, 100, 9, Device::cpu); }), "");
    for (const Precision wanted : {Precision::half, Precision::automatic}) {
        const Options spectral{.affinity_precision = wanted, .k = 90, .start = Start::spectral};
        EXPECT_NE(refusal(Fault::bad_input, [&] { resolve_descent(spectral, 100'000'000, Device::cuda); }), "");
    }
}

TEST(Family, HalfIsRefusedForGivenGraphs) {
    const Index n = 30;
    const std::vector<float> x = some_points(n, 1);
    const Graph lists = neighbors_of(x, n, 5);
    const Options half{.affinity_precision = Precision::half};
    for (const Given& given : {Given{.neighbors = &lists}, Given{.affinities = &lists}})
        EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), n, 1}, half, {}, given); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(lists, Map{1, x}, half); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), n, 1}, half, {.device = Device::cpu}); }), "");
}

TEST(Family, TheGridIsAsFineAsTheKernelIsWide) {
    for (const float freedom : {0.25F, 1.0F, 4.0F})
        EXPECT_FLOAT_EQ(*resolve_descent({.freedom = freedom, .repulsion = Repulsion::grid}, 9, Device::cpu).spacing,
                        std::sqrt(freedom) / 3);
    EXPECT_EQ(*resolve_descent({.freedom = 4, .repulsion = Repulsion::grid, .spacing = 0.2F}, 9, Device::cpu).spacing,
              0.2F);
}

// --- the gradient

struct Springy {
    Anchor anchor = Anchor::none;
    std::vector<double> places;  ///< NaN: no spring
    double strength = 0.15;
};

/// KL + springs in double by the definition, all pairs.
double loss(const Graph& p, const std::vector<double>& y, int dim, double a, const Springy& springs) {
    const auto n = static_cast<Index>(y.size()) / dim;
    const auto at = [&](Index i, int c) { return static_cast<std::size_t>(Offset{i} * dim + c); };
    const auto q = [&](Index i, Index j) {
        double r2 = 0;
        for (int c = 0; c < dim; ++c) r2 += std::pow(y[at(i, c)] - y[at(j, c)], 2);
        return std::pow(1 + r2 / a, -a);
    };
    double z = 0, sum = 0, total = 0;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) z += i == j ? 0 : q(i, j);
    for (Index i = 0; i < n; ++i) {
        for (Offset e = p.offsets[static_cast<std::size_t>(i)]; e < p.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
            const double w = p.weights[static_cast<std::size_t>(e)];
            total += w;
            sum += w * std::log(w / q(i, p.targets[static_cast<std::size_t>(e)]));
        }
    }
    double value = sum + total * std::log(z);
    if (springs.anchor == Anchor::none) return value;
    double scale = 1, overlap = 0, square = 0;
    for (std::size_t k = 0; k < y.size(); ++k)
        overlap += y[k] * springs.places[k], square += std::pow(springs.places[k], 2);
    if (springs.anchor == Anchor::start) scale = overlap / square;
    for (std::size_t k = 0; k < y.size(); ++k)
        if (!std::isnan(springs.places[k]))
            value += springs.strength / n * std::pow(y[k] - scale * springs.places[k], 2);
    return value;
}

/// The gradient that a step takes, times 4, at map y.
std::vector<double> gradient_at(const Graph& p, const std::vector<float>& y, int dim, const Options& wanted,
                                const std::vector<float>& start, const Map* anchors) {
    const auto n = static_cast<Index>(y.size()) / dim;
    const Options o = resolve_descent(wanted, n, Device::cpu);
    device::Cpu cpu(2);
    auto begun = descent::descent_state_at(cpu, start, dim);
    auto state = descent::descent_state_at(cpu, y, dim);
    std::vector<double> gradient;
    with_law(o.freedom, [&]<class Law>(const Law& law) {
        descent::Repeller<Law> repeller(repulsion_of(o), law);
        Objective<Law, device::Cpu> objective(cpu, o, law, begun, anchors);
        for (std::size_t k = 0; k < y.size(); ++k)  // y of a map with anchors begins at their center
            state.y[k] = descent::from_map(y[k], begun.origin.at[k % static_cast<std::size_t>(dim)]);
        repeller.choose(cpu, state.positions());
        cpu.set(state.parameters, objective.parameters_at(o.exaggerated_iterations));  // exaggeration 1
        objective.find_forces(cpu, state, p, repeller);
    });
    for (std::size_t k = 0; k < y.size(); ++k)
        gradient.push_back(4 * descent::gradient_of(static_cast<double>(state.attraction[k]),
                                                    static_cast<double>(state.repulsion[k]), 1.0, state.mass.value));
    return gradient;
}

TEST(Family, GradientsEqualFiniteDifferences) {
    const Index n = 30;
    const auto x = some_points(n, 5);
    std::vector<float> weights;
    for (Index i = 0; i < n; ++i) weights.push_back(static_cast<float>(1 + i % 4));
    for (const int dim : {2, 3}) {
        const auto y = made::cloud(n, dim, 1, 5), start = made::cloud(n, dim, 1, 6);
        Map anchors{dim, made::cloud(n, dim, 2, 8)};
        for (int c = 0; c < dim; ++c) anchors.coordinates[static_cast<std::size_t>(c)] = std::nanf("");
        for (const float freedom : {0.5F, 1.0F, 3.0F}) {
            for (const Anchor anchor : {Anchor::none, Anchor::start, Anchor::given}) {
                const Graph p = affinities(neighbors_of(x, n, 12), {.perplexities = "2,4"}, {}, weights);
                const Options o{.freedom = freedom, .anchor = anchor, .repulsion = Repulsion::exact};
                Springy springs{anchor, {}};
                for (const float place : anchor == Anchor::given ? anchors.coordinates : start)
                    springs.places.push_back(place);
                if (anchor == Anchor::start) {  // centered
                    for (int c = 0; c < dim; ++c) {
                        double mean = 0;
                        for (std::size_t k = static_cast<std::size_t>(c); k < y.size();
                             k += static_cast<std::size_t>(dim))
                            mean += springs.places[k] / n;
                        for (std::size_t k = static_cast<std::size_t>(c); k < y.size();
                             k += static_cast<std::size_t>(dim))
                            springs.places[k] -= mean;
                    }
                }
                const auto found = gradient_at(p, y, dim, o, start, anchor == Anchor::given ? &anchors : nullptr);
                for (std::size_t k = 0; k < y.size(); ++k) {
                    constexpr double h = 1e-5;
                    std::vector<double> up(y.begin(), y.end()), down = up;
                    up[k] += h, down[k] -= h;
                    const double numeric =
                        (loss(p, up, dim, freedom, springs) - loss(p, down, dim, freedom, springs)) / (2 * h);
                    EXPECT_NEAR(found[k], numeric, 3e-5) << freedom << ' ' << name_of(anchor) << ' ' << dim;
                }
            }
        }
    }
}

// --- whole runs

TEST(Family, EnginesAgreeOnAnyFreedom) {
    const Index n = 2000;
    const Map map = made::clusters(n, 2, 25);
    const Graph none{std::vector<Offset>(static_cast<std::size_t>(n) + 1, 0), {}, {}};
    for (const float freedom : {0.5F, 2.0F}) {
        const auto of = [&](Repulsion repulsion) {
            return gradient_at(none, map.coordinates, 2, {.freedom = freedom, .repulsion = repulsion}, map.coordinates,
                               nullptr);
        };
        const auto exact = of(Repulsion::exact);
        double square = 0;
        for (const double g : exact) square += g * g;
        for (const Repulsion repulsion : {Repulsion::tree, Repulsion::grid}) {
            const auto found = of(repulsion);
            double error = 0;
            for (std::size_t k = 0; k < exact.size(); ++k) error += std::pow(found[k] - exact[k], 2);
            EXPECT_LT(std::sqrt(error / square), 0.02) << freedom << ' ' << name_of(repulsion);
        }
    }
}

TEST(Family, KlIsThatOfTheKernel) {
    const Index n = 150;
    const auto x = some_points(n, 5);
    const MatrixView<const float> points{x.data(), n, 5};
    const Graph p = affinities(neighbors_of(x, n, 30), 10);
    for (const float freedom : {0.5F, 1.0F, 2.0F}) {
        const Result result = embed(points, {.perplexity = 10, .freedom = freedom, .iterations = 120});
        const std::vector<double> y(result.map.coordinates.begin(), result.map.coordinates.end());
        EXPECT_NEAR(result.kl, loss(p, y, 2, freedom, {}), 1e-4) << freedom;
    }
}

TEST(Family, FewerDegreesOfFreedomSeparateClusters) {
    // Gaps between the clusters over their width grow as freedom falls
    const Index n = 300;
    auto x = some_points(n, 8);
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(8 * i)] += static_cast<float>(6 * (i % 3));
    const auto ratio = [&](float freedom) {
        const Map map = embed({x.data(), n, 8}, {.perplexity = 20, .freedom = freedom}).map;
        double inside = 0, between = 0;
        Offset pairs_inside = 0, pairs_between = 0;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < i; ++j) {
                const double d = std::sqrt(made::distance2(map.view(), i, j));
                i % 3 == j % 3 ? (inside += d, ++pairs_inside) : (between += d, ++pairs_between);
            }
        }
        return (between / static_cast<double>(pairs_between)) / (inside / static_cast<double>(pairs_inside));
    };
    const double heavy = ratio(0.5F), usual = ratio(1), light = ratio(5);
    EXPECT_GT(heavy, 1.2 * usual);
    EXPECT_GT(usual, 1.05 * light);
}

TEST(Family, AnchorsHoldTheMap) {
    const Index n = 200;
    const auto x = some_points(n, 6);
    const MatrixView<const float> points{x.data(), n, 6};
    Map places{2, made::cloud(n, 2, 40, 9)};
    for (int c = 0; c < 2; ++c) places.coordinates[static_cast<std::size_t>(c)] = std::nanf("");
    const auto distance = [&](float strength) {
        const Result result =
            embed(points, {.perplexity = 10, .iterations = 300, .anchor = Anchor::given, .anchor_strength = strength},
                  {}, {.anchors = &places});
        EXPECT_TRUE(made::is_finite(result.map));
        double sum = 0;
        for (Index i = 1; i < n; ++i)
            sum += std::hypot(result.map.view()(i, 0) - places.view()(i, 0),
                              result.map.view()(i, 1) - places.view()(i, 1));
        return sum / (n - 1);
    };
    const double loose = distance(0.01F), tight = distance(1.0F);
    EXPECT_LT(tight, 0.5 * loose);
    // A spring keeps more of the start's distances
    const auto correlation = [&](const Options& o) {
        return scores::distance_correlation(points, embed(points, o).map).value;
    };
    EXPECT_GT(correlation({.perplexity = 10, .anchor = Anchor::start, .anchor_strength = 0.5F}),
              correlation({.perplexity = 10}));
    // On a line, and of few points
    for (const Index few : {1, 2, 3})
        for (const int dim : {1, 2, 3})
            EXPECT_TRUE(made::is_finite(
                embed({x.data(), few, 6}, {.dim = dim, .iterations = 20, .anchor = Anchor::start}).map));
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.anchor = Anchor::given}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {}, {}, {.anchors = &places}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.anchor_strength = 1.0F}); }), "");
    places.coordinates.resize(20);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {.anchor = Anchor::given}, {}, {.anchors = &places}); }),
              "");
}

TEST(Family, APointLeftOutOfAMapOfAnyFreedomComesHome) {
    const Index n = 300;
    const auto x = some_points(n, 5);
    const MatrixView<const float> points{x.data(), n, 5};
    const Options made{.perplexity = 15, .freedom = 0.5F, .iterations = 1500};
    const Result result = embed(points, made);
    // The last point, placed in the map of the others
    const placement::Options how = placement::options_of(result.options);
    EXPECT_EQ(how.freedom, 0.5F);
    const Map others{2, {result.map.coordinates.begin(), result.map.coordinates.end() - 2}};
    const placement::Result home =
        placement::place({x.data(), n - 1, 5}, others, {x.data() + Offset{n - 1} * 5, 1, 5}, how);
    const double far = std::hypot(home.map.coordinates[0] - result.map.coordinates[2 * n - 2],
                                  home.map.coordinates[1] - result.map.coordinates[2 * n - 1]);
    EXPECT_LT(far, 0.1 * made::width_of(result.map.view()));
    EXPECT_NE(refusal(Fault::bad_input, [] { placement::require_placeable({.perplexities = "5,9"}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { placement::require_placeable({.affinities = AffinityKind::uniform}); }),
              "");
    EXPECT_EQ(refusal(Fault::bad_input, [] { placement::require_placeable({.freedom = 2}); }), "");
}

TEST(Family, GrowingReadsEveryOption) {
    const Index n = 120;
    const auto x = some_points(n, 4);
    const MatrixView<const float> points{x.data(), n, 4};
    Map some{2, made::cloud(n, 2, 5, 2)};
    std::fill_n(some.coordinates.begin(), 20, std::nanf(""));
    const std::vector<float> weights(static_cast<std::size_t>(n), 2);
    for (const descent::Continuation how : {descent::Continuation::fixed, descent::Continuation::grow}) {
        const Result result = continued(
            points, some, how, {.perplexities = "5,20", .freedom = 0.7F, .iterations = 40, .anchor = Anchor::start}, {},
            {.point_weights = weights});
        EXPECT_TRUE(made::is_finite(result.map));
        if (how == descent::Continuation::fixed) {
            EXPECT_TRUE(
                std::equal(some.coordinates.begin() + 20, some.coordinates.end(), result.map.coordinates.begin() + 20));
        }
    }
}

class ResumedFamily : public cases::Resumed {};

TEST_F(ResumedFamily, EveryOptionIsRestored) {
    const Index n = 1100;
    const auto x = some_points(n, 5);
    const MatrixView<const float> points{x.data(), n, 5};
    const Map places{2, made::cloud(n, 2, 10, 9)};
    std::vector<float> weights;
    for (Index i = 0; i < n; ++i) weights.push_back(static_cast<float>(1 + i % 3));
    for (const Anchor anchor : {Anchor::start, Anchor::given}) {
        Given given{.point_weights = weights};
        if (anchor == Anchor::given) given.anchors = &places;
        expect_resumed([&](const Run& run) {
            const Result result = embed(points,
                                        {.perplexities = "5,20",
                                         .freedom = 0.6F,
                                         .iterations = 120,
                                         .exaggerated_iterations = 60,
                                         .anchor = anchor},
                                        run, given);
            return cases::bytes_of(result);
        });
    }
}

}  // namespace
}  // namespace dunlin::tsne
