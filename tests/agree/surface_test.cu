// SPDX-License-Identifier: Apache-2.0
#include <dunlin/surface.hpp>

#include <cstring>
#include <limits>
#include <string>

#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/surface.hpp"
#include "refusal.hpp"

namespace dunlin::surface {
namespace {

using cases::ball, cases::cube_field, cases::field_of, cases::torus, cases::whole_numbers;

template <class T>
::testing::AssertionResult same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " values, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0)
            return ::testing::AssertionFailure() << "value " << i << ": " << a[i] << ", not " << b[i];
    }
    return ::testing::AssertionSuccess();
}

template <class Real>
void expect_devices_agree(const FieldView<Real>& grid, double level, const std::string& what) {
    for (const bool open : {false, true}) {
        const Options options{.level = level, .open = open};
        const Result cpu = extract(grid, options, {.device = Device::cpu});
        const Result gpu = extract(grid, options, {.device = Device::cuda});
        EXPECT_EQ(gpu.device, Device::cuda);
        EXPECT_TRUE(same_bytes(gpu.mesh.positions, cpu.mesh.positions)) << what;
        EXPECT_TRUE(same_bytes(gpu.mesh.normals, cpu.mesh.normals)) << what;
        EXPECT_TRUE(same_bytes(gpu.mesh.triangles, cpu.mesh.triangles)) << what;
        EXPECT_EQ(gpu.measures.edges, cpu.measures.edges) << what;
        EXPECT_EQ(gpu.measures.area, cpu.measures.area) << what;
        EXPECT_EQ(gpu.measures.volume, cpu.measures.volume) << what;
    }
}

TEST(CudaSurface, MeshesHaveTheCpusBytes) {
    DUNLIN_NEEDS_GPU();
    for (const std::array<Index, 3>& nodes : {std::array<Index, 3>{2, 2, 2},
                                              {3, 2, 31},
                                              {2, 5, 32},
                                              {4, 3, 33},
                                              {5, 6, 63},
                                              {3, 4, 65},
                                              {9, 7, 129},
                                              {33, 2, 2}}) {
        for (const int most : {2, 5}) {
            const std::string what = std::to_string(nodes[0]) + " x " + std::to_string(nodes[1]) + " x " +
                                     std::to_string(nodes[2]) + ", " + std::to_string(most);
            for (const double level : {0.0, 1.0, 0.5, 1e9, -1e9}) {
                expect_devices_agree(whole_numbers<float>(nodes, most, 3).grid(), level, what);
                expect_devices_agree(whole_numbers<double>(nodes, most, 4).grid(), level, what);
            }
        }
    }
}

TEST(CudaSurface, BallsAndToriHaveTheCpusBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {10, 40, 131}) {
        if (n > 10 && agree::only_small()) break;
        expect_devices_agree(cube_field<float>(n, ball).grid(), 0, "ball " + std::to_string(n));
        expect_devices_agree(cube_field<double>(n, torus).grid(), 0, "torus " + std::to_string(n));
        expect_devices_agree(cube_field<double>(n, torus).grid(), -0.4, "torus beyond the border " + std::to_string(n));
    }
}

TEST(CudaSurface, SpacingOriginAndExtremeValuesAgree) {
    DUNLIN_NEEDS_GPU();
    const auto field =
        field_of<double>({9, 12, 40}, {0.3, 1.7, 0.01}, {1e3, -5, 0.1},
                         [](double x, double y, double z) { return std::sin(3 * x) + std::cos(y) * std::sin(40 * z); });
    expect_devices_agree(field.grid(), 0.1, "waves");
    auto extreme = whole_numbers<double>({6, 6, 40}, 2, 3);
    for (double& v : extreme.values) v = v > 0 ? 1e308 : -1e308;
    expect_devices_agree(extreme.grid(), 0, "largest");
    for (double& v : extreme.values) v = v > 0 ? 5e-324 : 0;
    expect_devices_agree(extreme.grid(), 0, "least");
}

TEST(CudaSurface, TheFirstBadValueIsNamed) {
    DUNLIN_NEEDS_GPU();
    auto field = whole_numbers<float>({5, 6, 70}, 3, 1);
    for (const std::size_t node : {2099U, 1000U, 33U}) {
        field.values[node] =
            node == 1000 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
        const auto refused = [&](Device device) {
            return refusal(Fault::bad_input, [&] { (void)extract(field.grid(), {.level = 1}, {.device = device}); });
        };
        EXPECT_EQ(refused(Device::cuda), refused(Device::cpu));
        EXPECT_NE(refused(Device::cuda), "");
    }
}

}  // namespace
}  // namespace dunlin::surface
