// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "io/readers.hpp"
#include "io/table_column.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

Points read(const std::string& text, const ReadOptions& options = {}) {
    return read_table(Bytes::copy(text, "t.csv"), options);
}

/// The message of the bad_file error of reading `text`.
std::string complaint(const std::string& text, const ReadOptions& options = {}) {
    return refusal(Fault::bad_file, [&] { read(text, options); });
}

std::vector<float> values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

TEST(Table, FindsTheDelimiter) {
    for (const std::string delimiter : {",", ";", "\t", " ", "  ", " \t"}) {
        const Points points = read("1" + delimiter + "2\n-3.5" + delimiter + "4e1\n");
        EXPECT_EQ(points.values.rows(), 2) << delimiter;
        EXPECT_EQ(values(points), (Floats{1, 2, -3.5F, 40})) << delimiter;
        EXPECT_TRUE(points.columns.empty() && points.labels.empty() && points.ids.empty());
    }
}

TEST(Table, TakesAllLineEndsAndAByteOrderMark) {
    for (const std::string text : {"1,2\n3,4", "1,2\r\n3,4\r\n",
                                   "\xef\xbb\xbf"
                                   "1,2\n3,4\n",
                                   "1,2\r3,4\r", "1,2\n\n3,4\n\n", "# made by hand\n1,2\n3,4\n", "1,2,\n3,4,\n"}) {
        EXPECT_EQ(values(read(text)), (Floats{1, 2, 3, 4})) << text;
    }
}

