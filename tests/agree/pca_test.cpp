// SPDX-License-Identifier: Apache-2.0
#include "initialization/pca.cuh"

#include <span>
#include <string>

#include "agree/agree.hpp"
#include "initialization/initial_map.hpp"
#include "initialization/pca.hpp"

namespace dunlin::initialization {
namespace {

struct Shape {
    Index n, d;
};

/// Gaussian points whose column c has standard deviation scale / (c + 1), off center.
std::vector<float> tapering(Shape shape, double center = 5, double scale = 1) {
    std::vector<float> x;
    for (Index i = 0; i < shape.n; ++i) {
        for (Index c = 0; c < shape.d; ++c) {
            const double z = math::random_normal(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c));
            x.push_back(static_cast<float>(center + scale * z / (c + 1)));
        }
    }
    return x;
}

enum class From { device, host };

std::vector<float> on_gpu(const std::vector<float>& x, Shape shape, int components, From from = From::device) {
    device::Cuda cuda{dunlin::Run{}};
    device::DevicePoints points{{x.data(), shape.n, shape.d}, {}};
    if (from == From::device) cuda.upload(points.rows, x);
    return cuda.host(principal_coordinates_on_device(cuda, points, components));
}

std::vector<float> on_cpu(const std::vector<float>& x, Shape shape, int components) {
    device::Cpu cpu(2);
    return principal_coordinates(cpu, {x.data(), shape.n, shape.d}, components);
}

TEST(PcaOnGpu, IsTheCpusAtAwkwardShapes) {
    DUNLIN_NEEDS_GPU();
    for (const Shape shape : {Shape{0, 5},
                              {1, 5},
                              {2, 1},
                              {2, 3},
                              {2, 3000},
                              {3, 2},
                              {31, 7},
                              {32, 40},
                              {33, 1},
                              {1000, 20},
                              {1000, 300},
                              {70001, 3},
                              {2049, 784}}) {
        if (agree::only_small() && shape.n > 1500) continue;
        SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d);
        const std::vector<float> x = tapering(shape), expected = on_cpu(x, shape, 3), found = on_gpu(x, shape, 3);
        EXPECT_LT(agree::relative_error(found, expected), 2e-4);
        EXPECT_EQ(on_gpu(x, shape, 3), found);
        EXPECT_EQ(on_gpu(x, shape, 3, From::host), found);
    }
}

TEST(PcaOnGpu, ManyColumnsGoWithoutACovariance) {
    DUNLIN_NEEDS_GPU();
    for (const Shape shape : {Shape{5, 100000}, {600, 5000}, {1600, 4097}}) {
        SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d);
        const std::vector<float> x = tapering(shape), expected = on_cpu(x, shape, 2), found = on_gpu(x, shape, 2);
        EXPECT_LT(agree::relative_error(found, expected), 5e-4);
        EXPECT_EQ(on_gpu(x, shape, 2), found);
    }
}

TEST(PcaOnGpu, ManyComponents) {
    DUNLIN_NEEDS_GPU();
    const Shape shape{3000, 100};
    const std::vector<float> x = tapering(shape);
    EXPECT_LT(agree::relative_error(on_gpu(x, shape, 20), on_cpu(x, shape, 20)), 1e-3);
}

TEST(PcaOnGpu, ConstantColumnsAndAnOffset) {
    DUNLIN_NEEDS_GPU();
    const Shape shape{5000, 12};
    std::vector<float> x = tapering(shape, 1e6, 1e3);
    for (std::size_t i = 4; i < x.size(); i += 12) x[i] = x[i + 1] = -7e5F;
    EXPECT_LT(agree::relative_error(on_gpu(x, shape, 2), on_cpu(x, shape, 2)), 1e-4);
    const std::vector<float> same(600, 7.0F);
    EXPECT_EQ(on_gpu(same, {100, 6}, 2), std::vector<float>(200, 0.0F));
}

TEST(PcaOnGpu, VariancesFarApart) {
    DUNLIN_NEEDS_GPU();
    const Shape shape{4000, 5};
    std::vector<float> x = tapering(shape, 0);
    for (std::size_t i = 0; i < x.size(); i += 5) x[i] *= 1e5F;
    std::vector<float> found = on_gpu(x, shape, 2), expected = on_cpu(x, shape, 2);
    for (auto* y : {&found, &expected}) {  // the second component alone
        for (std::size_t i = 0; i < y->size(); i += 2) (*y)[i] = 0;
    }
    EXPECT_LT(agree::relative_error(found, expected), 1e-2);
}

TEST(PcaStartOnGpu, IsTheCpus) {
    DUNLIN_NEEDS_GPU();
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const Shape shape{1000, 10};
    const std::vector<float> tapered = tapering(shape), same(10000, 7.0F);
    for (const auto* x : {&tapered, &same}) {
        device::DevicePoints points{{x->data(), shape.n, shape.d}, {}};
        cuda.upload(points.rows, *x);
        const Map expected = pca_start(cpu, points.host, 2, 1e-4, 9);
        EXPECT_LT(agree::relative_error(cuda.host(pca_start_on_device(cuda, points, 2, 1e-4, 9)), expected.coordinates),
                  1e-4);
    }
    const Map random = random_start(1000, 3, 1e-4, 5);
    EXPECT_LT(agree::relative_error(cuda.host(random_start_on_device(cuda, 1000, 3, 1e-4, 5)), random.coordinates),
              1e-6);
}

}  // namespace
}  // namespace dunlin::initialization
