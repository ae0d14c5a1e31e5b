// SPDX-License-Identifier: Apache-2.0
#include <dunlin/surface.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/maps.hpp"
#include "cases/surface.hpp"
#include "device/cuda.cuh"
#include "device/resident.hpp"
#include "math/at.hpp"
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

/// Values in C order, as a view of GPU memory.
DeviceFieldView view_of(const DeviceMatrix<float>& values, const cases::SurfaceField<float>& grid) {
    const Offset ny = grid.nodes[1], nz = grid.nodes[2];
    return {.nodes = grid.nodes,
            .values = values.data(),
            .strides = {ny * nz, nz, 1},
            .spacing = grid.spacing,
            .origin = grid.origin};
}

DeviceMatrix<float> on_gpu(const std::vector<float>& values) {
    return device::matrix_on_gpu(std::span<const float>(values), static_cast<Index>(values.size()), 1, 0);
}

/// The same grid with the first axis in sequence.
std::vector<float> first_axis_in_sequence(const cases::SurfaceField<float>& grid) {
    const auto [nx, ny, nz] = grid.nodes;
    std::vector<float> values;
    for (Index z = 0; z < nz; ++z) {
        for (Index y = 0; y < ny; ++y) {
            for (Index x = 0; x < nx; ++x) values.push_back(grid.values[at((Offset{x} * ny + y) * nz + z)]);
        }
    }
    return values;
}

std::vector<float> floats_of(const DeviceMatrixView<const float>& matrix) {
    const Matrix copy = copy_to_host(matrix);
    return {copy.view().data, copy.view().data + copy.view().size()};
}

std::vector<Index> indices_of(const DeviceMatrix<Index>& matrix) {
    std::vector<Index> values(at(matrix.view().size()));
    if (!values.empty())
        device::cuda_check(
            cudaMemcpy(values.data(), matrix.data(), values.size() * sizeof(Index), cudaMemcpyDeviceToHost));
    return values;
}

void expect_same(const DeviceResult& found, const Result& expected, const std::string& what) {
    EXPECT_TRUE(found.mesh.positions.empty());
    EXPECT_EQ(found.device, Device::cuda);
    EXPECT_EQ(found.positions.rows(), expected.mesh.vertices()) << what;
    EXPECT_EQ(found.triangles.rows(), expected.mesh.faces()) << what;
    EXPECT_TRUE(same_bytes(floats_of(found.positions.view()), expected.mesh.positions)) << what;
    EXPECT_TRUE(same_bytes(floats_of(found.normals.view()), expected.mesh.normals)) << what;
    EXPECT_TRUE(same_bytes(indices_of(found.triangles), expected.mesh.triangles)) << what;
    EXPECT_EQ(found.measures.euler(), expected.measures.euler()) << what;
    EXPECT_EQ(found.measures.edges, expected.measures.edges) << what;
    // Sums of the same terms in another order
    EXPECT_NEAR(found.measures.area, expected.measures.area, 1e-12 * expected.measures.area) << what;
    EXPECT_NEAR(found.measures.cap, expected.measures.cap, 1e-12 * expected.measures.area) << what;
    ASSERT_EQ(found.measures.volume.has_value(), expected.measures.volume.has_value()) << what;
    if (found.measures.volume) {
        EXPECT_NEAR(*found.measures.volume, *expected.measures.volume, 1e-9 * (1 + std::abs(*expected.measures.volume)))
            << what;
    }
}

TEST(CudaSurface, OfAFieldInDeviceMemoryHasTheBytesOfThatOfTheHost) {
    DUNLIN_NEEDS_GPU();
    for (const std::array<Index, 3>& nodes : {std::array<Index, 3>{2, 2, 2}, {3, 2, 31}, {33, 5, 32}, {31, 40, 65}}) {
        cases::SurfaceField<float> grid = whole_numbers<float>(nodes, 5, 3);
        grid.spacing = {0.5, 1, 2};
        grid.origin = {-3, 4, 0};
        const DeviceMatrix<float> there = on_gpu(grid.values), other = on_gpu(first_axis_in_sequence(grid));
        for (const double level : {0.5, 2.0, 1e9, -1e9}) {
            for (const bool open : {false, true}) {
                const Options options{.level = level, .open = open};
                const Result expected = extract(grid.grid(), options, {.device = Device::cuda});
                DeviceFieldView view = view_of(there, grid);
                expect_same(extract(view, options), expected, "C order");
                view.values = other.data();
                view.strides = {1, nodes[0], Offset{nodes[0]} * nodes[1]};
                expect_same(extract(view, options), expected, "first axis in sequence");
            }
        }
    }
}

