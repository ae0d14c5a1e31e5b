// SPDX-License-Identifier: Apache-2.0
// The kernels of waves for GPUs, emulated on the CPU: steps of explicit schemes, the bytes of waves::simulate.
#include <dunlin/waves.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cases/emulated_gpu.hpp"
#include "cases/graphs.hpp"
#include "cases/waves_kernels.hpp"
#include "math/at.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "waves/cuda/grid.cuh"
#include "waves/cuda/line.cuh"
#include "waves/cuda/nodes.cuh"
#pragma GCC diagnostic pop

namespace dunlin::waves {
namespace {

using namespace kernels;

using FitzHughNagumo = Law<Model::fitzhugh_nagumo, false, false>;
using Nagumo = Law<Model::nagumo, false, false>;

::testing::AssertionResult same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " values, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0)
            return ::testing::AssertionFailure() << "value " << i << ": " << a[i] << ", not " << b[i];
    }
    return ::testing::AssertionSuccess();
}

/// What simulate gives for these steps of dt.
Result expected_of(const Domain& domain, const Fields& fields, Scheme scheme, Model model, double dt, int steps) {
    Given given{.v = fields.v};
    if (model == Model::fitzhugh_nagumo) given.w = fields.w;
    return simulate(domain, {.model = model, .scheme = scheme, .step = dt, .rest = 0, .steps = steps},
                    {.device = Device::cpu}, given);
}

template <class Law, bool is_heun, int nodes, Watch watch>
void launch_line(const LineSteps& line, unsigned warps, bool descending) {
    const int written = written_nodes<is_heun>(nodes, line.steps) * static_cast<int>(warps);
    auto blocks = static_cast<unsigned>((line.n + written - 1) / written);
    if (watch == Watch::records) blocks = (blocks + 2) / 3;  // warps look at several tiles
    emulated::launch({blocks, 1, 1}, 32 * warps, sizeof(double) * warps * shared_doubles<Law>(nodes), descending,
                     [&] { step_line<Law, is_heun, nodes, 1, watch>(line); });
}

template <class Law, bool is_heun, int nodes>
void expect_line(Index n, int steps, bool periodic, unsigned warps, bool descending) {
    if (written_nodes<is_heun>(nodes, steps) < 1) return;
    Fields fields(n);
    std::vector<int> flags(static_cast<std::size_t>(n) + 4, -1);
    const Activations activations{0.5, flags.data(), fields.times.data(), 0};
    const LineSteps line{coefficients(4),     0.1, fields.v.data(), fields.w.data(), fields.v_out.data(),
                         fields.w_out.data(), n,   steps,           periodic,        activations};
    launch_line<Law, is_heun, nodes, Watch::flags>(line, warps, descending);
    constexpr int recorded_nodes = nodes > 7 ? 7 : nodes;
    if (written_nodes<is_heun>(recorded_nodes, steps) > 0) {
        LineSteps recorded = line;
        recorded.flagged_nodes = written_nodes<is_heun>(nodes, steps);
        launch_line<Law, is_heun, recorded_nodes, Watch::records>(recorded, warps, descending);
    } else {
        launch_line<Law, is_heun, nodes, Watch::records>(line, warps, descending);
    }
    const Result expected = expected_of(periodic ? Domain::ring(n, 0.5) : Domain::line(n, 0.5), fields,
                                        is_heun ? Scheme::heun : Scheme::euler, Law::model, line.dt, steps);
    ASSERT_EQ(expected.iterations, steps);
    const std::string what = std::to_string(n) + " nodes, steps " + std::to_string(steps) + (periodic ? ", ring" : "");
    EXPECT_TRUE(same_bytes(fields.v_out, expected.field.v)) << what;
    if (Law::recovers) {
        EXPECT_TRUE(same_bytes(fields.w_out, expected.field.w)) << what;
    }
    EXPECT_TRUE(same_bytes(fields.times, expected.activation)) << what;

    std::fill(fields.v_out.begin(), fields.v_out.end(), nan_value);
    launch_line<Law, is_heun, nodes, Watch::nothing>(line, 1, !descending);
    EXPECT_TRUE(same_bytes(fields.v_out, expected.field.v)) << what;
}

