// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"
#include "forces/grid/shape.hpp"
#include "math/bspline.hpp"
#include "math/rng.hpp"
#include "numerics/fft.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;
using made::clusters;

TEST(Grid, ForcesAndMassAreRightAtEverySpan) {
    for (const auto& [dim, span, allowed, on_gpu] : cases::grid_cases) {
        const Map map = clusters(2000, dim, span);
        const Truth truth = by_formula(map);
        const Forces found = grid(map);
        const auto all = errors(found.force, truth, map.dim);
        EXPECT_LT(quantile(all, 0.5), allowed.median) << dim << "-D, span " << span;
        EXPECT_LT(quantile(all, 0.99), allowed.p99) << dim << "-D, span " << span;
        EXPECT_NEAR(found.mass / truth.mass, 1, cases::grid_mass(dim)) << dim << "-D, span " << span;
    }
}

TEST(Grid, ThreadsDoNotChangeABit) {
    for (const int dim : {2, 3}) {
        for (const double span : {0.01, 3.0, 40.0}) {
            const Map map = clusters(20001, dim, span);
            const Forces one = grid(map, 1);
            EXPECT_EQ(one, grid(map, 2)) << dim << "-D, span " << span;
            EXPECT_EQ(one, grid(map, 3)) << dim << "-D, span " << span;
        }
    }
}

TEST(Grid, ACallDoesNotDependOnTheOnesBefore) {
    device::Cpu cpu(2);
    Grid<StudentT> used(0);
    for (const double span : {50.0, 0.1, 30.0, 30.5, 1e-6}) {
        const Map map = clusters(1000, 2, span);
        Forces found{std::vector<float>(map.coordinates.size())};
        device::Cell<double> mass;
        used.repel(cpu, map.view(), {found.force.data(), map.size(), map.dim}, mass);
        found.mass = mass.value;
        EXPECT_EQ(found, grid(map)) << span;
    }
}

TEST(Grid, FewPoints) {
    for (const int dim : {2, 3}) {
        for (const Index n : cases::few_points) {
            const Map map = clusters(n, dim, 10);
            const Forces found = grid(map);
            const Truth truth = by_formula(map);
            EXPECT_NEAR(found.mass, truth.mass, cases::grid_of_few(dim).mass * (truth.mass + n))
                << dim << "-D, n " << n;
            for (std::size_t i = 0; i < truth.force.size(); ++i) {
                EXPECT_NEAR(found.force[i], truth.force[i], cases::grid_of_few(dim).force) << dim << "-D, n " << n;
            }
        }
    }
}

TEST(Grid, PointsInOnePlaceDoNotPush) {
    for (const int dim : {2, 3}) {
        Map map{dim, std::vector<float>(static_cast<std::size_t>(1000 * dim), 7.25F)};
        const Forces found = grid(map);
        EXPECT_DOUBLE_EQ(found.mass, 999000);
        EXPECT_TRUE(std::all_of(found.force.begin(), found.force.end(), [](float f) { return f == 0; }));
    }
}

TEST(Grid, DuplicatesFeelTheSameForce) {
    Map map = clusters(1000, 2, 30);
    map.coordinates.insert(map.coordinates.end(), map.coordinates.begin(), map.coordinates.end());
    const Forces found = grid(map);
    const Truth truth = by_formula(map);
    EXPECT_NEAR(found.mass / truth.mass, 1, cases::grid_mass(2));
    for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(found.force[i], found.force[i + 2000]);
}

TEST(Grid, PointsOnALine) {
    for (const int dim : {2, 3}) {
        for (int axis = 0; axis < dim; ++axis) {
            Map map = clusters(1000, dim, 60);
            for (Index i = 0; i < map.size(); ++i) {
                for (int d = 0; d < dim; ++d) {
                    if (d != axis) map.coordinates[static_cast<std::size_t>(i * dim + d)] = -3;
                }
            }
            const auto all = errors(grid(map).force, by_formula(map), dim);
            EXPECT_LT(quantile(all, 0.5), cases::grid_on_a_line) << dim << "-D, axis " << axis;
        }
    }
}

TEST(Grid, ForcesAddUpToNothing) {
    for (const int dim : {2, 3}) {
        const Map map = clusters(5000, dim, 50);
        const Forces found = grid(map);
        double net[3] = {}, total = 0;
        for (Index i = 0; i < map.size(); ++i) {
            const float* row = found.force.data() + i * dim;
            for (int d = 0; d < dim; ++d) net[d] += static_cast<double>(row[d]);
            total += length(row, dim);
        }
        EXPECT_LT(length(net, 3), 1e-3 * total) << dim;
    }
}

