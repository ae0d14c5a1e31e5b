// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "waves/tridiagonal/study.hpp"

namespace dunlin::waves {
namespace {

struct Case {
    std::vector<double> lower, diagonal, upper, right;

    [[nodiscard]] Tridiagonal system() const { return {lower, diagonal, upper}; }
};

/// Random rows; the diagonal has a random sign and exceeds the sum of the others by a share of 0.01 to 1.01.
Case random_case(Offset n, std::uint64_t seed) {
    Case made;
    const auto random = [&](Offset i, std::uint64_t which) {
        return static_cast<double>(math::random_bits(seed, static_cast<std::uint64_t>(i), which) >> 11) * 0x1p-53;
    };
    for (Offset i = 0; i < n; ++i) {
        const double lower = 2 * random(i, 0) - 1, upper = 2 * random(i, 1) - 1;
        const double size = (std::abs(lower) + std::abs(upper)) * (1.01 + random(i, 2));
        made.lower.push_back(lower);
        made.upper.push_back(upper);
        made.diagonal.push_back(random(i, 3) < 0.5 ? size : -size);
        made.right.push_back(2 * random(i, 4) - 1);
    }
    return made;
}

/// Rows (-r/2, 1 + r, -r/2) of a Crank-Nicolson step with r = dt / dx^2.
Case diffusion_case(Offset n, double r, std::uint64_t seed) {
    Case made = random_case(n, seed);
    std::fill(made.lower.begin(), made.lower.end(), -r / 2);
    std::fill(made.upper.begin(), made.upper.end(), -r / 2);
    std::fill(made.diagonal.begin(), made.diagonal.end(), 1 + r);
    return made;
}

std::vector<double> exact(const Case& c) {
    const std::size_t n = c.diagonal.size();
    std::vector<long double> after(n), x(n);
    for (std::size_t i = 0; i < n; ++i) {
        const long double lower = i > 0 ? c.lower[i] : 0;
        const long double pivot = c.diagonal[i] - (i > 0 ? lower * after[i - 1] : 0);
        after[i] = i + 1 < n ? c.upper[i] / pivot : 0;
        x[i] = (c.right[i] - (i > 0 ? lower * x[i - 1] : 0)) / pivot;
    }
    for (std::size_t i = n; i-- > 1;) x[i - 1] -= after[i - 1] * x[i];
    std::vector<double> rounded;
    for (const long double value : x) rounded.push_back(static_cast<double>(value));
    return rounded;
}

/// max |A x - d| / (max row sum of |A| max |x| + max |d|).
double backward_error(const Case& c, const std::vector<double>& x) {
    long double worst = 0, norm = 0, largest = 0, right = 0;
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        long double residual = static_cast<long double>(c.diagonal[i]) * x[i] - c.right[i];
        long double sum = std::abs(c.diagonal[i]);
        if (i > 0) residual += static_cast<long double>(c.lower[i]) * x[i - 1], sum += std::abs(c.lower[i]);
        if (i + 1 < n) residual += static_cast<long double>(c.upper[i]) * x[i + 1], sum += std::abs(c.upper[i]);
        worst = std::max(worst, std::abs(residual));
        norm = std::max(norm, sum);
        largest = std::max<long double>(largest, std::abs(x[i]));
        right = std::max<long double>(right, std::abs(c.right[i]));
    }
    return n == 0 ? 0 : static_cast<double>(worst / (norm * largest + right));
}

constexpr double epsilon = 0x1p-52;
constexpr std::array solvers{Solver::thomas, Solver::cyclic_reduction, Solver::parallel_reduction,
                             Solver::hybrid, Solver::partition,        Solver::tiles};

std::vector<double> solved(Solver solver, const Case& c, int threads = 2) {
    device::Cpu cpu(threads);
    std::vector<double> x(c.diagonal.size(), std::nan(""));
    solve(solver, cpu, c.system(), c.right, x);
    return x;
}

TEST(Tridiagonal, TwoRowsByHand) {
    // 4 x + 2 y = 8, x + 3 y = 7: x = 1, y = 2. What is before the first and after the last row is not read.
    const double unread = std::nan("");
    const Case c{{unread, 1}, {4, 3}, {2, unread}, {8, 7}};
    for (const Solver solver : solvers) {
        const std::vector<double> x = solved(solver, c);
        EXPECT_DOUBLE_EQ(x[0], 1) << name_of(solver);
        EXPECT_DOUBLE_EQ(x[1], 2) << name_of(solver);
    }
}

TEST(Tridiagonal, RandomSystemsHaveSmallBackwardErrors) {
    for (const Offset n : {0, 1, 2, 3, 31, 32, 33, 255, 257, 1000, 1023, 1024, 1025, 2049, 4095, 4097, 70001}) {
        const Case c = random_case(n, static_cast<std::uint64_t>(n) + 7);
        const std::vector<double> truth = exact(c);
        for (const Solver solver : solvers) {
            const std::vector<double> x = solved(solver, c);
            EXPECT_LE(backward_error(c, x), 8 * epsilon) << name_of(solver) << " " << n;
            for (std::size_t i = 0; i < truth.size(); ++i)
                ASSERT_NEAR(x[i], truth[i], 1e-10 * (1 + std::abs(truth[i]))) << name_of(solver) << " " << n;
        }
    }
}

TEST(Tridiagonal, StiffSystemsHaveSmallBackwardErrors) {
    for (const double r : {0.04, 1.0, 1e2, 1e4, 1e8}) {
        const Case c = diffusion_case(5000, r, 3);
        for (const Solver solver : solvers)
            EXPECT_LE(backward_error(c, solved(solver, c)), 8 * epsilon) << name_of(solver) << " " << r;
    }
}

TEST(Tridiagonal, ThreadsDoNotChangeBytes) {
    const Case c = diffusion_case(70001, 20, 5);
    for (const Solver solver : solvers) EXPECT_EQ(solved(solver, c, 1), solved(solver, c, 3)) << name_of(solver);
}

TEST(Tridiagonal, RowsThatAreNotDominantAreRefused) {
    Case c = random_case(10, 1);
    require_dominant(c.system(), c.right);
    c.diagonal[6] = std::abs(c.lower[6]) + std::abs(c.upper[6]);
    EXPECT_THROW(require_dominant(c.system(), c.right), Error);
    c = random_case(10, 1);
    c.right[3] = std::nan("");
    EXPECT_THROW(require_dominant(c.system(), c.right), Error);
}

TEST(Tiles, InfluenceOfConstantRowsIsThePowerOfRho) {
    // rho + 1 / rho = 2 + 2 / r; both ends of an inner tile
    const double r = 10, t = 1 + 1 / r, rho = t - std::sqrt(t * t - 1);
    const Case c = diffusion_case(4000, r, 1);
    device::Cpu cpu(2);
    for (const Offset halo : {4, 16, 32})
        EXPECT_NEAR(influence_of_halo(cpu, c.system(), 1000, halo) / (2 * std::pow(rho, halo + 1)), 1, 1e-3) << halo;
    EXPECT_EQ(influence_of_halo(cpu, c.system(), 4000, 0), 0);  // nothing is beyond
}

TEST(Tiles, ChooseAHaloOrThePartition) {
    device::Cpu cpu(2);
    std::vector<double> x(9000);
    // rho^halo = 1e-16 after 28, 84, 261 and 2606 nodes
    const auto halo_at = [&](double r) {
        const Case c = diffusion_case(9000, r, 2);
        return solve_in_tiles(cpu, c.system(), c.right, x, 1000).halo;
    };
    EXPECT_EQ(halo_at(1), 32);
    EXPECT_EQ(halo_at(10), 128);
    EXPECT_EQ(halo_at(100), 512);
    EXPECT_EQ(halo_at(1e4), 0);
}

TEST(Tiles, BoundHoldsForErrorsAndForFarChanges) {
    device::Cpu cpu(2);
    const Offset n = 6000, tile = 1500;
    for (const bool is_random : {false, true}) {
        Case c = is_random ? random_case(n, 11) : diffusion_case(n, 1e3, 11);
        for (const Offset halo : {8, 64, 256}) {
            std::vector<double> x(at(n));
            const Tiles tiles = solve_in_tiles_with(cpu, c.system(), c.right, x, tile, halo);
            const std::vector<double> truth = exact(c);
            double error = 0;
            for (std::size_t i = 0; i < truth.size(); ++i) error = std::max(error, std::abs(x[i] - truth[i]));
            EXPECT_LE(error, tiles.error + 1e-11) << halo;

            // The right side changes beyond the halo of the first tile: its result keeps its bits, and the truth moves
            // by no more than the influence allows.
            Case far = c;
            far.right[at(tile + halo + 1)] += 1e3;
            std::vector<double> changed(at(n));
            solve_in_tiles_with(cpu, far.system(), far.right, changed, tile, halo);
            const std::vector<double> moved = exact(far);
            double largest = 0, movement = 0;
            for (std::size_t i = 0; i < moved.size(); ++i) largest = std::max(largest, std::abs(moved[i] - truth[i]));
            for (std::size_t i = 0; i < at(tile); ++i) {
                ASSERT_EQ(changed[i], x[i]);
                movement = std::max(movement, std::abs(moved[i] - truth[i]));
            }
            EXPECT_LE(movement, tiles.influence * largest * (1 + 1e-9) + 1e-11);
            // The bound says something
            if (is_random || halo > 8) continue;
            EXPECT_GT(movement, 0.1 * tiles.influence * largest);
        }
    }
}

TEST(LinesAbreast, EachIsTheSolutionOfItsOwnSystem) {
    for (const Offset n : {1, 2, 3, 100}) {
        std::vector<Case> cases;
        std::vector<double> lower(at(n * lines_abreast)), diagonal = lower, upper = lower, right = lower;
        for (int j = 0; j < lines_abreast; ++j) {
            cases.push_back(random_case(n, 40 + static_cast<std::uint64_t>(j)));
            const Case& c = cases.back();
            for (Offset i = 0; i < n; ++i) {
                const std::size_t k = at(i * lines_abreast + j);
                lower[k] = c.lower[at(i)], diagonal[k] = c.diagonal[at(i)];
                upper[k] = c.upper[at(i)], right[k] = c.right[at(i)];
            }
        }
        solve_abreast(n, lower.data(), diagonal.data(), upper.data(), right.data());
        for (int j = 0; j < lines_abreast; ++j) {
            std::vector<double> x;
            for (Offset i = 0; i < n; ++i) x.push_back(right[at(i * lines_abreast + j)]);
            EXPECT_LE(backward_error(cases[at(j)], x), 8 * epsilon) << n << " " << j;
        }
    }
}

}  // namespace
}  // namespace dunlin::waves
