// SPDX-License-Identifier: Apache-2.0
#include "io/dialect.hpp"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "io/network/parsed_network.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

Points read(const std::string& text, const ReadOptions& options = {}) {
    return read_table(Bytes::copy(text, "t.csv"), options);
}

Floats values(const Points& points) {
    const auto view = points.values.view();
    Floats all(view.data, view.data + view.size());
    for (std::size_t i = 0; i < all.size() && !points.shift.empty(); ++i)
        all[i] += static_cast<float>(points.shift[i % static_cast<std::size_t>(view.cols)]);
    return all;
}

std::string complaint(const std::string& text, const ReadOptions& options = {}) {
    return refusal(Fault::bad_file, [&] { read(text, options); });
}

TEST(Dialect, SemicolonsSeparateNumbersWithDecimalCommas) {
    for (const std::string text :
         {"1,5;2,5\n-3,25;4\n", "1,5;2,5\r\n-3,25;4\r\n", "\"1,5\";\"2,5\"\n\"-3,25\";\"4\"\n", "1,5;2,5;\n-3,25;4;\n",
          "1,5\t2,5\n-3,25\t4\n", "1,5 2,5\n-3,25  4\n", "\"1,5\",\"2,5\"\n\"-3,25\",4\n",
          "\xef\xbb\xbf"
          "1,5;2,5\n-3,25;4\n",
          "15e-1;2,5\n-3,25;4,0E0\n", "+1,5;2,5\n-3,25;4\n", " 1,5 ; 2,5\n-3,25 ;4\n"}) {
        const Points points = read(text);
        EXPECT_EQ(values(points), (Floats{1.5F, 2.5F, -3.25F, 4})) << text;
        EXPECT_TRUE(points.ids.empty() && points.labels.empty() && points.columns.empty()) << text;
        ASSERT_EQ(points.notes.size(), 1U) << text;
        EXPECT_EQ(points.notes[0].option, "decimal");
        EXPECT_NE(points.notes[0].what.find("decimal commas"), std::string::npos);
    }
}

TEST(Dialect, HeadersLabelsAndIdsStandBesideDecimalCommas) {
    const Points points = read("Name;Länge;Breite, max;Art\nA, 1;1,5;2;rot\nB, 2;3,5;4,5;blau, hell\nC;5;6;rot\n");
    EXPECT_EQ(points.columns, (Strings{"Länge", "Breite, max"}));
    EXPECT_EQ(points.ids, (Strings{"A, 1", "B, 2", "C"}));
    EXPECT_EQ(points.labels.names, (Strings{"rot", "blau, hell"}));
    EXPECT_EQ(values(points), (Floats{1.5F, 2, 3.5F, 4.5F, 5, 6}));
    const Points one = read("a;b\n1,5;2,5\n");
    EXPECT_EQ(one.columns, (Strings{"a", "b"}));
    EXPECT_EQ(values(one), (Floats{1.5F, 2.5F}));
    const Points ids = read("id;x\n1,1;0,5\n2,7;1,5\n");
    EXPECT_EQ(ids.ids, (Strings{"1,1", "2,7"}));
    EXPECT_EQ(values(ids), (Floats{0.5F, 1.5F}));
    const Points r = read("\"a\";\"b\"\n\"u\";5,5;3\n\"v\";4,25;3\n");
    EXPECT_EQ(r.ids, (Strings{"u", "v"}));
    EXPECT_EQ(values(r), (Floats{5.5F, 3, 4.25F, 3}));
}

TEST(Dialect, OneColumnOfDecimalCommasTakesAWord) {
    EXPECT_EQ(values(read("x;1,5\ny;2,5\n")), (Floats{1.5F, 2.5F}));
    EXPECT_EQ(values(read("1;2,5\n3;4,5\n")), (Floats{1, 2.5F, 3, 4.5F}));
    EXPECT_EQ(values(read("1,5;2\n3,5;4\n")), (Floats{1.5F, 2, 3.5F, 4}));
}

