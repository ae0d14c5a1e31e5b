// SPDX-License-Identifier: Apache-2.0
#include <dunlin/normalize.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin {

namespace {

/// Normal numbers of these standard deviations by column; those of deviation 0 are 7.
Matrix columns_of(Index rows, const std::vector<double>& deviations) {
    std::vector<float> values;
    for (Index r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < deviations.size(); ++c)
            values.push_back(
                static_cast<float>(7 + deviations[c] * math::random_normal(3, static_cast<std::uint64_t>(r), c)));
    }
    return {rows, static_cast<Index>(deviations.size()), std::move(values)};
}

TEST(Normalize, StandardizedColumnsHaveMeanZeroAndDeviationOne) {
    const Matrix points = columns_of(501, {1e-3, 20, 0, 4e5});
    for (const Normalize how : {Normalize::standardize, Normalize::zscore}) {
        const Matrix found = scaled(points.view(), scales_of(points.view(), how));
        for (Index c = 0; c < 4; ++c) {
            double sum = 0, squares = 0;
            for (Index r = 0; r < 501; ++r) sum += static_cast<double>(found.view()(r, c));
            for (Index r = 0; r < 501; ++r) squares += std::pow(static_cast<double>(found.view()(r, c)) - sum / 501, 2);
            EXPECT_NEAR(sum / 501, 0, 1e-3) << c;
            EXPECT_NEAR(squares / 500, c == 2 ? 0 : 1, 1e-3) << c;
        }
    }
}

TEST(Normalize, MinmaxColumnsReachFromZeroToOne) {
    const Matrix points = columns_of(64, {1e-3, 20, 0, 4e5});
    const Matrix found = scaled(points.view(), scales_of(points.view(), Normalize::minmax));
    for (Index c = 0; c < 4; ++c) {
        float low = 2, high = -2;
        for (Index r = 0; r < 64; ++r) {
            low = std::min(low, found.view()(r, c));
            high = std::max(high, found.view()(r, c));
        }
        EXPECT_EQ(low, 0) << c;
        EXPECT_EQ(high, c == 2 ? 0 : 1) << c;
    }
}

TEST(Normalize, OtherRowsAreScaledByThePointsNumbersAndThreadsChangeNothing) {
    const Matrix points = columns_of(1000, {1, 30});
    const ColumnScales scales = scales_of(points.view(), Normalize::standardize, {.threads = 1});
    EXPECT_EQ(scales.shift, scales_of(points.view(), Normalize::standardize, {.threads = 3}).shift);
    EXPECT_EQ(scales.scale, scales_of(points.view(), Normalize::standardize, {.threads = 3}).scale);
    const Matrix all = scaled(points.view(), scales), one = scaled({points.row(17).data(), 1, 2}, scales);
    EXPECT_EQ(one.view()(0, 1), all.view()(17, 1));
    EXPECT_THROW(scaled({points.row(0).data(), 1, 1}, scales), Error);
}

TEST(Normalize, FewRows) {
    EXPECT_TRUE(scales_of(columns_of(5, {1}).view(), Normalize::none).empty());
    const Matrix none = columns_of(0, {1, 2});
    EXPECT_TRUE(scales_of(none.view(), Normalize::standardize).empty());
    EXPECT_EQ(scaled(none.view(), {}).rows(), 0);
    const Matrix one = columns_of(1, {1, 2});
    EXPECT_EQ(scales_of(one.view(), Normalize::standardize).scale, (std::vector<double>{0, 0}));
    EXPECT_EQ(scaled(one.view(), scales_of(one.view(), Normalize::standardize)).view()(0, 0), 0);
}

TEST(RulingColumn, IsTheOneWhoseScaleDecidesDistances) {
    const RulingColumn found = ruling_column(columns_of(200, {1, 2, 0.5, 300, 0}).view());
    EXPECT_EQ(found.column, 3);
    EXPECT_NEAR(found.deviation, 300, 60);
    EXPECT_LT(found.usual, 3);
    // Principal components, three wide columns, like columns, few rows, few columns
    for (const std::vector<double>& deviations :
         {std::vector<double>{20, 12, 8, 5, 3, 2, 1, 1, 1, 1}, {300, 300, 300, 1, 1, 1, 1}, {1, 2, 3, 4}, {1, 1, 300}})
        EXPECT_EQ(ruling_column(columns_of(200, deviations).view()).column, -1);
    EXPECT_EQ(ruling_column(columns_of(19, {1, 2, 0.5, 300, 0}).view()).column, -1);
    EXPECT_EQ(ruling_column(columns_of(0, {1, 2, 0.5, 300}).view()).column, -1);
}

}  // namespace

}  // namespace dunlin
