// SPDX-License-Identifier: Apache-2.0
// The density of a map on the GPU: that of the CPU, the same bytes in any order and run, also of a map in device
// memory.
#include <dunlin/density.hpp>

#include <algorithm>
#include <cmath>

#include <dunlin/device.hpp>

#include "agree/agree.hpp"
#include "device/resident.hpp"
#include "refusal.hpp"

namespace dunlin::density {
namespace {

constexpr dunlin::Device cpu = Device::cpu, gpu = Device::cuda;

/// Largest difference relative to the largest value; infinity if one of two values alone is NaN.
double difference(const std::vector<float>& found, const std::vector<float>& expected) {
    if (found.size() != expected.size()) return HUGE_VAL;
    double largest = 1e-300, most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (std::isnan(found[i]) && std::isnan(expected[i])) continue;
        if (std::isnan(found[i]) != std::isnan(expected[i])) return HUGE_VAL;
        largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
        most = std::max(most, std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    return most / largest;
}

/// The same for means: below a hundredth of the largest density, where a mean is a quotient of two small sums that each
/// backend rounds in fixed point, the difference counts in proportion to the density.
double difference_of_means(const Result& found, const Result& expected) {
    std::vector<float> weighted = expected.mean.values;
    const auto& density = expected.field.values;
    if (found.mean.values.size() != weighted.size() || density.size() != weighted.size()) return HUGE_VAL;
    const float full = *std::max_element(density.begin(), density.end()) / 100;
    for (std::size_t i = 0; i < weighted.size(); ++i)
        weighted[i] += (found.mean.values[i] - weighted[i]) * std::min(1.0F, density[i] / full);
    return difference(weighted, expected.mean.values);
}

std::vector<double> values_of(const Map& map) {
    std::vector<double> values;
    for (Index i = 0; i < map.size(); ++i)
        values.push_back(i % 11 == 0 ? NAN : static_cast<double>(map.view()(i, 0)) + i % 3);
    return values;
}

void expect_agreement(const Result& found, const Result& expected, Index n) {
    EXPECT_EQ(found.device, gpu);
    EXPECT_EQ(found.field.nodes, expected.field.nodes);
    EXPECT_EQ(found.field.origin, expected.field.origin);
    EXPECT_EQ(found.field.spacing, expected.field.spacing);
    EXPECT_EQ(found.options.bandwidth, expected.options.bandwidth);
    EXPECT_LT(difference(found.field.values, expected.field.values), 2e-6);
    EXPECT_NEAR(found.mass / n, 1, 1e-6);
    ASSERT_EQ(found.bands.size(), expected.bands.size());
    for (std::size_t b = 0; b < found.bands.size(); ++b) {
        EXPECT_NEAR(found.bands[b].level / expected.bands[b].level, 1, 1e-4);
        EXPECT_NEAR(static_cast<double>(found.bands[b].points), static_cast<double>(expected.bands[b].points),
                    1 + 1e-4 * n);
    }
}

TEST(CudaDensity, IsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({1, 2, 31, 32, 33, 1000, 1500, 70001, 1000000})) {
            SCOPED_TRACE(testing::Message() << dim << "-D, " << n << " points");
            const Map map = made::clusters(n, dim, 100);
            const std::vector<double> values = values_of(map);
            const Options options{.nodes = agree::only_small() ? 64 : dim == 2 ? 700 : 100};
            const Result expected = estimate(map, options, {.device = cpu}, {.values = values});
            const Result found = estimate(map, options, {.device = gpu}, {.values = values});
            expect_agreement(found, expected, n);
            EXPECT_EQ(found.missing, expected.missing);
            if (n > 1) {
                EXPECT_LT(difference_of_means(found, expected), 1e-4);
            }
            for (std::size_t b = 0; b < found.mean_bands.size(); ++b)
                EXPECT_NEAR(found.mean_bands[b].level, expected.mean_bands[b].level, 0.02);
        }
    }
}

TEST(CudaDensity, OfEqualPointsAndAnOutlier) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(300000);
    const Map equal{2, std::vector<float>(2 * static_cast<std::size_t>(n), -3.25F)};
    const Options options{.nodes = 128};
    expect_agreement(estimate(equal, options, {.device = gpu}), estimate(equal, options, {.device = cpu}), n);
    Map outlier = made::clusters(1000, 2, 10);
    outlier.coordinates[1] = 1e4F;
    expect_agreement(estimate(outlier, options, {.device = gpu}), estimate(outlier, options, {.device = cpu}), 1000);
}

TEST(CudaDensity, HasTheSameBytesInAnyOrderAndInDeviceMemory) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        const Map map = made::clusters(agree::size(200000), dim, 100);
        Map reversed = map;
        for (Index i = 0; i < map.size(); ++i)
            std::copy_n(map.coordinates.begin() + Offset{i} * dim, dim,
                        reversed.coordinates.end() - Offset{i + 1} * dim);
        const Options options{.nodes = agree::only_small() ? 64 : 128};
        const Result once = estimate(map, options, {.device = gpu}), again = estimate(map, options, {.device = gpu});
        const Result other = estimate(reversed, options, {.device = gpu});
        EXPECT_EQ(once.field.values, again.field.values);
        EXPECT_EQ(once.field.values, other.field.values);
        EXPECT_EQ(once.mass, again.mass);

        const DeviceMatrix<float> on_gpu =
            device::matrix_on_gpu(std::span<const float>(map.coordinates), map.size(), dim, 0);
        const DeviceResult resident = estimate(on_gpu.view(), options);
        EXPECT_TRUE(resident.field.values.empty());
        EXPECT_EQ(resident.field.nodes, once.field.nodes);
        EXPECT_EQ(resident.device_field.rows(), once.field.nodes[1] * once.field.nodes[2]);
        EXPECT_EQ(resident.device_field.cols(), once.field.nodes[0]);
        const Matrix copied = copy_to_host(resident.device_field.view());
        EXPECT_EQ(std::vector<float>(copied.view().data, copied.view().data + copied.view().size()), once.field.values);
        EXPECT_EQ(resident.device_mean.rows(), 0);
        for (std::size_t b = 0; b < once.bands.size(); ++b) EXPECT_EQ(resident.bands[b].level, once.bands[b].level);
    }
}

TEST(CudaDensity, RefusesWhatTheCpuRefuses) {
    DUNLIN_NEEDS_GPU();
    Map map = made::clusters(1000, 3, 10);
    map.coordinates[2999] = NAN;
    map.coordinates[1501] = INFINITY;
    const auto sentence = [&](dunlin::Device device) {
        return refusal(Fault::bad_input, [&] { estimate(map, {}, {.device = device}); });
    };
    EXPECT_EQ(sentence(gpu), "coordinate 2 of point 500 is inf; every one must be a finite number");
    EXPECT_EQ(sentence(gpu), sentence(cpu));
    EXPECT_TRUE(estimate({2, {}}, {}, {.device = gpu}).field.values.empty());
    const Map few = made::clusters(1000, 2, 10);
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { estimate(few, {}, {.device = gpu, .memory = 1000}); }), "");
}

}  // namespace
}  // namespace dunlin::density
