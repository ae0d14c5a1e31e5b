// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <stop_token>
#include <string>

#include "cases/surface.hpp"
#include "refusal.hpp"

namespace dunlin::surface {
namespace {

using cases::whole_numbers;

std::string refused(const auto& grid, const Options& options = {}) {
    return refusal(Fault::bad_input, [&] { (void)extract(grid, options); });
}

TEST(SurfaceDoor, GridsWithoutCellsAreRefused) {
    for (const std::array<Index, 3> nodes :
         {std::array<Index, 3>{1, 4, 4}, {4, 1, 4}, {4, 4, 1}, {0, 4, 4}, {1, 1, 1}}) {
        const auto field = whole_numbers<float>(nodes, 3, 1);
        EXPECT_NE(refused(field.grid()).find("at least 2 nodes"), std::string::npos);
    }
}

TEST(SurfaceDoor, ValuesThatAreNotFiniteAreNamed) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
        for (const std::size_t node : {0U, 37U, 3U * 4 * 40 - 1}) {
            auto field = whole_numbers<double>({3, 4, 40}, 3, 1);
            auto floats = whole_numbers<float>({3, 4, 40}, 3, 1);
            field.values[node] = bad;
            floats.values[node] = static_cast<float>(bad);
            const std::string message = refused(field.grid());
            EXPECT_EQ(message, refused(floats.grid()));
            if (node == 37) {
                EXPECT_NE(message.find("node (0, 0, 37)"), std::string::npos) << message;
            }
        }
    }
    auto field = whole_numbers<double>({3, 4, 40}, 3, 1);
    field.values[100] = field.values[50] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(refused(field.grid()).find("node (0, 1, 10)"), std::string::npos) << "the first one";
}

TEST(SurfaceDoor, SpacingOriginLevelAndSizesAreChecked) {
    auto field = whole_numbers<float>({3, 3, 3}, 3, 1);
    field.spacing = {1, 0, 1};
    EXPECT_NE(refused(field.grid()).find("spacing along y is 0"), std::string::npos);
    field.spacing = {1, 1, -2};
    EXPECT_NE(refused(field.grid()).find("spacing along z is -2"), std::string::npos);
    field.spacing = {2e38, 1, 1};
    EXPECT_NE(refused(field.grid()).find("smaller units"), std::string::npos);
    field.spacing = {1, 1, 1};
    field.origin = {0, std::numeric_limits<double>::infinity(), 0};
    EXPECT_NE(refused(field.grid()).find("origin along y"), std::string::npos);
    field.origin = {0, 0, 0};
    EXPECT_NE(refused(field.grid(), {.level = std::numeric_limits<double>::quiet_NaN()}).find("level"),
              std::string::npos);
    field.values.pop_back();
    EXPECT_NE(refused(field.grid()).find("values are 26"), std::string::npos);
}

TEST(SurfaceDoor, AStopLeavesAnEmptyMesh) {
    const auto field = whole_numbers<float>({40, 40, 40}, 3, 1);
    std::stop_source source;
    source.request_stop();
    dunlin::Run run;
    run.stop = source.get_token();
    const Result result = extract(field.grid(), {.level = 1}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_EQ(result.mesh.vertices(), 0);
    EXPECT_FALSE(result.varies_because.empty());
}

TEST(SurfaceDoor, AStopWithinEachStageIsNoticed) {
    const auto field = whole_numbers<float>({40, 40, 40}, 3, 1);
    for (const std::string_view stage : {"count", "emit"}) {
        std::stop_source source;
        dunlin::Run run;
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == stage) source.request_stop();
        };
        const Result result = extract(field.grid(), {.level = 1}, run);
        EXPECT_EQ(result.stopped, Stopped::cancelled) << stage;
        EXPECT_EQ(result.mesh.faces(), 0);
    }
}

TEST(SurfaceDoor, MemoryIsEstimatedBeforeItIsTaken) {
    const auto field = whole_numbers<float>({40, 40, 40}, 3, 1);
    dunlin::Run run;
    run.memory = 100'000;
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { (void)extract(field.grid(), {.level = 1}, run); }), "");
}

}  // namespace
}  // namespace dunlin::surface
