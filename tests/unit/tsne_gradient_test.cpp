// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/neighbors.hpp>
#include <dunlin/tsne.hpp>

#include "cases/repulsion.hpp"
#include "descent/repeller.hpp"
#include "descent/steps.hpp"
#include "forces/attraction/reference.hpp"
#include "math/rng.hpp"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

using namespace descent;

TEST(Steps, AGainGrowsOnAStraightWayAndShrinksAtATurn) {
    EXPECT_FLOAT_EQ(next_gain(1, 1, -1, 0.01F), 1.2F);  // velocity points down the gradient: the direction is kept
    EXPECT_FLOAT_EQ(next_gain(1, 1, 1, 0.01F), 0.8F);
    EXPECT_FLOAT_EQ(next_gain(0.01F, 1, 1, 0.01F), 0.01F);
}

TEST(Steps, AStepIsClippedToItsLongestLength) {
    float y[2] = {0, 0}, velocity[2] = {0, 0}, gain[2] = {1, 1};
    const float pull[2] = {-300, -400}, push[2] = {0, 0};
    GainStep::advance<2>(y, velocity, gain, pull, push, 1.0F, StepParameters{1, 1, 0.5F, 0.01F, 5});
    EXPECT_NEAR(y[0], 3, 1e-5);
    EXPECT_NEAR(y[1], 4, 1e-5);
}

/// KL in double by the definition, all pairs.
double cost(const Graph& p, const std::vector<double>& y, int dim) {
    const auto n = static_cast<Index>(y.size()) / dim;
    std::vector<double> force(y.size());
    const double z = repulsion::by_formula(MatrixView<const double>{y.data(), n, dim}).mass;
    return forces::attract_reference<double>(p, {y.data(), n, dim}, {force.data(), n, dim}) + std::log(z);
}

TEST(Gradient, EqualsFiniteDifferences) {
    for (const int dim : {2, 3}) {
        const Index n = 40;
        std::vector<float> x;
        for (std::uint64_t i = 0; i < 5 * n; ++i) x.push_back(static_cast<float>(math::random_normal(1, i)));
        Graph p = affinities(neighbors::search({x.data(), n, 5}, {.k = 15}).graph, 5);
        double total = 0;
        for (const float w : p.weights) total += w;
        std::vector<double> y(static_cast<std::size_t>(n * dim));
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = math::random_normal(9, i);

        std::vector<double> pull(y.size());
        const repulsion::Truth push = repulsion::by_formula(MatrixView<const double>{y.data(), n, dim});
        forces::attract_reference<double>(p, {y.data(), n, dim}, {pull.data(), n, dim});
        for (std::size_t i = 0; i < y.size(); ++i) {
            constexpr double h = 1e-5;
            auto up = y, down = y;
            up[i] += h;
            down[i] -= h;
            // log Z is counted once per unit of P; float weights sum to 1 only approximately
            const double numeric = (cost(p, up, dim) - cost(p, down, dim)) / (2 * h);
            EXPECT_NEAR(4 * gradient_of(pull[i], push.force[i], 1.0, push.mass), numeric,
                        1e-5 + 4 * std::abs(total - 1));
        }
    }
}

TEST(Gradient, ItsNormIsThatOfItsForces) {
    const Index n = 30;
    std::vector<float> y;
    for (std::uint64_t i = 0; i < 2 * n; ++i) y.push_back(static_cast<float>(math::random_normal(8, i)));
    Graph p;
    p.offsets.assign(static_cast<std::size_t>(n) + 1, 0);  // no affinities: the gradient is the repulsion's
    device::Cpu cpu(1);
    auto state = descent_state_at(cpu, y, 2);
    cpu.set(state.parameters, step_parameters_at(resolve_descent({}, n, Device::cpu), 0));
    const Options options = resolve_descent({.repulsion = Repulsion::exact}, n, Device::cpu);
    descent::Repeller<forces::StudentT> repeller(repulsion_of(options));
    repeller.choose(cpu, state.positions());
    tsne::find_forces(cpu, forces::StudentT(), state, p, repeller);
    double square = 0;
    for (const float force : state.repulsion) square += std::pow(static_cast<double>(force) / state.mass.value, 2);
    EXPECT_NEAR(gradient_norm(cpu, state), std::sqrt(square), 1e-6 * std::sqrt(square));
    EXPECT_GT(square, 0);
}

}  // namespace
}  // namespace dunlin::tsne
