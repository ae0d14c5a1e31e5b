// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/tree.cuh"

#include "agree/agree.hpp"
#include "point_forces.hpp"

namespace dunlin::forces {
namespace {

using namespace testing_points;

Repulsion tree(device::Cuda& cuda, CudaTree<StudentT>& tree, const Points& y, int dim) {
    device::CudaBuffer<float> at, force;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    const MatrixView<const float> positions{at.data(), count(y, dim), dim};
    tree.prepare(cuda, positions);
    tree.repel(cuda, positions, {force.data(), count(y, dim), dim}, mass);
    return {cuda.host(force), cuda.read(mass)};
}

Repulsion tree(const Points& y, int dim, float theta) {
    device::Cuda cuda{dunlin::Run{}};
    CudaTree<StudentT> one(theta);
    return tree(cuda, one, y, dim);
}

void expect_close(const Points& y, int dim, float theta, double force, double mass) {
    const Repulsion found = tree(y, dim, theta), again = tree(y, dim, theta), right = exact(y, dim);
    EXPECT_LT(error(found, right), force) << count(y, dim) << " x " << dim << " theta " << theta;
    EXPECT_NEAR(found.mass, right.mass, mass * right.mass) << count(y, dim) << " x " << dim << " theta " << theta;
    EXPECT_EQ(found.force, again.force);
    EXPECT_EQ(found.mass, again.mass);
}

TEST(CudaTree, NoPointsAndOnePointHaveNoForce) {
    DUNLIN_NEEDS_GPU();
    EXPECT_EQ(tree({}, 2, 0.5F).mass, 0);
    const Repulsion one = tree({1, 2, 3}, 3, 0.5F);
    EXPECT_EQ(one.mass, 0);
    EXPECT_EQ(one.force, Points(3, 0.0F));
}

TEST(CudaTree, IsExactAtThetaZero) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({2, 3, 16, 17, 31, 32, 33, 64, 65, 255, 256, 257, 1000, 5000, 20001})) {
            expect_close(clusters(n, dim), dim, 0, 2e-6, 1e-6);
        }
    }
    expect_close(clusters(70001, 2), 2, 0, 2e-6, 1e-6);
}

TEST(CudaTree, ErrsAsTheCpusTreeDoes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({1000, 5000, 70001})) {
            const Points y = clusters(n, dim);
            const Repulsion right = exact(y, dim);
            for (const float theta : {0.2F, 0.5F, 0.8F}) {
                const Repulsion ours = tree(y, dim, theta);
                // The CPU's groups are larger, so that it accepts fewer cells
                const double allowed = 2 * error(tree_on_cpu(y, dim, theta), right) + 1e-5;
                EXPECT_LT(error(ours, right), allowed) << n << " x " << dim << " theta " << theta;
                EXPECT_NEAR(ours.mass, right.mass, 1e-3 * right.mass);
            }
        }
    }
}

TEST(CudaTree, TakesManyPoints) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        const Points y = clusters(300001, dim);
        const Repulsion ours = tree(y, dim, 0.3F), right = tree_on_cpu(y, dim, 0.3F);
        EXPECT_LT(error(ours, right), 1e-3);
        EXPECT_NEAR(ours.mass, right.mass, 1e-5 * right.mass);
        EXPECT_EQ(ours.force, tree(y, dim, 0.3F).force);
    }
}

TEST(CudaTree, AWideThetaNeverLetsACellActOnItsOwnPoints) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) expect_close(clusters(500, dim), dim, 5, 0.5, 0.1);
}

TEST(CudaTree, PointsInOnePlaceCountEachOther) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({2, 31, 33, 3000, 70001})) {
        const auto size = 2 * static_cast<std::size_t>(n);
        const Repulsion r = tree(Points(size, -4.25F), 2, 0.5F);
        EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
        EXPECT_EQ(r.force, Points(size, 0.0F));
    }
}

TEST(CudaTree, ManyCopiesOfFewPlacesAreExactFromAfar) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const int copies : {2, 5, 9, 13, 17, 50}) {
            Points y = clusters(40, dim);
            const Points places = y;
            for (int copy = 0; copy < copies; ++copy) y.insert(y.end(), places.begin(), places.end());
            expect_close(y, dim, 0, 2e-6, 1e-6);
            expect_close(y, dim, 0.5F, 1e-2, 1e-3);
        }
    }
}

