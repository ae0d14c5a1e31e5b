// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"
#include "forces/exact/potential.hpp"

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
    // (1 + 6 / 2)^-2 = 1 / 16; twice that over 2 + 6
    const GeneralStudentT two{2};
    EXPECT_DOUBLE_EQ(two.mass(6.0), 0.0625);
    EXPECT_DOUBLE_EQ(two.strength(6.0), 2 * 0.0625 / 8);
    EXPECT_DOUBLE_EQ(two.attraction(0.5, 6.0), 0.5 * 2 / 8);
    EXPECT_DOUBLE_EQ(two.cost(0.5, 6.0), 0.5 * std::log(8.0));
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

TEST(Law, PowersOfAnySign) {
    for (float x = 1e-9F; x < 1e20F; x *= 7.3F) {
        for (const float e : {0.2F, 0.895F, 1.7F, -0.5F}) {
            const double exact = std::pow(static_cast<double>(x), static_cast<double>(e));
            if (exact < 1e-35 || exact > 1e34) continue;
            const double allowed = 3e-7 + 3e-7 * std::abs(static_cast<double>(e) * std::log(static_cast<double>(x)));
            EXPECT_NEAR(static_cast<double>(math::power(x, e)) / exact, 1, allowed) << x << "^" << e;
        }
    }
}

TEST(Law, FuzzyByHand) {
    // a = 1, b = 1: u = r2; softening 0.5 gives core 0.5
    const Fuzzy law(1, 1, 0.5F);
    EXPECT_NEAR(law.strength(2.0), 2 / (2 * 2.5 * 3), 1e-8);
    EXPECT_NEAR(law.potential(2.0), std::log(3 / 2.5) / 0.5, 1e-8);
    EXPECT_NEAR(law.attraction(0.25, 3.0), 0.25 / 4, 1e-8);
    EXPECT_NEAR(law.cost(0.25, 3.0), 0.25 * std::log(4.0), 1e-8);
    // Far from the core it is umap-learn's gradient, R / 2 = b / ((eps + r2) (1 + a r2^b)), up to the core's share
    const Fuzzy usual;
    EXPECT_NEAR(usual.strength(100.0) * 100 * (1 + 1.5769434 * std::pow(100, 0.8950609)) / 0.8950609, 1, 1e-3);
}

TEST(Law, FuzzyIsFiniteEverywhere) {
    for (const Fuzzy& law :
         {Fuzzy(), Fuzzy(1.5769434F, 0.8950609F, 1e-4F), Fuzzy(0.58F, 1.334F, 0.02F), Fuzzy(50, 4, 0.1F)}) {
        for (const float r2 : {0.0F, 1e-30F, 1e-9F, 1e-3F, 1.0F, 1e10F, 1e30F, 1e36F, INFINITY}) {
            EXPECT_TRUE(std::isfinite(law.strength(r2))) << r2;
            EXPECT_TRUE(std::isfinite(law.potential(r2))) << r2;
            EXPECT_TRUE(std::isfinite(law.attraction(1.0F, r2))) << r2;
        }
    }
}

TEST(Law, FuzzySeriesAreDerivativesOfItsPotential) {
    for (const Fuzzy& law : {Fuzzy(), Fuzzy(0.58F, 1.334F, 0.02F), Fuzzy(1, 1, 0.2F)}) {
        for (const double r2 : {0.01, 0.5, 3.0, 50.0}) {
            const double step = 1e-4 * r2;
            const Series<double> here = law.series_at(r2);
            const Series<double> before = law.series_at(r2 - step), after = law.series_at(r2 + step);
            const auto origin = static_cast<double>(law.origin);
            const double slope = (law.potential(r2 + step - origin) - law.potential(r2 - step - origin)) / (2 * step);
            EXPECT_NEAR(slope, -here.strength, 1e-5 * here.strength);
            EXPECT_NEAR(law.strength_at(r2), here.strength, 1e-12 * here.strength);
            EXPECT_NEAR((after.strength - before.strength) / (2 * step), here.first, 1e-5 * std::abs(here.first));
            EXPECT_NEAR((after.first - before.first) / (2 * step), here.second, 1e-5 * std::abs(here.second));
        }
    }
}

