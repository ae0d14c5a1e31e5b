// SPDX-License-Identifier: Apache-2.0
// PaCMAP on a GPU compared with a CPU: pairs and a few steps from equal states by values, whole runs by score.
#include <dunlin/pacmap.hpp>
#include <dunlin/scores.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/points.hpp"
#include "descent/cuda_repeller.cuh"
#include "descent/repeller.hpp"
#include "forces/attraction/attraction.cuh"
#include "pacmap/objective.hpp"
#include "pacmap/pairs.cuh"
#include "pacmap/resolve.hpp"

namespace dunlin::pacmap {
namespace {

using agree::on;

std::vector<float> blobs(Index n) { return made::corners(n, 8).values; }

MatrixView<const float> view(const std::vector<float>& x) { return {x.data(), static_cast<Index>(x.size() / 8), 8}; }

TEST(PacmapOnGpu, PairsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {2, 3, 8, 33, 1500}) {
        const std::vector<float> x = blobs(n);
        const Graph neighbors = neighbors::search(view(x), {.k = 60}, on(Device::cpu)).graph;
        device::Cpu cpu(2);
        device::Cuda cuda{dunlin::Run{}};
        EXPECT_EQ(graph::download(cuda, chosen_near(cuda, graph::upload(cuda, neighbors), 10)).targets,
                  chosen_near(cpu, neighbors, 10).targets)
            << n;
        for (const auto metric : {neighbors::Metric::euclidean, neighbors::Metric::cosine}) {
            const Options options = resolve_neighbors({.metric = metric}, n, 8, n - 1);
            const Graph expected = drawn_mid_near(cpu, view(x), options, cuda.run().seed);
            const device::DevicePoints points = device::hold_points(cuda, view(x));
            ASSERT_TRUE(points.held());
            const Graph found = graph::download(cuda, drawn_mid_near(cuda, points, options));
            ASSERT_EQ(found.offsets, expected.offsets);
            Offset others = 0;  // two keys may be equal within rounding
            for (std::size_t e = 0; e < expected.targets.size(); ++e)
                others += found.targets[e] != expected.targets[e] ? 1 : 0;
            EXPECT_LE(others, expected.edges() / 500) << n << ", " << name_of(metric);
        }
    }
}

/// Coordinates after a few iterations from this start, in the original order of points.
template <class Exec, class G, class Repeller>
std::vector<float> after_steps(Exec& exec, const std::vector<float>& start, Pairs<G> pairs, Repeller repeller,
                               const Options& options) {
    typename Exec::template Buffer<float> y;
    exec.upload(y, std::span<const float>(start));
    auto state = descent::descent_state_at(exec, std::move(y), options.dim);
    Objective<Exec> objective(exec, state, options);
    for (int t = 0; t < objective.iterations(); ++t) {
        objective.prepare(exec, t);
        exec.set(state.parameters, objective.parameters_at(t));
        repeller.choose(exec, state.positions());
        repeller.begin(exec, t);
        objective.find_forces(exec, state, pairs, repeller);
        descent::step<descent::AdamStep>(exec, state);
    }
    return descent::in_original_order(exec.host(state.y), exec.host(state.original), state.map_dim);
}

void expect_equal_steps(Index n, int dim, Repulsion repulsion, double tolerance) {
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D, " << name_of(repulsion));
    const Options options = resolve_descent(
        resolve_neighbors({.dim = dim, .iterations = "2,1,2", .repulsion = repulsion}, n, 8, n - 1), n, Device::cpu);
    const std::vector<float> x = blobs(n), start = agree::scattered(n, dim, 8);
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const Graph neighbors = neighbors::search(view(x), {.k = 60}, on(Device::cpu)).graph;
    const Pairs<Graph> pairs{symmetric_pairs(cpu, chosen_near(cpu, neighbors, *options.k)),
                             symmetric_pairs(cpu, drawn_mid_near(cpu, view(x), options, 1))};
    const auto settings = repulsion_of(options);
    const auto expected = after_steps(cpu, start, pairs, descent::Repeller<forces::FurtherPairs>(settings), options);
    const auto found = after_steps(
        cuda, start, Pairs<graph::DeviceGraph>{graph::upload(cuda, pairs.near), graph::upload(cuda, pairs.mid)},
        descent::CudaRepeller<forces::FurtherPairs>(settings), options);
    // Root mean square: Adam's first steps are signs, so that a point whose force is nearly 0 may go either way
    double error = 0, squares = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const auto moved = static_cast<double>(expected[i] - start[i]);
        error += std::pow(static_cast<double>(found[i] - expected[i]), 2);
        squares += moved * moved;
    }
    EXPECT_LT(std::sqrt(error / squares), tolerance);
}

