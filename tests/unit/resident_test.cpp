// SPDX-License-Identifier: Apache-2.0
// What points in GPU memory are refused for before a GPU is touched; tests/agree/resident_test.cu needs one.
#include <dunlin/device.hpp>

#include <gtest/gtest.h>

#include <dunlin/gpus.hpp>

#include "device/resident.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

/// On a GPU that no machine has; nothing reads the pointer.
const float somewhere = 0;
constexpr int no_gpu = 4096;
const DeviceMatrixView<const float> points{&somewhere, 100, 3, no_gpu};

TEST(ResidentPoints, AnotherDeviceIsAnError) {
    for (const auto& call : {+[](const dunlin::Run& run) { neighbors::search(points, {}, run); },
                             +[](const dunlin::Run& run) { kmeans::cluster(points, {}, run); },
                             +[](const dunlin::Run& run) { tsne::embed(points, {}, run); }}) {
        EXPECT_EQ(refusal(Fault::bad_input, [&] { call({.device = Device::cpu}); }),
                  "the points are in the memory of GPU 4096, and device is cpu; take device auto or cuda, or copy them "
                  "to the host");
        EXPECT_EQ(refusal(Fault::bad_input, [&] { call({.gpus = {0}}); }),
                  "the points are in the memory of GPU 4096, and another one is named; name GPU 4096 or none");
        EXPECT_NE(refusal(Fault::bad_input, [&] { call({.gpus = {no_gpu, 0}}); }), "");
    }
}

TEST(ResidentPoints, AGpuThatIsNotThereIsAnError) {
    EXPECT_NE(refusal(Fault::no_device, [] { neighbors::search(points); }), "");
    EXPECT_NE(refusal(Fault::no_device, [] { kmeans::cluster(points); }), "");
    EXPECT_NE(refusal(Fault::no_device, [] { tsne::embed(points); }), "");
    const ForeignMatrix matrix{&somewhere, NumberType::float32, 1, 1, 4, 4};
    EXPECT_NE(refusal(Fault::no_device, [&] { narrow(matrix, no_gpu, nullptr); }), "");
}

TEST(ResidentPoints, ViewsHaveASizeAndNoDataOnTheHost) {
    const device::InputPoints resident(points);
    EXPECT_TRUE(resident.is_resident());
    EXPECT_EQ(resident.rows(), 100);
    EXPECT_EQ(resident.cols(), 3);
    EXPECT_EQ(resident.resident(), &somewhere);
    EXPECT_EQ(resident.host().data, nullptr);
    EXPECT_EQ(resident.host().size(), 300);
    const device::InputPoints host(MatrixView<const float>{&somewhere, 1, 1});
    EXPECT_FALSE(host.is_resident());
    EXPECT_EQ(host.host().data, &somewhere);
}

}  // namespace
}  // namespace dunlin
