// SPDX-License-Identifier: Apache-2.0
// Variants of t-SNE on a GPU compared with a CPU: affinities and forces by numbers, whole runs by score.
#include <algorithm>
#include <cmath>

#include <dunlin/neighbors.hpp>
#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/maps.hpp"
#include "descent/cuda_repeller.cuh"
#include "descent/repeller.hpp"
#include "forces/attraction/attraction.cuh"
#include "graph/device_graph.cuh"
#include "tsne/affinities.cuh"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

using agree::on;

Graph neighbors_of(Index n, Index k) {
    const std::vector<float> x = made::cloud(n, 6, 1, 3);
    return neighbors::search({x.data(), n, 6}, {.k = std::min(k, std::max<Index>(n - 1, 1))}, on(Device::cpu)).graph;
}

std::vector<float> some_weights(Index n) {
    std::vector<float> weights;
    for (Index i = 0; i < n; ++i) weights.push_back(static_cast<float>(0.5 + i % 7));
    return weights;
}

TEST(FamilyOnGpu, AffinitiesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu(2);
    for (const Index n : agree::sizes({2, 3, 31, 32, 33, 1000, 20000})) {
        const Graph graph = neighbors_of(n, 60);
        const auto weights = some_weights(n);
        for (const AffinityKind kind : {AffinityKind::gaussian, AffinityKind::mixture, AffinityKind::uniform}) {
            const float wide = n < 33 ? 1.0F : 20.0F, narrow = n < 33 ? 1.0F : 5.0F;
            const RowRule rule(kind, {narrow, wide});
            for (const bool weighted : {false, true}) {
                const std::span<const float> of_points =
                    weighted ? std::span<const float>(weights) : std::span<const float>();
                const Graph expected = affinities_of_distances(cpu, graph, rule, of_points);
                device::Cuda cuda{dunlin::Run{}};
                const Graph found =
                    graph::download(cuda, affinities_on_device(cuda, graph::upload(cuda, graph), rule, of_points));
                ASSERT_EQ(found.targets, expected.targets) << n;
                for (std::size_t e = 0; e < found.weights.size(); ++e) {
                    ASSERT_NEAR(found.weights[e], expected.weights[e],
                                2e-4F * expected.weights[e] + 1e-7F / static_cast<float>(n))
                        << n << ' ' << name_of(kind) << ' ' << weighted;
                }
            }
        }
    }
}

/// Attraction, its cost and the springs' pull by one call of find_forces.
struct FoundForces {
    std::vector<float> attraction, repulsion;
    double mass = 0, cost = 0;
};
template <class Exec, class Affinities, class Repeller, class Law>
FoundForces forces_of(Exec& exec, const Affinities& p, Repeller repeller, const Law& law, const Options& o,
                      const std::vector<float>& y, const Map* anchors) {
    typename Exec::template Buffer<float> at, begin;
    exec.upload(at, std::span<const float>(y));
    exec.upload(begin, std::span<const float>(anchors->coordinates));
    auto start = descent::descent_state_at(exec, std::move(begin), o.dim);
    auto state = descent::descent_state_at(exec, std::move(at), o.dim);
    Objective objective(exec, o, law, start, o.anchor == Anchor::given ? anchors : nullptr);
    repeller.choose(exec, state.positions());
    exec.set(state.parameters, objective.parameters_at(o.exaggerated_iterations));
    objective.find_forces(exec, state, p, repeller);
    FoundForces found;
    found.cost = cost_now(exec, law, state, p);
    const auto &attraction = exec.host(state.attraction), &repulsion = exec.host(state.repulsion);
    found.attraction.assign(attraction.begin(), attraction.end());
    found.repulsion.assign(repulsion.begin(), repulsion.end());
    found.mass = exec.read(state.mass);
    return found;
}

