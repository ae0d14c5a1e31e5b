// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "picture/groups.hpp"

/// Colors of points some of which have no label.
namespace dunlin::picture {
namespace {

TEST(Groups, PutPointsWithoutALabelLastInGray) {
    const Groups groups = groups_of({{1, no_label, 0, no_label}, {"1", "2"}}, 4);
    ASSERT_EQ(groups.list.size(), 3);
    EXPECT_EQ(groups.list[0].color, palette[0]);
    EXPECT_EQ(groups.list[2].name, "no label");
    EXPECT_EQ(groups.list[2].count, 2);
    EXPECT_EQ(groups.list[2].color, other_color);
    EXPECT_EQ(groups.of, (std::vector<std::uint8_t>{1, 2, 0, 2}));
    // Beside "other"
    Labels many;
    for (Index label = 0; label < 25; ++label)
        many.names.push_back(fmt::format("l{}", label)), many.of.push_back(label);
    many.of.push_back(no_label);
    const Groups all = groups_of(many, 26);
    ASSERT_EQ(all.list.size(), 21);
    EXPECT_EQ(all.list[19].name, "other (6 labels)");
    EXPECT_EQ(all.list[19].count, 6);
    EXPECT_EQ(all.list[20].count, 1);
    // No label at all
    const Groups none = groups_of({{no_label, no_label}, {}}, 2);
    ASSERT_EQ(none.list.size(), 1);
    EXPECT_EQ(none.list[0].name, "no label");
}

}  // namespace
}  // namespace dunlin::picture
