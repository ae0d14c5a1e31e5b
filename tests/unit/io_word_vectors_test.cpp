// SPDX-License-Identifier: Apache-2.0
// Vectors of tokens.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <cstring>

#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Names = std::vector<std::string>;
using Floats = std::vector<float>;

Points read(const std::string& text, const std::string& name = "a.txt", const ReadOptions& options = {}) {
    return read_points(Bytes::copy(text, name), options);
}
std::string refused(const std::string& text, const std::string& name = "a.txt", const ReadOptions& options = {}) {
    return refusal([&] { (void)read(text, name, options); });
}
Floats values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

TEST(WordVectors, TextWithCounts) {
    for (const char* text : {"3 2\nthe 1 2\n, 3 4\n\" 5 -6.5\n", "3 2\r\nthe 1 2 \r\n, 3 4 \r\n\" 5 -6.5 \r\n",
                             "3\t2\nthe\t1\t2\n,\t3\t4\n\"\t5\t-6.5"}) {
        const Points points = read(text);
        EXPECT_EQ(points.ids, (Names{"the", ",", "\""})) << text;
        EXPECT_EQ(values(points), (Floats{1, 2, 3, 4, 5, -6.5F})) << text;
        EXPECT_EQ(points.kind, "word vectors");
        EXPECT_TRUE(points.notes.empty() && points.labels.empty());
        EXPECT_EQ(guess(Bytes::copy(text, "a.txt"), {}).holds, Holds::points);
    }
    EXPECT_EQ(read("1 2\n# 1 2\n", "a.vec").ids, Names{"#"});
    EXPECT_EQ(read("2 4\nkm / h 1 2 3 4\n1 5 6 7 8\n").ids, (Names{"km / h", "1"}));
}

TEST(WordVectors, VerticesOfNode2vec) {
    const std::string text = "3 4\n34 .1 .2 .3 .4\n1 .5 .6 .7 .8\n33 .9 1 1.1 1.2\n";
    EXPECT_EQ(read(text, "karate.emb").ids, (Names{"34", "1", "33"}));
    EXPECT_EQ(read(text, "karate.emb", {.ids = "1"}).ids, (Names{"34", "1", "33"}));
    EXPECT_NE(refused(text, "karate.emb", {.ids = "2"}).find("first column"), std::string::npos);
}

TEST(WordVectors, CountsThatAreWrongAreSaid) {
    const Points points = read("9 4\na 1 2 3 4\nb 1 2 3 4\n");
    ASSERT_EQ(points.notes.size(), 1U);
    EXPECT_NE(points.notes[0].what.find("2 rows, where its first line says 9"), std::string::npos);
}

TEST(WordVectors, SayWhichLineIsWrong) {
    EXPECT_NE(refused("2 4\na 1 2 3 4\nb 1 2 3\n").find("a.txt:3: 4 fields where a token and 4 numbers"),
              std::string::npos)
        << refused("2 4\na 1 2 3 4\nb 1 2 3\n");
    EXPECT_NE(refused("2 4\na 1 2 3 4\nb 1 2 nan 3\n").find("a.txt:3: 'nan' is not a number"), std::string::npos);
    EXPECT_NE(refused("2 4\na 1 2 3 4\nb 1 2 1e39 3\n").find("a.txt:3"), std::string::npos);
    EXPECT_FALSE(refused("2 4\na 1 2 3 4\n", "a.txt", {.transpose = true}).empty());
}

TEST(WordVectors, TwoCountsAboveEdgesOrPointsAreNone) {
    EXPECT_NE(read("4 2\n1 2\n2 3\n").kind, "word vectors");
    EXPECT_NE(refused("5 2\n1 2 .5\n2 3 .5\n").find("row 2 has 3 columns"), std::string::npos);  // 5 vertices, 2 edges
    EXPECT_NE(read("x y\n1 2\n").kind, "word vectors");
}

std::string row_of(const std::string& token, std::size_t dims, double first) {
    std::string row = token;
    for (std::size_t d = 0; d < dims; ++d) row += fmt::format(" {}", first + static_cast<double>(d) / 8);
    return row + "\n";
}

TEST(WordVectors, WithoutCountsTokensMayHaveBlanks) {
    std::string text;
    const Names tokens{"the", ",", "\"", ". . .", "#", "at name@domain.com", "2", "''"};
    for (std::size_t t = 0; t < tokens.size(); ++t) text += row_of(tokens[t], 8, static_cast<double>(t));
    const Points points = read(text, "glove.txt");
    EXPECT_EQ(points.ids, tokens);
    EXPECT_EQ(points.values.cols(), 8);
    EXPECT_EQ(points.values.view()(3, 7), 3.875F);
}

TEST(WordVectors, ClassesAboveNumbersAreLabels) {
    std::string text;
    for (int r = 0; r < 6; ++r) text += row_of(r % 2 == 0 ? "setosa" : "virginica", 8, r);
    EXPECT_EQ(read(text).labels.names, (Names{"setosa", "virginica"}));
    // Words that differ at first and repeat later
    text.clear();
    for (int r = 0; r < 200; ++r) text += row_of(fmt::format("w{}", r % 40), 8, r);
    EXPECT_EQ(read(text).labels.names.size(), 40U);
    // A symmetric matrix with names is one of dissimilarities
    text.clear();
    for (int i = 0; i < 9; ++i) {
        text += fmt::format("item{}", i);
        for (int j = 0; j < 9; ++j) text += fmt::format(" {}", std::abs(i - j));
        text += '\n';
    }
    EXPECT_EQ(guess(Bytes::copy(text, "a.txt"), {}).holds, Holds::dissimilarities);
}

std::string packed(const Floats& floats) {
    std::string bytes(floats.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), floats.data(), bytes.size());
    return bytes;
}

TEST(WordVectors, Binary) {
    const Floats first{1, 2}, second{3, 4};
    for (const char* end : {"", "\n"}) {
        const std::string text = "2 2\nthe " + packed(first) + end + "\xc3\xa9t\xc3\xa9 " + packed(second) + end;
        const Points points = read(text, "w2v.bin");
        EXPECT_EQ(points.ids, (Names{"the", "\xc3\xa9t\xc3\xa9"}));
        EXPECT_EQ(values(points), (Floats{1, 2, 3, 4}));
        EXPECT_NE(refused(text.substr(0, text.size() - 3), "w2v.bin").find("truncated"), std::string::npos);
        EXPECT_NE(refused(text + "more", "w2v.bin").find("4 bytes after its 2 rows"), std::string::npos);
    }
    EXPECT_NE(refused("2 2000000000\na b", "w2v.bin").find("truncated"), std::string::npos);
    EXPECT_NE(refused("18446744073709551615 4\na b", "w2v.bin").find("truncated"), std::string::npos);
    EXPECT_NE(refused("1 1\na " + packed({INFINITY}), "w2v.bin"), "");
    EXPECT_NE(refused("1 1\n " + packed({1}), "w2v.bin").find("row 1 is empty"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::io
