// SPDX-License-Identifier: Apache-2.0
#include "forces/exact/exact.cuh"

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;

Forces on_gpu(const Points& y, int dim) {
    device::Cuda cuda{dunlin::Run{}};
    device::CudaBuffer<float> at, force;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    CudaExact<StudentT> exact;
    exact.prepare(cuda, {at.data(), count(y, dim), dim});
    exact.repel(cuda, {at.data(), count(y, dim), dim}, {force.data(), count(y, dim), dim}, mass);
    return {cuda.host(force), cuda.read(mass)};
}

void expect_agreement(const Points& y, int dim) {
    const Forces expected = exact(y, dim), found = on_gpu(y, dim), again = on_gpu(y, dim);
    EXPECT_LT(agree::relative_error(found.force, expected.force), 2e-5) << count(y, dim) << " x " << dim;
    EXPECT_NEAR(found.mass, expected.mass, cases::all_pairs.mass * expected.mass) << count(y, dim) << " x " << dim;
    EXPECT_EQ(found.force, again.force);
    EXPECT_EQ(found.mass, again.mass);
}

TEST(CudaExact, AgreesWithTheCpuAtEverySize) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 1000, 1024, 1025, 4000, 4097, 20001, 33333})) {
            for (const float width : {1e-3F, 100.0F}) expect_agreement(agree::scattered(n, dim, width), dim);
        }
        expect_agreement(agree::scattered(70001, dim, 200), dim);
    }
}

TEST(CudaExact, TakesGroupsOfSeveralTiles) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(agree::scattered(150001, 2, 300), 2);
}

TEST(CudaExact, CountsOthersInTheSamePlaceButNotOneself) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({33, 3000, 70001})) {
        const Forces r = on_gpu(Points(2 * static_cast<std::size_t>(n), -4.25F), 2);
        EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
        EXPECT_EQ(r.force, Points(2 * static_cast<std::size_t>(n), 0.0F));
    }
}

TEST(CudaExact, FarPointsHaveTheirSmallMass) {
    DUNLIN_NEEDS_GPU();
    expect_agreement({0, 0, 1e6F, 0, 0, 1e6F}, 2);
}

TEST(CudaExact, OneObjectServesAnyShapeAndRecords) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    CudaExact<StudentT> exact;
    for (const auto& [n, dim] : {std::pair{5000, 2}, {300, 3}, {300, 2}}) {
        const Points y = agree::scattered(n, dim, 50);
        device::CudaBuffer<float> at, force;
        device::CudaCell<double> mass;
        cuda.upload(at, y);
        cuda.fill(force, y.size(), NAN);
        cuda.address(mass);
        EXPECT_TRUE(exact.prepare(cuda, {at.data(), n, dim}));
        EXPECT_FALSE(exact.prepare(cuda, {at.data(), n, dim}));
        cuda.wait();
        for (int twice = 0; twice < 2; ++twice) {
            cuda.replay([&] { exact.repel(cuda, {at.data(), n, dim}, {force.data(), n, dim}, mass); });
        }
        cuda.forget();
        EXPECT_EQ(cuda.host(force), on_gpu(y, dim).force);
    }
}

TEST(CudaExact, MassOfRowsIsTheirSum) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({1, 2, 511, 513, 5000, 70001})) {
            const Points y = agree::scattered(n, dim, 30);
            std::vector<Index> rows;
            for (Index r = 0; r < std::min<Index>(n, 700); ++r) rows.push_back((r * 7919) % n);
            device::Cuda cuda{dunlin::Run{}};
            device::CudaBuffer<float> at;
            device::CudaBuffer<Index> which;
            device::CudaBuffer<double> mass(rows.size(), cuda.stream());
            cuda.upload(at, y);
            cuda.upload(which, rows);
            exact_potentials<StudentT>(cuda, {at.data(), n, dim}, which.data(), static_cast<Index>(rows.size()),
                                       mass.data());
            const std::vector<double> found = cuda.host(mass);
            const Columns columns(view(y, dim));
            for (std::size_t r = 0; r < rows.size(); r += 50) {
                const double expected = sums_at<StudentT>(columns, rows[r]).mass;
                EXPECT_NEAR(found[r], expected, cases::all_pairs.mass * expected) << n;
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::forces
