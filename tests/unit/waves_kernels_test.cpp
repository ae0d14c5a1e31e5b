// SPDX-License-Identifier: Apache-2.0
// The kernels of waves for GPUs, emulated on the CPU: the bytes of waves::simulate.
#include <dunlin/waves.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "cases/emulated_gpu.hpp"
#include "cases/graphs.hpp"
#include "math/rng.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "waves/cuda/grid.cuh"
#include "waves/cuda/implicit.cuh"
#include "waves/cuda/line.cuh"
#include "waves/cuda/nodes.cuh"
#include "waves/cuda/tridiagonal.cuh"
#include "waves/implicit/line.hpp"
#include "waves/spans.hpp"
#pragma GCC diagnostic pop

namespace dunlin::waves {
namespace {

using FitzHughNagumo = Law<Model::fitzhugh_nagumo, false, false>;
using Nagumo = Law<Model::nagumo, false, false>;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

::testing::AssertionResult same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " values, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0)
            return ::testing::AssertionFailure() << "value " << i << ": " << a[i] << ", not " << b[i];
    }
    return ::testing::AssertionSuccess();
}

std::vector<double> numbers(Offset n, std::uint64_t seed, double low, double range) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = low + range * math::random_uniform(seed, i);
    return values;
}

/// Values before and after a launch; those after are NaN until written.
struct Fields {
    std::vector<double> v, w, v_out, w_out, times;
    explicit Fields(Offset n)
        : v(numbers(n, 1, -0.2, 1.2)),
          w(numbers(n, 2, 0, 0.1)),
          v_out(v.size(), nan_value),
          w_out(v_out),
          times(v.size(), never) {
        for (std::size_t i = 0; i < v.size(); ++i)
            if (v[i] >= 0.5) times[i] = 0;
    }
};

Coefficients coefficients(double diffusion) {
    Coefficients c;
    c.diffusion = diffusion;
    return c;
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
    std::vector<int> flags(strips * parts, -1);
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
    GridSteps recorded = grid;
    recorded.rows = (rows + 2) / 3;
    const unsigned small_parts = static_cast<unsigned>((height + recorded.rows - 1) / recorded.rows);
    emulated::launch({strips, small_parts, 1}, 32, 0, !periodic,
                     [&] { step_grid<FitzHughNagumo, columns, steps, 1, Watch::records>(recorded); });
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
    launch_rows<Law>(side.domain.graph, now,
                     TakeEuler<Law, true>{side, {.dt = dt, .noise = 0, .seed = 1, .number = 0}, now, next});
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

/// Rows with |b| = dominance (|a| + |c|).
struct Matrix {
    std::vector<double> a, b, c, d;
    Matrix(Index n, double dominance)
        : a(numbers(n, 3, -1, 2)), b(a.size()), c(numbers(n, 4, -1, 2)), d(numbers(n, 5, -1, 2)) {
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = (std::abs(a[i]) + std::abs(c[i]) + 1e-3) * dominance * (i % 7 == 3 ? -1 : 1);
        a.front() = c.back() = 7;  // not to be read as couplings
    }
    [[nodiscard]] DeviceSystem view() const {
        return {a.data(), b.data(), c.data(), d.data(), static_cast<int>(b.size())};
    }
    /// Largest |Ax - d| relative to |A||x| + |d|, in units of 2^-52.
    [[nodiscard]] double backward_error(const std::vector<double>& x) const {
        double largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double left = i > 0 ? static_cast<long double>(a[i]) * x[i - 1] : 0;
            const long double right = i + 1 < x.size() ? static_cast<long double>(c[i]) * x[i + 1] : 0;
            const long double here = static_cast<long double>(b[i]) * x[i];
            const long double size = std::abs(left) + std::abs(here) + std::abs(right) + std::abs(d[i]);
            const auto error = static_cast<double>(std::abs(left + here + right - d[i]) / size);
            if (!(error <= largest)) largest = error;
        }
        return largest / 0x1p-52;
    }
};

