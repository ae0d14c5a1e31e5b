// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/waves.hpp>

namespace dunlin::waves {

namespace {

constexpr std::array solvers{Solver::thomas, Solver::cyclic_reduction, Solver::parallel_reduction,
                             Solver::hybrid, Solver::partition,        Solver::tiles};

Result pulse(const Domain& domain, Scheme scheme, Solver solver, int threads = 1) {
    const auto n = static_cast<Index>(domain.size());
    return simulate(domain, {.scheme = scheme, .solver = solver, .until = 12}, {.threads = threads},
                    {.stimuli = {{.vertex = n / 3, .to = 5}, {.vertex = n - 1, .value = 0.2}}});
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
        scale = std::max(scale, std::abs(b[i]));
    }
    return scale > 0 ? most / scale : most;
}

struct Case {
    const char* name;
    Domain domain;
    Scheme scheme;
};

const std::vector<Case> cases{{"one node", Domain::line(1, 0.5), Scheme::crank_nicolson},
                              {"two nodes", Domain::line(2, 0.5), Scheme::crank_nicolson},
                              {"line", Domain::line(3000, 0.2), Scheme::crank_nicolson},
                              {"ring", Domain::ring(301, 0.5), Scheme::crank_nicolson},
                              {"line by adi", Domain::line(2049, 0.5), Scheme::adi},
                              {"grid", Domain::grid({23, 18, 1}, 0.5), Scheme::adi},
                              {"torus", Domain::grid({7, 9, 5}, 0.5, true), Scheme::adi}};

TEST(Solver, AllAgreeToRounding) {
    for (const Case& c : cases) {
        const Result usual = pulse(c.domain, c.scheme, Solver::automatic);
        for (const Solver solver : solvers) {
            const Result other = pulse(c.domain, c.scheme, solver);
            EXPECT_EQ(other.options.solver, solver);
            EXPECT_EQ(other.iterations, usual.iterations) << c.name;
            EXPECT_LE(largest_difference(other.field.v, usual.field.v), 1e-12) << c.name << " " << name_of(solver);
            EXPECT_LE(largest_difference(other.field.w, usual.field.w), 1e-12) << c.name << " " << name_of(solver);
        }
    }
}

TEST(Solver, ThreadsDoNotChangeBytes) {
    for (const Case& c : cases) {
        for (const Solver solver : solvers)
            EXPECT_EQ(pulse(c.domain, c.scheme, solver, 1).field.v, pulse(c.domain, c.scheme, solver, 3).field.v)
                << c.name << " " << name_of(solver);
    }
}

TEST(Solver, TheUsualOneOfALineIsPartition) {
    const Domain line = Domain::line(3000, 0.2);
    EXPECT_EQ(pulse(line, Scheme::crank_nicolson, Solver::automatic).field.v,
              pulse(line, Scheme::crank_nicolson, Solver::partition).field.v);
}

TEST(Solver, SchemesWithoutASystemRefuseIt) {
    for (const Scheme scheme : {Scheme::automatic, Scheme::euler, Scheme::heun, Scheme::rkc, Scheme::adaptive}) {
        try {
            pulse(Domain::line(20, 0.5), scheme, Solver::thomas);
            FAIL() << name_of(scheme);
        } catch (const Error& error) {
            EXPECT_EQ(error.place().option, "solver") << name_of(scheme);
        }
    }
}

TEST(Solver, NoNodesAreNoSystem) {
    for (const Solver solver : solvers)
        EXPECT_TRUE(simulate(Domain::line(0), {.scheme = Scheme::crank_nicolson, .solver = solver, .until = 1})
                        .field.v.empty());
}

}  // namespace

}  // namespace dunlin::waves
