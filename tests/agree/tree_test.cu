// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/tree.cuh"

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;
using cases::RepulsionTolerance;
using made::clusters;

Forces on_gpu(device::Cuda& cuda, CudaTree<StudentT>& tree, const Points& y, int dim) {
    device::CudaBuffer<float> at, force;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    const MatrixView<const float> positions{at.data(), count(y, dim), dim};
    tree.prepare(cuda, positions);
    tree.repel(cuda, positions, {force.data(), count(y, dim), dim}, mass);
    return {cuda.host(force), cuda.read(mass)};
}

Forces on_gpu(const Points& y, int dim, float theta) {
    device::Cuda cuda{dunlin::Run{}};
    CudaTree<StudentT> one(theta);
    return on_gpu(cuda, one, y, dim);
}

void expect_close(const Points& y, int dim, float theta, const RepulsionTolerance& allowed) {
    const Forces found = on_gpu(y, dim, theta), again = on_gpu(y, dim, theta), right = exact(y, dim);
    EXPECT_LT(error(found, right), allowed.force) << count(y, dim) << " x " << dim << " theta " << theta;
    EXPECT_NEAR(found.mass, right.mass, allowed.mass * right.mass)
        << count(y, dim) << " x " << dim << " theta " << theta;
    EXPECT_EQ(found.force, again.force);
    EXPECT_EQ(found.mass, again.mass);
}

TEST(CudaTree, NoPointsAndOnePointHaveNoForce) {
    DUNLIN_NEEDS_GPU();
    EXPECT_EQ(on_gpu({}, 2, 0.5F).mass, 0);
    const Forces one = on_gpu({1, 2, 3}, 3, 0.5F);
    EXPECT_EQ(one.mass, 0);
    EXPECT_EQ(one.force, Points(3, 0.0F));
}

TEST(CudaTree, IsExactAtThetaZero) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({2, 3, 16, 17, 31, 32, 33, 64, 65, 255, 256, 257, 1000, 5000, 20001})) {
            expect_close(clusters(n, dim), dim, 0, cases::all_pairs);
        }
    }
    expect_close(clusters(70001, 2), 2, 0, cases::all_pairs);
}

TEST(CudaTree, ErrsAsTheCpusTreeDoes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({1000, 5000, 70001})) {
            const Points y = clusters(n, dim);
            const Forces right = exact(y, dim);
            for (const float theta : {0.2F, 0.5F, 0.8F}) {
                const Forces ours = on_gpu(y, dim, theta);
                // The CPU's groups are larger, so that it accepts fewer cells
                const double allowed = 2 * error(tree(y, dim, theta), right) + 1e-5;
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
        const Forces ours = on_gpu(y, dim, 0.3F), right = tree(y, dim, 0.3F);
        EXPECT_LT(error(ours, right), 1e-3);
        EXPECT_NEAR(ours.mass, right.mass, 1e-5 * right.mass);
        EXPECT_EQ(ours.force, on_gpu(y, dim, 0.3F).force);
    }
}

TEST(CudaTree, AWideThetaNeverLetsACellActOnItsOwnPoints) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) expect_close(clusters(500, dim), dim, 5, cases::tree_at_five);
}

TEST(CudaTree, PointsInOnePlaceCountEachOther) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({2, 31, 33, 3000, 70001})) {
        const auto size = 2 * static_cast<std::size_t>(n);
        const Forces r = on_gpu(Points(size, -4.25F), 2, 0.5F);
        EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
        EXPECT_EQ(r.force, Points(size, 0.0F));
    }
}

TEST(CudaTree, ManyCopiesOfFewPlacesAreExactFromAfar) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const int copies : {2, 5, 9, 13, 17, 50}) {
            const Points y = made::copies_of_places(dim, copies);
            expect_close(y, dim, 0, cases::all_pairs);
            expect_close(y, dim, 0.5F, cases::tree_at_half);
        }
    }
}

TEST(CudaTree, CloudsOfCopiesCostLittle) {
    DUNLIN_NEEDS_GPU();
    const Points y = made::cloud_of_copies();
    const Forces ours = on_gpu(y, 2, 0.5F), right = tree(y, 2, 0.5F);
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
        expect_close(y, dim, 0, cases::all_pairs);
        expect_close(y, dim, 0.5F, {2e-2, 1e-2});
    }
}

TEST(CudaTree, AFarOutlierSpoilsNothing) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const float far : {1e4F, 1e9F, 1e25F}) {
            const Points y = made::with_outlier(dim, far);
            expect_close(y, dim, 0, cases::all_pairs);
            expect_close(y, dim, 0.5F, cases::tree_at_half);
        }
    }
}

TEST(CudaTree, TakesPointsOnALine) {
    DUNLIN_NEEDS_GPU();
    const Points y = made::line();
    expect_close(y, 3, 0, cases::all_pairs_cancelling);
    expect_close(y, 3, 0.5F, cases::tree_at_half);
}

TEST(CudaTree, TakesAStar) {
    DUNLIN_NEEDS_GPU();
    const Points y = made::star_map();
    expect_close(y, 2, 0, cases::all_pairs_cancelling);
    expect_close(y, 2, 0.5F, cases::tree_at_half);
}

TEST(CudaTree, TakesAFirstMapSmallAsDust) {
    DUNLIN_NEEDS_GPU();
    const Points y = made::dust();
    expect_close(y, 2, 0, cases::all_pairs_cancelling);
    expect_close(y, 2, 0.5F, cases::tree_at_half_of_dust);
}

TEST(CudaTree, SurvivesWhatIsNotANumber) {
    DUNLIN_NEEDS_GPU();
    Points y = clusters(1000, 2);
    y[77] = NAN;
    y[99] = INFINITY;
    EXPECT_EQ(on_gpu(y, 2, 0.5F).force.size(), y.size());
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
        const Forces direct = on_gpu(y, dim, 0.5F);
        EXPECT_EQ(cuda.host(force), direct.force);
        EXPECT_EQ(cuda.read(mass), direct.mass);
    }
}

}  // namespace
}  // namespace dunlin::forces
