// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/filter_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace dunlin::neighbors {
namespace {

TEST(FilterPlan, SamplesGrowToAllRowsInWholeTiles) {
    for (const Index rows : {1, 2, 1023, 1024, 1025, 1200, 60000, 1000000, 2000000000}) {
        for (const Index wanted : {1, 16, 91, 2049}) {
            const FilterPlan plan = plan_filter(rows, std::min(wanted, rows), 128);
            ASSERT_EQ(plan.ends.back(), rows);
            ASSERT_EQ(plan.ranks.size() + 1, plan.ends.size());
            ASSERT_LE(plan.ends.front(), list_capacity(std::min(wanted, rows)));
            for (std::size_t p = 0; p < plan.ranks.size(); ++p) {
                ASSERT_LT(plan.ends[p], plan.ends[p + 1]);
                ASSERT_EQ(plan.ends[p] % 128, 0);
                ASSERT_GE(plan.ranks[p], 1);
                ASSERT_LE(plan.ranks[p], plan.ends[p]);
            }
        }
    }
}

TEST(FilterPlan, MnistsSteps) {
    const FilterPlan plan = plan_filter(60000, 91, 128);
    EXPECT_EQ(plan.ends, (std::vector<Index>{1024, 15104, 60000}));
    // 91 * 15104 / 60000 = 22.9, + 4 * 4.79 + 4 = 46.05; 47 * 1024 / 15104 = 3.19, + 4 * 1.79 + 4 = 14.3
    EXPECT_EQ(plan.ranks, (std::vector<Index>{15, 47}));
}

TEST(FilterPlan, ListsHaveRoomForTwiceWhatIsExpected) {
    for (const Index wanted : {1, 16, 91, 500, 2049}) {
        const FilterPlan plan = plan_filter(10000000, wanted, 128);
        for (std::size_t p = 0; p < plan.ranks.size(); ++p) {
            const double expected = 1.0 * plan.ranks[p] * plan.ends[p + 1] / plan.ends[p];
            EXPECT_LE(2 * expected, list_capacity(wanted)) << wanted << " step " << p;
        }
    }
}

TEST(FilterPlan, AnyBeginningIsHalfTheFirstAndHalfASample) {
    std::vector<Index> list(10);
    std::iota(list.begin(), list.end(), 0);
    EXPECT_EQ(half_sampled(list), (std::vector<Index>{0, 1, 7, 2, 4, 3, 8, 5, 6, 9}));  // 7 places further, of 10
    for (const Index size : {0, 1, 2, 3, 1000}) {
        list.resize(static_cast<std::size_t>(size));
        std::iota(list.begin(), list.end(), 0);
        std::vector<Index> mixed = half_sampled(list);
        for (Index first = 0; first < size / 2; ++first) {
            const auto end = mixed.begin() + Offset{2} * first + 1;
            EXPECT_NE(std::find(mixed.begin(), end, first), end) << first << " of " << size;
        }
        std::sort(mixed.begin(), mixed.end());
        EXPECT_EQ(mixed, list);
    }
}

}  // namespace
}  // namespace dunlin::neighbors