TEST(CudaTree, CloudsOfCopiesCostLittle) {
    DUNLIN_NEEDS_GPU();
    Points y(2000000, 1.5F);  // a million in one place
    for (std::size_t i = 0; i < 2000; ++i) y[i] = static_cast<float>(i % 37);
    const Repulsion ours = tree(y, 2, 0.5F), right = tree_on_cpu(y, 2, 0.5F);
    EXPECT_LT(error(ours, right), 1e-4);
    EXPECT_NEAR(ours.mass, right.mass, 1e-6 * right.mass);
}

TEST(CudaTree, TakesMoreLeavesThanABlockHasRoomFor) {
    DUNLIN_NEEDS_GPU();
    // On a lattice of side 4, rows of points that each halve the distance to the corner: every split separates one
    // point
    for (const int dim : {2, 3}) {
        const int corners = dim == 2 ? 16 : 64, steps = dim == 2 ? 28 : 24;
        Points y;
        for (int corner = 0; corner < corners; ++corner) {
            for (int step = 0; step < steps; ++step) {
                for (int d = 0; d < dim; ++d) {
                    const int side = (corner >> (2 * d)) % 4;
                    const bool along = step % dim == d;
                    y.push_back(static_cast<float>(side + (along ? std::ldexp(1.0, -1 - step / dim) : 0)));
                }
            }
        }
        expect_close(y, dim, 0, 2e-6, 1e-6);
        expect_close(y, dim, 0.5F, 2e-2, 1e-2);
    }
}

TEST(CudaTree, AFarOutlierSpoilsNothing) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const float far : {1e4F, 1e9F, 1e25F}) {
            Points y = clusters(3000, dim);
            y[1] = far;
            expect_close(y, dim, 0, 2e-6, 1e-6);
            expect_close(y, dim, 0.5F, 1e-2, 1e-3);
        }
    }
}

TEST(CudaTree, TakesPointsOnALine) {
    DUNLIN_NEEDS_GPU();
    Points y;
    for (int i = 0; i < 2000; ++i) {
        y.insert(y.end(), {0.01F * static_cast<float>(i), 3, -0.02F * static_cast<float>(i)});
    }
    expect_close(y, 3, 0, 5e-6, 1e-6);
    expect_close(y, 3, 0.5F, 1e-2, 1e-3);
}

TEST(CudaTree, TakesAStar) {
    DUNLIN_NEEDS_GPU();
    Points y;  // arms of decreasing density and a dense center
    for (int i = 0; i < 20000; ++i) {
        const double along = 100 * std::pow(math::random_uniform(3, static_cast<std::uint64_t>(i)), 6);
        const double angle = 6.2831853 / 9 * (i % 9);
        y.push_back(static_cast<float>(along * std::cos(angle)));
        y.push_back(static_cast<float>(along * std::sin(angle)));
    }
    expect_close(y, 2, 0, 5e-6, 1e-6);
    expect_close(y, 2, 0.5F, 1e-2, 1e-3);
}

TEST(CudaTree, TakesAFirstMapSmallAsDust) {
    DUNLIN_NEEDS_GPU();
    Points y = clusters(2000, 2);
    for (float& v : y) v *= 1e-6F;
    expect_close(y, 2, 0, 5e-6, 1e-6);
    expect_close(y, 2, 0.5F, 1e-2, 1e-6);
}

TEST(CudaTree, SurvivesWhatIsNotANumber) {
    DUNLIN_NEEDS_GPU();
    Points y = clusters(1000, 2);
    y[77] = NAN;
    y[99] = INFINITY;
    EXPECT_EQ(tree(y, 2, 0.5F).force.size(), y.size());
}

TEST(CudaTree, OneTreeServesAnyShapeAndRecords) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    CudaTree<StudentT> one(0.5F);
    for (const auto& [n, dim] : {std::pair{5000, 2}, {700, 3}, {700, 2}}) {
        const Points y = clusters(n, dim);
        device::CudaBuffer<float> at, force;
        device::CudaCell<double> mass;
        cuda.upload(at, y);
        cuda.fill(force, y.size(), NAN);
        cuda.address(mass);
        EXPECT_TRUE(one.prepare(cuda, {at.data(), n, dim}));
        EXPECT_FALSE(one.prepare(cuda, {at.data(), n, dim}));
        cuda.wait();
        for (int twice = 0; twice < 2; ++twice) {
            cuda.replay([&] { one.repel(cuda, {at.data(), n, dim}, {force.data(), n, dim}, mass); });
        }
        cuda.forget();
        const Repulsion direct = tree(y, dim, 0.5F);
        EXPECT_EQ(cuda.host(force), direct.force);
        EXPECT_EQ(cuda.read(mass), direct.mass);
    }
}

}  // namespace
}  // namespace dunlin::forces
