// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <dunlin/waves.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "waves/chebyshev.hpp"

namespace dunlin::waves {
namespace {

/// A graph with these undirected edges and weights.
struct Edge {
    Index a, b;
    float weight;
};
Graph graph_of(Index n, const std::vector<Edge>& edges) {
    std::vector<std::vector<std::pair<Index, float>>> rows(at(n));
    for (const Edge& e : edges) {
        rows[at(e.a)].emplace_back(e.b, e.weight);
        rows[at(e.b)].emplace_back(e.a, e.weight);
    }
    Graph graph;
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        for (const auto& [target, weight] : row) {
            graph.targets.push_back(target);
            graph.weights.push_back(weight);
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

/// The factor of an eigenvector of the Laplacian, of eigenvalue -lambda, in `steps` steps of dt.
double amplification(Scheme scheme, double dt, double lambda, int steps) {
    const double z = -dt * lambda;
    if (scheme == Scheme::euler) return std::pow(1 + z, steps);
    if (scheme == Scheme::heun) return std::pow(1 + z + z * z / 2, steps);
    return 0;
}

void expect_mode(const Domain& domain, const std::vector<double>& mode, double lambda, const char* name) {
    for (const Scheme scheme : {Scheme::euler, Scheme::heun}) {
        const double dt = 0.4 / spectral_bound(domain);
        const Options options{.model = Model::diffusion, .scheme = scheme, .step = dt, .until = 20 * dt};
        const Result result = simulate(domain, options, {}, {.v = mode});
        ASSERT_EQ(result.iterations, 20) << name;
        const double factor = amplification(scheme, dt, lambda, 20);
        for (std::size_t i = 0; i < mode.size(); ++i) EXPECT_NEAR(result.field.v[i], factor * mode[i], 1e-12) << name;
    }
}

TEST(WavesModes, AmplificationIsExact) {
    constexpr double pi = std::numbers::pi;
    std::vector<double> line(21), ring(24), complete(7, -1.0 / 6), star(9, -1.0 / 7), cube(16);
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = std::cos(3 * pi * static_cast<double>(i) / 20);
    expect_mode(Domain::line(21, 0.5), line, (2 - 2 * std::cos(3 * pi / 20)) / 0.25, "line");
    for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = std::sin(2 * pi * 5 * static_cast<double>(i) / 24);
    expect_mode(Domain::ring(24, 0.5), ring, (2 - 2 * std::cos(2 * pi * 5 / 24)) / 0.25, "ring");
    std::vector<double> grid(21 * 24);
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = line[i % 21] * ring[i / 21];
    const double both = 4 - 2 * std::cos(3 * pi / 20) - 2 * std::cos(2 * pi * 5 / 24);
    Domain cylinder = Domain::grid({21, 24, 1});
    cylinder.periodic = {false, true, false};
    expect_mode(cylinder, grid, both, "cylinder");

    std::vector<Edge> edges;
    for (Index i = 0; i < 7; ++i) {
        for (Index j = 0; j < i; ++j) edges.push_back({i, j, 1});
    }
    complete[0] = 1;
    const Graph complete_graph = graph_of(7, edges);
    expect_mode(Domain::on(complete_graph), complete, 7, "complete graph");

    edges.clear();
    for (Index i = 1; i < 9; ++i) edges.push_back({0, i, 1});
    const Graph star_graph = graph_of(9, edges);
    star[0] = 0, star[1] = 1;  // leaves that differ: eigenvalue 1
    expect_mode(Domain::on(star_graph), star, 1, "star");

    edges.clear();
    for (Index i = 0; i < 16; ++i) {
        for (Index bit = 1; bit < 16; bit *= 2) {
            if ((i & bit) == 0) edges.push_back({i, i | bit, 0.5F});
        }
        cube[at(i)] = ((i & 1) != 0 ? -1.0 : 1.0) * ((i & 4) != 0 ? -1.0 : 1.0);
    }
    const Graph hypercube = graph_of(16, edges);
    expect_mode(Domain::on(hypercube), cube, 2, "hypercube of weights 1/2");  // 2 k w with k = 2
}

TEST(WavesModes, ChebyshevFollowsItsPolynomial) {
    std::vector<Edge> edges;
    for (Index i = 0; i < 40; ++i) edges.push_back({i, (i + 1) % 40, 2});
    const Graph ring = graph_of(40, edges);
    std::vector<double> mode(40);
    for (std::size_t i = 0; i < 40; ++i) mode[i] = i % 2 == 0 ? 1 : -1;
    const Options options{.model = Model::diffusion, .scheme = Scheme::rkc, .step = 5, .until = 5};
    const Result result = simulate(Domain::on(ring), options, {}, {.v = mode});
    const auto stages = chebyshev_stages(chebyshev_count(5 * 8.0));
    double last = 0, before = 0;
    for (const ChebyshevStage& stage : stages) {
        before = chebyshev(stage, 5, last, before, -8 * (1 + last), -8);
        std::swap(last, before);
    }
    EXPECT_EQ(result.evaluations, std::ssize(stages));
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(result.field.v[i], (1 + last) * mode[i], 1e-12);
}

TEST(WavesConservation, WeightedSumStays) {
    // Without reaction and flux the sum stays, in which the ends of a line count half
    const Domain line = Domain::line(101);
    std::vector<double> start(101);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = math::random_uniform(5, i);
    const auto total = [](const std::vector<double>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0) - (v.front() + v.back()) / 2;
    };
    const Result result = simulate(line, {.model = Model::diffusion, .until = 50}, {}, {.v = start});
    EXPECT_NEAR(total(result.field.v), total(start), 1e-12);

    std::vector<Edge> edges;
    for (Index i = 1; i < 101; ++i) {
        edges.push_back({i, i / 2, 1.0F + static_cast<float>(i % 3)});
    }
    const Graph tree = graph_of(101, edges);
    const Result on_tree = simulate(Domain::on(tree), {.model = Model::diffusion, .until = 50}, {}, {.v = start});
    EXPECT_NEAR(std::accumulate(on_tree.field.v.begin(), on_tree.field.v.end(), 0.0),
                std::accumulate(start.begin(), start.end(), 0.0), 1e-10);
}

TEST(WavesBounds, NagumoStaysBetween0And1) {
    // The step of the maximum principle: 2 D dt / dx^2 + (1 - a) dt <= 1
    std::vector<double> start(200);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = math::random_uniform(9, i) < 0.5 ? 0 : 1;
    const Options options{.model = Model::nagumo, .threshold = 0.3, .scheme = Scheme::euler, .step = 0.3, .until = 60};
    const Result result = simulate(Domain::ring(200), options, {}, {.v = start, .snapshots = {3, 9, 30}});
    ASSERT_EQ(result.snapshots.size(), 3U);
    for (const Snapshot& snapshot : result.snapshots) {
        for (const double v : snapshot.field.v) {
            EXPECT_GE(v, 0);
            EXPECT_LE(v, 1);
        }
    }
}

/// The front of nagumo, v = 1 / (1 + exp((x - x0 - c t) / sqrt 2)), c = (1 - 2a) / sqrt 2.
double front(double x, double a, double t) {
    return 1 / (1 + std::exp((x - (1 - 2 * a) / std::numbers::sqrt2 * t) / std::numbers::sqrt2));
}

double front_error(double a, double dx, double until, const Options& options) {
    const auto n = static_cast<Index>(std::lround(120 / dx)) + 1;
    std::vector<double> start(at(n));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = front(static_cast<double>(i) * dx - 40, a, 0);
    Options o = options;
    o.model = Model::nagumo;
    o.threshold = a;
    o.until = until;
    const Result result = simulate(Domain::line(n, dx), o, {}, {.v = start});
    double square = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double off = result.field.v[i] - front(static_cast<double>(i) * dx - 40, a, until);
        square += off * off;
    }
    return std::sqrt(square / n);
}

TEST(WavesFront, NagumoConvergesWithTheSquareOfTheSpacing) {
    const auto error = [](double dx) {
        return front_error(0.1, dx, 40, {.scheme = Scheme::euler, .step = 0.2 * dx * dx});
    };
    const double coarse = error(1), middle = error(0.5), fine = error(0.25);
    EXPECT_NEAR(std::log2(coarse / middle), 2, 0.1);
    EXPECT_NEAR(std::log2(middle / fine), 2, 0.1);
    EXPECT_LT(fine, 2e-3);
}

TEST(WavesFront, StandsStillWithThresholdOneHalf) {
    std::vector<double> start(161);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = front(0.5 * static_cast<double>(i) - 40, 0.5, 0);
    const Options options{.model = Model::nagumo, .threshold = 0.5, .until = 100};
    const Result result = simulate(Domain::line(161, 0.5), options, {}, {.v = start});
    EXPECT_NEAR(result.field.v[80], 0.5, 1e-9);
    EXPECT_GT(result.field.v[79], 0.55);
}

/// A pulse on a line after `until`, for steps of the same equation in time.
std::vector<double> pulse(Scheme scheme, double dt, double until) {
    std::vector<double> start(161);
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double x = 0.5 * static_cast<double>(i) - 20;
        start[i] = std::exp(-x * x / 10);
    }
    return simulate(Domain::line(161, 0.5), {.scheme = scheme, .step = dt, .until = until}, {}, {.v = start}).field.v;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(square / static_cast<double>(a.size()));
}

TEST(WavesOrder, InTime) {
    const std::vector<double> exact = pulse(Scheme::heun, 0.002, 20);
    const auto order = [&](Scheme scheme, double dt) {
        return std::log2(distance(pulse(scheme, dt, 20), exact) / distance(pulse(scheme, dt / 2, 20), exact));
    };
    EXPECT_NEAR(order(Scheme::euler, 0.1), 1, 0.05);
    EXPECT_NEAR(order(Scheme::heun, 0.1), 2, 0.15);
    EXPECT_NEAR(order(Scheme::rkc, 0.25), 2, 0.15);
    EXPECT_LT(distance(pulse(Scheme::heun, 0.1, 20), exact), 2e-5);
    EXPECT_LT(distance(pulse(Scheme::rkc, 0.25, 20), exact), 1e-4);
}

TEST(WavesOrder, ToleranceControlsTheError) {
    const std::vector<double> exact = pulse(Scheme::heun, 0.002, 20);
    std::vector<double> start(161);
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double x = 0.5 * static_cast<double>(i) - 20;
        start[i] = std::exp(-x * x / 10);
    }
    for (const Scheme scheme : {Scheme::heun, Scheme::rkc}) {
        double before = 1;
        for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
            const Options options{.scheme = scheme, .tolerance = tolerance, .until = 20};
            const Result result = simulate(Domain::line(161, 0.5), options, {}, {.v = start});
            EXPECT_EQ(result.time, 20);
            const double error = distance(result.field.v, exact);
            EXPECT_LT(error, 20 * tolerance) << dunlin::name_of(scheme);
            EXPECT_LT(error, before);
            before = error;
        }
    }
}

