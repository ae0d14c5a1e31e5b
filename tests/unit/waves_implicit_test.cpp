// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dunlin/error.hpp>
#include <dunlin/waves.hpp>

#include "cases/printed_newton.hpp"
#include "math/at.hpp"
#include "waves/implicit/engine.hpp"
#include "waves/limits.hpp"

namespace dunlin::waves {
namespace {

constexpr double pi = std::numbers::pi;

TEST(ImplicitFormulas, RecoveryIsEliminatedByTheTrapezoidRule) {
    // epsilon .5, gamma 2, dt 1: z = .5, kept = 1/3, gained = .25 / 1.5 = 1/6
    const Coefficients c{.epsilon = 0.5, .gamma = 2};
    const ImplicitConstants k = implicit_constants(Model::fitzhugh_nagumo, c, 3, 1);
    EXPECT_DOUBLE_EQ(k.kept, 1.0 / 3);
    EXPECT_DOUBLE_EQ(k.gained, 1.0 / 6);
    EXPECT_DOUBLE_EQ(k.coupling, 1.5);
    EXPECT_DOUBLE_EQ(k.diagonal, 1 + 1.0 / 12 + 3);
    // w' = w + dt epsilon ((v - gamma w) + (v' - gamma w')) / 2 with v = 1, v' = 2, w = 3: w' = 1 + 1/6 + 2/6 = 1.5
    EXPECT_DOUBLE_EQ(fused(k.gained, 2.0, half_recovery(k, 1, 3)), 1.5);
    EXPECT_DOUBLE_EQ(3 + 0.25 * ((1 - 6.0) + (2 - 3.0)), 1.5);
}

TEST(ImplicitFormulas, CubicAndSlope) {
    const ImplicitConstants k =
        implicit_constants(Model::nagumo, {.threshold = 0.25, .one_plus_threshold = 1.25}, 1, 1);
    EXPECT_DOUBLE_EQ(cubic_of(k, 0.5), 0.5 * 0.5 * 0.25);
    EXPECT_DOUBLE_EQ(cubic_of(k, 2), -2 * 1.75);
    EXPECT_DOUBLE_EQ(slope_of(k, 1), -0.75);
    EXPECT_DOUBLE_EQ(slope_of(k, 0), -0.25);
    EXPECT_EQ(k.kept, 1);
    EXPECT_EQ(k.gained, 0);
}

TEST(ImplicitFormulas, ResidualIsZeroAtTheSolution) {
    // nagumo, a .25, no neighbors, dt 1, v = .5, v' = 2, current = the missing rate: v' - v = (f + f') / 2 + I
    const ImplicitConstants k =
        implicit_constants(Model::nagumo, {.threshold = 0.25, .one_plus_threshold = 1.25}, 0, 1);
    const double current = 1.5 - 0.5 * (0.0625 - 3.5);
    EXPECT_NEAR(residual_of(k, known_of(k, 0.5, 0, 0, 0, current), 2, 0), 0, 1e-15);
    EXPECT_DOUBLE_EQ(diagonal_of(k, 1), 1 + 0.375);
}

/// Eigenvector of a line: cos(k pi i / (n - 1)), eigenvalue -2 (1 - cos(k pi / (n - 1))) / dx^2.
std::vector<double> cosine(Index n, int k) {
    std::vector<double> mode;
    for (Index i = 0; i < n; ++i) mode.push_back(std::cos(k * pi * i / (n - 1)));
    return mode;
}
double eigenvalue(Index n, int k, double dx) { return 2 * (1 - std::cos(k * pi / (n - 1))) / (dx * dx); }

TEST(ImplicitModes, FactorsAreThoseOfTheTrapezoidRule) {
    const double dx = 0.5, dt = 2;  // dt / dx^2 = 8
    for (const Index n : {2, 3, 17, 2500}) {
        const int k = std::max(1, n / 3);
        const std::vector<double> mode = cosine(n, k);
        const double z = dt * eigenvalue(n, k, dx);
        for (const Scheme scheme : {Scheme::crank_nicolson, Scheme::adi}) {
            const Options options{.model = Model::diffusion, .scheme = scheme, .step = dt, .until = 3 * dt};
            const Result result = simulate(Domain::line(n, dx), options, {}, {.v = mode});
            const double factor = std::pow((1 - z / 2) / (1 + z / 2), 3);
            for (std::size_t i = 0; i < mode.size(); ++i) ASSERT_NEAR(result.field.v[i], factor * mode[i], 1e-11) << n;
        }
    }
}

TEST(ImplicitModes, FactorsOnRings) {
    const double dx = 0.5, dt = 2;
    for (const Index n : {3, 4, 40, 1500}) {
        std::vector<double> mode;
        for (Index i = 0; i < n; ++i) mode.push_back(std::cos(2 * pi * i / n) + 0.3 * std::sin(2 * pi * i / n));
        const double z = dt * 2 * (1 - std::cos(2 * pi / n)) / (dx * dx);
        for (const Scheme scheme : {Scheme::crank_nicolson, Scheme::adi}) {
            const Options options{.model = Model::diffusion, .scheme = scheme, .step = dt, .until = 3 * dt};
            const Result result = simulate(Domain::ring(n, dx), options, {}, {.v = mode});
            const double factor = std::pow((1 - z / 2) / (1 + z / 2), 3);
            for (std::size_t i = 0; i < mode.size(); ++i) ASSERT_NEAR(result.field.v[i], factor * mode[i], 1e-11) << n;
        }
    }
}

TEST(ImplicitModes, FactorsOnGridsAreProducts) {
    const double dx = 0.5, dt = 1;
    const std::array<Index, 3> n{9, 13, 5};
    std::vector<double> mode;
    for (Index z = 0; z < n[2]; ++z)
        for (Index y = 0; y < n[1]; ++y)
            for (Index x = 0; x < n[0]; ++x)
                mode.push_back(cosine(n[0], 2)[at(x)] * cosine(n[1], 5)[at(y)] * cosine(n[2], 1)[at(z)]);
    double factor = 1;
    for (const double lambda : {eigenvalue(9, 2, dx), eigenvalue(13, 5, dx), eigenvalue(5, 1, dx)})
        factor *= (1 - dt * lambda / 2) / (1 + dt * lambda / 2);
    const Options options{.model = Model::diffusion, .scheme = Scheme::adi, .step = dt, .until = 2 * dt};
    const Result result = simulate(Domain::grid(n, dx), options, {}, {.v = mode});
    for (std::size_t i = 0; i < mode.size(); ++i) ASSERT_NEAR(result.field.v[i], factor * factor * mode[i], 1e-12);
}

/// v = .5 + .3 cos(pi x / L) e^-t solves the equation of `nagumo` with this source.
struct Made {
    double length, threshold;
    [[nodiscard]] double v(double x, double t) const { return 0.5 + 0.3 * std::cos(pi * x / length) * std::exp(-t); }
    [[nodiscard]] double source(double x, double t) const {
        const double u = v(x, t), wave = u - 0.5, q = pi / length;
        return -wave + q * q * wave - u * (1 - u) * (u - threshold);
    }
};

/// Largest error of Crank-Nicolson at time 1 on [0, 4].
double error_of_line(Index intervals, int steps) {
    const Made made{4, 0.1};
    const double dx = made.length / intervals, dt = 1.0 / steps;
    const Coefficients c{.diffusion = 1 / (dx * dx), .threshold = 0.1, .one_plus_threshold = 1.1};
    device::Cpu cpu(1);
    const Index n = intervals + 1;
    CrankNicolson line(cpu, implicit_constants(Model::nagumo, c, c.diffusion, dt), n, false);
    std::vector<double> v(at(n)), next = v, source = v;
    for (Index i = 0; i < n; ++i) v[at(i)] = made.v(i * dx, 0);
    for (int k = 0; k < steps; ++k) {
        for (Index i = 0; i < n; ++i)
            source[at(i)] = 0.5 * (made.source(i * dx, k * dt) + made.source(i * dx, (k + 1) * dt));
        EXPECT_GT(line.step(v, {}, source, {}, next, {}), 0);
        std::swap(v, next);
    }
    double error = 0;
    for (Index i = 0; i < n; ++i) error = std::max(error, std::abs(v[at(i)] - made.v(i * dx, 1)));
    return error;
}

TEST(CrankNicolson, MadeSolutionHasOrderTwoInTimeAndSpace) {
    const double coarse = error_of_line(10, 500), fine = error_of_line(20, 500);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);  // the wave meets both walls
    const double slow = error_of_line(2000, 4), fast = error_of_line(2000, 8);
    EXPECT_NEAR(std::log2(slow / fast), 2, 0.1);
}

/// v = .5 + .3 cos(pi x / L) cos(pi y / M) e^-t, with its source added in halves beside the reaction.
double error_of_grid(Index intervals, int steps) {
    const double length = 4, high = 3, threshold = 0.1, dt = 1.0 / steps, dx = length / intervals;
    const Index nx = intervals + 1, ny = intervals * 3 / 4 + 1;
    const double q = pi * pi / (length * length) + pi * pi / (high * high);
    const auto exact = [&](Index x, Index y, double t) {
        return 0.5 + 0.3 * std::cos(pi * x * dx / length) * std::cos(pi * y * dx / high) * std::exp(-t);
    };
    const auto source = [&](Index x, Index y, double t) {
        const double u = exact(x, y, t);
        return (q - 1) * (u - 0.5) - u * (1 - u) * (u - threshold);
    };
    const Coefficients c{.diffusion = 1 / (dx * dx), .threshold = threshold, .one_plus_threshold = 1 + threshold};
    device::Cpu cpu(2);
    Sweeps sweeps(cpu, Model::nagumo, c, Domain::grid({nx, ny, 1}, dx), dt);
    std::vector<double> v(at(Offset{nx} * ny)), current = v;
    const auto fill = [&](const auto& of, double t, std::vector<double>& values) {
        for (Index y = 0; y < ny; ++y)
            for (Index x = 0; x < nx; ++x) values[at(x + Offset{nx} * y)] = of(x, y, t);
    };
    fill(exact, 0, v);
    for (int k = 0; k < steps; ++k) {
        fill(source, (k + 0.25) * dt, current);
        EXPECT_TRUE(sweeps.react(v, {}, current));
        sweeps.sweep(k % 2, c.diffusion, v, false);
        sweeps.sweep(1 - k % 2, c.diffusion, v, false);
        fill(source, (k + 0.75) * dt, current);
        EXPECT_TRUE(sweeps.react(v, {}, current));
    }
    double error = 0;
    for (Index y = 0; y < ny; ++y)
        for (Index x = 0; x < nx; ++x) error = std::max(error, std::abs(v[at(x + Offset{nx} * y)] - exact(x, y, 1)));
    return error;
}

TEST(Sweeps, MadeSolutionHasOrderTwoInTimeAndSpace) {
    EXPECT_NEAR(std::log2(error_of_grid(8, 400) / error_of_grid(16, 400)), 2, 0.1);
    EXPECT_NEAR(std::log2(error_of_grid(400, 4) / error_of_grid(400, 8)), 2, 0.15);
}

/// The pulse of the start exp(-(x - 100)^2 / 10) on 401 nodes at dx .5.
std::vector<double> gaussian(Index n = 401, double dx = 0.5, double center = 100) {
    std::vector<double> v;
    for (Index i = 0; i < n; ++i) v.push_back(std::exp(-(i * dx - center) * (i * dx - center) / 10));
    return v;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

std::vector<double> pulse_at(double t, Scheme scheme, double dt) {
    const Options options{.scheme = scheme, .step = dt, .until = t};
    return simulate(Domain::line(401, 0.5), options, {}, {.v = gaussian()}).field.v;
}

TEST(CrankNicolson, PulseConvergesWithOrderTwoToTheExplicitOne) {
    const std::vector<double> late = pulse_at(100, Scheme::heun, 0.01);
    EXPECT_NEAR(distance(pulse_at(100, Scheme::crank_nicolson, 0.25), late), 1.9e-4, 1e-5);
    const std::vector<double> truth = pulse_at(5, Scheme::heun, 0.001);
    const double slow = distance(pulse_at(5, Scheme::crank_nicolson, 0.25), truth);
    const double fast = distance(pulse_at(5, Scheme::crank_nicolson, 0.125), truth);
    EXPECT_NEAR(std::log2(slow / fast), 2, 0.15);
    const double adi_slow = distance(pulse_at(5, Scheme::adi, 0.25), truth);
    const double adi_fast = distance(pulse_at(5, Scheme::adi, 0.125), truth);
    EXPECT_NEAR(std::log2(adi_slow / adi_fast), 2, 0.15);
    EXPECT_LT(adi_slow, 1e-3);
}

TEST(CrankNicolson, StepsFarBeyondTheExplicitLimitAreStable) {
    const Options options{.scheme = Scheme::crank_nicolson, .step = 2.5, .until = 240};  // dt / dx^2 = 10
    const Result result = simulate(Domain::line(401, 0.5), options, {}, {.v = gaussian()});
    EXPECT_EQ(result.iterations, 96);
    EXPECT_LT(result.largest, 1);
    EXPECT_GT(result.smallest, -1);
    const double each = static_cast<double>(result.newton) / 96;
    EXPECT_GT(each, 3);
    EXPECT_LT(each, 8);
    EXPECT_NEAR(result.step_limit, 6 / (1 - 0.01 + 0.0001), 1e-12);
}

/// Norms of Newton's method in the first step of a pulse at the wall.
std::vector<double> norms_at_wall(double dt, Solver solver) {
    const double dx = 0.5;
    const Coefficients c{.diffusion = 1 / (dx * dx)};
    device::Cpu cpu(1);
    CrankNicolson line(cpu, implicit_constants(Model::fitzhugh_nagumo, c, c.diffusion, dt), 401, false, solver);
    const std::vector<double> v = gaussian(401, dx, 0);
    std::vector<double> w(401, 0.0), v_next(401), w_next(401);
    line.step(v, w, {}, {}, v_next, w_next);
    return line.norms();
}

TEST(Newton, LastTwoStepsAreQuadraticForEverySolver) {
    for (const Solver solver : {Solver::thomas, Solver::cyclic_reduction, Solver::parallel_reduction, Solver::hybrid,
                                Solver::partition, Solver::tiles}) {
        const std::vector<double> norms = norms_at_wall(2.5, solver);
        // Steps above rounding: log(e3 / e2) / log(e2 / e1) = 2
        std::size_t last = norms.size() - 1;
        while (norms[last] < 1e-13) --last;
        ASSERT_GE(last, 2U);
        const double ratio = std::log(norms[last] / norms[last - 1]) / std::log(norms[last - 1] / norms[last - 2]);
        EXPECT_NEAR(ratio, 2, 0.25) << name_of(solver);
    }
}

TEST(Newton, PrintedEndRowsConvergeLinearly) {
    EXPECT_NEAR(cases::printed_factor(0.0392), 0.0370, 5e-5);
    EXPECT_NEAR(cases::printed_factor(1), 0.42, 5e-3);
    EXPECT_NEAR(cases::printed_factor(10), 0.78, 5e-3);
    for (const double r : {0.0392, 1.0}) {
        std::vector<double> v = gaussian(401, 0.5, 0);
        const std::vector<double> printed = cases::copied_ends(v, r * 0.25, 0.5, 1, 3);
        ASSERT_GE(printed.size(), 6U);
        const double factor = cases::printed_factor(r, r * 0.25, cubic_slope(0.01, v[0]));
        for (const std::size_t k : {3, 4, 5}) EXPECT_NEAR(printed[k] / printed[k - 1], factor, 0.01 * factor) << r;
        v = gaussian(401, 0.5, 0);
        EXPECT_LE(cases::copied_ends(v, r * 0.25, 0.5, -1, 3).size(), 6U);
    }
}

TEST(Implicit, ThreadsDoNotChangeBytes) {
    const auto run = [&](Scheme scheme, const Domain& domain, int threads) {
        Options options{.scheme = scheme, .until = 5};
        std::vector<double> v(at(domain.size()), 0.0);
        v[at(domain.size() / 2)] = 1;
        dunlin::Run how;
        how.threads = threads;
        const Result result = simulate(domain, options, how, {.v = v, .stimuli = {{.vertex = 3, .to = 2}}});
        return result.field.v;
    };
    EXPECT_EQ(run(Scheme::crank_nicolson, Domain::line(20000, 0.5), 1),
              run(Scheme::crank_nicolson, Domain::line(20000, 0.5), 3));
    EXPECT_EQ(run(Scheme::adi, Domain::grid({70, 90, 1}, 0.5), 1), run(Scheme::adi, Domain::grid({70, 90, 1}, 0.5), 3));
}

TEST(Implicit, AgreesWithHeunOnAGridWithRecoveryThatDiffuses) {
    std::vector<double> v(40 * 30, 0.0);
    for (Index y = 0; y < 30; ++y)
        for (Index x = 0; x < 40; ++x) v[at(x + 40 * y)] = std::exp(-0.1 * (x * x + y * y));
    for (const bool periodic : {false, true}) {
        const Domain domain = Domain::grid({40, 30, 1}, 0.5, periodic);
        Options options{.recovery_diffusion = 0.5, .scheme = Scheme::heun, .step = 0.005, .until = 10};
        const Result truth = simulate(domain, options, {}, {.v = v});
        options.scheme = Scheme::adi;
        options.step = 0.05;
        const Result result = simulate(domain, options, {}, {.v = v});
        EXPECT_LT(distance(result.field.v, truth.field.v), 1e-4);
        EXPECT_LT(distance(result.field.w, truth.field.w), 1e-4);
    }
}

TEST(Implicit, HeldNodesKeepTheirValue) {
    for (const Scheme scheme : {Scheme::crank_nicolson, Scheme::adi}) {
        const Options options{.model = Model::diffusion, .scheme = scheme, .step = 5, .until = 2000};
        const Result result = simulate(Domain::line(21, 0.5), options, {},
                                       {.stimuli = {{.vertex = 0, .value = 1}, {.vertex = 20, .value = 3}}});
        for (Index i = 0; i < 21; ++i) EXPECT_NEAR(result.field.v[at(i)], 1 + 0.1 * i, 1e-6) << name_of(scheme);
    }
}

TEST(Implicit, SmallDomains) {
    for (const Scheme scheme : {Scheme::crank_nicolson, Scheme::adi}) {
        const Options options{.model = Model::nagumo, .threshold = 0.1, .scheme = scheme, .step = 0.1, .until = 100};
        EXPECT_TRUE(simulate(Domain::line(0), options).field.v.empty());
        const std::vector<double> start{0.2};
        EXPECT_NEAR(simulate(Domain::line(1), options, {}, {.v = start}).field.v[0], 1, 1e-9);
        const std::vector<double> two{0.0, 0.4};
        const Result pair = simulate(Domain::ring(2), options, {}, {.v = two});
        EXPECT_NEAR(pair.field.v[0], 1, 1e-9);
        EXPECT_NEAR(pair.field.v[1], 1, 1e-9);
    }
}

TEST(Implicit, RefusesWhatItCannotIntegrate) {
    const auto sentence = [](const Domain& domain, const Options& options) -> std::string {
        try {
            simulate(domain, options);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const Domain line = Domain::line(9), grid = Domain::grid({9, 9, 1});
    const auto says = [&](const Domain& domain, const Options& options, const char* words) {
        const std::string said = sentence(domain, options);
        EXPECT_NE(said.find(words), std::string::npos) << said;
    };
    says(grid, {.scheme = Scheme::crank_nicolson}, "use adi");
    says(line, {.recovery_diffusion = 1, .scheme = Scheme::crank_nicolson}, "must not diffuse");
    says(grid, {.model = Model::gray_scott, .scheme = Scheme::adi}, "gray-scott");
    says(line, {.scheme = Scheme::crank_nicolson, .step = 6.1}, "stable up to");
    says(line, {.noise = 1, .scheme = Scheme::crank_nicolson}, "noise");
    says(line, {.scheme = Scheme::adi, .tolerance = 1e-3}, "tolerance");
    Graph graph;
    graph.offsets = {0, 1, 2};
    graph.targets = {1, 0};
    graph.weights = {1, 1};
    says(Domain::on(graph), {.scheme = Scheme::adi}, "rkc");
}

}  // namespace
}  // namespace dunlin::waves
