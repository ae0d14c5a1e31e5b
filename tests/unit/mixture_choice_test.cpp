// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mixture.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "mixture/split.hpp"
#include "refusal.hpp"

namespace dunlin::mixture {
namespace {

constexpr Covariance all_forms[] = {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied};

MatrixView<const float> view(const std::vector<float>& values, Index cols) {
    return {values.data(), static_cast<Index>(values.size() / static_cast<std::size_t>(cols)), cols};
}

/// So many isotropic Gaussians of deviation 1 in three columns, 30 apart.
std::vector<float> far_gaussians(Index count, Index rows_of_each) {
    std::vector<float> points;
    for (Index r = 0; r < count * rows_of_each; ++r) {
        for (Index c = 0; c < 3; ++c) {
            const double center = r % count % 3 == c ? 30 * (1 + r % count / 3) : 0;
            const double noise = math::random_normal(5, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
            points.push_back(static_cast<float>(center + noise));
        }
    }
    return points;
}

/// 150 rows of four columns: one group far from two that overlap, as in Fisher's irises.
std::vector<float> like_irises() {
    constexpr double means[3][4] = {{5.0, 3.4, 1.5, 0.2}, {5.9, 2.8, 4.3, 1.3}, {6.6, 3.0, 5.6, 2.0}};
    constexpr double deviations[3] = {0.25, 0.4, 0.45};
    std::vector<float> points;
    for (std::uint64_t r = 0; r < 150; ++r) {
        const double common = math::random_normal(7, r, 4);
        for (std::uint64_t c = 0; c < 4; ++c) {
            const double noise = 0.8 * common + 0.6 * math::random_normal(7, r, c);
            points.push_back(static_cast<float>(means[r / 50][c] + deviations[r / 50] * noise));
        }
    }
    return points;
}

void expect_rising(const Choice& choice, std::size_t numbers, const std::string& what) {
    ASSERT_EQ(choice.curve.size(), numbers) << what;
    for (std::size_t i = 1; i < numbers; ++i) {
        EXPECT_GE(choice.curve[i].log_likelihood, choice.curve[i - 1].log_likelihood)
            << what << ", " << choice.curve[i].components << " components";
    }
}

TEST(MixtureChoice, TheLikelihoodRisesWithTheNumberOfComponents) {
    std::vector<float> duplicates;
    for (int r = 0; r < 60; ++r) duplicates.push_back(static_cast<float>(r % 4));
    for (const Covariance form : all_forms) {
        for (const int iterations : {0, 1, 100}) {
            const Options options{.components = 1, .covariance = form, .iterations = iterations};
            const std::string what = std::string(name_of(form)) + " " + std::to_string(iterations);
            expect_rising(choose(view(like_irises(), 4), 12, Criterion::bic, options), 12, what + " irises");
            expect_rising(choose(view(duplicates, 1), 7, Criterion::bic, options), 7, what + " duplicates");
            expect_rising(choose(view(duplicates, 4), 15, Criterion::bic, options), 15, what + " K = n");
        }
        const Choice irises = choose(view(like_irises(), 4), 10, Criterion::bic, {.components = 1, .covariance = form});
        if (form == Covariance::full) {
            EXPECT_GE(irises.best.options.components, 2);
            EXPECT_LE(irises.best.options.components, 3);
        }
    }
}

TEST(MixtureChoice, FarGaussiansAreCounted) {
    for (const Covariance form : all_forms) {
        for (const Criterion criterion : {Criterion::bic, Criterion::aic}) {
            for (Index k = 1; k <= 5; ++k) {
                const std::vector<float> points = far_gaussians(k, criterion == Criterion::bic ? 60 : 400);
                const Options options{.components = 1, .covariance = form};
                const Choice choice = choose(view(points, 3), k + 2, criterion, options);
                if (criterion == Criterion::aic) {
                    EXPECT_GE(choice.best.options.components, k) << name_of(form);
                    continue;
                }
                EXPECT_EQ(choice.best.options.components, k) << name_of(form);
                EXPECT_TRUE(sentence_of_choice(choice, k + 2).empty());
                const Choice up_to_it = choose(view(points, 3), k, criterion, options);
                EXPECT_EQ(sentence_of_choice(up_to_it, k).empty(), k == 1);
            }
        }
    }
}

TEST(MixtureChoice, ParametersAndCriteriaByHand) {
    const std::vector<float> points = like_irises();
    // of 3 components in 4 columns: 2 shares, 12 means, and the covariances
    const Offset covariances[] = {12, 30, 3, 10};
    for (std::size_t i = 0; i < 4; ++i) {
        const Choice choice = choose(view(points, 4), 3, Criterion::aic, {.components = 3, .covariance = all_forms[i]});
        const Offset count = 14 + covariances[i];
        const double parameters = static_cast<double>(count), twice = -2 * 150 * choice.best.log_likelihood;
        EXPECT_EQ(choice.curve.front().parameters, count);
        EXPECT_NEAR(choice.curve.front().bic, twice + parameters * std::log(150), 1e-9);
        EXPECT_NEAR(choice.curve.front().aic, twice + 2 * parameters, 1e-9);
        EXPECT_EQ(choice.best.bic, choice.curve.front().bic);
        EXPECT_EQ(choice.best.aic, choice.curve.front().aic);
        EXPECT_EQ(choice.best.log_likelihood,
                  fit(view(points, 4), {.components = 3, .covariance = all_forms[i]}).log_likelihood);
    }
}

TEST(MixtureChoice, TheSameBytesForAnyNumberOfThreads) {
    const std::vector<float> points = like_irises();
    for (const Covariance form : all_forms) {
        const auto by = [&](int threads) {
            return choose(view(points, 4), 6, Criterion::aic, {.components = 1, .covariance = form},
                          {.threads = threads}, {.responsibilities = true});
        };
        const Choice one = by(1), three = by(3);
        ASSERT_EQ(one.curve.size(), three.curve.size());
        for (std::size_t i = 0; i < one.curve.size(); ++i)
            EXPECT_EQ(one.curve[i].log_likelihood, three.curve[i].log_likelihood);
        EXPECT_EQ(one.best.labels, three.best.labels);
        EXPECT_EQ(one.best.variances, three.best.variances);
        const MatrixView<const float> r = one.best.responsibilities.view(), s = three.best.responsibilities.view();
        ASSERT_EQ(r.rows, 150);
        EXPECT_EQ(r.cols, one.best.options.components);
        EXPECT_TRUE(std::equal(r.data, r.data + r.size(), s.data));
        for (Index row = 0; row < r.rows; ++row) {
            for (Index k = 0; k < r.cols; ++k) EXPECT_LE(r(row, k), r(row, one.best.labels[at(row)]));
        }
    }
}

/// Along the column of the groups, although the other is as wide.
TEST(MixtureChoice, AComponentIsHalvedBetweenItsGroups) {
    std::vector<float> points;
    for (Index r = 0; r < 400; ++r) {
        const auto row = static_cast<std::uint64_t>(r);
        points.push_back(static_cast<float>(3 * math::random_normal(2, row, 0)));
        points.push_back(static_cast<float>((r % 4 == 0 ? 6 : -2) + 0.5 * math::random_normal(2, row, 1)));
    }
    for (const Covariance form : all_forms) {
        Component all{1, Vector::Zero(2), Square(2, 1), {}, 0};
        all.covariance << 9, 12.25;
        if (form == Covariance::spherical) all.covariance.setConstant(10.6);
        if (form == Covariance::full || form == Covariance::tied) all.covariance = Square(all.covariance.asDiagonal());
        ASSERT_TRUE(factorize(all));
        device::Cpu cpu(2);
        const FitState mixture{{all}, Vector::Constant(2, 1e-6)};
        const FitState halves = split(cpu, view(points, 2), std::vector<Index>(400), mixture, form);
        ASSERT_EQ(halves.components.size(), 2U) << name_of(form);
        const Component &a = halves.components[0], &b = halves.components[1];
        const Component &high = a.mean[1] > b.mean[1] ? a : b, &low = a.mean[1] > b.mean[1] ? b : a;
        EXPECT_NEAR(high.share, 0.25, 1e-12);
        EXPECT_NEAR(low.share, 0.75, 1e-12);
        EXPECT_NEAR(high.mean[1], 6, 0.2);
        EXPECT_NEAR(low.mean[1], -2, 0.2);
    }
}

TEST(MixtureChoice, WhatCannotBeTriedIsRefused) {
    std::vector<float> points = like_irises();
    EXPECT_NE(refusal([&] { (void)choose(view(points, 4), 3, Criterion::bic, {.components = 4}); }).find("from 4 to 3"),
              std::string::npos);
    EXPECT_NE(refusal([&] { (void)choose(view(points, 4), 151, Criterion::bic); }).find("there are 150 points"),
              std::string::npos);
    EXPECT_FALSE(refusal([&] { (void)choose({nullptr, 0, 4}, 1, Criterion::bic, {.components = 1}); }).empty());
    const Choice one = choose(view({1, 2, 3}, 3), 1, Criterion::bic, {.components = 1});
    EXPECT_EQ(one.curve.size(), 1U);
    EXPECT_TRUE(sentence_of_choice(one, 1).empty());
    points[9] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(refusal([&] { (void)choose(view(points, 4), 3, Criterion::bic, {.components = 1}); }).empty());
}

TEST(MixtureChoice, AStopEndsTheCurveBeforeWhatIsNotWhole) {
    const std::vector<float> points = far_gaussians(4, 100);
    for (const int after : {0, 1, 5, 20}) {
        std::stop_source stop;
        int told = 0;
        dunlin::Run run{.stop = stop.get_token()};
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == "optimize" && told++ == after) stop.request_stop();
        };
        const Choice choice = choose(view(points, 3), 40, Criterion::bic, {.components = 1}, run);
        EXPECT_LT(choice.curve.size(), 40U);
        EXPECT_EQ(choice.best.stopped, Stopped::cancelled);
        EXPECT_TRUE(choice.curve.empty() || choice.best.labels.size() == 400U);
    }
}

}  // namespace
}  // namespace dunlin::mixture
