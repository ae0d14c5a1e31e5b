// SPDX-License-Identifier: Apache-2.0
#include "waves/adaptive_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/waves.hpp>

#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::waves {
namespace {

TEST(AdaptiveGrid, SecondDerivativeOfAParabola) {
    // v = x^2 at -1, 0 and 3: (1 / 1 + 9 / 3) 2 / (1 + 3) = 2
    EXPECT_DOUBLE_EQ(second_derivative(1, 0, 9, 1, 3), 2);
    EXPECT_DOUBLE_EQ(second_derivative(5, 5, 5, 1, 7), 0);
    EXPECT_DOUBLE_EQ(second_derivative(1, 2, 4, 1, 1), 1);
}

std::vector<Index> chosen(const std::vector<double>& v, const std::vector<double>& rate,
                          std::span<const Stimulus> always = {}) {
    std::vector<Index> nodes;
    choose_nodes({v, rate, 1}, 0.1, 2, always, nodes);
    return nodes;
}

TEST(AdaptiveGrid, ChoosesNodesByCriteria) {
    const std::vector<double> flat(25, 0.0);
    EXPECT_EQ(chosen(flat, flat), (std::vector<Index>{0, 1, 8, 16, 23, 24}));
    std::vector<double> fast = flat;
    fast[12] = -0.2;
    EXPECT_EQ(chosen(flat, fast), (std::vector<Index>{0, 1, 8, 10, 11, 12, 13, 14, 16, 23, 24}));
    std::vector<double> step = flat;
    std::fill(step.begin(), step.begin() + 12, 0.3);  // slopes .15 at 11 and 12, not steep enough for an inflection
    EXPECT_EQ(chosen(step, flat), (std::vector<Index>{0, 1, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23, 24}));
    std::fill(step.begin(), step.begin() + 12, 3.0);  // slopes 1.5, curvature -3 at 11 and 3 at 12
    EXPECT_EQ(chosen(step, flat), (std::vector<Index>{0, 1, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 24}));
    const std::vector<Stimulus> stimuli{{.vertex = 5}};
    EXPECT_EQ(chosen(flat, flat, stimuli), (std::vector<Index>{0, 1, 5, 8, 16, 23, 24}));
}

std::vector<double> peak(double center) {
    std::vector<double> v;
    for (int i = 0; i < 401; ++i) v.push_back(std::exp(-(0.5 * i - center) * (0.5 * i - center) / 10));
    return v;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(square / static_cast<double>(a.size()));
}

TEST(AdaptiveGrid, HalfTheNodesGiveThePulse) {
    const Domain line = Domain::line(401, 0.5);
    const std::vector<double> start = peak(100);
    const Result all = simulate(line, {.scheme = Scheme::euler, .step = 0.05, .until = 90}, {}, {.v = start});
    const Result some = simulate(line, {.scheme = Scheme::adaptive, .step = 0.05, .until = 90}, {}, {.v = start});
    EXPECT_LT(distance(some.field.v, all.field.v), 1e-3);
    EXPECT_LT(distance(some.field.w, all.field.w), 1e-3);
    EXPECT_NEAR(*some.speed, *all.speed, 1e-3);
    EXPECT_GT(some.skipped, Offset{401} * some.iterations / 2);
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double time = all.activation[i];
        EXPECT_TRUE(some.activation[i] == time || std::abs(some.activation[i] - time) < 0.05) << i;
    }
}

TEST(AdaptiveGrid, SlopeZeroIsEulersMethod) {
    const Domain line = Domain::line(401, 0.5);
    const std::vector<double> start = peak(30);
    const Result all = simulate(line, {.scheme = Scheme::euler, .until = 20}, {}, {.v = start});
    const Result same = simulate(line, {.scheme = Scheme::adaptive, .slope = 0, .until = 20}, {}, {.v = start});
    EXPECT_EQ(same.step, all.step);
    EXPECT_LT(distance(same.field.v, all.field.v), 1e-12);
}

TEST(AdaptiveGrid, EveryModelWithStimulusAndCurrent) {
    for (const Model model : {Model::fitzhugh_nagumo, Model::nagumo, Model::diffusion, Model::gray_scott}) {
        Options options{.model = model, .current = 0.002, .scheme = Scheme::euler, .until = 30};
        if (model == Model::fitzhugh_nagumo) options.recovery_diffusion = 0.5;
        const Given given{.stimuli = {{.vertex = 50, .value = 0.8, .to = 20}}};
        const Result all = simulate(Domain::line(201, 0.5), options, {}, given);
        options.scheme = Scheme::adaptive;
        const Result some = simulate(Domain::line(201, 0.5), options, {}, given);
        EXPECT_LT(distance(some.field.v, all.field.v), 2e-3) << name_of(model);
        EXPECT_GT(some.skipped, 0) << name_of(model);
    }
}

TEST(AdaptiveGrid, RestsAndIsRefusedOffLines) {
    const Given given{.stimuli = {{.vertex = 0, .to = 10}}};
    EXPECT_EQ(simulate(Domain::line(41), {.scheme = Scheme::adaptive}, {}, given).stopped, Stopped::converged);
    for (const Domain& domain : {Domain::ring(20), Domain::grid({20, 20, 1})}) {
        const std::string words =
            refusal(Fault::bad_input, [&] { (void)simulate(domain, {.scheme = Scheme::adaptive, .until = 1}); });
        EXPECT_NE(words.find("is for lines"), std::string::npos);
    }
}

}  // namespace
}  // namespace dunlin::waves