TEST(Dialect, OneColumnUnderAName) {
    for (const std::string text :
         {"height\n1,75\n1,82\n1,68\n", "height\n1,75\n2\n", "height\r\n182,5\r\n180,25\r\n"}) {
        const Points points = read_table(Bytes::copy(text, "t.csv"), {});
        EXPECT_EQ(points.values.cols(), 1) << text;
        EXPECT_TRUE(points.ids.empty()) << text;
        ASSERT_EQ(points.notes.size(), 1U) << text;
        EXPECT_NE(points.notes[0].what.find("decimal commas in one column"), std::string::npos) << text;
    }
    EXPECT_EQ(read_table(Bytes::copy("x\n1,5\n2,7\n", "t.csv"), {}).ids.size(), 2U);            // row names of R
    EXPECT_EQ(read_table(Bytes::copy("x\n\"1\",5\n\"2\",7\n", "t.csv"), {}).notes.size(), 0U);  // certain
    const auto complaint = [](const std::string& text) {
        return refusal(Fault::bad_file, [&] { read_table(Bytes::copy(text, "t.csv"), {}); });
    };
    EXPECT_NE(complaint("pop\n1,234\n1,500\n").find("thousands"), std::string::npos);
    EXPECT_NE(complaint("a,b\n1,75,60\n1,82,71\n").find("1 is in several"), std::string::npos);
}

TEST(Dialect, DecimalCommasMayComeLate) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += fmt::format("{};{}{}\n", i, i % 5, i > 100 ? ",5" : "");
    const Floats all = values(read(text));
    ASSERT_EQ(all.size(), 1000U);
    EXPECT_FLOAT_EQ(all[999], 4.5F);
    EXPECT_FLOAT_EQ(all[1], 0);
    // After the sampled rows: an error with the location and the remedy
    std::string last;
    for (int i = 0; i < 20000; ++i) last += fmt::format("{};{}\n", i, i == 19998 ? "1,5" : "2");
    const std::string said = complaint(last);
    EXPECT_NE(said.find("t.csv:19999"), std::string::npos) << said;
    EXPECT_NE(said.find("decimal: comma"), std::string::npos) << said;
    EXPECT_EQ(values(read(last, {.decimal = Decimal::comma})).size(), 40000U);
}

TEST(Dialect, DecimalPointsStayAsTheyWere) {
    for (const std::string text : {"1,2\n3,4\n", "1, 2\n3, 4\n", "1,\t2\n3,\t4\n", "1 ,2\n3 ,4\n", "1;2\n3;4\n",
                                   "1\t2\n3\t4\n", "1,2,\n3,4,\n"}) {
        const Points points = read(text);
        EXPECT_EQ(values(points), (Floats{1, 2, 3, 4})) << text;
        EXPECT_TRUE(points.notes.empty()) << text;
    }
    const Points lists = read("a;b,0.5,1\nc;d,1.5,2\n");
    EXPECT_EQ(lists.ids, (Strings{"a;b", "c;d"}));
    EXPECT_EQ(values(lists), (Floats{0.5F, 1, 1.5F, 2}));
    EXPECT_EQ(read("Room 1,5\nRoom 2,7\nRoom 2,9\n").values.cols(), 1);
    const Points streets = read("12 Main St,5\n7 High St,6\n");
    EXPECT_EQ(streets.ids, (Strings{"12 Main St", "7 High St"}));
    // A column of lists in a table with tabs
    const Points genes = read("0.5\t1,2,9\n0.25\t7,8\n1.5\t3,4,5,6\n2.5\t3,1,1,5\n");
    EXPECT_EQ(genes.values.cols(), 1);
    EXPECT_EQ(genes.ids.size(), 4U);
}

TEST(Dialect, BothMarksInOneTableAreRefused) {
    for (const std::string text :
         {"1,5;2.5\n3,5;4.5\n", "1.5;2,5\n", "\"1,5\",2.5\n\"2,5\",3.5\n", "0.5\t1,25\n0.5\t2,5\n"}) {
        const std::string said = complaint(text);
        EXPECT_NE(said.find("t.csv:1"), std::string::npos) << said;
        EXPECT_NE(said.find("decimal: comma or point"), std::string::npos) << said;
    }
    EXPECT_EQ(read("1,5;2.5\n3,5;4.5\n", {.decimal = Decimal::point}).values.cols(), 1);
}

TEST(Dialect, ThousandsSeparatorsAreRefused) {
    for (const std::string text :
         {"1.234,5;2\n2.345,5;3\n", "1.234,56;2.345,67\n", "x;1.234.567,5\ny;12,5\n", "1'234.5;2\n3'456.5;3\n",
          "\"1,234.5\",2\n\"1,234.5\",3\n", "1 234,5;2,5\n9,5;1 111,5\n",
          "1\xc2\xa0"
          "234,5;2,5\n",
          "1,234,567\t0.5\n1,234,568\t0.5\n"}) {
        const std::string said = complaint(text);
        EXPECT_NE(said.find("thousands"), std::string::npos) << text << ": " << said;
        EXPECT_NE(said.find("t.csv:1"), std::string::npos) << text << ": " << said;
    }
    // Three digits after each comma, and no semicolon that would resolve the ambiguity
    for (const std::string text : {"1,234\t5,678\n2,345\t6,789\n", "\"1,234\",\"5,678\"\n"}) {
        const std::string said = complaint(text);
        EXPECT_NE(said.find("say decimal: comma"), std::string::npos) << text << ": " << said;
        EXPECT_FLOAT_EQ(values(read(text, {.decimal = Decimal::comma}))[0], 1.234F);
        EXPECT_NE(complaint(text, {.decimal = Decimal::point}), "");
    }
    EXPECT_FLOAT_EQ(values(read("1,234;5,678\n2,345;6,789\n"))[0], 1.234F);
    EXPECT_FLOAT_EQ(values(read("1,234\t0,125\n"))[1], 0.125F);
}