std::vector<double> solve_by_partition(const DeviceSystem& system, bool descending) {
    std::vector<double> x(static_cast<std::size_t>(system.n), nan_value);
    if (system.n <= tile_rows) {
        emulated::launch({}, solve_threads, tile_bytes, descending, [&] { solve_block(system, x.data()); });
        return x;
    }
    const auto size = static_cast<std::size_t>(reduced_size(system.n));
    std::vector<double> a(size, nan_value), b(a), c(a), d(a);
    const Reduced reduced{a.data(), b.data(), c.data(), d.data()};
    emulated::launch({static_cast<unsigned>(reduced_tiles(system.n)), 1, 1}, solve_threads, tile_bytes, descending,
                     [&] { reduce_rows(system, reduced); });
    const std::vector<double> last =
        solve_by_partition({a.data(), b.data(), c.data(), d.data(), static_cast<int>(size)}, !descending);
    emulated::launch({static_cast<unsigned>((system.n + tile_rows - 1) / tile_rows), 1, 1}, solve_threads, tile_bytes,
                     descending, [&] { expand_rows(system, last.data(), x.data()); });
    return x;
}

TEST(WavesKernels, PartitionSolvesTridiagonalSystems) {
    for (const Index n : {1, 2, 3, 14, 15, 16, 31, 32, 33, 1000, 1905, 1919, 1920, 1921, 4095, 4097, 70001}) {
        for (const double dominance : {1.001, 1.5, 3.0}) {
            const Matrix matrix(n, dominance);
            EXPECT_LE(matrix.backward_error(solve_by_partition(matrix.view(), n % 2 == 0)), 8)
                << n << " rows, " << dominance;
        }
    }
}

TEST(WavesKernels, TilesSolveDominantSystemsAndBoundTheirInfluence) {
    for (const Index n : {1, 33, 1000, 1921, 9001}) {
        const Matrix matrix(n, 3);
        std::vector<double> x(static_cast<std::size_t>(n), nan_value);
        for (const int halo_parts : {1, 4}) {
            const int written = (solve_threads - 2 * halo_parts) * part;
            unsigned long long influence = 0;
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, solve_threads, tile_bytes,
                             n % 2 == 0, [&] { solve_tiles(matrix.view(), halo_parts, x.data(), &influence); });
            const std::vector<double> exact = solve_by_partition(matrix.view(), false);
            double largest = 0, size = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                largest = std::max(largest, std::abs(x[i] - exact[i]));
                size = std::max(size, std::abs(exact[i]));
            }
            EXPECT_LE(largest, (2 * std::bit_cast<double>(influence) + 1e-14) * size) << n << " rows";
            if (halo_parts == 4) {
                EXPECT_LE(std::bit_cast<double>(influence), 1e-16) << n << " rows";
            }
        }
    }
    const Matrix weak(9001, 1.001);
    std::vector<double> x(9001);
    unsigned long long influence = 0;
    emulated::launch({5, 1, 1}, solve_threads, tile_bytes, false,
                     [&] { solve_tiles(weak.view(), 1, x.data(), &influence); });
    EXPECT_GT(std::bit_cast<double>(influence), 1e-16);
}

