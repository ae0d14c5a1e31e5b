// SPDX-License-Identifier: Apache-2.0
// Texts of dissimilarities that are no square table.
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/square.hpp>

#include "folder.hpp"
#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Names = std::vector<std::string>;
using Floats = std::vector<float>;

/// The entries below the diagonal of four items, row by row.
const Floats below{1, 2, 3, 4, 5, 6};

class Triangles : public InFolder {
protected:
    [[nodiscard]] Square read(const std::string& text, const std::string& name = "t.txt",
                              Holds holds = Holds::dissimilarities) const {
        ReadOptions options;
        options.holds = holds;
        return read_square(put(name, text), options);
    }
    [[nodiscard]] std::string refused(const std::string& text, const std::string& name = "t.txt") const {
        return refusal([&] { (void)read(text, name); });
    }
};

/// The entries below the diagonal, after a check that the matrix is symmetric with a diagonal of zeros.
Floats lower_of(const Square& square) {
    const auto m = square.values.view();
    Floats found;
    for (Index i = 0; i < m.rows; ++i) {
        EXPECT_EQ(m(i, i), 0);
        for (Index j = 0; j < i; ++j) {
            EXPECT_TRUE(m(i, j) == m(j, i) || (std::isnan(m(i, j)) && std::isnan(m(j, i)))) << i << ", " << j;
            found.push_back(m(i, j));
        }
    }
    return found;
}

TEST_F(Triangles, OfPhylip) {
    const Names names{"Alpha", "Beta", "C", "D"};
    for (const char* text :
         {"4\nAlpha 0 1 2 4\nBeta 1 0 3 5\nC 2 3 0 6\nD 4 5 6 0\n",
          "   4\r\nAlpha\r\nBeta\t1\r\nC\t2\t3\r\nD\t4\t5\t6\r\n", "4\nAlpha 0\nBeta 1 0\nC 2 3 0\nD 4 5 6 0",
          "4\nAlpha 1 2 4\nBeta 3 5\nC 6\nD\n", "4\nAlpha 0 1 2 4\nBeta 0 3 5\nC 0 6\nD 0\n",
          "4\nAlpha\n0 1\n2 4\nBeta 1 0\n 3 5\nC 2 3 0 6\nD 4 5 6 0\n"}) {
        const Square square = read(text, "a.phy", Holds::automatic);
        EXPECT_EQ(lower_of(square), below) << text;
        EXPECT_EQ(square.ids, names) << text;
        EXPECT_EQ(square.kind, "phylip");
        EXPECT_EQ(guess(Bytes::copy(text, "a.phy"), {}).holds, Holds::dissimilarities) << text;
    }
    EXPECT_EQ(read("4\n1 0 1 2 4\n2 1 0 3 5\n3 2 3 0 6\n4 4 5 6 0\n").ids, (Names{"1", "2", "3", "4"}));
}

TEST_F(Triangles, OfPhylipWithNamesOfTenCharacters) {
    const Square square = read("3\nHomo sap  0.0 1.0 2.0\nPan trogl 1.0 0.0 3.0\nGorilla_go2.0 3.0 0.0\n");
    EXPECT_EQ(square.ids, (Names{"Homo sap", "Pan trogl", "Gorilla_go"}));
    EXPECT_EQ(lower_of(square), (Floats{1, 2, 3}));
}

TEST_F(Triangles, OfPhylipWithNamesThatEndAtTabs) {
    const Square square = read("3\nA B\t0\t1\t2\nC D\t1\t0\t3\nE F\t2\t3\t0\n");
    EXPECT_EQ(square.ids, (Names{"A B", "C D", "E F"}));
    EXPECT_EQ(lower_of(square), (Floats{1, 2, 3}));
}

TEST_F(Triangles, OfPhylipThatDoNotFitAreRefusedWithTheirLine) {
    EXPECT_NE(refused("4\nA\nB 1\nC 2\nD 4 5 6\n").find("t.txt:4: the first line says 4 items"), std::string::npos)
        << refused("4\nA\nB 1\nC 2\nD 4 5 6\n");
    EXPECT_NE(refused("5\nA\nB 1\nC 2 3\n").find("5 items of PHYLIP; there are 3 rows"), std::string::npos);
}

