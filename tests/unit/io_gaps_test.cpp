// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/readers.hpp"
#include "refusal.hpp"

/// Chosen columns, and cells of tables without a value.
namespace dunlin::io {
namespace {

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

const std::string table = "id,a,b,kind\nr1,1,10,x\nr2,,20,y\nr3,4,NA,x\nr4,7,60,y\n";

Points read(const std::string& text, const ReadOptions& options) {
    return read_table(Bytes::copy(text, "t.csv"), options);
}

std::string complaint(const std::string& text, const ReadOptions& options) {
    return refusal([&] { read(text, options); });
}

Floats values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

TEST(Gaps, RowsAreDroppedWithWhatIsBesideThem) {
    const Points points = read(table, {.drop_rows_with_gaps = true});
    EXPECT_EQ(values(points), (Floats{1, 10, 7, 60}));
    EXPECT_EQ(points.ids, (Strings{"r1", "r4"}));
    EXPECT_EQ(points.labels.of, (std::vector<Index>{0, 1}));
    EXPECT_EQ(points.notes.back().what, "read without 2 of 4 rows, which have gaps in 'a' (1), 'b' (1)");
    EXPECT_EQ(complaint("a,b\n1,\n,2\n", {.drop_rows_with_gaps = true}),
              "'t.csv': every row has gaps, in 'a' (1), 'b' (1); choose other columns with --columns, or fill the gaps "
              "with --fill");
    EXPECT_TRUE(read("1,2\n3,4\n", {.drop_rows_with_gaps = true}).notes.empty());
}

TEST(Gaps, AreFilled) {
    EXPECT_EQ(values(read(table, {.fill = "mean"})), (Floats{1, 10, 4, 20, 4, 30, 7, 60}));
    EXPECT_EQ(values(read(table, {.fill = "median"})), (Floats{1, 10, 4, 20, 4, 20, 7, 60}));
    EXPECT_EQ(values(read(table, {.fill = "-1"})), (Floats{1, 10, -1, 20, 4, -1, 7, 60}));
    EXPECT_EQ(read(table, {.fill = "0"}).notes.back().what, "read with 2 gaps filled with 0: 'a' (1), 'b' (1)");
    // Columns far from zero have an offset, which fillings share
    const Points far = read("1e9\n1000000001\nNA\n1000000003\n1000000002\n", {.fill = "1000000002"});
    ASSERT_FALSE(far.shift.empty());
    EXPECT_EQ(static_cast<double>(far.values.view()(2, 0)) + far.shift[0], 1000000002);
    EXPECT_EQ(complaint("a,b\n1,\n2,\n", {.fill = "mean"}),
              "'t.csv': column 'b' has no value, hence no mean; leave it out with --columns, or fill it with a number");
}

TEST(Gaps, OptionsThatContradictAndCellsThatAreNoGaps) {
    EXPECT_EQ(complaint(table, {.drop_rows_with_gaps = true, .fill = "0"}),
              "fill: gaps are to be filled and their rows to be dropped; choose one");
    EXPECT_EQ(complaint(table, {.fill = "zero"}), "fill: fill is 'zero'; it must be mean, median or a number");
    EXPECT_NE(complaint("1,inf\n2,3\n", {.fill = "0"}).find("is infinite"), std::string::npos);
    EXPECT_NE(complaint("1,2\nx,3\n4,5\n6,7\n", {.fill = "0"}).find("'x' is not a number"), std::string::npos);
    EXPECT_NE(complaint(table, {.transpose = true, .fill = "0"}), "");
}

TEST(ChosenColumns, ByNameNumberAndRange) {
    const std::string text = "id,a,b-c,d,e,kind\nr1,1,2,3,4,x\nr2,5,6,7,8,y\nr3,9,10,11,12,x\n";
    EXPECT_EQ(read(text, {.columns = "a,d"}).columns, (Strings{"a", "d"}));
    EXPECT_EQ(read(text, {.columns = "b-c,5"}).columns, (Strings{"b-c", "e"}));
    EXPECT_EQ(read(text, {.columns = "2-4"}).columns, (Strings{"a", "b-c", "d"}));
    EXPECT_EQ(read(text, {.columns = "a-d"}).columns, (Strings{"a", "b-c", "d"}));
    const Points one = read(text, {.columns = "e"});
    EXPECT_EQ(values(one), (Floats{4, 8, 12}));
    EXPECT_EQ(one.ids.size() + one.labels.of.size(), 6U);
    EXPECT_EQ(complaint(text, {.columns = "a,f"}),
              "columns: 'f' is no column of 't.csv'; give names, numbers from 1 to 6, or ranges of them such as 2-5");
    EXPECT_EQ(complaint(text, {.columns = "kind"}),
              "columns: column 6 'kind' of 't.csv' is no column of numbers; leave it out");
    EXPECT_NE(complaint(text, {.columns = "4-2"}), "");
    // A column that is not chosen may have gaps, and words that look like numbers
    EXPECT_EQ(values(read("a,b,c\n1,,$5\n2,,$6\n3,,$7\n", {.columns = "a"})), (Floats{1, 2, 3}));
}

}  // namespace
}  // namespace dunlin::io
