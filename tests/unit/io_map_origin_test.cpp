// SPDX-License-Identifier: Apache-2.0
#include "io/map_origin.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "io/shift.hpp"
#include "math/rng.hpp"

namespace dunlin::io {

namespace {

std::vector<double> numbers_around(double center, double spread, double step) {
    std::vector<double> numbers;
    for (std::uint64_t i = 0; i < 400; ++i) {
        const double number = center + spread * math::random_normal(1, i);
        numbers.push_back(step > 0 ? std::round(number / step) * step : number);
    }
    return numbers;
}

TEST(MapOrigin, NumbersOfFewDigitsComeBackAsTheyWere) {
    for (const double center : {5411247.0, -4.5e6, 1.7e9, 1e12}) {
        std::vector<double> numbers = numbers_around(center, 40, 0);
        for (double& number : numbers) number = std::stod(std::to_string(std::round(number * 100) / 100));
        const Map map = map_of(2, numbers);
        ASSERT_EQ(map.origin.size(), 2U) << center;
        EXPECT_EQ(coordinates_of(map), numbers) << center;
    }
}

TEST(MapOrigin, OtherNumbersAreAsNearAsFloatsWithoutTheOrigin) {
    const std::vector<double> numbers = numbers_around(3e8, 5, 0);
    const Map map = map_of(1, numbers);
    ASSERT_FALSE(map.origin.empty());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double far = std::abs(numbers[i] - map.origin[0]);
        EXPECT_LE(std::abs(coordinate_of(map, static_cast<Index>(i), 0) - numbers[i]), far * 1.2e-7 + 1e-7);
    }
}

TEST(MapOrigin, MapsNearZeroHaveNone) {
    const std::vector<double> numbers = numbers_around(3, 1, 0);
    const Map map = map_of(2, numbers);
    EXPECT_TRUE(map.origin.empty());
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(map.coordinates[i], static_cast<float>(numbers[i]));
    EXPECT_EQ(coordinate_text(map, 0, 0), fmt::format("{}", map.coordinates[0]));
}

TEST(MapOrigin, OneMayBeGiven) {
    const std::vector<double> numbers{1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 4};
    EXPECT_EQ(map_of(2, numbers, {{1e6, 1e6}}).coordinates, (std::vector<float>{1, 2, 3, 4}));
    EXPECT_TRUE(map_of(2, numbers, {{0.0, 0.0}}).origin.empty());
    // One of another number of axes is not of this map
    EXPECT_EQ(map_of(2, numbers, {{1e6}}).origin, map_of(2, numbers).origin);
}

TEST(MapOrigin, PointsWithoutPlaceStayWithout) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    const Map map = map_of(2, {5e6, 4e6, none, none, 5e6 + 1, 4e6 + 2});
    ASSERT_EQ(map.origin.size(), 2U);
    EXPECT_TRUE(std::isnan(map.coordinates[2]) && std::isnan(coordinate_of(map, 1, 1)));
    EXPECT_EQ(coordinate_of(map, 2, 1), 4e6 + 2);
    EXPECT_EQ(map_of(2, {}).size(), 0);
}

TEST(Shift, OfASingleRowWhereFloatsDoNotHoldIt) {
    EXPECT_EQ(choose_shift(std::vector<double>{20240101, 1}, 2), (std::vector<double>{20240101, 0}));
    EXPECT_TRUE(choose_shift(std::vector<double>{3, 0.5, 1 << 20}, 3).empty());
    // A constant column among others: from the first whole number that may be lost
    const std::vector<double> rows{1e9, 0, 1e9, 1e8, 1e9, 2e8};
    EXPECT_EQ(choose_shift(rows, 2)[0], 1e9);
}

TEST(Shift, CommonIsOneNumberForAllColumns) {
    const std::vector<double> rows{1e6, 1e6 + 7, 3, 1e6 + 1, 1e6 + 8, 4, 1e6 + 2, 1e6 + 9, 3.5};
    const std::vector<double> common = choose_shift(rows, 3, ColumnOffsets::common);
    ASSERT_EQ(common.size(), 3U);
    EXPECT_TRUE(common[0] == common[1] && common[1] == common[2] && common[0] > 9e5);
    EXPECT_TRUE(choose_shift(rows, 3, ColumnOffsets::keep).empty());
}

}  // namespace

}  // namespace dunlin::io