TEST(Grid, AFarOutlierOrAHugeMapStaysBounded) {
    for (const int dim : {2, 3}) {
        Map map = clusters(200, dim, 20);
        map.coordinates[0] = 1e7F;
        for (const float f : grid(map, 1, dim == 3 ? 4e4F : 0).force) EXPECT_TRUE(std::isfinite(f));
    }
    const GridShape far = grid_shape(0.5, {1e12, 3, 1e-3}, 3);
    EXPECT_LE(far.nodes[0], max_nodes(3));
    EXPECT_EQ(far.nodes[1], 16);
    EXPECT_GE(far.nodes[0] * far.spacing, 1e12);
}

TEST(GridShape, CoversThePointsAndMovesInSteps) {
    for (const int dim : {2, 3}) {
        for (double span = 1e-3; span < 1e5; span *= 1.37) {
            const GridShape shape = grid_shape(0.4, {span, span / 3, span / 7}, dim);
            EXPECT_LE(span / shape.spacing + 2, shape.reach(0)) << span;
            EXPECT_GE(span / shape.spacing, fewest_cells(dim)) << span;
            EXPECT_LE(shape.nodes[0], max_nodes(dim));
            for (int a = 0; a < dim; ++a)
                EXPECT_TRUE(numerics::Fft::friendly(shape.nodes[static_cast<std::size_t>(a)]));
            EXPECT_TRUE(shape.nodes[0] >= max_nodes(dim) * 3 / 4 || shape.spacing <= 0.4) << span;
        }
    }
}

TEST(Fft, IsTheDiscreteFourierTransformOfEveryLane) {
    using numerics::Fft;
    for (const int n : {1, 2, 3, 4, 5, 6, 8, 12, 15, 16, 25, 30, 60, 64, 100, 360, 512, 2048}) {
        ASSERT_TRUE(Fft::friendly(n));
        const Fft fft(n);
        device::AlignedBuffer<float> columns(static_cast<std::size_t>(n) * numerics::fft_element);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i] = static_cast<float>(math::random_uniform(1, i)) - 0.5F;
        }
        const auto before = columns;
        fft.forward(columns.data());
        for (const int k : {0, 1, n / 2, n - 1}) {
            const int lane = (7 * k + 3) % 16;
            double re = 0, im = 0;
            for (int j = 0; j < n; ++j) {
                const double angle = -2 * std::numbers::pi * static_cast<double>(Offset{j} * k % n) / n;
                const auto at = static_cast<std::size_t>(j * 32 + lane);
                re += before[at] * std::cos(angle) - before[at + 16] * std::sin(angle);
                im += before[at] * std::sin(angle) + before[at + 16] * std::cos(angle);
            }
            const auto at = static_cast<std::size_t>(fft.positions()[static_cast<std::size_t>(k % n)] * 32 + lane);
            EXPECT_NEAR(columns[at], re, 1e-6 * n + 1e-6) << n << " " << k;
            EXPECT_NEAR(columns[at + 16], im, 1e-6 * n + 1e-6) << n << " " << k;
        }
        fft.backward(columns.data());
        for (std::size_t i = 0; i < columns.size(); i += 5) {
            ASSERT_NEAR(columns[i] / static_cast<float>(n), before[i], 1e-6) << n;
        }
    }
    EXPECT_FALSE(Fft::friendly(0));
    EXPECT_FALSE(Fft::friendly(14));
}

TEST(BSpline, PiecesAddUpToOneAndMatchTheKnownValuesAtNodes) {
    constexpr auto cubic = math::bspline_pieces<4>();
    EXPECT_DOUBLE_EQ(cubic[1][0], 1.0 / 6);
    EXPECT_DOUBLE_EQ(cubic[2][0], 4.0 / 6);
    constexpr auto quintic = math::bspline_pieces<6>();
    for (const double t : {0.0, 0.3, 0.999}) {
        double sum = 0;
        for (const auto& piece : quintic) {
            for (std::size_t d = 0; d < 6; ++d) sum += piece[d] * std::pow(t, static_cast<double>(d));
        }
        EXPECT_NEAR(sum, 1, 1e-14);
    }
    EXPECT_NEAR(math::bspline_spectrum<6>(0), 1, 1e-14);
    EXPECT_NEAR(math::bspline_spectrum<6>(std::numbers::pi), 16.0 / 120, 1e-14);
}

}  // namespace
}  // namespace dunlin::forces
