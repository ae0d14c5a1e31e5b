// SPDX-License-Identifier: Apache-2.0
#include <dunlin/square.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <fstream>

#include <dunlin/error.hpp>

#include "io/npy.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

namespace fs = std::filesystem;

/// A temporary file, removed by the destructor.
class Written {
public:
    Written(const std::string& name, const std::string& content)
        : path_(fs::temp_directory_path() / (std::to_string(::getpid()) + name)) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~Written() { fs::remove(path_); }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string npy(std::initializer_list<float> values, const std::vector<std::uint64_t>& shape) {
    std::string content = npy_header("<f4", shape);
    for (const float value : values) content.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return content;
}

using Names = std::vector<std::string>;

TEST(Square, TableWithNamesOnBothSides) {
    const Written file("a.csv",
                       "\"\",\"10\",\"20\"\n\"10\",0,3\n\"20\",3,0\n");  // as R writes it, with numbers as names
    const Square square = read_square(file.path());
    EXPECT_EQ(square.ids, (Names{"10", "20"}));
    EXPECT_EQ(square.values.view()(0, 1), 3);
}

TEST(Square, TableWithNamesOnOneSideOrNone) {
    const Written above("b.csv", "x,y\n0,3\n3,0\n"), beside("c.tsv", "x\t0\t3\ny\t3\t0\n"), none("d.csv", "0,3\n3,0\n");
    EXPECT_EQ(read_square(above.path()).ids, (Names{"x", "y"}));
    EXPECT_EQ(read_square(beside.path()).ids, (Names{"x", "y"}));
    EXPECT_TRUE(read_square(none.path()).ids.empty());
    for (const fs::path& path : {above.path(), beside.path(), none.path()})
        EXPECT_EQ(read_square(path).values.view()(1, 0), 3) << path;
}

TEST(Square, MissingCellsAreNaN) {
    const Written file("e.csv", "0,NA,1\n,0,2\n1,2,0\n");
    const Square square = read_square(file.path());
    EXPECT_TRUE(std::isnan(square.values.view()(0, 1)));
    EXPECT_TRUE(std::isnan(square.values.view()(1, 0)));
    EXPECT_EQ(square.values.view()(2, 1), 2);
}

TEST(Square, CondensedIsTheUpperTriangle) {
    const Written file("f.npy", npy({1, 2, 3}, {3})), none("g.npy", npy({1, 2}, {2}));
    const Square square = read_square(file.path());
    const auto m = square.values.view();
    EXPECT_EQ(m.rows, 3);
    EXPECT_EQ(m(0, 1), 1);
    EXPECT_EQ(m(2, 0), 2);
    EXPECT_EQ(m(1, 2), 3);
    EXPECT_EQ(m(1, 1), 0);
    EXPECT_THROW(read_square(none.path()), Error);
}

TEST(Square, WhatIsNotSquareIsRefusedWithItsLine) {
    const Written ragged("h.csv", "0,1\n1\n"), tall("i.csv", "0,1\n1,0\n1,1\n"), word("j.csv", "0,1\nfar,0\n");
    for (const fs::path& path : {ragged.path(), tall.path(), word.path()}) {
        const auto said = refusal([&] { read_square(path); });
        EXPECT_NE(said.find("line "), std::string::npos) << path << ": " << said;
    }
}

bool found(const Written& file) { return guess(file.path()).holds == Holds::dissimilarities; }

TEST(Square, PointsAreNotTakenForDissimilarities) {
    const Written points("k.csv", "1,2\n3,4\n"), matrix("l.csv", "0,2\n2,0\n"), wide("m.csv", "0,2,3\n2,0,1\n");
    EXPECT_FALSE(found(points));
    EXPECT_FALSE(found(wide));
    EXPECT_TRUE(found(matrix));
}

TEST(Square, OneFaultDoesNotMakePointsOfDissimilarities) {
    const Written diagonal("o.csv", "0,2,3\n2,7,4\n3,4,0\n"), asymmetric("p.csv", "0,2,3\n2,0,4\n3,5,0\n");
    EXPECT_TRUE(found(diagonal));
    EXPECT_TRUE(found(asymmetric));
}

TEST(Square, PointsMayLookLikeDissimilarities) {
    const auto looks = [](std::vector<float> values, std::vector<double> shift = {}) {
        Points points;
        const auto cols = static_cast<Index>(values.size() / 3);
        points.values = Matrix(3, cols, std::move(values));
        points.shift = std::move(shift);
        return resembles_dissimilarities(points);
    };
    EXPECT_TRUE(looks({0, 2, 3, 2, 0, 4, 3, 4, 0}));
    EXPECT_TRUE(looks({0, 2, 3, 2, 0, 4, 3, 5, 0}));                // zeros on the diagonal
    EXPECT_TRUE(looks({1, 2, 3, 2, 1, 4, 3, 4.00001F, 1}));         // symmetric up to rounding
    EXPECT_TRUE(looks({-2, 0, 1, 0, -2, 2, 1, 2, -2}, {2, 2, 2}));  // the first, far from zero
    EXPECT_FALSE(looks({1, 2, 3, 2, 1, 4, 3, 5, 1}));
    EXPECT_FALSE(looks({0, 1, 2, 1, 0, 3, 2, 5, 1}, {1e9, 1e9, 1e9}));  // far from zero all numbers are alike
    EXPECT_FALSE(looks({0, -2, 3, -2, 0, 4, 3, 4, 0}));
    EXPECT_FALSE(looks({0, 2, 2, 0, 1, 3}));
    Points pair;
    pair.values = Matrix(2, 2, {0, 1, 1, 0});
    EXPECT_FALSE(resembles_dissimilarities(pair));  // two points may be so
}

TEST(Square, DecimalCommas) {
    const Written file("s.csv", ";a;b;c\na;0;1,5;2,25\nb;1,5;0;NA\nc;2,25;;0\n");
    const Square square = read_square(file.path());
    EXPECT_EQ(square.ids, (Names{"a", "b", "c"}));
    EXPECT_EQ(square.values.view()(0, 2), 2.25F);
    EXPECT_TRUE(std::isnan(square.values.view()(1, 2)));
    EXPECT_EQ(square.notes.size(), 1U);
    EXPECT_TRUE(found(file));
}

TEST(Square, RowsAndColumnsAreCalledAlike) {
    const Written turned("q.csv", ",a,b,c\nb,0,2,3\nd,2,0,4\nc,3,4,0\n"), numbered("r.csv", ",a,b\n1,0,2\n2,2,0\n");
    EXPECT_EQ(read_square(numbered.path()).ids, (std::vector<std::string>{"a", "b"}));
    EXPECT_THROW(read_square(turned.path()), Error);
    EXPECT_TRUE(found(turned));
    EXPECT_NE(refusal([&] { read_square(turned.path()); }).find("row 1 is called 'b' and column 1 'a'"),
              std::string::npos);
}

TEST(Square, CountedColumnsAreNoNames) {
    const std::string body = "\nParis,0,1,2\nRome,1,0,3\nOslo,2,3,0\n";
    for (const std::string columns :
         {",0,1,2", ",1,2,3", ",V1,V2,V3", ",X1,X2,X3", ",...1,...2,...3", ",,,", ",Paris,Rome,Oslo"}) {
        const Written file("n.csv", columns + body);
        EXPECT_EQ(read_square(file.path()).ids, (Names{"Paris", "Rome", "Oslo"})) << columns;
    }
    const Written made("y.csv", ",New.York,X10,a.b\nNew York,0,1,2\n10,1,0,3\na-b,2,3,0\n");
    EXPECT_EQ(read_square(made.path()).ids, (Names{"New York", "10", "a-b"}));
}

TEST(Square, NumbersBelowATitleOfIdsAreNames) {
    for (const std::string columns : {"sample,101,102,103", "CustomerID,0,1,2"}) {
        const Written file("n.csv", columns + "\n101,0,1,2\n102,1,0,3\n103,2,3,0\n");
        const Square square = read_square(file.path());
        EXPECT_EQ(square.values.rows(), 3) << columns;
        EXPECT_EQ(square.values.view()(0, 2), 2) << columns;
    }
}

TEST(Square, OtherNamesAreRefused) {
    for (const std::string columns : {",Paris,Rome,Bonn", ",paris,rome,oslo", ",p,q,r", ",V2,V3,V4"}) {
        const Written file("n.csv", columns + "\nParis,0,1,2\nRome,1,0,3\nOslo,2,3,0\n");
        EXPECT_NE(refusal([&] { read_square(file.path()); }).find("the same names"), std::string::npos) << columns;
    }
    const Written labeled("l.csv", "id,c,a,b,class\na,2,0,1,x\nb,3,1,0,y\nc,0,2,3,x\n");
    const Square square = read_square(labeled.path());
    EXPECT_EQ(square.ids, (Names{"a", "b", "c"}));
    EXPECT_EQ(square.values.view()(0, 0), 0);
    EXPECT_EQ(square.values.view()(0, 2), 2);
}

TEST(Square, NumbersThatAllVanishAreRefused) {
    const Written text("v.csv", "0,1e-50\n1e-50,0\n"), some("s.csv", "0,1e-50,1\n1e-50,0,1\n1,1,0\n");
    EXPECT_NE(refusal([&] { read_square(text.path()); }).find("too small"), std::string::npos);
    EXPECT_EQ(read_square(some.path()).values.view()(0, 1), 0);
}

TEST(Square, ColumnsInAnotherOrderAreThatOfTheRows) {
    const Written file("o.csv", ",c,a,b\na,2,0,1\nb,3,1,0\nc,0,2,3\n");
    const Square square = read_square(file.path());
    EXPECT_EQ(square.ids, (Names{"a", "b", "c"}));
    ASSERT_EQ(square.notes.size(), 1U);
    EXPECT_NE(square.notes[0].what.find("in the order of its rows"), std::string::npos);
    const std::vector<float> expected{0, 1, 2, 1, 0, 3, 2, 3, 0};
    for (Index i = 0; i < 9; ++i) EXPECT_EQ(square.values.view()(i / 3, i % 3), expected[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(found(file));
}

TEST(Square, OtherFormatsOfPointsHoldMatrices) {
    const std::string head = "%%MatrixMarket matrix array real ";
    const Written whole("w.mtx", head + "general\n3 3\n0\n1\n2\n1\n0\n3\n2\n3\n0\n"),
        lower("l.mtx", head + "symmetric\n3 3\n0\n1\n2\n0\n3\n0\n"), column("c.txt", "1\n2\n3\n"),
        labeled("t.csv", "id,a,b,c,class\na,0,1,2,x\nb,1,0,3,y\nc,2,3,0,x\n");
    for (const Written* file : {&whole, &lower, &column, &labeled}) {
        const Square square = read_square(file->path(), {.holds = Holds::dissimilarities});
        ASSERT_EQ(square.values.rows(), 3) << file->path();
        EXPECT_EQ(square.values.view()(0, 2), 2) << file->path();
        EXPECT_EQ(square.values.view()(2, 1), 3) << file->path();
        EXPECT_EQ(square.values.view()(1, 1), 0) << file->path();
        EXPECT_EQ(square.labels.of.size(), file == &labeled ? 3U : 0U) << file->path();
        EXPECT_EQ(found(*file), file != &column) << file->path();  // a column may be points
    }
    const Written sparse("s.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 4\n");
    EXPECT_NE(refusal([&] { read_square(sparse.path()); }).find("is sparse"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::io
