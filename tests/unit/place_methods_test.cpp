// SPDX-License-Identifier: Apache-2.0
// Placing in maps by UMAP and PaCMAP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/transform.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "descent/repeller.hpp"
#include "folder.hpp"
#include "math/at.hpp"
#include "pacmap/objective.hpp"
#include "pacmap/resolve.hpp"
#include "placement/loss.hpp"
#include "placement/reference.hpp"
#include "refusal.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin::placement {
namespace {

using made::gaussians;

const dunlin::Run on_cpu{.device = Device::cpu};
constexpr Method methods[] = {Method::umap, Method::pacmap};

/// A map of these points and the options of placing in it.
struct Made {
    Map map;
    Options options;
};
Made made_by(Method method, MatrixView<const float> points, int dim = 2,
             neighbors::Metric metric = neighbors::Metric::euclidean) {
    if (method == Method::umap) {
        const umap::Result result = umap::embed(points, {.dim = dim, .metric = metric}, on_cpu);
        return {result.map, options_of(result.options)};
    }
    const pacmap::Result result = pacmap::embed(points, {.dim = dim, .metric = metric}, on_cpu);
    return {result.map, options_of(result.options)};
}

/// Removes every ninth row from the points and the map, and places them again; share within a twentieth of the span.
double home_share(const made::Points& points, const Made& made) {
    const auto rest = made::every(points.view(), 9, false), left_out = made::every(points.view(), 9, true);
    const auto kept = made::every(made.map.view(), 9, false), homes = made::every(made.map.view(), 9, true);
    const Result placed = place(rest.view(), {made.map.dim, kept.values}, left_out.view(), made.options, on_cpu);
    const double limit = 0.05 * made::width_of(made.map.view());
    Index home = 0;
    for (Index i = 0; i < placed.map.size(); ++i) {
        double square = 0;
        for (Index d = 0; d < made.map.dim; ++d)
            square += std::pow(static_cast<double>(placed.map.view()(i, d) - homes.view()(i, d)), 2);
        home += std::sqrt(square) <= limit ? 1 : 0;
    }
    return home / static_cast<double>(placed.map.size());
}

// --- the loss

/// The gradient of the loss of row i, the others being the map, by finding its neighbors' edges in `edges`.
template <int D, class Law>
math::Expansion<D> loss_of_row(const std::vector<float>& y, Index i, const Graph& edges, double repulsion, Law law) {
    std::vector<float> others = y;
    others.erase(others.begin() + Offset{i} * D, others.begin() + Offset{i + 1} * D);
    Field<D, Law> field;
    field.law = law;
    field.map = others.data();
    field.points = static_cast<Index>(others.size()) / D;
    std::vector<Index> targets;
    for (const Index j : targets_of(edges, i)) targets.push_back(j > i ? j - 1 : j);
    const Edges own{others.data(), targets.data(), weights_of(edges, i).data(), static_cast<Index>(targets.size())};
    double at_row[D];
    for (int d = 0; d < D; ++d) at_row[d] = static_cast<double>(y[at(i * D + d)]);
    return loss_of_new(field, own, repulsion).at(at_row);
}

TEST(PlaceLoss, OfUmapHasTheForceOfTheDescent) {
    const Index n = 80;
    const made::Points points = gaussians(n, 5, 3);
    const std::vector<float> y = made::cloud(n, 2, 3, 4);
    const umap::Options o = umap::resolve_descent(
        {.negatives = 7, .repulsion_strength = 1.5F, .repulsion = umap::Repulsion::exact}, n, Device::cpu);
    const Graph mu = umap::memberships(neighbors::search(points.view(), {.k = 8}).graph, o);
    device::Cpu cpu(1);
    auto state = descent::descent_state_at(cpu, y, 2);
    descent::Repeller<forces::Fuzzy> repeller(umap::repulsion_of(o), umap::law_of(o));
    umap::Objective<device::Cpu> objective(cpu, state, mu, o);
    repeller.choose(cpu, state.positions());
    objective.find_forces(cpu, state, mu, repeller);
    for (Index i = 0; i < n; i += 7) {
        const auto loss = loss_of_row<2>(y, i, mu, 7 * 1.5 / (2.0 * n), umap::law_of(o));
        for (int d = 0; d < 2; ++d) {
            const std::size_t c = at(2 * i + d);
            const auto force = static_cast<double>(descent::gradient_of(state.attraction[c], state.repulsion[c],
                                                                        objective.parameters_at(0).exaggeration, 1.0F));
            EXPECT_NEAR(loss.gradient[d], 2 * objective.mean_degree() * force, 1e-4 * (1 + std::abs(force)));
        }
    }
}

TEST(PlaceLoss, OfPacmapHasTheForceOfItsLastPhase) {
    const Index n = 80;
    const made::Points points = gaussians(n, 5, 3);
    const std::vector<float> y = made::cloud(n, 3, 3, 4);
    const pacmap::Options o = pacmap::resolve_descent(
        pacmap::resolve_neighbors(
            {.dim = 3, .k = 6, .further = 11, .iterations = "0,0,9", .repulsion = pacmap::Repulsion::exact}, n, 5,
            n - 1),
        n, Device::cpu);
    device::Cpu cpu(1);
    const Graph lists = neighbors::search(points.view(), {.k = 56}).graph;
    pacmap::Pairs<Graph> pairs{pacmap::symmetric_pairs(cpu, pacmap::chosen_near(cpu, lists, *o.k)), {}};
    auto state = descent::descent_state_at(cpu, y, 3);
    descent::Repeller<forces::FurtherPairs> repeller(pacmap::repulsion_of(o));
    pacmap::Objective<device::Cpu> objective(cpu, state, o);
    repeller.choose(cpu, state.positions());
    objective.prepare(cpu, 5);
    objective.find_forces(cpu, state, pairs, repeller);
    for (Index i = 0; i < n; i += 7) {
        const auto loss = loss_of_row<3>(y, i, pairs.near, 2 * 11.0 / (n - 1), forces::FurtherPairs());
        for (int d = 0; d < 3; ++d) {
            const std::size_t c = at(3 * i + d);
            const auto force = static_cast<double>(descent::gradient_of(state.attraction[c], state.repulsion[c],
                                                                        objective.parameters_at(5).exaggeration,
                                                                        static_cast<float>(state.mass.value)));
            EXPECT_NEAR(loss.gradient[d], force, 1e-4 * (1 + std::abs(force)));
        }
    }
}

// --- the edges

TEST(PlaceEdges, OfARowThatWasLeftOutAreItsMemberships) {
    // The other rows keep their lists, so that the union of both ends is that of the whole graph
    const Index n = 300, k = 12;
    const made::Points points = gaussians(n, 4, 3);
    device::Cpu cpu(2);
    const Graph lists = neighbors::search(points.view(), {.k = k - 1}).graph, mu = umap::memberships(lists);
    const Options options{.method = Method::umap, .k = k};
    const Reference reference = reference_of(cpu, lists, options);
    Graph queries;
    const Graph longer = neighbors::search(points.view(), {.k = n - 1}).graph;
    queries = longer;
    const Graph edges = edges_of_queries(cpu, queries, reference, options);
    const Graph own =
        edges_of_queries(cpu, queries, reference, {.method = Method::umap, .k = k, .affinity = Affinity::own});
    for (Index i = 0; i < n; ++i) {
        std::vector<double> wanted(at(n)), found(at(n));
        for (std::size_t e = 0; e < targets_of(mu, i).size(); ++e)
            wanted[at(targets_of(mu, i)[e])] = static_cast<double>(weights_of(mu, i)[e]);
        for (std::size_t e = 0; e < targets_of(edges, i).size(); ++e)
            found[at(targets_of(edges, i)[e])] = static_cast<double>(weights_of(edges, i)[e]);
        for (std::size_t e = 0; e < targets_of(longer, i).size(); ++e) {
            const Index j = targets_of(longer, i)[e];
            const auto reach = static_cast<double>(reference.rows[at(j)].reach);
            const double share = reached_share(static_cast<double>(weights_of(longer, i)[e]), reach);
            if (share == 0 || share == 1) {
                EXPECT_NEAR(found[at(j)], wanted[at(j)], 1e-5) << i << " " << j;
            }
        }
        EXPECT_EQ(std::ssize(targets_of(own, i)), k - 1);
        double sum = 0;
        for (const float weight : weights_of(own, i)) sum += static_cast<double>(weight);
        EXPECT_NEAR(sum, std::log2(static_cast<double>(k)), 1e-3);
    }
}

TEST(PlaceEdges, OfARowThatWasLeftOutAreItsNearPairs) {
    const Index n = 200;
    const made::Points points = gaussians(n, 4, 3);
    device::Cpu cpu(2);
    const Graph lists = neighbors::search(points.view(), {.k = 60}).graph;
    const Graph near = pacmap::symmetric_pairs(cpu, pacmap::chosen_near(cpu, lists, 10));
    const Options options{.method = Method::pacmap, .k = 10};
    const Graph edges = edges_of_queries(cpu, lists, reference_of(cpu, lists, options), options);
    Index same = 0;
    for (Index i = 0; i < n; ++i) {
        std::vector<double> wanted(at(n)), found(at(n));
        for (std::size_t e = 0; e < targets_of(near, i).size(); ++e)
            wanted[at(targets_of(near, i)[e])] = static_cast<double>(weights_of(near, i)[e]);
        for (std::size_t e = 0; e < targets_of(edges, i).size(); ++e)
            found[at(targets_of(edges, i)[e])] = static_cast<double>(weights_of(edges, i)[e]);
        same += found == wanted ? 1 : 0;
    }
    EXPECT_GE(same, n - 10);  // points beyond 60 neighbors that chose it, and ties by the rounding of a scale, are rare
}

// --- places

TEST(PlaceMethods, LeftOutPointsComeHome) {
    const made::Points points = gaussians(900, 10, 6);
    for (const Method method : methods) {
        for (const int dim : {2, 3}) {
            EXPECT_GE(home_share(points, made_by(method, points.view(), dim)), 0.95)
                << name_of(method) << ", " << dim << "-D";
        }
    }
}

TEST(PlaceMethods, OfOtherMetrics) {
    const made::Points points = gaussians(600, 8, 6);
    for (const Method method : methods) {
        for (const auto metric :
             {neighbors::Metric::cosine, neighbors::Metric::correlation, neighbors::Metric::manhattan})
            EXPECT_GE(home_share(points, made_by(method, points.view(), 2, metric)), 0.95)
                << name_of(method) << ", " << name_of(metric);
    }
}

TEST(PlaceMethods, RowByRowIsBatchForAnyThreadsAndTheMapStays) {
    const made::Points points = gaussians(2200, 6, 6), queries = gaussians(30, 6, 6, 100000);
    for (const Method method : methods) {
        const Made made = made_by(method, points.view());
        const std::vector<float> before = made.map.coordinates;
        for (const auto search : {neighbors::Method::exact, neighbors::Method::approximate}) {
            Options options = made.options;
            options.search = search;
            dunlin::Run run = on_cpu;
            run.threads = 2;
            const Result batch = place(points.view(), made.map, queries.view(), options, run);
            run.threads = 1;
            EXPECT_EQ(place(points.view(), made.map, queries.view(), options, run).map.coordinates,
                      batch.map.coordinates);
            const Placer placer(points.view(), made.map, options, run);
            for (Index q = 29; q >= 0; q -= 4) {
                const Result one = placer.place({queries.view().row(q).data(), 1, 6}, run);
                for (Index d = 0; d < 2; ++d) EXPECT_EQ(one.map.view()(0, d), batch.map.view()(q, d));
                EXPECT_EQ(one.cost[0], batch.cost[at(q)]);
                EXPECT_EQ(one.remoteness[0], batch.remoteness[at(q)]);
            }
        }
        EXPECT_EQ(made.map.coordinates, before);
    }
}

TEST(PlaceMethods, DuplicatesLandNearTheirTwinsAndFarQueriesAreFlagged) {
    const made::Points points = gaussians(900, 8, 6);
    made::Points shifted = gaussians(100, 8, 6, 50000);
    for (float& value : shifted.values) value += 15;
    for (const Method method : methods) {
        const Made made = made_by(method, points.view());
        const Result twins = place(points.view(), made.map, points.view(), made.options, on_cpu);
        std::vector<double> away;
        for (Index i = 0; i < 900; ++i) {
            away.push_back(std::hypot(twins.map.view()(i, 0) - made.map.view()(i, 0),
                                      twins.map.view()(i, 1) - made.map.view()(i, 1)));
            EXPECT_EQ(twins.distance[at(i)], 0);
            EXPECT_EQ(twins.remoteness[at(i)], 0);
        }
        std::nth_element(away.begin(), away.begin() + 450, away.end());
        EXPECT_LE(away[450], 0.01 * made::width_of(made.map.view())) << name_of(method);
        EXPECT_EQ(twins.far, 0);
        const Result far = place(points.view(), made.map, shifted.view(), made.options, on_cpu);
        EXPECT_EQ(far.far, 100);
        EXPECT_TRUE(made::is_finite(far.map));
        EXPECT_LE(made::width_of(far.map.view()), 1.5 * made::width_of(made.map.view()));
    }
}

TEST(PlaceMethods, SmallMapsFewQueriesAndCoincidentPoints) {
    for (const Method method : methods) {
        for (Index n = 1; n <= 6; ++n) {
            const made::Points points = gaussians(n, 4, 3), queries = gaussians(3, 4, 3, 1000);
            for (const int dim : {1, 2, 3}) {
                const Map map{dim, made::cloud(n, dim, 1)};
                for (const auto engine : {Potential::automatic, Potential::grid}) {
                    const Options options{.method = method, .repulsion = engine};
                    const Result placed = place(points.view(), map, queries.view(), options, on_cpu);
                    EXPECT_EQ(placed.map.size(), 3);
                    EXPECT_TRUE(made::is_finite(placed.map)) << name_of(method) << ", " << n << " points, " << dim;
                    EXPECT_EQ(place(points.view(), map, {queries.values.data(), 0, 4}, options, on_cpu).map.size(), 0);
                }
            }
        }
        const made::Points points{3, std::vector<float>(3 * 200, 1.0F), {}}, queries{3, {1, 1, 1, 5, 5, 5}, {}};
        for (const Map& map : {Map{2, std::vector<float>(400, 2.0F)}, Map{2, made::cloud(200, 2, 1)}}) {
            for (const auto engine : {Potential::exact, Potential::grid}) {
                const Result placed =
                    place(points.view(), map, queries.view(), {.method = method, .repulsion = engine}, on_cpu);
                EXPECT_TRUE(made::is_finite(placed.map)) << name_of(method);
                EXPECT_EQ(placed.far, 1);
            }
        }
    }
}

TEST(PlaceMethods, TheGridPlacesAsTheExactSum) {
    const made::Points points = gaussians(900, 8, 6), queries = gaussians(60, 8, 6, 7000);
    for (const Method method : methods) {
        const Made made = made_by(method, points.view());
        Options exact = made.options, grid = made.options;
        exact.repulsion = Potential::exact, grid.repulsion = Potential::grid;
        const Result a = place(points.view(), made.map, queries.view(), exact, on_cpu),
                     b = place(points.view(), made.map, queries.view(), grid, on_cpu);
        Index near = 0;
        for (Index q = 0; q < 60; ++q)
            near += std::hypot(a.map.view()(q, 0) - b.map.view()(q, 0), a.map.view()(q, 1) - b.map.view()(q, 1)) <
                            a.neighbor_distance
                        ? 1
                        : 0;
        EXPECT_GE(near, 57) << name_of(method);
    }
}

// --- states, given neighbors, mistakes

using PlaceMethodsFile = InFolder;

TEST_F(PlaceMethodsFile, StatesAndGivenNeighborsGiveTheSamePlaces) {
    const made::Points points = gaussians(500, 6, 4), queries = gaussians(20, 6, 4, 9999);
    for (const Method method : methods) {
        const Made made = made_by(method, points.view());
        const Placer placer(points.view(), made.map, made.options, on_cpu);
        io::write_place_state(path("state.npz"), placer.state());
        const State read = io::read_place_state(path("state.npz"));
        EXPECT_EQ(read.method, method);
        EXPECT_EQ(read.scales, placer.state().scales);
        EXPECT_EQ(read.map_fingerprint, placer.state().map_fingerprint);
        EXPECT_EQ(read.neighbor_distance, placer.state().neighbor_distance);
        const std::vector<float> places = placer.place(queries.view(), on_cpu).map.coordinates;
        EXPECT_EQ(
            place(points.view(), made.map, queries.view(), made.options, on_cpu, {.state = &read}).map.coordinates,
            places);
        Map other = made.map;  // of these points, not that of the state
        for (float& y : other.coordinates) y *= -2;
        const Result in_other = place(points.view(), other, queries.view(), made.options, on_cpu, {.state = &read});
        EXPECT_EQ(in_other.map.coordinates,
                  place(points.view(), other, queries.view(), made.options, on_cpu).map.coordinates);
        EXPECT_FLOAT_EQ(static_cast<float>(in_other.neighbor_distance), static_cast<float>(2 * read.neighbor_distance));
        const Graph lists = neighbors::search(points.view(), {.k = list_length(made.options)}, on_cpu).graph;
        EXPECT_EQ(
            place(points.view(), made.map, queries.view(), made.options, on_cpu, {.neighbors = &lists}).map.coordinates,
            places);
        const auto says = [&](const Options& options) {
            return refusal(Fault::bad_input, [&] {
                static_cast<void>(place(points.view(), made.map, queries.view(), options, on_cpu, {.state = &read}));
            });
        };
        EXPECT_NE(says({}).find("method"), std::string::npos);
        EXPECT_NE(says({.method = method, .k = 7}).find("k is 7"), std::string::npos);
        if (method == Method::umap) {
            EXPECT_NE(says({.method = method, .local_connectivity = 2}).find("local-connectivity"), std::string::npos);
        }
    }
}

TEST(PlaceMethods, MistakesAreNamed) {
    const made::Points points = gaussians(20, 4, 3), queries = gaussians(5, 4, 3, 100);
    const Map map{2, std::vector<float>(40, 0.5F)};
    const auto says = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { place(points.view(), map, queries.view(), options, on_cpu); });
    };
    EXPECT_NE(says({.method = Method::umap, .perplexity = 9}).find("read only with method tsne"), std::string::npos);
    EXPECT_NE(says({.method = Method::pacmap, .exaggeration = 2}).find("read only with method tsne"),
              std::string::npos);
    EXPECT_NE(says({.min_dist = 0.3F}).find("read only with method umap"), std::string::npos);
    EXPECT_NE(says({.method = Method::umap, .a = 1.0F}).find("both"), std::string::npos);
    EXPECT_NE(says({.method = Method::umap, .min_dist = 3}).find("spread"), std::string::npos);
    EXPECT_NE(says({.method = Method::umap, .k = 1}).find("k is 1"), std::string::npos);
    EXPECT_NE(says({.method = Method::umap, .further = 3}).find("read only with method pacmap"), std::string::npos);
    made::Points bad = queries;
    bad.values[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { place(points.view(), map, bad.view(), {.method = Method::umap}, on_cpu); })
            .find("row 1"),
        std::string::npos);
}