/// Speed of a pulse between two thirds of a line, at spacing dx.
double pulse_speed(double a, double epsilon, double gamma, double dx, double until) {
    const auto n = static_cast<Index>(std::lround(240 / dx)) + 1;
    Options options{.threshold = a, .epsilon = epsilon, .gamma = gamma, .until = until};
    const Result result = simulate(Domain::line(n, dx), options, {}, {.stimuli = {{.vertex = 0, .to = 40}}});
    const std::size_t from = at(std::lround(130 / dx)), to = at(std::lround(220 / dx));
    return 90 / (result.activation[to] - result.activation[from]);
}

TEST(WavesPulse, SpeedByRichardson) {
    // Speeds by shooting in the ordinary differential equation of the traveling wave, to 10 digits
    struct Case {
        double a, epsilon, gamma, speed;
    };
    for (const Case& c : {Case{0.01, 0.01, 2, 0.62710427711},
                          {0.1, 0.01, 2, 0.4495325769},
                          {0.1, 0.002, 1, 0.5485652628},
                          {0.25, 0.002, 1, 0.3107505286},
                          {0.139, 0.008, 2.54, 0.3998512124}}) {
        const double coarse = pulse_speed(c.a, c.epsilon, c.gamma, 0.5, 240 / c.speed);
        const double fine = pulse_speed(c.a, c.epsilon, c.gamma, 0.25, 240 / c.speed);
        EXPECT_NEAR(fine + (fine - coarse) / 3, c.speed, 1e-4) << c.a << " " << c.epsilon << " " << c.gamma;
    }
}

