// SPDX-License-Identifier: Apache-2.0
#include "forces/law.hpp"

#include <algorithm>
#include <cmath>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "forces/exact/exact.cuh"
#include "forces/grid/grid.cuh"
#include "forces/tree/tree.cuh"

namespace dunlin::forces {
namespace {

using namespace repulsion;

template <class Engine>
Forces on_gpu(device::Cuda& cuda, const Points& y, int dim, Engine engine) {
    const Index n = count(y, dim);
    device::CudaBuffer<float> at, force;
    device::CudaCell<double> mass;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    cuda.address(mass);
    engine.prepare(cuda, {at.data(), n, dim});
    engine.repel(cuda, {at.data(), n, dim}, {force.data(), n, dim}, mass);
    return {cuda.host(force), cuda.read(mass)};
}

/// Median difference of a coordinate, relative to the root mean square of the reference.
double median_error(const Points& found, const Points& right) {
    Points differences;
    double squares = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        differences.push_back(std::abs(found[i] - right[i]));
        squares += static_cast<double>(right[i]) * static_cast<double>(right[i]);
    }
    const auto middle = differences.begin() + std::ssize(differences) / 2;
    std::nth_element(differences.begin(), middle, differences.end());
    return static_cast<double>(*middle) / std::sqrt(squares / static_cast<double>(right.size()));
}

/// The constants of a law reach the kernels: engines with degrees of freedom other than 1.
TEST(CudaLaw, EnginesTakeAnyDegreesOfFreedom) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{dunlin::Run{}};
    for (const int dim : {2, 3}) {
        // The largest width that the grid resolves at its default spacing
        const Points y = agree::scattered(agree::size(6000), dim, dim == 2 ? 90.0F : 12.0F);
        for (const float freedom : {0.5F, 1.0F, 3.0F}) {
            const GeneralStudentT law{freedom};
            const Forces right = exact_on_cpu<GeneralStudentT>(view(y, dim), 2, law);
            const auto expect = [&](const char* engine, const Forces& found, double force, double mass) {
                EXPECT_LT(agree::relative_error(found.force, right.force), force) << engine << ' ' << freedom;
                EXPECT_NEAR(found.mass / right.mass, 1, mass) << engine << ' ' << freedom << ", " << dim;
            };
            expect("exact", on_gpu(cuda, y, dim, CudaExact<GeneralStudentT>(law)), 5e-5, 1e-5);
            expect("tree", on_gpu(cuda, y, dim, CudaTree<GeneralStudentT>(0.3F, law)), 3e-2,
                   cases::tree_mass_of_any_law);
            // Single forces may be off by much more, on either device
            CudaGrid<GeneralStudentT> grid(0, law);
            const Forces found = on_gpu<CudaGrid<GeneralStudentT>&>(cuda, y, dim, grid);
            const Forces on_cpu = grid_on_cpu<GeneralStudentT>(view(y, dim), 2, 0, law);
            EXPECT_LT(median_error(found.force, right.force), 1.5 * median_error(on_cpu.force, right.force) + 3e-4)
                << freedom << ", " << dim;
            EXPECT_LT(median_error(found.force, right.force), cases::grid_of_any_law.force) << freedom << ", " << dim;
            EXPECT_NEAR(found.mass / right.mass, 1, cases::grid_of_any_law.mass) << freedom << ", " << dim;
        }
    }
}

}  // namespace
}  // namespace dunlin::forces
