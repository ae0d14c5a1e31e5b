// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <dunlin/labels.hpp>

#include "io/readers.hpp"

namespace dunlin::io {
namespace {

using Codes = std::vector<Index>;
using Names = std::vector<std::string>;

Labels labels_of(const std::string& name, const std::string& text) { return read_labels(Bytes::copy(text, name)); }

TEST(MissingLabels, AreTheWordsOfPandas) {
    for (const char* word : {"", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "NULL", "null", "None", "<NA>", "NaT",
                             "#N/A", "?", "-", "--", ".", "..", "\xe2\x80\x93"})
        EXPECT_TRUE(is_missing_label(word)) << word;
    for (const char* word : {"na", "none", "Null", "0", "-1", "+", "+-", "...", "!", "NaNa", "no label", "unknown"})
        EXPECT_FALSE(is_missing_label(word)) << word;
}

TEST(MissingLabels, LeaveTheOrderOfNumbers) {
    const Labels labels = settled({{0, 1, 2, 3, no_label}, {"10", "", "2", "nan"}});
    EXPECT_EQ(labels.names, (Names{"2", "10"}));
    EXPECT_EQ(labels.of, (Codes{1, no_label, 0, no_label, no_label}));
    EXPECT_EQ(unlabeled(labels), 3);
    EXPECT_TRUE(settled({}).empty());
    const Labels none = settled({{0, 0}, {"NA"}});
    EXPECT_TRUE(none.names.empty());
    EXPECT_EQ(none.of, (Codes{no_label, no_label}));
}

TEST(MissingLabels, AreReadFromEveryFormat) {
    const Codes codes{0, no_label, 1};
    EXPECT_EQ(labels_of("l.txt", "a\nNA\nb\n").of, codes);
    EXPECT_EQ(labels_of("l.txt", "a\n\"\"\nb\n").of, codes);
    EXPECT_EQ(labels_of("l.csv", "x,label\n1,a\n2,\n3,b\n").of, codes);
    EXPECT_EQ(labels_of("l.tsv", "label\tx\n10\t1\n<NA>\t2\n9\t3\n").of, (Codes{1, no_label, 0}));
    EXPECT_EQ(read_points(Bytes::copy("x,y,kind\n1,2,a\n2,3,\n3,4,b\n4,5,a\n", "p.csv"), {}).labels.of,
              (Codes{0, no_label, 1, 0}));
    EXPECT_EQ(read_points(Bytes::copy("1 1:2\nnan 1:3\n0 1:4\n", "p.svm"), {}).labels.of, (Codes{1, no_label, 0}));
    EXPECT_EQ(
        read_map(Bytes::copy(R"({"coordinates": [[1], [2], [3]], "labels": ["a", null, 7]})", "m.json")).labels.of,
        codes);
    std::string npy("\x93NUMPY\x01\0\x76\0", 10);
    npy += "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}";
    npy.resize(128, ' ');
    npy.back() = '\n';
    for (const double value : {2.0, std::nan(""), 5.0}) npy.append(reinterpret_cast<const char*>(&value), sizeof value);
    EXPECT_EQ(labels_of("l.npy", npy).of, codes);
}

TEST(MissingLabels, AMinusBesideAPlusIsAClass) {
    EXPECT_EQ(settled({{0, 1, 2}, {"+", "-", "?"}}).names, (Names{"+", "-"}));
    EXPECT_EQ(settled({{0, 1, 2}, {"++", "--", "-"}}).names, (Names{"++", "--", "-"}));
    EXPECT_EQ(settled({{0, 1}, {"a+", "-"}}).names, (Names{"a+"}));
    const Points points = read_points(Bytes::copy("a,b,class\n1,2,x\n2,1,?\n3,5,y\n4,4,-\n5,1,.\n", "p.csv"), {});
    EXPECT_EQ(points.labels.names, (Names{"x", "y"}));
    EXPECT_EQ(points.labels.of, (Codes{0, no_label, 1, no_label, no_label}));
    EXPECT_EQ(labels_of("l.txt", "+\n-\n+\n").of, (Codes{0, 1, 0}));
}

TEST(MissingLabels, AreNoIds) {
    const Points points = read_points(Bytes::copy("id,x,y\nNA,1,2\nNone,3,4\n", "p.csv"), {});
    EXPECT_EQ(points.ids, (Names{"NA", "None"}));
    EXPECT_EQ(read_points(Bytes::copy("name,x,y\nNA,1,2\nNone,3,4\nnull,5,6\n", "p.csv"), {.ids = "name"}).ids,
              (Names{"NA", "None", "null"}));
}

}  // namespace
}  // namespace dunlin::io