TEST(FamilyOnGpu, ForcesOfAnyFreedomAndSpringsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({2, 33, 1000, 5000})) {
        const Graph p = affinities(neighbors_of(n, 30), n < 33 ? 1.0F : 10.0F);
        for (const int dim : {2, 3}) {
            const std::vector<float> y = made::cloud(n, dim, 8, 5);
            Map anchors{dim, made::cloud(n, dim, 5, 6)};
            for (const Anchor anchor : {Anchor::none, Anchor::start, Anchor::given}) {
                if (anchor == Anchor::given) anchors.coordinates[0] = std::nanf("");
                for (const float freedom : {0.5F, 1.0F, 3.0F}) {
                    SCOPED_TRACE(testing::Message() << n << ' ' << dim << ' ' << name_of(anchor) << ' ' << freedom);
                    const Options o = resolve_descent(
                        {.dim = dim, .freedom = freedom, .anchor = anchor, .repulsion = Repulsion::exact}, n,
                        Device::cpu);
                    with_law(freedom, [&]<class Law>(const Law& law) {
                        device::Cpu cpu(2);
                        device::Cuda cuda{dunlin::Run{}};
                        const auto expected =
                            forces_of(cpu, p, descent::Repeller<Law>(repulsion_of(o), law), law, o, y, &anchors);
                        const auto found =
                            forces_of(cuda, graph::upload(cuda, p), descent::CudaRepeller<Law>(repulsion_of(o), law),
                                      law, o, y, &anchors);
                        EXPECT_LT(agree::relative_error(found.attraction, expected.attraction), 5e-5);
                        EXPECT_LT(agree::relative_error(found.repulsion, expected.repulsion), 1e-4);
                        EXPECT_NEAR(found.mass / expected.mass, 1, 1e-4);
                        EXPECT_NEAR(found.cost, expected.cost, 1e-4 * std::abs(expected.cost) + 1e-5);
                    });
                }
                anchors.coordinates = made::cloud(n, dim, 5, 6);
            }
        }
    }
}

TEST(FamilyOnGpu, WholeRunsReachTheCpusCost) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(3000);
    const std::vector<float> x = made::cloud(n, 8, 1, 4);
    const auto weights = some_weights(n);
    const MatrixView<const float> points{x.data(), n, 8};
    const Graph p = affinities(neighbors_of(n, 30), 10);
    const Map anchors{2, made::cloud(n, 2, 30, 6)};
    struct Case {
        const char* name;
        Options options;
        Given given;
    };
    for (const Case& c : {Case{"perplexities", {.perplexities = "5,30"}, {}},
                          Case{"mixture", {.perplexities = "5,30", .affinities = AffinityKind::mixture}, {}},
                          Case{"uniform", {.affinities = AffinityKind::uniform}, {}},
                          Case{"given", {}, {.affinities = &p}}, Case{"weights", {}, {.point_weights = weights}},
                          Case{"freedom 0.5, exact", {.freedom = 0.5F, .repulsion = Repulsion::exact}, {}},
                          Case{"freedom 0.5, tree", {.freedom = 0.5F, .repulsion = Repulsion::tree}, {}},
                          Case{"freedom 0.5, grid", {.freedom = 0.5F, .repulsion = Repulsion::grid}, {}},
                          Case{"freedom 3, grid", {.freedom = 3, .repulsion = Repulsion::grid}, {}},
                          Case{"anchors at the start", {.anchor = Anchor::start}, {}},
                          Case{"given anchors", {.anchor = Anchor::given}, {.anchors = &anchors}}}) {
        SCOPED_TRACE(c.name);
        const Result expected = embed(points, c.options, on(Device::cpu), c.given);
        const Result found = embed(points, c.options, on(Device::cuda), c.given);
        const Result again = embed(points, c.options, on(Device::cuda), c.given);
        // Points without clusters have many minima of about the same cost
        EXPECT_NEAR(found.kl, expected.kl, cases::kl_spread * expected.kl);
        EXPECT_EQ(found.map.coordinates, again.map.coordinates);
    }
}

}  // namespace
}  // namespace dunlin::tsne