/// A step of Crank-Nicolson on the whole line: the same Newton iterations, each by the Thomas algorithm.
void step_whole_line(const ImplicitConstants& c, int newton, std::vector<double>& v, std::vector<double>& w) {
    const auto n = static_cast<Index>(v.size());
    std::vector<double> known(v.size()), half(v.size()), next = v, up(v.size()), d(v.size());
    const auto laplacian = [n](const std::vector<double>& a, Index i) {
        return laplacian_1d(a[at(i)], a[at(node_before(i, n, false))], a[at(node_after(i, n, false))]);
    };
    for (Index i = 0; i < n; ++i) {
        half[at(i)] = half_recovery(c, v[at(i)], w[at(i)]);
        known[at(i)] = known_of(c, v[at(i)], w[at(i)], half[at(i)], laplacian(v, i), 0);
    }
    for (int k = 0; k < newton; ++k) {
        for (Index i = 0; i < n; ++i) {
            const double own = n == 1 ? 2 * c.coupling : 0;  // a single node is its own neighbor
            const double before = i == 0 ? 0 : i == n - 1 ? -2 * c.coupling : -c.coupling;
            const double after = i == n - 1 ? 0 : i == 0 ? -2 * c.coupling : -c.coupling;
            const double pivot = diagonal_of(c, next[at(i)]) - own - (i > 0 ? before * up[at(i) - 1] : 0);
            const double residual = residual_of(c, known[at(i)], next[at(i)], laplacian(next, i));
            up[at(i)] = after / pivot;
            d[at(i)] = (residual - (i > 0 ? before * d[at(i) - 1] : 0)) / pivot;
        }
        for (Index i = n - 2; i >= 0; --i) d[at(i)] -= up[at(i)] * d[at(i) + 1];
        for (Index i = 0; i < n; ++i) next[at(i)] += d[at(i)];
    }
    for (Index i = 0; i < n; ++i) w[at(i)] = fused(c.gained, next[at(i)], half[at(i)]);
    v = next;
}

TEST(WavesKernels, ImplicitTilesTakeTheStepsOfTheWholeLine) {
    constexpr int nodes = 7, newton = 3, threads = 128;
    for (const double dt : {0.25, 2.5}) {
        const ImplicitConstants c = implicit_constants(Model::fitzhugh_nagumo, coefficients(4), 4, dt);
        for (const Index n : {1, 2, 3, 33, 1000, 5001}) {
            Fields fields(n);
            for (double& v : fields.v) v *= 0.5;
            const int halo_parts = dt < 1 ? 5 : 18;
            const ImplicitStep step{c, fields.v.data(), fields.w.data(), fields.v_out.data(), fields.w_out.data(),
                                    n, false,           newton,          halo_parts,          dt < 1 ? 3 : 5};
            const int written = (threads - 2 * halo_parts) * nodes;
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                             2 * sizeof(double) * threads * nodes, n % 2 == 0,
                             [&] { step_implicit<nodes, threads, 1>(step); });
            step_whole_line(c, newton, fields.v, fields.w);
            for (std::size_t i = 0; i < fields.v.size(); ++i) {
                ASSERT_NEAR(fields.v_out[i], fields.v[i], 1e-13) << "node " << i << " of " << n << ", dt " << dt;
                ASSERT_NEAR(fields.w_out[i], fields.w[i], 1e-13) << "node " << i << " of " << n << ", dt " << dt;
            }
        }
    }
}

