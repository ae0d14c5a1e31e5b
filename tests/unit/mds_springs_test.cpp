// SPDX-License-Identifier: Apache-2.0
#include "mds/forces/spring_stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "math/rng.hpp"
#include "mds/forces/partners.hpp"
#include "mds/order.hpp"
#include "mds/start.hpp"

namespace dunlin::mds {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(MdsStoppingRule, TheFilterPassesConstantsAndBlocksHighFrequencies) {
    for (const int taps : {21, 50}) {
        const std::vector<double> h = low_pass(taps);
        ASSERT_EQ(std::ssize(h), taps);
        EXPECT_NEAR(std::accumulate(h.begin(), h.end(), 0.0), 1, 1e-12);
        double flicker = 0;
        for (std::size_t k = 0; k < h.size(); ++k) {
            EXPECT_NEAR(h[k], h[h.size() - 1 - k], 1e-12);
            flicker += k % 2 == 0 ? h[k] : -h[k];
        }
        EXPECT_NEAR(flicker, 0, 1e-2);
    }
}

/// The iteration at which the rule is met; 0: never within 400.
int settles_at(Until until, double share, const auto& value) {
    FilteredStoppingRule rule(until);
    for (int t = 1; t <= 400; ++t) {
        rule.add(value(t));
        if (rule.is_met(share)) return t;
    }
    return 0;
}

TEST(MdsStoppingRule, IsMetAfterASmallDecreaseWithoutRises) {
    const auto decay = [](int t) { return std::exp(-t / 50.0); };
    const int soon = settles_at(Until::velocity, 1.0 / 32, decay), late = settles_at(Until::velocity, 1e-3, decay);
    EXPECT_GT(soon, 31);  // a full window and ten more
    EXPECT_NEAR(late - soon, 50 * std::log(1000.0 / 32), 2);
    EXPECT_EQ(settles_at(Until::velocity, 1.0 / 32, [](int t) { return static_cast<double>(t); }), 0);
    const auto waves = [](int t) { return 2 + std::sin(t * 0.6); };  // rises within any ten iterations
    EXPECT_EQ(settles_at(Until::velocity, 0.9, waves), 0);
}

TEST(MdsStoppingRule, StressStopsBelowAFixedSlope) {
    EXPECT_EQ(settles_at(Until::stress, 0, [](int t) { return 1 - 2e-4 * t; }), 0);
    EXPECT_EQ(settles_at(Until::stress, 0, [](int t) { return 1 - 5e-5 * t; }), 60);
}

/// The share of the whole step after each of n iterations, of which one in four has a stress.
std::vector<double> shares_of(int n, const auto& stress) {
    ShrinkingSteps steps(4);
    std::vector<double> shares;
    for (int t = 0; t < n; ++t) {
        steps.add(t % 4 == 0 ? stress(t) : 0);
        shares.push_back(steps.share());
    }
    return shares;
}

TEST(MdsShrinkingSteps, HalveOnceStressFallsNoLonger) {
    const std::vector<double> still = shares_of(700, [](int) { return 0.2; });
    EXPECT_EQ(still[510], 1);
    EXPECT_EQ(still[511], 0.5);
    EXPECT_EQ(still[542], 0.5);
    EXPECT_EQ(still[543], 0.25);
    // Falls from a quarter of the iterations to the half after it by more than 1%, in the long run by less
    const std::vector<double> falls = shares_of(9000, [](int t) { return 0.2 + 1.0 / (t + 10); });
    const auto first = std::find(falls.begin(), falls.end(), 0.5) - falls.begin();
    EXPECT_GT(first, 512);
    const auto mean = [](double a, double b) { return 0.2 + std::log((b + 10) / (a + 10)) / (b - a); };
    const auto n = static_cast<double>(first + 1);
    EXPECT_GE(mean(n / 2, n), 0.9895 * mean(n / 4, n / 2));
    EXPECT_EQ(shares_of(3000, [](int t) { return std::exp(-t / 300.0); }).back(), 1);
    EXPECT_LT(shares_of(3000, [](int) { return 0.0; }).back(), 1);
}

/// Three items in one dimension with two near and two random slots.
struct Three {
    Index item[3] = {0, 1, 2};
    Index partner[12];
    float delta[12];
    float y[3] = {0, 1, 3}, velocity[3] = {0, 0, 0}, force[3] = {9, 9, 9};
    SpringView view{item, partner, delta, y, velocity, force, 1, 2, 4};
    Three() {
        std::fill_n(partner, 12, -1);
        std::fill_n(delta, 12, infinity);
    }
    void set(int slot, Index who, float d) {
        partner[slot] = who;
        delta[slot] = d;
    }
};

TEST(MdsSprings, NearSetsKeepTheNearestOnce) {
    Three t;
    t.set(0, 2, 5);
    t.set(2, 2, 5);  // a duplicate
    t.set(3, 1, 4);
    UpdateNearSet{t.view, 0}(0);
    EXPECT_EQ(t.partner[0], 1);
    EXPECT_EQ(t.partner[1], 2);
    EXPECT_EQ(t.partner[2], -1);
    EXPECT_FLOAT_EQ(t.delta[1], 5);
    t.set(6, 1, 0);  // the item itself
    t.set(7, 0, std::nanf(""));
    UpdateNearSet{t.view, 0}(1);
    for (int slot = 4; slot < 8; ++slot) EXPECT_EQ(t.partner[slot], -1);
}

TEST(MdsSprings, ASpringPullsByItsErrorAndDampsItsSpeed) {
    Three t;
    t.set(0, 1, 3);  // 2 too near
    SumSpringForces{t.view, {}, 0}(0);
    EXPECT_FLOAT_EQ(t.force[0], 0.7F * (1 - 3) / 4);
    t.velocity[1] = 2;  // item 1 moves away
    SumSpringForces{t.view, {}, 0}(0);
    EXPECT_FLOAT_EQ(t.force[0], (0.7F * (1 - 3) + 0.3F * 2) / 4);
    IntegrateMotion{t.view, 100, 0}(0);
    EXPECT_FLOAT_EQ(t.velocity[0], 0.85F * 0.3F * t.force[0]);
    EXPECT_FLOAT_EQ(t.y[0], 0.3F * t.velocity[0]);
    const float velocity = t.velocity[0], y = t.y[0];
    IntegrateMotion{t.view, 100, 0, 0.6F}(0);  // twice the time
    EXPECT_FLOAT_EQ(t.velocity[0], 0.85F * (velocity + 0.6F * t.force[0]));
    EXPECT_FLOAT_EQ(t.y[0], y + 0.6F * t.velocity[0]);
    IntegrateMotion{t.view, 0.01F, 0}(0);
    EXPECT_FLOAT_EQ(t.velocity[0], -0.01F);
}

TEST(MdsSprings, SymmetricForcesAreEqualAndOpposite) {
    device::Cpu cpu;
    auto springs = springs_at(cpu, Map{1, {0, 1}}, {0, 1}, 1, 1);
    springs.partner = {1, -1, -1, -1};  // 1 is a partner of 0, but not the reverse
    springs.delta = {3, infinity, infinity, infinity};
    const ReversePartners reverse = reverse_of(cpu, springs, 2);
    EXPECT_EQ(springs.reverse_begin[1], 0);
    EXPECT_EQ(springs.reverse_begin[2], 1);
    EXPECT_EQ(springs.reverse_slot, std::vector<Offset>{0});
    const SumSpringForces pull{springs.view(), reverse, 0};
    pull(0);
    pull(1);
    EXPECT_FLOAT_EQ(springs.force[0], 0.7F * (1 - 3) / 2);  // of two slots
    EXPECT_FLOAT_EQ(springs.force[1], 0.7F * (3 - 1) / 3);  // and one reverse partner
}

TEST(MdsSprings, EachItemIsDrawnOnceBeforeAnyIsDrawnTwice) {
    const Index n = 12;
    device::Cpu cpu;
    auto springs = springs_at(cpu, Map{1, std::vector<float>(n, 0)}, random_order(n, 3), 0, 4);
    springs.shuffle = random_order(n, 7);
    for (Offset i = 0; i < n; ++i) {
        std::set<Index> met;
        for (int turn = 0; turn < n / 4; ++turn) {
            DrawPartners{springs.view(), springs.shuffle.data(), &turn, 0, n}(i);
            met.insert(springs.partner.begin() + i * 4, springs.partner.begin() + (i + 1) * 4);
        }
        EXPECT_EQ(std::ssize(met), n) << i;
    }
}

/// A thousand rows, one of them zero; columns forwards or backwards.
Dissimilarities with_a_row_of_nought(neighbors::Metric metric, bool turned) {
    const Index n = 1000, cols = 20;
    std::vector<float> x(std::size_t{n} * cols);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const std::size_t column = k % cols, row = k / cols;
        const auto draw = static_cast<float>(math::random_uniform(3, k) - 0.5);
        x[row * cols + (turned ? cols - 1 - column : column)] = row == 1 ? 0 : draw;
    }
    return Dissimilarities::of_points(Matrix(n, cols, std::move(x)), {.metric = metric});
}

