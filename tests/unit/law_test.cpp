// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;

constexpr float freedoms[] = {0.5F, 1, 2, 5};

TEST(Law, PowersOfReciprocals) {
    EXPECT_EQ(math::power_of_reciprocal(1.0F, 0.75F), 1.0F);
    EXPECT_DOUBLE_EQ(math::power_of_reciprocal(4.0, 1.5), 0.125);
    for (float x = 1; x < 1e9F; x *= 1.37F) {
        for (const float e : {0.6F, 0.75F, 1.0F, 3.0F}) {
            const double exact = std::pow(static_cast<double>(x), -static_cast<double>(e));
            if (exact < 1e-35) continue;
            const double allowed = 2e-7 + 3e-7 * static_cast<double>(e) * std::log(static_cast<double>(x));
            EXPECT_NEAR(static_cast<double>(math::power_of_reciprocal(x, e)) / exact, 1, allowed) << x << "^-" << e;
        }
    }
}

TEST(Law, StudentTByHand) {
    EXPECT_EQ(StudentT().mass(3.0), 0.25);
    EXPECT_EQ(StudentT().strength(3.0), 0.0625);
    // (1 + 6 / 2)^-1.5 = 1 / 8; half of 3, times that over 2 + 6
    const GeneralStudentT two{2};
    EXPECT_DOUBLE_EQ(two.mass(6.0), 0.125);
    EXPECT_DOUBLE_EQ(two.strength(6.0), 1.5 * 0.125 / 8);
    EXPECT_DOUBLE_EQ(two.attraction(0.5, 6.0), 0.5 * 1.5 / 8);
}

TEST(Law, OneDegreeOfFreedomIsStudentT) {
    const GeneralStudentT one;
    for (const double r2 : {0.0, 1e-6, 0.3, 1.0, 77.0, 1e6}) {
        EXPECT_DOUBLE_EQ(one.mass(r2), StudentT::mass(r2));
        EXPECT_DOUBLE_EQ(one.strength(r2), StudentT::strength(r2));
        EXPECT_DOUBLE_EQ(one.attraction(0.7, r2), StudentT::attraction(0.7, r2));
        const Series<double> a = one.series_at(1 + r2), b = StudentT::series_at(1 + r2);
        EXPECT_DOUBLE_EQ(a.first, b.first);
        EXPECT_DOUBLE_EQ(a.second, b.second);
    }
}

/// series_at of a law against central differences of its own values.
template <class Law>
void expect_derivatives(const Law& law) {
    for (const double r2 : {0.01, 0.5, 3.0, 50.0}) {
        const double step = 1e-4 * (1 + r2), s = static_cast<double>(law.origin) + r2;
        const Series<double> here = law.series_at(s), before = law.series_at(s - step), after = law.series_at(s + step);
        EXPECT_NEAR((after.mass - before.mass) / (2 * step), -here.strength, 1e-5 * std::abs(here.strength));
        EXPECT_NEAR((after.strength - before.strength) / (2 * step), here.first, 1e-5 * std::abs(here.first));
        EXPECT_NEAR((after.first - before.first) / (2 * step), here.second, 1e-5 * std::abs(here.second));
    }
}

/// Exact sum, tree and (for laws without charges) grid against the formula in double: median error of forces, and
/// error of the normalizer, which is 0 for laws without one.
template <class Law>
void expect_engines(const Law& law, const std::string& name) {
    for (const int dim : {2, 3}) {
        const Map map = made::clusters(1500, dim, 25);
        const MatrixView<const float> y = map.view();
        std::vector<float> charges(Law::charged ? static_cast<std::size_t>(map.size()) : 0);
        for (std::size_t i = 0; i < charges.size(); ++i) charges[i] = static_cast<float>(1 + i % 7);
        const Truth truth = by_formula(y, law, charges);
        const auto expect = [&](const char* engine, const cases::RepulsionTolerance& allowed, const Forces& found) {
            EXPECT_LT(quantile(errors(found.force, truth, dim), 0.5), allowed.force)
                << engine << ", " << name << ", " << dim;
            EXPECT_NEAR(found.mass, truth.mass, allowed.mass * truth.mass) << engine << ", " << name << ", " << dim;
        };
        expect("exact", {1e-5, cases::all_pairs.mass}, exact_on_cpu<Law>(y, 2, law, charges.data()));
        expect("tree", {5e-3, cases::tree_mass_of_any_law}, tree_on_cpu<Law>(y, 0.3F, 2, law, charges.data()));
        if constexpr (!Law::charged) expect("grid", cases::grid_of_any_law, grid_on_cpu<Law>(y, 2, 0, law));
    }
}

TEST(Law, SeriesAreDerivatives) {
    for (const float freedom : freedoms) expect_derivatives(GeneralStudentT{freedom});
}

TEST(Law, EnginesTakeCharges) {
    expect_engines(InversePower<1>(), "1 / d");
    expect_engines(InversePower<2>(), "1 / d^2");
    expect_engines(InversePower<3>(), "1 / d^3");
}

TEST(Law, EnginesTakeAnyDegreesOfFreedom) {
    for (const float freedom : freedoms) expect_engines(GeneralStudentT{freedom}, "freedom " + std::to_string(freedom));
}

}  // namespace
}  // namespace dunlin::forces