TEST(Table, FindsHeaderLabelsAndIds) {
    const Points points = read("name,a,\"b,b\",kind\nu,1,2,x\nv,3,4,\"y \"\"z\"\"\"\nw,5,6,x\n");
    EXPECT_EQ(points.columns, (Strings{"a", "b,b"}));
    EXPECT_EQ(points.ids, (Strings{"u", "v", "w"}));
    EXPECT_EQ(points.labels.names, (Strings{"x", "y \"z\""}));
    EXPECT_EQ(points.labels.of, (std::vector<Index>{0, 1, 0}));
    EXPECT_EQ(values(points), (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(Table, NumericLabelsAscend) {
    const Points points = read("x,y,Label\n1,2,10\n3,4,9\n5,6,10\n");
    EXPECT_EQ(points.labels.names, (Strings{"9", "10"}));
    EXPECT_EQ(points.labels.of, (std::vector<Index>{1, 0, 1}));
    EXPECT_EQ(points.values.cols(), 2);
}

TEST(Table, TakesColumnsByNameAndByNumber) {
    const std::string text = "9,1,2,0\n12345678901234567890,3,4,1\n";
    const Points points = read(text, {.labels = "4", .ids = "1"});
    EXPECT_EQ(points.ids, (Strings{"9", "12345678901234567890"}));
    EXPECT_EQ(points.labels.names, (Strings{"0", "1"}));
    EXPECT_EQ(values(points), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(read("a,b\n1,2\n3,4\n", {.labels = "b"}).labels.names, (Strings{"2", "4"}));
}

TEST(Table, KnowsFamiliarFirstLines) {
    const Points iris = read("3,2,setosa,virginica\n5,3,0\n4,3,1\n4,4,0\n");
    EXPECT_EQ(iris.labels.names, (Strings{"setosa", "virginica"}));
    EXPECT_EQ(values(iris), (Floats{5, 3, 4, 3, 4, 4}));
    EXPECT_EQ(values(read("0,1,2\n5,3,0\n4,3,1\n")), (Floats{5, 3, 0, 4, 3, 1}));
    EXPECT_EQ(values(read("label,1,2\n7,3,0\n8,3,1\n")), (Floats{3, 0, 3, 1}));
    const Points pandas = read(",0,1\n0,5,3\n1,4,3\n");
    EXPECT_EQ(values(pandas), (Floats{5, 3, 4, 3}));
    EXPECT_EQ(pandas.ids, (Strings{"0", "1"}));
    const Points r = read("\"a\" \"b\"\n\"u\" 5 3\n\"v\" 4 3\n");
    EXPECT_EQ(r.ids, (Strings{"u", "v"}));
    EXPECT_EQ(r.columns, (Strings{"a", "b"}));
}

/// The notes of reading `text`, one after the other.
std::string said(const std::string& text, const ReadOptions& options = {}) {
    std::string all;
    for (const Note& note : read(text, options).notes) all += note.what + "\n";
    return all;
}

TEST(Table, NumbersThatNameRowsAreIds) {
    for (const std::string title :
         {"CustomerID", "EntrezID", "OBJECTID", "FID", "rowid", "ID number", "No.", "Serial No", "Obs.", "rowname",
          "Column1", "X", "...1", "Unnamed: 0.1", "case_no", "patient id"}) {
        const Points points = read(title + ",b,c\n3,1,2\n4,2,7\n9,4,1\n");
        EXPECT_EQ(points.ids, (Strings{"3", "4", "9"})) << title;
        EXPECT_EQ(points.notes.size(), 1U) << title;
    }
    EXPECT_EQ(read("n,b,c\n0001,1,2\n0002,2,7\n0003,4,1\n").ids.back(), "0003");
    EXPECT_EQ(read("0001,1,2\n0002,2,7\n").ids.back(), "0002");
    EXPECT_EQ(read("id_2,b,c\n3.0,1,2\n4.0,2,7\n").ids.back(), "4.0");
    EXPECT_EQ(read("Unnamed: 0.1,Unnamed: 0,a\n0,0,5\n1,1,7\n").columns, Strings{"a"});
    EXPECT_EQ(read(",CustomerID,a\n0,71,5\n1,17,7\n").ids, (Strings{"71", "17"}));
    for (const std::string text : {"X,Y\n1,5\n2,7\n", "Column1,Column2\n1,5\n2,7\n", "grid,b\n1,5\n2,7\n",
                                   "001,002\n003,004\n", "x,b\n1,5\n2,7\n", "mass,b\n1,5\n2,7\n"}) {
        EXPECT_EQ(read(text).values.cols(), 2) << text;
        EXPECT_TRUE(read(text).ids.empty()) << text;
    }
}

TEST(Table, IdsThatRepeatGiveALine) {
    EXPECT_NE(said("patient_id,b\n7,1\n8,2\n7,3\n").find("7 is in several rows"), std::string::npos);
    EXPECT_NE(said("zip,b\n01234,1\n90210,2\n01234,3\n").find("begin with zeros"), std::string::npos);
    const std::string names = "name,b\nu,1\nv,2\nw,3\nx,4\nu,5\n";
    EXPECT_EQ(read(names).ids.size(), 5U);
    EXPECT_TRUE(read(names).labels.empty());
    EXPECT_NE(said(names).find("'u' is in several rows"), std::string::npos);
    EXPECT_EQ(read("sample,b\nu,1\nv,2\nu,3\nv,4\n").labels.names, (Strings{"u", "v"}));
    EXPECT_NE(said("city,b\nu,1\nv,2\nw,3\nx,4\nu,5\n").find("as labels"), std::string::npos);
    EXPECT_EQ(said("kind,b\nu,1\nv,2\nu,3\nv,4\n"), "");
}

TEST(Table, ASingleRowHasItsId) {
    EXPECT_EQ(read("name,b\nu,1\n").ids, Strings{"u"});
    EXPECT_EQ(read("sample,b\nu,1\n").ids, Strings{"u"});
    EXPECT_EQ(read("\x01id,x,y,labe\nu,2,3,a\n").values.rows(), 1);
    EXPECT_EQ(read(" 3:2 # c\n-1 qid:7 2:-1\n", {.decimal = Decimal::point}).values.rows(), 1);
}

TEST(Table, WhatIsMeasuredIsNoClass) {
    const std::string text = "a,target\n1,151.0\n2,75.5\n3,60\n";
    EXPECT_TRUE(read(text).labels.empty());
    EXPECT_EQ(read(text).columns, Strings{"a"});
    EXPECT_NE(said(text).find("75.5"), std::string::npos);
    EXPECT_EQ(read(text, {.labels = "target"}).labels.names.size(), 3U);
    EXPECT_EQ(read("id,target\nu,1.5\nv,2\n").columns, Strings{"target"});
    EXPECT_EQ(read("a,class\n1,0.0\n2,1.0\n").labels.names.size(), 2U);
    EXPECT_EQ(table_column(Bytes::copy(text, "t.csv"), "target").values, (std::vector<double>{151, 75.5, 60}));
    EXPECT_EQ(read_label_column(Bytes::copy("id,target\nu,1.5\nv,2\n", "l.csv"), "").labels.names.size(), 2U);
    const Bytes words = Bytes::copy("id,full name,n\r\nu,\"A, B\",1\r\nv,,2\r\nw,c,3\r\n", "l.csv");
    EXPECT_TRUE(read_words(words, "full name").notes.empty());  // names may all differ
    EXPECT_FALSE(read_label_column(words, "n").notes.empty());
}

TEST(Table, NumbersBeyondTheTypesAreRefused) {
    EXPECT_NE(complaint("a,b\n1e-50,2\n2e-50,4\n").find("column 1 'a' are too small"), std::string::npos);
    EXPECT_NE(complaint("s,a,b\nu,2,0\nv,4,-1e-44\n").find("column 3 'b' are too small"), std::string::npos);
    EXPECT_EQ(read("a\n1e-50\n1\n").values.rows(), 2);
    EXPECT_EQ(read("a,b\n1e-50,2\n", {.shift = std::vector<double>{}}).values.rows(), 1);  // beside others
    EXPECT_NE(complaint("a\n9007199254740993\n9007199254740992\n").find("t.csv:3: column 1 'a'"), std::string::npos);
    EXPECT_EQ(read("a\n9007199254740992\n+9007199254740992\n9007199254740994\n").values.rows(), 3);
    EXPECT_EQ(read("a,label\n1,9007199254740993\n2,9007199254740992\n").labels.names.size(), 2U);
}

TEST(Table, LabelsAreNamesOfFeaturesOnlyWhereTheyDiffer) {
    const Points points = read("a,b,label\n1,2,x\n3,4,y\n5,6,x\n", {.transpose = true});
    EXPECT_TRUE(points.columns.empty());
    ASSERT_EQ(points.notes.size(), 1U);
    EXPECT_NE(points.notes[0].what.find("without column 3 'label'"), std::string::npos);
}

TEST(Table, ReadsWordVectors) {
    const Points points = read("the 0.5 1\n, 2 3\n\" 4 5\nw/o 6 7\n");
    EXPECT_EQ(read("class 0.5 1\nof 2 3\n").values.rows(), 2);
    EXPECT_EQ(points.ids, (Strings{"the", ",", "\"", "w/o"}));
    EXPECT_EQ(values(points), (Floats{0.5F, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Table, Transposes) {
    const Points points = read("term,d1,d2\nu,1,2\nv,3,4\nw,5,6\n", {.transpose = true});
    EXPECT_EQ(values(points), (Floats{1, 3, 5, 2, 4, 6}));
    EXPECT_EQ(points.ids, (Strings{"d1", "d2"}));
    EXPECT_EQ(points.columns, (Strings{"u", "v", "w"}));
}

TEST(Table, TransposedEmptyCellsAreRefused) {
    const std::string found = complaint("\t\t\t\t", {.labels = "2", .ids = "1", .transpose = true});
    EXPECT_NE(found.find("only empty cells"), std::string::npos) << found;
}

TEST(Table, AHugeOffsetCostsNothing) {
    std::string plain, offset;
    for (int i = 0; i < 200; ++i) {
        plain += fmt::format("{},{}\n", 0.001 * i, i % 7);
        offset += fmt::format("{:.3f},{}\n", 1e6 + 0.001 * i, i == 0 ? 0 : 1000000 + i % 7);
    }
    const Points a = read(plain), b = read(offset);
    EXPECT_TRUE(a.shift.empty());
    ASSERT_EQ(b.shift.size(), 2U);
    for (Index i = 1; i < 200; ++i) {
        EXPECT_NEAR(b.values.view()(i, 0) + (b.shift[0] - 1e6), a.values.view()(i, 0), 3e-8);
        EXPECT_EQ(b.values.view()(i, 1) + (b.shift[1] - 1e6), a.values.view()(i, 1));
    }
}

TEST(Table, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(complaint("1,2\n3,4\n5\n"), "t.csv:3: row 3 has 1 columns where 2 were expected; correct the row");
    EXPECT_EQ(complaint("a,b\n1,2\n\n3,4,5\n"), "t.csv:4: row 2 has 3 columns where 2 were expected; correct the row");
    EXPECT_EQ(
        complaint("a,b\n1,2\n3,four\n5,6\n"),
        "t.csv:3: row 2, column 2 'b': 'four' is not a number; correct it, or name the column as labels or ids if "
        "it holds words");
    EXPECT_EQ(
        complaint("a,b\n1,2\n3,\n5,6\n"),
        "t.csv:3: row 2, column 2 'b': the cell is empty; remove the row, or have such cells filled (fill: mean)");
    for (const char* word : {"nan", "inf", "-Infinity", "NA", "?"}) {
        const bool is_infinite = std::string(word).find('f') != std::string::npos;
        EXPECT_EQ(complaint("1,2\n3," + std::string(word) + "\n5,6\n"),
                  "t.csv:2: row 2, column 2: '" + std::string(word) + "' is not a finite number; remove the row" +
                      (is_infinite ? " or fill the value in" : ", or have such cells filled (fill: mean)"));
    }
    EXPECT_NE(complaint("1,2\n1e39,3\n4,5\n").find("too large for float32"), std::string::npos);
    EXPECT_NE(complaint("").find("empty"), std::string::npos);
    EXPECT_NE(complaint("\n\n").find("empty"), std::string::npos);
    EXPECT_EQ(complaint("a,b\n5,2,3\n6,4,5\n"), "t.csv:2: row 1 has 3 columns where 2 were expected; correct the row");
    EXPECT_NE(complaint("a,b\n").find("no rows"), std::string::npos);
    EXPECT_NE(complaint("a,b\n1,\"2\n").find("quote"), std::string::npos);
    EXPECT_NE(complaint(std::string("1,2\n\0", 5)).find("not text"), std::string::npos);
    EXPECT_NE(complaint("x\nu\nv\n").find("no column of numbers"), std::string::npos);
    EXPECT_NE(complaint("1,p,q\n2,p,q\n3,r,s\n").find("both hold words"), std::string::npos);
    EXPECT_NE(complaint("class,a,label\n1,2,3\n4,5,6\n").find("could both be the label"), std::string::npos);
}

TEST(Table, AColumnThatLooksLikeNumbersIsRefused) {
    EXPECT_EQ(complaint("v,x\n5%,1\n7%,2\n"),
              "t.csv:2: row 1, column 1 'v': '5%' has a percent sign, and the column looks like numbers; write plain "
              "numbers, or name the column as labels or ids if it holds words");
    EXPECT_EQ(read("v,x\n5%,1\n7%,2\n", {.ids = "v"}).ids, (Strings{"5%", "7%"}));
    EXPECT_NE(complaint("5%\n7%\n").find("looks like numbers"), std::string::npos) << "the only column";
    EXPECT_NE(complaint("v,x\nND,1\n0.5,2\nND,3\n0.7,4\nND,5\n").find("'ND'"), std::string::npos) << "mixed";
    const std::string labeled = "k,v,w,x\na,5%,m,1\na,7%,n,2\nb,5%,m,3\n";
    const Points named = read(labeled, {.labels = "k", .ids = "w"});
    ASSERT_EQ(named.notes.size(), 1U) << "labels and ids are other columns";
    EXPECT_NE(named.notes[0].what.find("without column 2 'v'"), std::string::npos);
}

TEST(Table, AFirstRowOfNumbersMayBeAHeader) {
    const Points years = read("place,1990,2000\nu,5,3\nv,4,2\n");
    EXPECT_EQ(years.columns, (Strings{"1990", "2000"}));
    EXPECT_EQ(years.ids, (Strings{"u", "v"}));
    ASSERT_EQ(years.notes.size(), 1U);
    EXPECT_EQ(read("1,2,3\n0.5,1.5,2.25\n0.25,1.5,2.5\n").columns, (Strings{"1", "2", "3"}));
    const Points values = read("1,2,3,4\n4,3,1,2\n");
    EXPECT_EQ(values.values.rows(), 2);
    ASSERT_EQ(values.notes.size(), 1U);
    EXPECT_NE(values.notes[0].what.find("as values"), std::string::npos);
    for (const char* plain : {"1,2\n3,4\n", "1,2,3\n4,5,6\n", "5,3,2\n1,1,4\n", "1990,2000\n1995,2010\n", "7\n0.5\n"})
        EXPECT_TRUE(read(plain).notes.empty()) << plain;
}

TEST(Table, ALineNamesTheDelimiter) {
    for (const std::string head : {"sep=;\n", "\xef\xbb\xbfSEP=;\r\n", "\"sep=;\"\r"})
        EXPECT_EQ(values(read(head + "1;2\n3;4\n")), (Floats{1, 2, 3, 4})) << head;
    EXPECT_EQ(values(read("1|2\n3|4\n")), (Floats{1, 2, 3, 4}));
    EXPECT_NE(complaint("sep=:\n1:2\n").find("the delimiter ':'"), std::string::npos);
    EXPECT_EQ(complaint("sep=,\n1,2\n3,\n"),
              "t.csv:3: row 2, column 2: the cell is empty; remove the row, or have such cells filled (fill: mean)");
    EXPECT_NE(complaint("sep=;\n"), "");
}

TEST(Table, AnAmbiguousNameIsTheCallersFault) {
    EXPECT_NE(refusal(Fault::bad_input, [] { read("a,a\n1,2\n3,4\n", {.labels = "a"}); }), "");
    EXPECT_THROW(read("a,b\n1,2\n3,4\n", {.ids = "c"}), Error);
}

TEST(Table, AColumnIsFoundByItsNameOrItsNumberInTheFile) {
    const std::string text = "id,v,kind,w,label\na,1.5,x,1,1\nb,,x,1000000001.25,0\nc,nan,y,3,1\n";
    const auto column = [&](const std::string& name) { return table_column(Bytes::copy(text, "t.csv"), name); };
    for (const char* name : {"v", "2"}) {
        const NumberColumn found = column(name);
        EXPECT_EQ(found.name, "v");
        EXPECT_EQ(found.ids, (Strings{"a", "b", "c"}));
        EXPECT_EQ(found.values[0], 1.5);
        EXPECT_TRUE(std::isnan(found.values[1]) && std::isnan(found.values[2]));
    }
    EXPECT_EQ(column("4").name, "w");
    EXPECT_EQ(column("label").values, (std::vector<double>{1, 0, 1}));
    EXPECT_NE(refusal(Fault::bad_file, [&] { column("kind"); }).find("column 3 'kind' holds words such as"),
              std::string::npos);
    const std::string missing = refusal(Fault::bad_file, [&] { column("6"); });
    EXPECT_NE(missing.find("its columns are id, v, kind, w, label or 1 to 5"), std::string::npos) << missing;
    const NumberColumn bare = table_column(Bytes::copy("1,2\n3,4\n", "t.csv"), "2");
    EXPECT_EQ(bare.values, (std::vector<double>{2, 4}));
    EXPECT_TRUE(bare.ids.empty());
}

TEST(Table, ATitleAboveTheNamesOfColumnsIsRefused) {
    const std::string remedy = "is a title above the names of the columns; remove the line";
    for (const std::string text :
         {"Sales 2020\n\na,b,kind\n1.5,2,x\n2,3,y\n", "Sales 2020,,\na,b,kind\n1.5,2,x\n2,3,y\n"})
        EXPECT_EQ(complaint(text), "t.csv:1: 'Sales 2020' " + remedy);
}

TEST(Table, ADelimiterAtTheEndOfTheHeaderAloneAddsNoColumn) {
    const Points points = read("id,kind,r,\n1,M,2.5\n2,B,2\n3,B,1\n");
    EXPECT_EQ(values(points), (Floats{2.5, 2, 1}));
    EXPECT_EQ(points.ids, (std::vector<std::string>{"1", "2", "3"}));
    ASSERT_FALSE(points.notes.empty());
    EXPECT_NE(points.notes[0].what.find("without the empty name at the end of the header"), std::string::npos);
}

TEST(Table, AColumnCalledLabelLeavesOtherWordsOut) {
    const Points points = read("id,text,x,label\n1,aa b,1,u\n2,cc d,2,v\n3,aa b,3,u\n");
    EXPECT_EQ(points.labels.names, (std::vector<std::string>{"u", "v"}));
    ASSERT_FALSE(points.notes.empty());
    EXPECT_NE(points.notes.back().what.find("'text'"), std::string::npos);
}

TEST(Table, ErrorsOfSpreadsheetsAreMissing) {
    for (const std::string error : {"#DIV/0!", "#N/A", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#NV"})
        EXPECT_NE(complaint("a,b\n1,2\n3," + error + "\n5,6\n").find("(fill: mean)"), std::string::npos) << error;
}

TEST(Table, ThousandsBesideSmallerWholeNumbersAreRefused) {
    for (const std::string text :
         {"a;b\n1.050;x\n971;y\n3.628;z\n", "a;b\n1.051;x\n971;y\n3.628;z\n", "a;b\n980.120;x\n35;y\n"})
        EXPECT_NE(complaint(text).find("may separate thousands"), std::string::npos) << text;
    EXPECT_EQ(values(read("a;b\n1.050;1\n971;2\n3.628;3\n", {.decimal = Decimal::point})),
              (Floats{1.05F, 1, 971, 2, 3.628F, 3}));
    // Decimals: some have fewer digits, or the whole numbers are no larger
    for (const std::string text :
         {"a;b\n1.05;1\n971;2\n3.628;3\n", "a;b\n1.125;1\n1;2\n3.375;3\n", "a;b\n0.125;1\n971;2\n0.250;3\n"})
        EXPECT_EQ(read(text).values.rows(), 3) << text;
}

TEST(Table, RowsOfEmptyCellsAreNone) {
    const Points points = read("id;x;y\n1;0.5;2\n2;1.5;3\n;;\n3;2.5;5\n;;\n");
    EXPECT_EQ(values(points), (Floats{0.5F, 2, 1.5F, 3, 2.5F, 5}));
    EXPECT_EQ(points.ids.size(), 3U);
    EXPECT_EQ(points.notes.back().what, "read without 2 rows whose cells are all empty");
    EXPECT_EQ(read("x,y\n1,2\n,\n3,4\n", {.fill = "mean"}).values.rows(), 2);
    EXPECT_EQ(read("x,y\n1,2\n,\n3,4\n", {.missing = true}).values.rows(), 3);  // a map in which a point has no place
}

}  // namespace
}  // namespace dunlin::io