template <class Law, bool is_heun, int nodes>
void expect_lines() {
    for (const Index n : {1, 2, 3, 31, 33, 500, 2001}) {
        for (const int steps : {1, 2, 7, 16}) {
            for (const bool periodic : {false, true})
                expect_line<Law, is_heun, nodes>(n, steps, periodic, static_cast<unsigned>(n % 4 + 1), n % 2 == 0);
        }
    }
}

TEST(WavesKernels, LinesHaveTheBytesOfSimulate) {
    expect_lines<FitzHughNagumo, false, 3>();
    expect_lines<FitzHughNagumo, false, 15>();
    expect_lines<FitzHughNagumo, false, 31>();
    expect_lines<Nagumo, false, 9>();
}

TEST(WavesKernels, LinesByHeunHaveTheBytesOfSimulate) {
    expect_lines<FitzHughNagumo, true, 3>();
    expect_lines<FitzHughNagumo, true, 21>();
    expect_lines<Nagumo, true, 9>();
}

template <int columns, int steps>
void expect_grid(Index width, Index height, int rows, bool periodic) {
    Fields fields(Offset{width} * height);
    const unsigned strips =
        static_cast<unsigned>((width + strip_width(columns, steps) - 1) / strip_width(columns, steps));
    const unsigned parts = static_cast<unsigned>((height + rows - 1) / rows);
    std::vector<int> flags(std::size_t{strips} * parts * at(periods_of(rows, steps)), -1);
    const GridSteps grid{coefficients(4),
                         0.05,
                         fields.v.data(),
                         fields.w.data(),
                         fields.v_out.data(),
                         fields.w_out.data(),
                         width,
                         height,
                         rows,
                         periodic,
                         periodic,
                         {0.5, flags.data(), fields.times.data(), 0}};
    const emulated::Index3 blocks{strips, parts, 1};
    emulated::launch(blocks, 32, 0, periodic,
                     [&] { step_grid<FitzHughNagumo, columns, steps, 1, Watch::flags>(grid); });
    const unsigned recorded = strips * parts * static_cast<unsigned>(parts_of(rows, steps));
    emulated::launch({(recorded + 2) / 3, 1, 1}, 32, 0, !periodic,  // warps look at several parts
                     [&] { step_grid<FitzHughNagumo, columns, steps, 1, Watch::records>(grid); });
    const Result expected = expected_of(Domain::grid({width, height, 1}, 0.5, periodic), fields, Scheme::euler,
                                        Model::fitzhugh_nagumo, grid.dt, steps);
    const std::string what = std::to_string(width) + " x " + std::to_string(height) + (periodic ? ", periodic" : "");
    EXPECT_TRUE(same_bytes(fields.v_out, expected.field.v)) << what;
    EXPECT_TRUE(same_bytes(fields.w_out, expected.field.w)) << what;
    EXPECT_TRUE(same_bytes(fields.times, expected.activation)) << what;
}

TEST(WavesKernels, GridsHaveTheBytesOfSimulate) {
    for (const bool periodic : {false, true}) {
        for (const auto& [width, height] : {std::pair{2, 3}, {31, 33}, {133, 50}, {300, 21}}) {
            expect_grid<4, 4>(width, height, 20, periodic);
            expect_grid<3, 5>(width, height, 29, periodic);
        }
        for (const auto& [width, height] : {std::pair{4, 5}, {12, 40}, {260, 37}}) {
            expect_grid<4, 6>(width, height, 17, periodic);
            expect_grid<2, 8>(width, height, 64, periodic);
            expect_grid<2, 8>(width, height, 30, periodic);
        }
    }
}