TEST(Dialect, MissingCellsKeepTheirPlaceInTheError) {
    EXPECT_EQ(
        complaint("a;b\n1,5;2,5\n3,5;\n5,5;6\n"),
        "t.csv:3: row 2, column 2 'b': the cell is empty; remove the row, or have such cells filled (fill: mean)");
    EXPECT_NE(complaint("1,5;2,5\nNA;1,5\n").find("'NA' is not a finite number"), std::string::npos);
    EXPECT_NE(complaint("1,5;2,5\n1,5\n").find("row 2 has 1 columns where 2 were expected"), std::string::npos);
}

TEST(Dialect, TheCallerHasTheLastWord) {
    EXPECT_EQ(values(read("1,5\n2,25\n", {.decimal = Decimal::comma})), (Floats{1.5F, 2.25F}));
    EXPECT_EQ(values(read("1,5\n2,25\n")), (Floats{1, 5, 2, 25}));
    EXPECT_TRUE(read("1,5;2,5\n", {.decimal = Decimal::comma}).notes.empty());
    EXPECT_NE(
        refusal(Fault::bad_input, [] { read_points(Bytes::copy("3 3\n", "a.fvecs"), {.decimal = Decimal::comma}); }),
        "");
}

TEST(Dialect, NumbersRoundCorrectlyWithEitherMark) {
    for (const std::string number : {"0.1", "16777217.5", "1.00000005960464477539062500001", "123456789012345678901.5",
                                     "1e-3", "2.5e+10", ".5", "1.2e-38", "0.30000001192092896"}) {
        std::string comma = number;
        if (comma.find('.') != std::string::npos) comma[comma.find('.')] = ',';
        const Floats a = values(read(number + ";1.5\n" + number + ";2.5\n")),
                     b = values(read(comma + ";1,5\n" + comma + ";2,5\n"));
        EXPECT_EQ(a, b) << number;
    }
}

TEST(Dialect, WeightsOfEdgesHaveDecimalCommas) {
    const Network network = read_network(Bytes::copy("source;target;weight\na;b;0,5\nb;c;1,25\n", "e.csv"), {});
    ASSERT_EQ(network.graph.size(), 3);
    EXPECT_EQ(network.graph.weights, (Floats{0.5F, 0.5F, 1.25F, 1.25F}));
    ASSERT_EQ(network.notes.size(), 1U);
    const Network tabs = read_network(Bytes::copy("1\t2\t0,5\n2\t3\t1,5\n", "e.txt"), {});
    EXPECT_EQ(tabs.graph.weights, (Floats{0.5F, 0.5F, 1.5F, 1.5F}));
}

TEST(Dialect, MapsAndLabelsAreReadWithDecimalCommas) {
    const MapFile map = read_map(Bytes::copy("id;x;y\na;1,5;2\nb;-0,5;1,25\n", "m.csv"));
    EXPECT_EQ(map.map.coordinates, (Floats{1.5F, 2, -0.5F, 1.25F}));
    EXPECT_EQ(map.ids, (Strings{"a", "b"}));
    ASSERT_EQ(map.notes.size(), 1U);
    EXPECT_EQ(map.notes[0].option, "");
    EXPECT_EQ(read_labels(Bytes::copy("label;x\nrot;1,5\nblau;2,5\n", "l.csv")).names, (Strings{"rot", "blau"}));
}

TEST(Dialect, NothingAndOneCell) {
    EXPECT_NE(complaint(""), "");
    EXPECT_EQ(values(read("7\n")), (Floats{7}));
    EXPECT_EQ(values(read("7;\n")), (Floats{7}));
    EXPECT_NE(complaint(";\n"), "");
    EXPECT_NE(complaint("NaN;1,5\nNaN;2,5\n"), "");
}

}  // namespace
}  // namespace dunlin::io