/// Whether a front of nagumo passes from the left half of a chain to its end. Near the threshold it takes long: a step
/// near the limit of the reaction, 2 / (1 - a).
bool passes_chain(double a, double conductance) {
    constexpr Index n = 24;
    std::vector<double> start(n, 0.0);
    std::fill_n(start.begin(), n / 2, 1.0);
    const Options options{.model = Model::nagumo,
                          .threshold = a,
                          .diffusion = conductance,
                          .scheme = Scheme::euler,
                          .step = 1.5,
                          .rest = 1e-10,
                          .steps = 200000};
    return simulate(Domain::line(n), options, {}, {.v = start}).activation.back() < forever;
}

TEST(WavesPinning, ChainsHaveTheirThreshold) {
    struct Case {
        double a, conductance;
    };
    for (const Case& c : {Case{0.01, 2.51267e-5},
                          {0.05, 6.417937e-4},
                          {0.1, 2.6455108e-3},
                          {0.2, 1.14083475e-2},
                          {0.3, 2.86404762e-2},
                          {0.4, 6.17509047e-2}}) {
        EXPECT_FALSE(passes_chain(c.a, 0.99 * c.conductance)) << c.a;
        EXPECT_TRUE(passes_chain(c.a, 1.01 * c.conductance)) << c.a;
    }
}