TEST(Law, EnginesTakeUmapsLaw) {
    for (const Fuzzy& law : {Fuzzy(), Fuzzy(0.58303F, 1.334167F, 0.02F)}) {
        for (const int dim : {2, 3}) {
            for (const double span : {10.0, 30.0, 100.0}) {
                if (dim == 3 && span > 10) continue;  // beyond 256 nodes of an axis the grid is coarser
                const Map map = made::clusters(1500, dim, span);
                const MatrixView<const float> y = map.view();
                const Truth truth = by_formula(y, law);
                const auto median = [&](const Forces& found) { return quantile(errors(found.force, truth, dim), 0.5); };
                EXPECT_LT(median(exact_on_cpu<Fuzzy>(y, 2, law)), 1e-5) << dim << ", " << span;
                EXPECT_LT(median(tree_on_cpu<Fuzzy>(y, 0.5F, 2, law)), 0.01) << dim << ", " << span;
                EXPECT_LT(median(grid_on_cpu<Fuzzy>(y, 2, dim == 2 ? 0.05F : 0.1F, law)), 0.01) << dim << ", " << span;
            }
        }
    }
}

TEST(Law, PairsOfPacmapByHand) {
    // d = 1 + r2 = 3: further pairs 1 / (1 + d), near pairs d / (10 + d)
    EXPECT_DOUBLE_EQ(FurtherPairs::potential(2.0), 1.0 / 4);
    EXPECT_DOUBLE_EQ(FurtherPairs::strength(2.0), 1.0 / 16);
    EXPECT_DOUBLE_EQ(PairLoss{10}.cost(2.0, 2.0), 2 * 3.0 / 13);
    EXPECT_DOUBLE_EQ(PairLoss{10}.attraction(1.0, 2.0), 20.0 / (13 * 13));
    EXPECT_DOUBLE_EQ(PairLoss{10000}.attraction(1.0, 2.0), 20000.0 / (10003.0 * 10003.0));
    for (const double r2 : {0.01, 1.0, 30.0}) {
        const double step = 1e-5 * (1 + r2);
        const Series<double> here = FurtherPairs::series_at(2 + r2);
        EXPECT_EQ(here.mass, 0);
        EXPECT_NEAR((FurtherPairs::potential(r2 + step) - FurtherPairs::potential(r2 - step)) / (2 * step),
                    -here.strength, 1e-6 * here.strength);
        // The gradient of a pair's loss with respect to y_i is attraction (y_i - y_j), d r2 / d y_i = 2 (y_i - y_j)
        for (const PairLoss& loss : {PairLoss{10}, PairLoss{10000}}) {
            EXPECT_NEAR((loss.cost(1.0, r2 + step) - loss.cost(1.0, r2 - step)) / step, loss.attraction(1.0, r2),
                        1e-6 * loss.attraction(1.0, r2));
        }
    }
}

TEST(Law, EnginesTakePacmapsLaw) {
    for (const int dim : {2, 3}) {
        for (const double span : {10.0, 60.0, 200.0}) {
            if (dim == 3 && span > 60) continue;  // beyond 256 nodes of an axis the grid is coarser
            const Map map = made::clusters(1500, dim, span);
            const MatrixView<const float> y = map.view();
            const Truth truth = by_formula(y, FurtherPairs());
            const auto median = [&](const Forces& found) { return quantile(errors(found.force, truth, dim), 0.5); };
            EXPECT_LT(median(exact_on_cpu<FurtherPairs>(y, 2)), 1e-5) << dim << ", " << span;
            EXPECT_LT(median(tree_on_cpu<FurtherPairs>(y, 0.5F, 2)), 0.01) << dim << ", " << span;
            const double allowed = dim == 2 ? 0.005 : 0.01;
            EXPECT_LT(median(grid_on_cpu<FurtherPairs>(y, 2, dim == 2 ? 0.45F : 0.55F)), allowed)
                << dim << ", " << span;
        }
    }
}

TEST(Law, PotentialsOfRowsAreTheirSums) {
    const Map map = made::clusters(700, 2, 20);
    const Fuzzy law;
    std::vector<float> x, y;
    for (Index i = 0; i < map.size(); ++i) {
        x.push_back(map.coordinates[static_cast<std::size_t>(2 * i)]);
        y.push_back(map.coordinates[static_cast<std::size_t>(2 * i + 1)]);
    }
    const float* columns[] = {x.data(), y.data()};
    const float point[] = {x[5], y[5]};
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double dx = static_cast<double>(x[5]) - static_cast<double>(x[j]);
        const double dy = static_cast<double>(y[5]) - static_cast<double>(y[j]);
        sum += law.potential(dx * dx + dy * dy);
    }
    EXPECT_NEAR(potential_at(law, columns, 2, point, map.size()), sum, 1e-5 * sum);
}

}  // namespace
}  // namespace dunlin::forces