TEST(PlaceMethods, ByGivenEdges) {
    const Map map{2, {0, 0, 4, 0, 0, 4}};
    Graph edges;
    edges.offsets.push_back(1);
    edges.targets = {1};
    edges.weights = {1};
    for (const Method method : methods) {
        const Result placed = place(map, edges, {.method = method}, on_cpu);
        EXPECT_GT(placed.map.coordinates[0], 4) << name_of(method);  // pulled to the second point, pushed away from all
        const Map start{2, {9, 9}};
        EXPECT_EQ(place(map, edges, {.method = method, .steps = 0}, on_cpu, &start).map.coordinates, start.coordinates);
    }
}

TEST(PlaceMethods, AStopGivesNoMap) {
    const made::Points points = gaussians(2500, 20, 5), queries = gaussians(2500, 20, 5, 7000);
    const Map map{2, made::cloud(2500, 2, 3)};
    std::stop_source stop;
    dunlin::Run run = on_cpu;
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "place") stop.request_stop();
    };
    const Result placed = place(points.view(), map, queries.view(), {.method = Method::umap}, run);
    EXPECT_EQ(placed.stopped, Stopped::cancelled);
    EXPECT_EQ(placed.map.size(), 0);
}

}  // namespace
}  // namespace dunlin::placement
