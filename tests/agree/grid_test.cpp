// SPDX-License-Identifier: Apache-2.0
#include "forces/grid/grid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"
#include "forces/grid/grid.cuh"

namespace dunlin::forces {
namespace {

using namespace repulsion;
using made::clusters;

/// A grid on the GPU, for a sequence of maps.
class Repulsion {
public:
    explicit Repulsion(float spacing = 0) : grid_(spacing) {}

    bool prepare(const Map& map) {
        cuda_.upload(y_, map.coordinates);
        return grid_.prepare(cuda_, {y_.data(), map.size(), map.dim});
    }
    Forces repel(const Map& map) {
        cuda_.upload(y_, map.coordinates);
        cuda_.fill(force_, map.coordinates.size(), -1.0F);
        cuda_.address(mass_);
        grid_.repel(cuda_, {y_.data(), map.size(), map.dim}, {force_.data(), map.size(), map.dim}, mass_);
        return {cuda_.host(force_), cuda_.read(mass_)};
    }
    Forces operator()(const Map& map) {
        prepare(map);
        return repel(map);
    }

    [[nodiscard]] const CudaGrid<StudentT>& grid() const { return grid_; }

private:
    dunlin::Run run_;
    device::Cuda cuda_{run_};
    CudaGrid<StudentT> grid_;
    device::CudaBuffer<float> y_, force_;
    device::CudaCell<double> mass_;
};

TEST(CudaGrid, ForcesAndMassAreRightAtEverySpan) {
    DUNLIN_NEEDS_GPU();
    Repulsion gpu;
    for (const auto& [dim, span, on_cpu_allowed, allowed] : cases::grid_cases) {
        const Map map = clusters(2000, dim, span);
        const Truth truth = by_formula(map);
        const Forces found = gpu(map), on_cpu = grid(map);
        const auto all = errors(found.force, truth, map.dim), cpu_errors = errors(on_cpu.force, truth, map.dim);
        EXPECT_LT(quantile(all, 0.5), allowed.median) << dim << "-D, span " << span;
        EXPECT_LT(quantile(all, 0.99), allowed.p99) << dim << "-D, span " << span;
        EXPECT_LT(quantile(all, 0.5), 1.5 * quantile(cpu_errors, 0.5) + 3e-4) << dim << "-D, span " << span;
        EXPECT_NEAR(found.mass / truth.mass, 1, cases::grid_mass(dim)) << dim << "-D, span " << span;
        EXPECT_EQ(gpu.grid().strays(), 0);
    }
}

/// A map whose longest axis is `axis`.
Map turned(Map map, int axis) {
    for (Index i = 0; i < map.size(); ++i) {
        float* row = map.coordinates.data() + Offset{i} * map.dim;
        for (int d = 1; d < map.dim; ++d) row[d] *= 0.6F;
        std::swap(row[0], row[axis]);
    }
    return map;
}

TEST(CudaGrid, EveryLengthAlongEveryAxis) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (int axis = 0; axis < dim; ++axis) {
            Repulsion gpu;
            std::set<int> seen;
            const auto is_wide = [](double span) { return span > 500; };
            for (double span = dim == 2 ? 30 : 8; span < (dim == 2 ? 1080 : 78); span *= is_wide(span) ? 1.03 : 1.07) {
                // Of few points so far apart, forces are below the rounding of their charges' own potential
                const Map map = turned(clusters(is_wide(span) ? 8000 : 500, dim, span), axis);
                const Truth truth = by_formula(map);
                const Forces found = gpu(map);
                EXPECT_LT(quantile(errors(found.force, truth, dim), 0.5), 0.02)
                    << dim << "-D, axis " << axis << ", span " << span;
                EXPECT_NEAR(found.mass / truth.mass, 1, 2e-3) << dim << "-D, axis " << axis << ", span " << span;
                seen.insert(gpu.grid().nodes()[static_cast<std::size_t>(axis)]);
            }
            for (const int length : cuda_lengths) {
                const bool used = length >= cuda_fewest_nodes(dim) && length <= cuda_max_nodes(dim);
                EXPECT_EQ(seen.contains(length), used) << dim << "-D, axis " << axis << ", length " << length;
            }
        }
    }
}

TEST(CudaGrid, FewPoints) {
    DUNLIN_NEEDS_GPU();
    Repulsion gpu;
    for (const int dim : {2, 3}) {
        for (const Index n : cases::few_points) {
            const Map map = clusters(n, dim, 10);
            const Forces found = gpu(map);
            const Truth truth = by_formula(map);
            EXPECT_NEAR(found.mass, truth.mass, cases::grid_of_few(dim).mass * (truth.mass + n))
                << dim << "-D, n " << n;
            for (std::size_t i = 0; i < truth.force.size(); ++i) {
                EXPECT_NEAR(found.force[i], truth.force[i], cases::grid_of_few(dim).force) << dim << "-D, n " << n;
            }
        }
    }
}

TEST(CudaGrid, TheSameBytesTwiceAndInAnyOrderNearlyTheSame) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const double span : {1e-4, 0.01, 3.0, 40.0, 200.0}) {
            if (dim == 3 && span > 100) continue;
            const Map map = clusters(70001, dim, span);
            const Forces first = Repulsion()(map);
            Repulsion gpu;
            EXPECT_EQ(first, gpu(map)) << dim << "-D, span " << span;
            EXPECT_EQ(first, gpu.repel(map)) << dim << "-D, span " << span;
            EXPECT_NEAR(first.mass / grid(map).mass, 1, 1e-4) << dim << "-D, span " << span;
        }
    }
}