TEST(PacmapOnGpu, StepsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        for (const Index n : {2, 33, 1000}) {
            expect_equal_steps(n, dim, Repulsion::exact, 1e-2);
            expect_equal_steps(n, dim, Repulsion::tree, 5e-2);
        }
        if (dim > 1) expect_equal_steps(1000, dim, Repulsion::grid, 5e-2);
    }
    for (const int dim : {4, 5, 20, 64}) {
        for (const Index n : {1, 2, 33, 1000}) {
            expect_equal_steps(n, dim, Repulsion::exact, 1e-2);
            expect_equal_steps(n, dim, Repulsion::drawn, 1e-2);
        }
    }
    if (agree::only_small()) return;
    expect_equal_steps(60001, 2, Repulsion::grid, 5e-2);
}

TEST(PacmapOnGpu, WholeRunsScoreAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(4000);
    const std::vector<float> x = blobs(n);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid, Repulsion::drawn}) {
        for (const int dim : {1, 2, 3, 5, 40}) {
            if (dim == 1 && repulsion == Repulsion::grid) continue;
            if (dim > 3 ? repulsion != Repulsion::drawn : repulsion == Repulsion::drawn) continue;
            SCOPED_TRACE(testing::Message() << dim << "-D, " << name_of(repulsion));
            const Options options{
                .dim = dim, .iterations = agree::only_small() ? "5,5,5" : "100,100,250", .repulsion = repulsion};
            const Result expected = embed(view(x), options, on(Device::cpu)),
                         found = embed(view(x), options, on(Device::cuda));
            EXPECT_EQ(found.device, Device::cuda);
            EXPECT_NEAR(found.loss, expected.loss, 0.03 * expected.loss);
            EXPECT_NEAR(scores::trustworthiness(view(x), found.map).value,
                        scores::trustworthiness(view(x), expected.map).value, 2 * cases::score_spread);
        }
    }
}

TEST(PacmapOnGpu, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(60000);
    const std::vector<float> x = blobs(n);
    for (const auto repulsion : {Repulsion::tree, Repulsion::grid, Repulsion::drawn}) {
        dunlin::Run watched = on(Device::cuda);
        watched.snapshot_every = 40;
        watched.on_progress = [](const Progress&) {};
        const Options options{
            .dim = repulsion == Repulsion::drawn ? 5 : 2, .iterations = "40,30,60", .repulsion = repulsion};
        EXPECT_EQ(embed(view(x), options, on(Device::cuda)).map.coordinates,
                  embed(view(x), options, watched).map.coordinates);
    }
}

TEST(PacmapOnGpu, GivenNeighborsAndTinyInputs) {
    DUNLIN_NEEDS_GPU();
    for (Index n = 1; n <= 9; ++n) {
        const std::vector<float> x = blobs(n);
        for (const float value : embed(view(x), {.iterations = "9,9,9"}, on(Device::cuda)).map.coordinates)
            ASSERT_TRUE(std::isfinite(value)) << n;
    }
    const std::vector<float> x = blobs(700);
    const Graph neighbors = neighbors::search(view(x), {.k = 60}, on(Device::cpu)).graph;
    const Options options{.iterations = "9,9,9"};
    const Result given = embed(view(x), options, on(Device::cuda), {.neighbors = &neighbors});
    EXPECT_NEAR(given.loss, embed(view(x), options, on(Device::cuda)).loss, 0.02 * given.loss);
    const std::vector<float> same(static_cast<std::size_t>(8 * agree::size(3000)), 2.5F);
    for (const float value : embed(view(same), {.iterations = "9,9,9"}, on(Device::cuda)).map.coordinates)
        ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace dunlin::pacmap
