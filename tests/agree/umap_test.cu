// SPDX-License-Identifier: Apache-2.0
// UMAP on a GPU compared with a CPU: memberships and one step from equal states by values, whole runs by score.
#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/umap.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/points.hpp"
#include "descent/cuda_repeller.cuh"
#include "descent/reorder.cuh"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "forces/attraction/attraction.cuh"
#include "umap/memberships.cuh"
#include "umap/memberships.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {
namespace {

using agree::on;

std::vector<float> blobs(Index n) { return made::corners(n, 8).values; }

Graph neighbors_of(const std::vector<float>& x, Index k) {
    return neighbors::search({x.data(), static_cast<Index>(x.size() / 8), 8}, {.k = k - 1}, on(Device::cpu)).graph;
}

TEST(UmapOnGpu, MembershipsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {2, 33, 1500}) {
        for (const Options& options : {Options{}, Options{.local_connectivity = 2.5F, .mix = 0.4F}}) {
            const Graph near = neighbors_of(blobs(n), std::min<Index>(n, 15));
            device::Cpu cpu(2);
            device::Cuda cuda{dunlin::Run{}};
            const Graph expected = memberships_of_distances(cpu, near, options);
            const Graph found = graph::download(cuda, memberships_on_device(cuda, graph::upload(cuda, near), options));
            ASSERT_EQ(found.offsets, expected.offsets);
            ASSERT_EQ(found.targets, expected.targets);
            for (std::size_t e = 0; e < expected.weights.size(); ++e)
                ASSERT_NEAR(found.weights[e], expected.weights[e], 1e-3) << n << ", " << e;
        }
    }
}

/// Coordinates after a few iterations from this start, in the original order of points.
template <class Exec, class Edges, class Repeller>
std::vector<float> after_steps(Exec& exec, const std::vector<float>& start, Edges edges, Repeller repeller,
                               const Options& options) {
    typename Exec::template Buffer<float> y;
    exec.upload(y, std::span<const float>(start));
    auto state = descent::descent_state_at(exec, std::move(y), options.dim);
    Objective<Exec> objective(exec, state, edges, options);
    descent::descend(exec, state, edges, repeller, objective, dunlin::Run{});
    return descent::in_original_order(exec.host(state.y), exec.host(state.original), state.map_dim);
}

void expect_equal_steps(Index n, int dim, Repulsion repulsion, double tolerance) {
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D, " << name_of(repulsion));
    const Options options =
        resolve_descent({.dim = dim, .iterations = 3, .learning_rate = 0.5F, .repulsion = repulsion}, n, Device::cpu);
    const Graph mu = memberships(neighbors_of(blobs(n), std::min<Index>(n, 12)));
    const std::vector<float> start = agree::scattered(n, dim, 8);
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const auto settings = repulsion_of(options);
    const auto expected =
        after_steps(cpu, start, mu, descent::Repeller<forces::Fuzzy>(settings, law_of(options)), options);
    const auto found = after_steps(cuda, start, graph::upload(cuda, mu),
                                   descent::CudaRepeller<forces::Fuzzy>(settings, law_of(options)), options);
    // Root mean square: single points near the core of the repulsion differ by more between two grids
    double error = 0, squares = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const auto moved = static_cast<double>(expected[i] - start[i]);
        error += std::pow(static_cast<double>(found[i] - expected[i]), 2);
        squares += moved * moved;
    }
    EXPECT_LT(std::sqrt(error / squares), tolerance);
}

TEST(UmapOnGpu, StepsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        for (const Index n : {2, 33, 1000}) {
            expect_equal_steps(n, dim, Repulsion::exact, 2e-3);
            expect_equal_steps(n, dim, Repulsion::tree, 2e-2);
        }
        if (dim > 1) expect_equal_steps(1000, dim, Repulsion::grid, 2e-2);
    }
    for (const int dim : {4, 5, 20, 64}) {
        for (const Index n : {2, 33, 1000}) {
            expect_equal_steps(n, dim, Repulsion::exact, 2e-3);
            expect_equal_steps(n, dim, Repulsion::drawn, 2e-3);
        }
    }
    if (agree::only_small()) return;
    expect_equal_steps(60001, 2, Repulsion::grid, 2e-2);  // many enough to be reordered in a longer run
}

TEST(UmapOnGpu, WholeRunsScoreAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(4000);
    const std::vector<float> x = blobs(n);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid, Repulsion::drawn}) {
        for (const int dim : {1, 2, 3, 5, 40}) {
            if (dim == 1 && repulsion == Repulsion::grid) continue;
            if (dim > 3 ? repulsion != Repulsion::drawn : repulsion == Repulsion::drawn) continue;
            SCOPED_TRACE(testing::Message() << dim << "-D, " << name_of(repulsion));
            const Options options{.dim = dim, .iterations = agree::only_small() ? 30 : 500, .repulsion = repulsion};
            const Result expected = embed({x.data(), n, 8}, options, on(Device::cpu));
            const Result found = embed({x.data(), n, 8}, options, on(Device::cuda));
            EXPECT_EQ(found.device, Device::cuda);
            EXPECT_NEAR(found.cross_entropy, expected.cross_entropy, 0.03 * expected.cross_entropy);
            EXPECT_NEAR(scores::trustworthiness({x.data(), n, 8}, found.map).value,
                        scores::trustworthiness({x.data(), n, 8}, expected.map).value, 2 * cases::score_spread);
        }
    }
}

TEST(UmapOnGpu, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(60000);
    const std::vector<float> x = blobs(n);
    for (const auto repulsion : {Repulsion::tree, Repulsion::grid, Repulsion::drawn}) {
        dunlin::Run watched = on(Device::cuda);
        watched.snapshot_every = 40;
        watched.on_progress = [](const Progress&) {};
        const Options options{.dim = repulsion == Repulsion::drawn ? 5 : 2, .iterations = 120, .repulsion = repulsion};
        EXPECT_EQ(embed({x.data(), n, 8}, options, on(Device::cuda)).map.coordinates,
                  embed({x.data(), n, 8}, options, watched).map.coordinates);
    }
}

TEST(UmapOnGpu, TinyAndDegenerateInputs) {
    DUNLIN_NEEDS_GPU();
    for (Index n = 1; n <= 9; ++n) {
        const std::vector<float> x = blobs(n);
        for (const float value : embed({x.data(), n, 8}, {.iterations = 20}, on(Device::cuda)).map.coordinates)
            ASSERT_TRUE(std::isfinite(value)) << n;
    }
    const Index many = agree::size(3000);
    const std::vector<float> same(static_cast<std::size_t>(many) * 3, 2.5F);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        const Result result =
            embed({same.data(), many, 3}, {.iterations = 60, .repulsion = repulsion}, on(Device::cuda));
        for (const float value : result.map.coordinates) ASSERT_TRUE(std::isfinite(value)) << name_of(repulsion);
    }
}

}  // namespace
}  // namespace dunlin::umap