TEST(CudaGrid, TheOrderOfThePointsOnlyOrdersTheSum) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        Map map = clusters(20000, dim, 40);  // unordered, so that points are added to the grid one by one
        const Forces before = Repulsion()(map);
        std::vector<Index> order(static_cast<std::size_t>(map.size()));
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
        const auto strip = [&](Index i) { return std::pair(std::floor(map.view()(i, 0)), map.view()(i, 1)); };
        std::sort(order.begin(), order.end(), [&](Index a, Index b) { return strip(a) < strip(b); });
        Map sorted{dim, {}};
        for (const Index i : order) {
            for (int d = 0; d < dim; ++d) sorted.coordinates.push_back(map.view()(i, d));
        }
        const Forces after = Repulsion()(sorted);
        EXPECT_NEAR(after.mass / before.mass, 1, 1e-12);
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto from = static_cast<std::size_t>(order[i]);
            for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
                const auto width = static_cast<std::size_t>(dim);
                ASSERT_EQ(after.force[i * width + d], before.force[from * width + d]);
            }
        }
    }
}

TEST(CudaGrid, PointsInOnePlaceDoNotPush) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        const Map map{dim, std::vector<float>(static_cast<std::size_t>(1000 * dim), 7.25F)};
        const Forces found = Repulsion()(map);
        EXPECT_DOUBLE_EQ(found.mass, 999000);
        EXPECT_TRUE(std::all_of(found.force.begin(), found.force.end(), [](float f) { return f == 0; }));
    }
}

TEST(CudaGrid, DuplicatesFeelTheSameForce) {
    DUNLIN_NEEDS_GPU();
    Map map = clusters(1000, 2, 30);
    map.coordinates.insert(map.coordinates.end(), map.coordinates.begin(), map.coordinates.end());
    const Forces found = Repulsion()(map);
    const Truth truth = by_formula(map);
    EXPECT_NEAR(found.mass / truth.mass, 1, cases::grid_mass(2));
    for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(found.force[i], found.force[i + 2000]);
}

TEST(CudaGrid, PointsOnALine) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (int axis = 0; axis < dim; ++axis) {
            Map map = clusters(1000, dim, 60);
            for (Index i = 0; i < map.size(); ++i) {
                for (int d = 0; d < dim; ++d) {
                    if (d != axis) map.coordinates[static_cast<std::size_t>(i * dim + d)] = -3;
                }
            }
            const auto all = errors(Repulsion()(map).force, by_formula(map), dim);
            EXPECT_LT(quantile(all, 0.5), cases::grid_on_a_line) << dim << "-D, axis " << axis;
        }
    }
}

/// A map of span 100 grown or shrunk around its middle.
Map scaled(Map map, float factor) {
    for (float& v : map.coordinates) v = 50 + factor * (v - 50);
    return map;
}

TEST(CudaGrid, AShapeOutlivesTenIterationsAndIsKept) {
    DUNLIN_NEEDS_GPU();
    Repulsion gpu;
    const Map map = clusters(2000, 2, 100);
    EXPECT_TRUE(gpu.prepare(map));
    EXPECT_FALSE(gpu.prepare(map));
    const auto nodes = gpu.grid().nodes();
    for (const float factor : {1.05F, 1.2F}) {
        const Map moved = scaled(map, factor);
        const auto all = errors(gpu.repel(moved).force, by_formula(moved), 2);
        EXPECT_LT(quantile(all, 0.5), 4e-3) << factor;
    }
    EXPECT_FALSE(gpu.prepare(scaled(map, 1.02F)));
    EXPECT_EQ(gpu.grid().strays(), 0);
    EXPECT_EQ(gpu.grid().nodes(), nodes);
    EXPECT_TRUE(gpu.prepare(scaled(map, 3)));
    EXPECT_TRUE(gpu.prepare(scaled(map, 1e-6F)));  // no grid at all
    EXPECT_TRUE(gpu.prepare(map));
}

TEST(CudaGrid, PointsThatLeaveAreCountedAndStayFinite) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        Repulsion gpu;
        Map map = clusters(200, dim, 20);
        gpu.prepare(map);
        map.coordinates[0] = 1e7F;
        map.coordinates[5] = -1e30F;
        for (const float f : gpu.repel(map).force) EXPECT_TRUE(std::isfinite(f));
        gpu.prepare(clusters(200, dim, 20));
        EXPECT_EQ(gpu.grid().strays(), 2);
        gpu.prepare(clusters(200, dim, 20));
        EXPECT_EQ(gpu.grid().strays(), 0);
    }
}

TEST(CudaGrid, AFarOutlierOrAHugeMapStaysBounded) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        Map map = clusters(200, dim, 20);
        map.coordinates[0] = 1e7F;
        Repulsion gpu(dim == 3 ? 4e4F : 0);
        for (const float f : gpu(map).force) EXPECT_TRUE(std::isfinite(f));
        EXPECT_LE(gpu.grid().nodes()[0], cuda_max_nodes(dim));
    }
}

TEST(CudaGridShape, HasRoomAndIsKeptWhileItServes) {
    for (const int dim : {2, 3}) {
        GridShape shape;
        int changes = 0;
        for (double span = 2e-3; span < 1e3; span *= 1.01) {
            const std::array<double, 3> extent{span, span / 2, span / 5};
            const GridShape next = cuda_grid_shape(0.4, extent, dim, shape);
            for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
                EXPECT_LE(1.1 * extent[a] / next.spacing, cells_within(next.nodes[a]) + 1) << span;
                EXPECT_LE(next.nodes[a], cuda_max_nodes(dim));
            }
            EXPECT_GE(span / next.spacing, fewest_cells(dim)) << span;
            changes += next == shape ? 0 : 1;
            shape = next;
        }
        EXPECT_LT(changes, 50) << dim;
    }
}

}  // namespace
}  // namespace dunlin::forces