TEST_F(Triangles, WithoutNames) {
    for (const char* text : {"0\n1 0\n2 3 0\n4 5 6 0\n", "1\n2 3\n4 5 6\n", "\n1\n2,3\n4,5,6\n",
                             "0,1,2,4\n0,3,5\n0,6\n0\n", "1 2 4\n3 5\n6\n", "1\t\n2\t3\t\n4\t5\t6\t\n"}) {
        const Square square = read(text, "t.txt", Holds::automatic);
        EXPECT_EQ(lower_of(square), below) << text;
        EXPECT_TRUE(square.ids.empty());
        ASSERT_EQ(square.notes.size(), 1U);
        EXPECT_NE(square.notes[0].what.find("of 4 items"), std::string::npos) << square.notes[0].what;
        EXPECT_EQ(guess(Bytes::copy(text, "t.txt"), {}).holds, Holds::dissimilarities) << text;
    }
    EXPECT_EQ(lower_of(read("0\n1,5;0\n2;3;0\n")), (Floats{1.5F, 2, 3}));
}

TEST_F(Triangles, WithNames) {
    for (const char* text : {"a\nb 1\nc 2 3\nd 4 5 6\n", "a,0\nb,1,0\nc,2,3,0\nd,4,5,6,0\n", "a 1 2 4\nb 3 5\nc 6\nd\n",
                             "\"a\" 0 1 2 4\nb 0 3 5\nc 0 6\nd 0\n"}) {
        const Square square = read(text);
        EXPECT_EQ(lower_of(square), below) << text;
        EXPECT_EQ(square.ids, (Names{"a", "b", "c", "d"})) << text;
    }
}

TEST_F(Triangles, HaveMissingEntries) {
    const Floats found = lower_of(read("0\nNA 0\n2 3 0\n"));
    EXPECT_TRUE(std::isnan(found[0]));
    EXPECT_EQ(found[2], 3);
}

TEST_F(Triangles, TwoRowsAreOneOnlyIfTheCallerSaysSo) {
    EXPECT_EQ(lower_of(read("1\n2 3\n")), (Floats{1, 2, 3}));
    EXPECT_FALSE(refusal([&] { (void)read("1\n2 3\n", "t.txt", Holds::automatic); }).empty());
}

TEST_F(Triangles, ThatDoNotGoOnAreRefusedWithTheirLine) {
    EXPECT_NE(refused("0\n1 0\n2 3 0\n4 5 0\n").find("t.txt:4: row 4 of a lower triangle"), std::string::npos)
        << refused("0\n1 0\n2 3 0\n4 5 0\n");
    EXPECT_FALSE(refused("0\n1 0\n2 x 0\n").empty());
}

TEST_F(Triangles, OfR) {
    const std::string words = "    a   b   c\nb   1        \nc   2   3    \nd   4   5   6\n";
    const std::string numbers = "  1 2 3\n2 1    \n3 2 3  \n4 4 5 6\n";
    const std::string diagonal = "  a b c d\na 0\nb 1 0\nc 2 3 0\nd 4 5 6 0\n";
    const std::string blocks = "  a b\nb 1\nc 2 3\nd 4 5\n  c\nb\nc\nd 6\n";
    const std::string blocks_with_diagonal = "  a b\na 0\nb 1 0\nc 2 3\nd 4 5\n  c d\na\nb\nc 0\nd 6 0\n";
    for (const std::string& text : {words, numbers, diagonal, blocks, blocks_with_diagonal}) {
        const Square square = read(text, "d.txt", Holds::automatic);
        EXPECT_EQ(lower_of(square), below) << text;
        EXPECT_EQ(square.ids, text == numbers ? (Names{"1", "2", "3", "4"}) : (Names{"a", "b", "c", "d"})) << text;
        EXPECT_EQ(guess(Bytes::copy(text, "d.txt"), {}).holds, Holds::dissimilarities) << text;
    }
    EXPECT_EQ(lower_of(read("  1\n2 0.5\n")), (Floats{0.5F}));
    EXPECT_NE(refused("  a b c\nb 1\nc 2 3\nd 4 5\n").find("has 2 numbers where 3"), std::string::npos);
    EXPECT_NE(refused("  a b c\nb 1\nc 2 3\n").find("ends before"), std::string::npos);
    EXPECT_NE(refused("  a b c\nb 1\nx 2 3\nd 4 5 6\n").find("name 'x' where 'c'"), std::string::npos);
}