/// Launches a loop over rows, the sums of hubs before.
template <class Law, class Loop>
void launch_rows(const SlicedGraph& graph, const Pair& values, const Loop& loop) {
    const int size = graph.rows + graph.hubs;
    emulated::launch({static_cast<unsigned>(graph.hubs), 1, 1}, 256, 0, true,
                     [&] { add_hubs<Law::spreads>(graph, values); });
    emulated::launch({static_cast<unsigned>((size + 255) / 256), 1, 1}, 256, 0, false, [&] {
        const unsigned row = blockIdx.x * 256 + threadIdx.x;
        if (row < static_cast<unsigned>(size)) loop(row);
    });
}

template <class Law>
void expect_graph(const Graph& graph, Laplacian laplacian, int window) {
    constexpr double dt = 0.01;
    const Slices slices = filled_slices(graph, window);
    Fields fields(graph.size());
    std::vector<double> inverse, sums_v(at(slices.hubs), nan_value), sums_w(sums_v);
    for (Index i = 0; i < graph.size() && laplacian == Laplacian::random_walk; ++i) {
        double degree = 0;
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e) degree += graph.weights[at(e)];
        inverse.push_back(1 / degree);
    }
    RightSide side;
    side.coefficients = coefficients(0.5);
    side.coefficients.recovery_diffusion = Law::spreads ? 0.25 : 0;
    side.domain.graph = {slices.rows,
                         slices.hubs,
                         slices.vertices.data(),
                         slices.degrees.data(),
                         slices.begins.data(),
                         slices.targets.data(),
                         slices.weights.empty() ? nullptr : slices.weights.data(),
                         {sums_v.data(), sums_w.data()}};
    side.domain.inverse_degree = inverse.empty() ? nullptr : inverse.data();

    const Pair now{fields.v.data(), fields.w.data()}, next{fields.v_out.data(), fields.w_out.data()};
    const Options options{.diffusion = 0.5,
                          .recovery_diffusion = side.coefficients.recovery_diffusion,
                          .laplacian = laplacian,
                          .scheme = Scheme::euler,
                          .step = dt,
                          .rest = 0,
                          .steps = 1};
    launch_rows<Law>(
        side.domain.graph, now,
        TakeEuler<Law, true>{side, {.dt = dt, .noise = 0, .seed = 1, .numbers = {}, .number = 0}, now, next});
    const Given given{.v = fields.v, .w = fields.w};
    const Result euler = simulate(Domain::on(graph), options, {.device = Device::cpu}, given);
    EXPECT_TRUE(same_bytes(fields.v_out, euler.field.v)) << graph.size() << " vertices";
    EXPECT_TRUE(same_bytes(fields.w_out, euler.field.w)) << graph.size() << " vertices";

    std::vector<double> v(fields.v.size(), nan_value), w(v);
    const Pair twice{v.data(), w.data()};
    launch_rows<Law>(side.domain.graph, next, TakeHeun<Law, true>{side, dt, now, next, twice});
    Options by_heun = options;
    by_heun.scheme = Scheme::heun;
    const Result heun = simulate(Domain::on(graph), by_heun, {.device = Device::cpu}, given);
    EXPECT_TRUE(same_bytes(v, heun.field.v)) << graph.size() << " vertices, heun";
    EXPECT_TRUE(same_bytes(w, heun.field.w)) << graph.size() << " vertices, heun";
}

TEST(WavesKernels, GraphsHaveTheBytesOfSimulate) {
    using Spreading = Law<Model::fitzhugh_nagumo, true, false>;
    for (const Laplacian laplacian : {Laplacian::combinatorial, Laplacian::random_walk}) {
        expect_graph<FitzHughNagumo>(made::star(9000, 0.001F), laplacian, 64);
        expect_graph<FitzHughNagumo>(made::star(300, 0.01F), laplacian, 1);
        expect_graph<FitzHughNagumo>(made::star(270), laplacian, 64);
        expect_graph<FitzHughNagumo>(made::complete(70), laplacian, 32);
        expect_graph<Spreading>(made::star(9000, 0.001F), laplacian, 256);
        expect_graph<Spreading>(made::complete(70), laplacian, 32);
    }
}

}  // namespace
}  // namespace dunlin::waves