TEST(CudaSurface, FollowsADensityWithoutTheHost) {
    DUNLIN_NEEDS_GPU();
    const Map map = made::clusters(agree::size(20000), 3, 20);
    const auto points = device::matrix_on_gpu(std::span<const float>(map.coordinates), map.size(), 3, 0);
    std::vector<double> values(at(map.size()));
    for (Index i = 0; i < map.size(); ++i) values[at(i)] = static_cast<double>(map.view()(i, 1));
    const density::DeviceResult density = density::estimate(points.view(), {.nodes = 64}, {}, {.values = values});
    const ScalarField& field = density.field;
    cases::SurfaceField<float> grid{field.nodes, {}, {field.spacing, field.spacing, field.spacing}, field.origin};
    const std::vector<float> copied = floats_of(density.device_field.view());
    const auto [nx, ny, nz] = field.nodes;
    for (Index x = 0; x < nx; ++x) {
        for (Index y = 0; y < ny; ++y) {
            for (Index z = 0; z < nz; ++z) grid.values.push_back(copied[at(x + nx * (y + Offset{ny} * z))]);
        }
    }
    for (const std::size_t band : {0U, 3U, 6U}) {
        const Options options{.level = density.bands[band].level};
        const Result expected = extract(grid.grid(), options, {.device = Device::cpu});
        EXPECT_GT(expected.mesh.faces(), 0);
        expect_same(extract(surface::field_of(density), options), expected, "band " + std::to_string(band));
    }
    EXPECT_NE(refusal(Fault::bad_input, [&] { extract(surface::mean_of(density)); }).find("nan"), std::string::npos);
}

TEST(CudaSurface, RefusesFieldsThatItCannotUse) {
    DUNLIN_NEEDS_GPU();
    cases::SurfaceField<float> grid = whole_numbers<float>({5, 4, 3}, 5, 3);
    const auto refused = [](const auto& call) { return refusal(Fault::bad_input, call); };
    const DeviceMatrix<float> there = on_gpu(grid.values);
    DeviceFieldView view = view_of(there, grid);
    EXPECT_NE(refused([&] { extract(view, {}, {.device = Device::cpu}); }).find("device is cpu"), std::string::npos);
    DeviceFieldView other = view;
    other.values = grid.values.data();
    EXPECT_NE(refused([&] { extract(other); }).find("not in the memory of GPU 0"), std::string::npos);
    other.values = nullptr;
    EXPECT_NE(refused([&] { extract(other); }).find("one value per node"), std::string::npos);
    other = view;
    other.nodes[1] = 1;
    EXPECT_NE(refused([&] { extract(other); }).find("no cells"), std::string::npos);
    const Map plane = made::clusters(100, 2, 2);
    const auto points = device::matrix_on_gpu(std::span<const float>(plane.coordinates), plane.size(), 2, 0);
    const density::DeviceResult density = density::estimate(points.view(), {.nodes = 64});
    EXPECT_NE(refused([&] { surface::field_of(density); }).find("2 dimensions"), std::string::npos);
    EXPECT_NE(refused([&] { surface::mean_of(density); }).find("no mean"), std::string::npos);
    grid.values[7] = std::numeric_limits<float>::quiet_NaN();
    const DeviceMatrix<float> bad = on_gpu(grid.values);
    view.values = bad.data();
    EXPECT_EQ(refused([&] { extract(view); }), refused([&] { extract(grid.grid()); }));
}

}  // namespace
}  // namespace dunlin::surface