TEST_F(Triangles, PairsAreListsOnlyIfTheCallerSaysSo) {
    for (const char* text : {"a,b,distance\nx,y,1\nz,x,2\nx,x,0\nw,z,6\n", "x y 1\nx z 2\nz x 2\nw z 6\n"}) {
        const Square square = read(text, "p.csv");
        EXPECT_EQ(square.ids, (Names{"x", "y", "z", "w"})) << text;
        const Floats found = lower_of(square);
        EXPECT_EQ(found[0], 1);
        EXPECT_EQ(found[1], 2);
        EXPECT_TRUE(std::isnan(found[2]) && std::isnan(found[3]) && std::isnan(found[4]));
        EXPECT_EQ(found[5], 6);
        EXPECT_NE(square.notes.back().what.find("3 of 6 pairs missing"), std::string::npos) << square.notes.back().what;
    }
    const Square numbered = read("1,2,1.5\n1,3,2.5\n2,3,3.5\n");
    EXPECT_EQ(numbered.ids, (Names{"1", "2", "3"}));
    EXPECT_EQ(lower_of(numbered), (Floats{1.5F, 2.5F, 3.5F}));
    EXPECT_NE(refused("x,y,1\ny,x,2\n").find("t.txt:2: the distance of 'y' and 'x' is 2, and 1 in a row before"),
              std::string::npos)
        << refused("x,y,1\ny,x,2\n");
    EXPECT_NE(refused("x,y,1\nx,x,2\n").find("to itself"), std::string::npos);
    EXPECT_NE(refused("x,y,1\nx,z\n").find("line 2"), std::string::npos);
    EXPECT_NE(refused("x,y,1\nx,z,far\n").find("'far' is not a number"), std::string::npos);
}

TEST_F(Triangles, AFirstRowThatNamesNoItemsHasTheNamesOfTheColumns) {
    const Square square = read("level_0,level_1,0\na,b,2.5\nb,c,1\na,c,2\n", "t.csv");
    EXPECT_EQ(square.ids, (Names{"a", "b", "c"}));
    EXPECT_EQ(square.notes.back().what, "read with 'level_0', 'level_1' and '0' as names of the columns");
    EXPECT_EQ(read("a,b,0\nb,c,1\na,c,2\n", "t.csv").ids, (Names{"a", "b", "c"}));
}

TEST_F(Triangles, AMissingDiagonalIsZero) {
    for (const char* text : {",A,B,C\nA,NA,1,2\nB,1,NA,3\nC,2,3,NA\n", ",A,B,C\nA,0,1,2\nB,1,NA,3\nC,2,3,0\n",
                             ",A,B,C\nA,NA,NA,NA\nB,1,NA,NA\nC,2,3,NA\n"}) {
        EXPECT_EQ(lower_of(read(text, "t.csv", Holds::automatic)), (Floats{1, 2, 3})) << text;
        EXPECT_EQ(guess(Bytes::copy(text, "t.csv"), {}).holds, Holds::dissimilarities) << text;
    }
}

TEST_F(Triangles, HalfOfASquareIsCompleted) {
    for (const char* text : {"0,0,0\n1,0,0\n2,3,0\n", "0,1,2\n0,0,3\n0,0,0\n", "a,b,c\n0,,\n1,0,\n2,3,0\n",
                             "x,NA,NA,NA\ny,1,NA,NA\nz,2,3,NA\n"}) {
        const Square square = read(text, "h.csv");
        const auto m = square.values.view();
        EXPECT_EQ(m(0, 1), 1) << text;
        EXPECT_EQ(m(2, 0), 2) << text;
        EXPECT_EQ(m(1, 2), 3) << text;
        EXPECT_EQ(m(2, 1), 3) << text;
        ASSERT_FALSE(square.notes.empty()) << text;
        EXPECT_NE(square.notes.back().what.find("other half is empty"), std::string::npos) << text;
    }
    for (const char* text : {"0,1\n1,0\n", "0,0\n0,0\n", "0,1,0\n0,0,0\n2,0,0\n"})
        EXPECT_TRUE(read(text, "h.csv").notes.empty()) << text;
}

}  // namespace
}  // namespace dunlin::io