/// The same from the root of a tree to its leaves.
Result on_tree(int children, double a, double conductance, double step) {
    constexpr int levels = 8;
    std::vector<Edge> edges;
    Index n = 1;
    for (Index begin = 0, end = 1, level = 1; level < levels; ++level) {
        const Index next = end;
        for (Index parent = begin; parent < end; ++parent) {
            for (int c = 0; c < children; ++c) edges.push_back({parent, n++, 1});
        }
        begin = next;
        end = n;
    }
    const Graph tree = graph_of(n, edges);
    std::vector<double> start(at(n), 0.0);
    std::fill_n(start.begin(), children == 2 ? 15 : 40, 1.0);  // the first levels
    const Options options{.model = Model::nagumo,
                          .threshold = a,
                          .diffusion = conductance,
                          .scheme = Scheme::euler,
                          .step = step,
                          .rest = 1e-9,
                          .steps = 20000};
    return simulate(Domain::on(tree), options, {}, {.v = start});
}

bool passes_tree(int children, double a, double conductance) {
    return on_tree(children, a, conductance, 1).activation.back() < forever;
}

TEST(WavesPinning, TreesHaveTheirThreshold) {
    EXPECT_FALSE(passes_tree(2, 0.1, 0.99 * 2.8155105e-3));
    EXPECT_TRUE(passes_tree(2, 0.1, 1.01 * 2.8155105e-3));
    EXPECT_FALSE(passes_tree(3, 0.1, 0.99 * 3.0181095e-3));
    EXPECT_TRUE(passes_tree(3, 0.1, 1.01 * 3.0181095e-3));
    EXPECT_FALSE(passes_tree(2, 0.2, 0.99 * 1.3562337e-2));
    EXPECT_TRUE(passes_tree(2, 0.2, 1.01 * 1.3562337e-2));
    EXPECT_FALSE(passes_tree(3, 0.2, 0.99 * 1.77503313e-2));
    EXPECT_TRUE(passes_tree(3, 0.2, 1.01 * 1.77503313e-2));
}

TEST(WavesPinning, FrontsRetreatOnTreesOfThreeChildren) {
    // A vertex gives to three children what it gets from one parent: above 0.16 the front moves to the root
    EXPECT_GT(on_tree(3, 0.1, 0.99 * 3.0181095e-3, 0.5).largest, 0.9);
    EXPECT_LT(on_tree(3, 0.1, 0.2, 0.5).largest, 1e-3);
}

TEST(WavesPlane, AWaveInTwoDimensionsIsThatOnALine) {
    constexpr Index n = 120;
    std::vector<double> line(n), plane(n * 9);
    for (std::size_t x = 0; x < n; ++x) line[x] = x < 10 ? 1 : 0;
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = line[i % n];
    const Options options{.step = 0.05, .until = 60};
    const Result flat = simulate(Domain::grid({n, 9, 1}, 0.5), options, {}, {.v = plane});
    const Result thin = simulate(Domain::line(n, 0.5), options, {}, {.v = line});
    for (std::size_t i = 0; i < plane.size(); ++i) EXPECT_NEAR(flat.field.v[i], thin.field.v[i % n], 1e-12);
}

TEST(WavesNoise, StationaryVarianceOfModes) {
    // v' = D Lv + noise - nothing else: a mode of rate mu has variance sigma^2 / (2 mu (1 - dt mu / 2))
    constexpr Index n = 16;
    constexpr double dt = 0.2, sigma = 0.1;
    const double mu = 2 - 2 * std::cos(2 * std::numbers::pi * 3 / n);
    Given given;
    for (int k = 1; k <= 2000; ++k) given.snapshots.push_back(20.0 * k);
    const Options options{
        .model = Model::diffusion, .noise = sigma, .scheme = Scheme::euler, .step = dt, .until = 40000};
    const Result result = simulate(Domain::ring(n), options, {}, given);
    double variance = 0;
    for (const Snapshot& snapshot : result.snapshots) {
        double amplitude = 0;
        for (Index i = 0; i < n; ++i)
            amplitude += snapshot.field.v[at(i)] * std::cos(2 * std::numbers::pi * 3 * i / n) * std::sqrt(2.0 / n);
        variance += amplitude * amplitude / 2000;
    }
    const double expected = sigma * sigma / (2 * mu * (1 - dt * mu / 2));
    EXPECT_NEAR(variance / expected, 1, 4 * std::sqrt(2.0 / 2000));
}

}  // namespace
}  // namespace dunlin::waves
