// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mixture.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/rng.hpp"
#include "mixture/component.hpp"
#include "refusal.hpp"

namespace dunlin::mixture {
namespace {

MatrixView<const float> view(const std::vector<float>& values, Index cols) {
    return {values.data(), static_cast<Index>(values.size() / static_cast<std::size_t>(cols)), cols};
}

/// Two Gaussians with rows 3 : 1. At 0: standard deviation 1 along the diagonal and 0.1 across; at (6, 0): isotropic,
/// 0.5.
std::vector<float> two_shapes(Index n) {
    std::vector<float> values;
    for (Index r = 0; r < n; ++r) {
        const auto row = static_cast<std::uint64_t>(r);
        const double u = math::random_normal(3, row, 0), v = math::random_normal(3, row, 1);
        const bool round = r % 4 == 3;
        values.push_back(static_cast<float>(round ? 6 + 0.5 * u : (u + 0.1 * v) / std::sqrt(2)));
        values.push_back(static_cast<float>(round ? 0.5 * v : (u - 0.1 * v) / std::sqrt(2)));
    }
    return values;
}

constexpr Covariance all_forms[] = {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied};

TEST(Mixture, DensityByHand) {
    Component c{0.5, Vector::Zero(2), Square(2, 2), {}, 0};
    c.covariance << 4, 0, 0, 1;
    EXPECT_TRUE(factorize(c));
    Vector scratch;
    const float x[] = {2, 1};
    const double expected = std::log(0.5) - std::log(2 * 3.14159265358979) - std::log(2) - 0.5 * (1 + 1);
    EXPECT_NEAR(c.log_density(x, scratch), expected, 1e-12);
    c.covariance = Square(2, 1);
    c.covariance << 4, 1;
    EXPECT_TRUE(factorize(c));
    EXPECT_NEAR(c.log_density(x, scratch), expected, 1e-12);
}

TEST(Mixture, OneComponentIsMeanAndVariance) {
    const std::vector<float> points{1, 2, 3, 6};
    const Result result = fit(view(points, 1), {.components = 1, .floor = 1e-9});
    EXPECT_FLOAT_EQ(result.means.view()(0, 0), 3);
    EXPECT_NEAR(result.variances[0], 3.5, 1e-6);
    EXPECT_NEAR(result.log_likelihood, -0.5 * std::log(2 * 3.14159265358979 * 3.5) - 0.5, 1e-6);
    EXPECT_EQ(result.labels, std::vector<Index>(4, 0));
}

TEST(Mixture, FindsShapes) {
    const auto points = two_shapes(20000);
    const Result result = fit(view(points, 2), {.components = 2, .covariance = Covariance::full});
    const std::size_t line = result.means.view()(0, 0) < 3 ? 0 : 1;
    EXPECT_NEAR(result.shares[line], 0.75, 0.01);
    EXPECT_NEAR(static_cast<double>(result.means.view()(static_cast<Index>(1 - line), 0)), 6, 0.05);
    const double* covariance = result.variances.data() + 4 * line;
    EXPECT_NEAR(covariance[0], 0.505, 0.02);
    EXPECT_NEAR(covariance[1], 0.495, 0.02);
    EXPECT_EQ(covariance[1], covariance[2]);
    const Result diagonal = fit(view(points, 2), {.components = 2});
    EXPECT_GT(result.log_likelihood, diagonal.log_likelihood + 0.5);
    EXPECT_LT(result.bic, diagonal.bic);
}

TEST(Mixture, LikelihoodNeverFalls) {
    const auto points = two_shapes(3000);
    for (const Covariance covariance : all_forms) {
        double last = -1e300;
        for (int iterations = 0; iterations < 12; ++iterations) {
            const Options options{
                .components = 5, .covariance = covariance, .iterations = iterations, .tolerance = 0, .floor = 1e-12};
            const double now = fit(view(points, 2), options).log_likelihood;
            EXPECT_GE(now, last - 1e-9) << name_of(covariance);
            last = now;
        }
    }
}

TEST(Mixture, ATiedCovarianceIsThatAboutTheMeans) {
    const auto points = two_shapes(2000);
    const auto rows = view(points, 2);
    const Result one = fit(rows, {.components = 1, .covariance = Covariance::tied});
    const Result full = fit(rows, {.components = 1, .covariance = Covariance::full});
    ASSERT_EQ(one.variances.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(one.variances[i], full.variances[i], 1e-6);
    EXPECT_NEAR(one.log_likelihood, full.log_likelihood, 1e-9);
    EXPECT_NEAR(one.bic, full.bic, 1e-5);

    // After many steps: sum over rows and components of r (x - mean)(x - mean)^T / n, of the step before the last mean
    const Result result =
        fit(rows, {.components = 3, .covariance = Covariance::tied, .iterations = 300, .tolerance = 0}, {},
            {.responsibilities = true});
    double expected[4] = {};
    for (Index r = 0; r < rows.rows; ++r) {
        for (Index k = 0; k < 3; ++k) {
            const double share = static_cast<double>(result.responsibilities.view()(r, k));
            for (int i = 0; i < 4; ++i) {
                const auto from_mean = [&](Index c) {
                    return static_cast<double>(rows(r, c)) - static_cast<double>(result.means.view()(k, c));
                };
                expected[i] += share * from_mean(i / 2) * from_mean(i % 2) / rows.rows;
            }
        }
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.variances[i], expected[i], 1e-3);
}

TEST(Mixture, ASphericalCovarianceIsTheMeanVariance) {
    const auto points = two_shapes(2000);
    const Result diagonal = fit(view(points, 2), {.components = 1});
    const Result spherical = fit(view(points, 2), {.components = 1, .covariance = Covariance::spherical});
    ASSERT_EQ(spherical.variances.size(), 1U);
    EXPECT_NEAR(spherical.variances[0], (diagonal.variances[0] + diagonal.variances[1]) / 2, 1e-6);
    // -2 log likelihood + log(n) (2 means + 1 variance)
    EXPECT_NEAR(spherical.bic, -2 * 2000 * spherical.log_likelihood + 3 * std::log(2000), 1e-6);
}

/// By the definition, from the parameters as they are given out, in float32.
TEST(Mixture, ResponsibilitiesAreBayesRule) {
    const auto points = two_shapes(600);
    const auto rows = view(points, 2);
    const Result result = fit(rows, {.components = 3}, {}, {.responsibilities = true});
    ASSERT_EQ(result.responsibilities.rows(), 600);
    ASSERT_EQ(result.responsibilities.cols(), 3);
    for (Index r = 0; r < 600; ++r) {
        double densities[3], sum = 0;
        for (Index k = 0; k < 3; ++k) {
            double log = std::log(result.shares[static_cast<std::size_t>(k)]);
            for (Index c = 0; c < 2; ++c) {
                const double variance = result.variances[static_cast<std::size_t>(2 * k + c)];
                const double x = static_cast<double>(rows(r, c)) - static_cast<double>(result.means.view()(k, c));
                log -= 0.5 * (x * x / variance + std::log(variance));
            }
            sum += densities[k] = std::exp(log);
        }
        Index likeliest = 0;
        double total = 0;
        for (Index k = 0; k < 3; ++k) {
            const auto found = static_cast<double>(result.responsibilities.view()(r, k));
            EXPECT_NEAR(found, densities[k] / sum, 2e-5) << r;
            total += found;
            if (found > static_cast<double>(result.responsibilities.view()(r, likeliest))) likeliest = k;
        }
        EXPECT_NEAR(total, 1, 1e-6);
        EXPECT_EQ(likeliest, result.labels[static_cast<std::size_t>(r)]);
    }
    EXPECT_EQ(fit(rows, {.components = 3}).responsibilities.rows(), 0);
}

TEST(Mixture, RestartsKeepTheLikeliest) {
    const auto points = two_shapes(900);
    const Options once{.components = 6, .covariance = Covariance::full, .iterations = 30};
    Options often = once;
    often.restarts = 4;
    const Result best = fit(view(points, 2), often, {.seed = 5});
    Result likeliest = fit(view(points, 2), once, {.seed = 5});
    for (std::uint64_t r = 1; r < 4; ++r) {
        Result other = fit(view(points, 2), once, {.seed = math::random_bits(5, r)});
        if (other.log_likelihood > likeliest.log_likelihood) likeliest = other;
    }
    EXPECT_EQ(best.log_likelihood, likeliest.log_likelihood);
    EXPECT_EQ(best.variances, likeliest.variances);
    EXPECT_EQ(best.labels, likeliest.labels);
    EXPECT_EQ(best.iterations, likeliest.iterations);
    EXPECT_EQ(best.seed, 5U);
}

TEST(Mixture, SameBitsForAnyThreads) {
    const auto points = two_shapes(5000);
    for (const Covariance covariance : all_forms) {
        const Options options{.components = 3, .covariance = covariance, .restarts = 2, .iterations = 5};
        const Result one = fit(view(points, 2), options, {.threads = 1}),
                     three = fit(view(points, 2), options, {.threads = 3});
        EXPECT_EQ(one.labels, three.labels);
        EXPECT_EQ(one.variances, three.variances);
        EXPECT_EQ(one.log_likelihood, three.log_likelihood);
    }
}

TEST(Mixture, CoincidentPoints) {
    const std::vector<float> points(64, 2.0F);
    for (const Covariance covariance : all_forms) {
        for (const Index n : {1, 2, 32}) {
            const MatrixView<const float> rows{points.data(), n, 2};
            const Result result = fit(rows, {.components = std::min<Index>(n, 2), .covariance = covariance});
            EXPECT_TRUE(std::isfinite(result.log_likelihood)) << n << " " << name_of(covariance);
        }
    }
}

TEST(Mixture, FloorIsAShareOfTheDatasVariance) {
    std::vector<float> places;  // 100 rows each at 0, 10 and 20: variance 200 / 3
    for (int r = 0; r < 300; ++r) places.push_back(static_cast<float>(10 * (r % 3)));
    const std::vector<float> apart{0, 1, 2, 3, 4, 5, 6, 7};  // variance 63 / 12
    const auto variances = [](const std::vector<float>& points, Index components) {
        return fit(view(points, 1), {.components = components, .floor = 1e-6}).variances;
    };
    for (const double variance : variances(places, 3)) EXPECT_NEAR(variance * 1e6, 200.0 / 3, 0.1);
    for (const double variance : variances(apart, 8)) EXPECT_NEAR(variance * 1e6, 63.0 / 12, 0.01);
    for (const double variance : variances(std::vector<float>(50, 3.0F), 1)) EXPECT_NEAR(variance, 1e-6, 1e-13);
}

TEST(Mixture, AFlatComponentIsRefused) {
    Component c{1, Vector::Zero(2), Square(2, 2), {}, 0};
    c.covariance << 1, 1, 1, 0.5;
    EXPECT_FALSE(factorize(c));
    c.covariance = Square(2, 1);
    c.covariance << 1, 0;
    EXPECT_FALSE(factorize(c));
    const std::vector<float> points{-1, -1, 1, 1, -1, -1, 1, 1};  // a line
    const auto with = [&](double floor) {
        return refusal(Fault::bad_input, [&] {
            fit(view(points, 2), {.components = 1, .covariance = Covariance::full, .floor = floor}, {.threads = 3});
        });
    };
    EXPECT_NE(with(1e-30).find("larger floor, such as 1e-06"), std::string::npos);
    EXPECT_EQ(with(1e-6), "");
}

TEST(Mixture, TooLittleMemoryIsAnErrorBeforeItStarts) {
    const std::vector<float> points(4 * 3000, 1.0F);  // a covariance matrix has 72 MB, and 6 are allocated
    const auto with = [&](Covariance covariance) {
        return refusal(Fault::out_of_memory, [&] {
            fit(view(points, 3000), {.components = 1, .covariance = covariance, .iterations = 0},
                {.memory = 100000000});
        });
    };
    EXPECT_NE(with(Covariance::full).find("full Gaussians of 3000 columns"), std::string::npos);
    EXPECT_EQ(with(Covariance::diagonal), "");
}

TEST(Mixture, StopsWithTheLastWholeIteration) {
    const auto points = two_shapes(3000);
    std::stop_source source;
    const auto after = [&](int iterations, const dunlin::Run& run = {}) {
        return fit(view(points, 2), {.components = 3, .iterations = iterations, .tolerance = 0}, run);
    };
    // Cancelled after the third iteration, during the final expectation step
    const Result stopped = after(3, {.stop = source.get_token(), .on_progress = [&](const Progress& p) {
                                         if (p.stage == "optimize" && p.done == 3) source.request_stop();
                                     }});
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_EQ(stopped.variances, after(3).variances);
    EXPECT_EQ(stopped.labels, after(2).labels);
    EXPECT_EQ(stopped.log_likelihood, after(2).log_likelihood);
    EXPECT_TRUE(after(3, {.stop = source.get_token()}).shares.empty());  // before the first
}

TEST(Mixture, BadInputIsNamed) {
    const std::vector<float> points{1, 2, 3};
    EXPECT_THROW(fit(view(points, 1), {.components = 4}), Error);
    EXPECT_THROW(fit(view(points, 1), {.components = 0}), Error);
    EXPECT_THROW(fit(view(points, 1), {.components = 1, .floor = 0}), Error);
    EXPECT_THROW(fit(view(points, 1), {.components = 1, .tolerance = -1}), Error);
    EXPECT_THROW(fit(view(points, 1), {.components = 1, .restarts = 0}), Error);
    EXPECT_THROW(fit({nullptr, 0, 2}, {.components = 1}), Error);
    const std::vector<float> missing{1, std::nanf(""), 3};
    EXPECT_THROW(fit(view(missing, 1), {.components = 1, .covariance = Covariance::tied}), Error);
}

}  // namespace
}  // namespace dunlin::mixture