/// Held nodes, currents, rings and models of one species, against the steps of the CPU.
TEST(WavesKernels, ImplicitTilesTakeTheStepsOfTheCpu) {
    constexpr int nodes = 7, threads = 128;
    device::Cpu cpu(1);
    for (const Model model : {Model::fitzhugh_nagumo, Model::diffusion}) {
        for (const Index n : {1, 2, 3, 33, 1000, 5001}) {
            for (const bool periodic : {false, true}) {
                for (const bool has_inputs : {false, true}) {
                    const ImplicitConstants c = implicit_constants(model, coefficients(4), 4, 0.5);
                    const ImplicitReach reach(c, {nodes, threads});
                    ASSERT_TRUE(reach.suits({nodes, threads}));
                    Fields fields(n);
                    for (double& v : fields.v) v *= 0.5;
                    std::vector<double> current(at(n)), held(at(n), free_node()), next(at(n)), next_w(at(n));
                    std::vector<Offset> held_nodes;
                    for (Index i = 0; i < n && has_inputs; ++i) {
                        current[at(i)] = 0.01 * (i % 7);
                        if (i % 97 != 5 && i % 500 != 499) continue;
                        held[at(i)] = next[at(i)] = 0.8;
                        held_nodes.push_back(i);
                    }
                    const bool recovers = has_recovery(model);
                    unsigned long long iterations = 0;
                    ImplicitStep step{c,
                                      fields.v.data(),
                                      fields.w.data(),
                                      fields.v_out.data(),
                                      fields.w_out.data(),
                                      n,
                                      periodic,
                                      max_newton,
                                      reach.halo_parts,
                                      reach.reductions,
                                      last_change(c),
                                      &iterations};
                    std::vector<double> times(at(n), never), expected(at(n), never);
                    step.activations = {0.3, nullptr, times.data(), 4};
                    step.dt = 0.5;
                    if (!recovers) step.w = nullptr, step.w_out = nullptr;
                    if (has_inputs) step.current = current.data(), step.held = held.data();
                    const int written = (threads - 2 * reach.halo_parts) * nodes;
                    emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                                     2 * sizeof(double) * threads * nodes, n % 2 == 0, [&] {
                                         has_inputs ? step_implicit<nodes, threads, 1, true>(step)
                                                    : step_implicit<nodes, threads, 1>(step);
                                     });
                    CrankNicolson line(cpu, c, n, periodic);
                    const std::span<const double> w =
                        recovers ? std::span<const double>(fields.w) : std::span<const double>();
                    const int newton = line.step(fields.v, w, current, held_nodes, next, next_w);
                    EXPECT_NEAR(static_cast<double>(iterations), newton, 1) << n;
                    activate_span(time_of(0.5, 4), 0.5, 0.3, fields.v.data(), fields.v_out.data(), expected.data(), n);
                    EXPECT_EQ(times, expected);
                    for (std::size_t i = 0; i < next.size(); ++i) {
                        ASSERT_NEAR(fields.v_out[i], next[i], 1e-12)
                            << "node " << i << " of " << n << (periodic ? ", ring" : "");
                        if (recovers) {
                            ASSERT_NEAR(fields.w_out[i], next_w[i], 1e-12) << "node " << i << " of " << n;
                        }
                    }
                }
            }
        }
    }
}

/// A steep place in the halo, where nothing is written, is a part of the tile's equations.
TEST(WavesKernels, ImplicitTilesConvergeInTheirHalos) {
    constexpr int nodes = 7, threads = 128;
    constexpr Index n = 1200;
    device::Cpu cpu(1);
    for (const double dt : {0.25, 2.0}) {
        const ImplicitConstants c = implicit_constants(Model::nagumo, coefficients(4), 4, dt);
        const ImplicitReach reach(c, {nodes, threads});
        const int written = (threads - 2 * reach.halo_parts) * nodes;
        for (int beyond = 1; beyond <= reach.halo_parts * nodes; beyond += 9) {
            const std::vector<double> v(n);
            std::vector<double> held(n, free_node()), out(n), next(n), next_w(n);
            held[at(written - 1 + beyond)] = next[at(written - 1 + beyond)] = 1;
            ImplicitStep step{c,     v.data(),   nullptr,          out.data(),       nullptr,       n,
                              false, max_newton, reach.halo_parts, reach.reductions, last_change(c)};
            step.held = held.data();
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, threads,
                             2 * sizeof(double) * threads * nodes, false,
                             [&] { step_implicit<nodes, threads, 1, true>(step); });
            CrankNicolson(cpu, c, n, false).step(v, {}, {}, std::vector<Offset>{written - 1 + beyond}, next, next_w);
            for (std::size_t i = 0; i < next.size(); ++i)
                ASSERT_NEAR(out[i], next[i], 2e-12) << "node " << i << ", dt " << dt << ", held " << beyond;
        }
    }
}

}  // namespace
}  // namespace dunlin::waves
