// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include <dunlin/error.hpp>

#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

std::vector<float> values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

Points read(const std::string& text, const char* name, const ReadOptions& options = {}) {
    return read_points(Bytes::copy(text, name), options);
}

std::string complaint(const std::string& text, const char* name) {
    return refusal([&] { read(text, name); });
}

using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

TEST(IoMtx, Coordinate) {
    const std::string text = general + "% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e0\n  1\t1 1 \n";
    EXPECT_EQ(values(read(text, "a.mtx")), (Floats{2.5F, 0, 0, 0, 0, -2}));
    EXPECT_EQ(values(read(text, "a.mtx", {.transpose = true})), (Floats{2.5F, 0, 0, 0, 0, -2}));
    EXPECT_EQ(read(text, "a.mtx", {.transpose = true}).values.rows(), 3);
    EXPECT_EQ(values(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", "a")),
              (Floats{1, 1, 1, 0}));
    EXPECT_EQ(values(read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n", "a")),
              (Floats{0, -3, 3, 0}));
}

TEST(IoMtx, Array) {
    const std::string head = "%%MatrixMarket matrix array real ";
    EXPECT_EQ(values(read(head + "general\n2 3\n1\n4\n2\n5\n3\n6\n", "a")), (Floats{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values(read(head + "general\n2 3\n1\n4\n2\n5\n3\n6", "a", {.transpose = true})),
              (Floats{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(values(read(head + "symmetric\n2 2\n1\n2\n3\n", "a")), (Floats{1, 2, 2, 3}));
    EXPECT_EQ(values(read(head + "skew-symmetric\n3 3\n1\n2\n3\n", "a")), (Floats{0, -1, -2, 1, 0, -3, 2, 3, 0}));
    EXPECT_EQ(read(head + "general\n3 1\n1000000.001\n1000000.002\n1000000.003\n", "a").shift.size(), 1U);
}

TEST(IoMtx, SaysWhatIsWrong) {
    EXPECT_EQ(complaint(general + "2 3 1\n3 1 1\n", "a.mtx"),
              "a.mtx:3: '3' is not a row from 1 to 2; correct the entry");
    EXPECT_EQ(complaint(general + "2 3 1\n1 0 1\n", "a.mtx"),
              "a.mtx:3: '0' is not a column from 1 to 3; correct the entry");
    for (const char* rest :
         {"2 3 2\n1 1 1\n", "2 3 1\n1 1 1\n1 2 1\n", "2 3 1\n1 1 x\n", "2 3 1\n1 1\n", "2 3 1\n1 1 1 1\n",
          "2 3 1\n1 1 inf\n", "2 3 1\n1 1 1e999\n", "2 3 1\n1 1 1e39\n", "2 3\n", "0 3 0\n", "2 -3 0\n",
          "2 3000000000 0\n", "2 3 99999999999999999999\n", "2 3 1000000000000\n1 1 1\n", "", "2 3 1\n"}) {
        EXPECT_FALSE(complaint(general + rest, "a.mtx").empty()) << rest;
    }
    for (const char* head : {"complex general", "real hermitian", "real", "pattern general"}) {
        EXPECT_FALSE(complaint("%%MatrixMarket matrix array " + std::string(head) + "\n1 1\n1\n", "a").empty());
    }
    EXPECT_FALSE(complaint("1 1 1\n1 1 1\n", "a.mtx").empty());
}

TEST(IoMtx, MemoryIsAskedForFirst) {
    const auto huge = refusal(Fault::out_of_memory, [] { read(general + "2000000000 2000000000 0\n", "a.mtx"); });
    EXPECT_NE(huge.find("GB"), std::string::npos) << huge;
}

TEST(IoSvmlight, ReadsLabelsAndPairs) {
    const Points points = read("# made by hand\n+1 1:0.5 3:2 # first\n\n-1 qid:7 2:-1\r\n+1\n", "a.svm");
    EXPECT_EQ(values(points), (Floats{0.5F, 0, 2, 0, -1, 0, 0, 0, 0}));
    EXPECT_EQ(points.labels.names, (Strings{"-1", "+1"}));
    EXPECT_EQ(points.labels.of, (std::vector<Index>{1, 0, 1}));
    EXPECT_EQ(values(read("a 0:1 1:2\nb 1:3", "a.libsvm")), (Floats{1, 2, 0, 3}));
}

TEST(IoSvmlight, SaysWhatIsWrong) {
    EXPECT_EQ(complaint("1 1:2\n1 2:x\n", "a.svm"), "a.svm:2: '2:x' is not index:value; correct the line");
    for (const char* text : {"", "#\n", "1\n2\n", "1:2 2:3\n", "1 2:1 2:2\n", "1 3:1 2:2\n", "1 -1:2\n", "1 1:nan\n",
                             "1 1:1e39\n", "1 4294967297:1\n", "1 1:\n", "1 1\n"}) {
        EXPECT_FALSE(complaint(text, "a.svm").empty()) << text;
    }
}

template <class T>
std::string packed(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

TEST(IoFvecs, ReadsRows) {
    const std::string text = packed(2) + packed(1.0F) + packed(2.0F) + packed(2) + packed(3.0F) + packed(4.0F);
    EXPECT_EQ(values(read(text, "a.fvecs")), (Floats{1, 2, 3, 4}));
    EXPECT_NE(complaint(text.substr(0, 20), "a.fvecs").find("truncated"), std::string::npos);
    EXPECT_NE(complaint(text.substr(0, 12) + packed(1) + text.substr(16), "a.fvecs").find("row 2 has 1 values"),
              std::string::npos);
    EXPECT_FALSE(complaint(packed(-1) + packed(1.0F), "a.fvecs").empty());
    EXPECT_FALSE(complaint(packed(2000000000) + packed(1.0F), "a.fvecs").empty());
    EXPECT_FALSE(complaint(packed(1) + packed(std::numeric_limits<float>::infinity()), "a.fvecs").empty());
}

TEST(IoFvecs, ReadsRowsOfIntegersAndBytes) {
    const std::string whole = packed(2) + packed(1) + packed(-2) + packed(2) + packed(3) + packed(4);
    EXPECT_EQ(values(read(whole, "a.ivecs")), (Floats{1, -2, 3, 4}));
    const std::string bytes = packed(3) + std::string("\x01\xff\x02", 3) + packed(3) + std::string("\x00\x05\x06", 3);
    EXPECT_EQ(values(read(bytes, "a.bvecs")), (Floats{1, 255, 2, 0, 5, 6}));
    EXPECT_NE(complaint(bytes.substr(0, 13), "a.bvecs").find("no multiple of 7"), std::string::npos);
    EXPECT_NE(complaint(bytes.substr(0, 7) + packed(4) + bytes.substr(11), "a.bvecs").find("row 2 has 4 values"),
              std::string::npos);
    EXPECT_FALSE(complaint("", "a.ivecs").empty());
    EXPECT_FALSE(complaint(packed(2000000000), "a.ivecs").empty());
}

}  // namespace
}  // namespace dunlin::io