/// All others are equally far from the zero row; its partners must not depend on the rounding of their lengths.
TEST(MdsSprings, PartnersOfAZeroRowDoNotDependOnTheOrderOfColumns) {
    constexpr Index n = 1000, near = 5, slots = 12;
    device::Cpu cpu;
    for (const auto metric : {neighbors::Metric::cosine, neighbors::Metric::correlation}) {
        std::vector<std::set<Index>> kept[2];
        for (const bool turned : {false, true}) {
            const Source source(cpu, with_a_row_of_nought(metric, turned));
            Map map{2, std::vector<float>(std::size_t{2} * n)};
            jitter(map, 7);
            auto springs = springs_at(cpu, map, random_order(n, 5), near, slots - near);
            run_stage(cpu, source, springs, {0, n, n, 0}, {Until::count, 12, false}, {}, {});
            for (Offset i = 0; i < n; ++i) {
                const auto own = springs.partner.begin() + i * slots;
                kept[turned ? 1 : 0].emplace_back(own, own + near);
            }
        }
        EXPECT_EQ(kept[0], kept[1]) << name_of(metric);
    }
}

TEST(MdsSprings, ItemsOutsideTheStageStay) {
    const Index n = 60;
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) x.push_back(std::sin(static_cast<float>(i) * 7));
    const auto items = Dissimilarities::of_points(Matrix(n, 1, x));
    device::Cpu cpu;
    const Source source(cpu, items);
    auto springs = springs_at(cpu, initial_map(cpu, items, source, 2, Start::random, 1), random_order(n, 1), 4, 4);
    const std::vector<float> before = springs.y;
    run_stage(cpu, source, springs, {20, 40, 20, 0}, {Until::count, 5, false}, {}, {});
    for (Index i = 0; i < n; ++i) EXPECT_EQ(before[2 * i] == springs.y[2 * i], i < 20 || i >= 40) << i;
}

}  // namespace
}  // namespace dunlin::mds
