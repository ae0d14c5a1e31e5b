// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include <dunlin/error.hpp>

#include "io/npy.hpp"
#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

template <class T>
std::string packed(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
Bytes npy(const char* descr, const std::vector<std::uint64_t>& shape, const std::vector<T>& values) {
    return Bytes::copy(npy_header(descr, shape) + packed(values), "a.npy");
}

Bytes npy_with(const std::string& dictionary, std::size_t bytes) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(dictionary.size());
    text += '\0';
    return Bytes::copy(text + dictionary + std::string(bytes, '\0'), "a.npy");
}

std::vector<float> values(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

std::string complaint(const Bytes& bytes) {
    return refusal(Fault::bad_file, [&] { read_points(bytes, {}); });
}

using Floats = std::vector<float>;
const Floats expected = {1, 2, 3, 4, 5, 6};

template <class T>
void expect_type(const char* descr) {
    EXPECT_EQ(values(read_npy(npy<T>(descr, {3, 2}, {1, 2, 3, 4, 5, 6}), {})), expected) << descr;
}

TEST(Npy, TakesEveryNumber) {
    expect_type<float>("<f4");
    expect_type<double>("<f8");
    expect_type<std::int8_t>("|i1");
    expect_type<std::uint8_t>("|u1");
    expect_type<std::int16_t>("<i2");
    expect_type<std::uint16_t>("<u2");
    expect_type<std::int32_t>("<i4");
    expect_type<std::uint32_t>("<u4");
    expect_type<std::int64_t>("<i8");
    expect_type<std::uint64_t>("<u8");
    EXPECT_EQ(values(read_npy(npy<std::uint16_t>("<f2", {1, 4}, {0x3c00, 0xc000, 0x0001, 0x7bff}), {})),
              (Floats{1, -2, 0x1p-24F, 65504}));
    EXPECT_EQ(values(read_npy(npy<std::uint8_t>("|b1", {1, 2}, {1, 0}), {})), (Floats{1, 0}));
    EXPECT_EQ(values(read_npy(npy<std::uint16_t>(">i2", {1, 2}, {0x0100, 0x0002}), {})), (Floats{1, 512}));
}

TEST(Npy, TakesEveryOrderAndShape) {
    const std::string data = packed<float>({1, 3, 5, 2, 4, 6});
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }";
    const Bytes header = npy_with(dictionary, 0);
    EXPECT_EQ(values(read_npy(Bytes::copy(std::string(header.view()) + data, "f.npy"), {})), expected);
    const Points transposed = read_npy(npy<float>("<f4", {2, 3}, {1, 3, 5, 2, 4, 6}), {.transpose = true});
    EXPECT_EQ(values(transposed), expected);
    EXPECT_EQ(transposed.values.rows(), 3);
    EXPECT_EQ(read_npy(npy<float>("<f4", {6}, expected), {}).values.cols(), 1);
    EXPECT_EQ(read_npy(npy<float>("<f4", {1, 2, 3}, expected), {}).values.cols(), 6);
}

TEST(Npy, Float32IsUsedWhereItLies) {
    const Bytes bytes = npy<float>("<f4", {3, 2}, expected);
    const Points points = read_npy(bytes, {});
    const auto* at = reinterpret_cast<const char*>(points.values.view().data);
    EXPECT_TRUE(bytes.begin() < at && at < bytes.end());
}

TEST(Npy, AHugeOffsetCostsNothing) {
    const Points points = read_npy(npy<double>("<f8", {3, 1}, {1e6 + 0.001, 1e6 + 0.002, 1e6 + 0.004}), {});
    ASSERT_EQ(points.shift.size(), 1U);
    EXPECT_NEAR(points.values.view()(2, 0) - points.values.view()(0, 0), 0.003, 1e-9);
}

TEST(Npy, RefusesByName) {
    EXPECT_NE(complaint(npy_with("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }", 16)).find("'<c16'"),
              std::string::npos);
    EXPECT_NE(complaint(npy_with("{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }", 8)).find("'|O'"),
              std::string::npos);
    EXPECT_NE(
        complaint(npy_with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4)).find("records"),
        std::string::npos);
    EXPECT_NE(complaint(npy_with("{'descr': '<U3', 'fortran_order': False, 'shape': (1, 1), }", 12)).find("text"),
              std::string::npos);
}

TEST(Npy, AShapeThatLiesIsSeen) {
    for (const char* shape : {"(3, 3)", "(4294967296, 4294967296, 4294967296)", "(-3, 2)", "(18446744073709551615, 2)",
                              "(2, 2)", "(3000000000, 0)", "()", "(0, 2)", "(3, 2.5)", "(99999999999999999999,)"}) {
        const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(shape) + "}";
        EXPECT_FALSE(complaint(npy_with(dictionary, 24)).empty()) << shape;
    }
}

TEST(Npy, DamagedHeadersAreSeen) {
    const Bytes good = npy<float>("<f4", {3, 2}, expected);
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(complaint(Bytes::copy(good.view().substr(0, size), "a.npy")).empty());
    }
    EXPECT_FALSE(complaint(npy_with("{'descr': '<f4', 'shape': (1, 1)}", 4)).empty());
    EXPECT_FALSE(complaint(npy_with("", 4)).empty());
}

TEST(Npy, RefusesWhatIsNotFinite) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(complaint(npy<float>("<f4", {2, 2}, {1, 2, nan, 3})),
              "'a.npy': row 2, column 1 is NaN; points must be finite: remove the row or fill the value in");
    EXPECT_NE(complaint(npy<double>("<f8", {1, 1}, {1e300})).find("too large for float32"), std::string::npos);
    EXPECT_NE(complaint(npy<double>("<f8", {2, 1}, {0, -3e-310})).find("too small for float32"), std::string::npos);
    EXPECT_EQ(values(read_npy(npy<double>("<f8", {2, 1}, {1, 3e-310}), {})), (Floats{1, 0}));
    EXPECT_NE(complaint(npy<std::uint16_t>("<f2", {1, 1}, {0x7c00})).find("infinite"), std::string::npos);
}

std::string idx(char type, std::initializer_list<int> shape, const std::string& data) {
    std::string bytes = {0, 0, type, static_cast<char>(shape.size())};
    for (const int extent : shape) bytes += {0, 0, 0, static_cast<char>(extent)};
    return bytes + data;
}

TEST(Idx, FlattensImages) {
    const Points points = read_points(Bytes::copy(idx(8, {2, 1, 3}, "\1\2\3\4\5\6"), "images-idx3-ubyte"), {});
    EXPECT_EQ(points.kind, "idx");
    EXPECT_EQ(points.values.rows(), 2);
    EXPECT_EQ(values(points), expected);
}

TEST(Idx, CountsMustMatch) {
    EXPECT_NE(complaint(Bytes::copy(idx(8, {2, 3}, "12345"), "i")).find("truncated"), std::string::npos);
    EXPECT_FALSE(complaint(Bytes::copy(idx(8, {2, 3}, "1234567"), "i")).empty());
    EXPECT_NE(complaint(Bytes::copy(idx(10, {1, 1}, "1"), "i")).find("0x0a"), std::string::npos);
}

TEST(LabelFile, MayBeTextOrArray) {
    const auto names = [](const Bytes& bytes) { return read_labels(bytes).names; };
    using Strings = std::vector<std::string>;
    EXPECT_EQ(names(Bytes::copy("b\n\"a c\"\nb\r\n\n", "l.txt")), (Strings{"b", "a c"}));
    EXPECT_EQ(names(Bytes::copy("label\n7\n-1\n7\n", "l.csv")), (Strings{"-1", "7"}));
    EXPECT_EQ(names(Bytes::copy("id,label\n7,u\n8,v\n", "l.csv")), (Strings{"u", "v"}));
    EXPECT_EQ(names(npy<std::int64_t>("<i8", {3}, {5, 3, 5})), (Strings{"3", "5"}));
    EXPECT_EQ(names(npy<std::uint32_t>("<U2", {2}, {'a', 0xe9, 'b', 0})), (Strings{"a\xc3\xa9", "b"}));
    EXPECT_EQ(names(Bytes::copy(idx(8, {3}, "\2\1\2"), "l")), (Strings{"1", "2"}));
    EXPECT_EQ(names(Bytes::copy("%%Clustering hard\n%Clusters 2 b,a\n%Objects\n0 1\n1 0\n", "l")), (Strings{"a", "b"}));
    EXPECT_THROW(names(Bytes::copy("%%Clustering hard\n%Clusters 2 b,a\n0 1\n1 2\n", "l")), Error);
    EXPECT_THROW(names(Bytes::copy("%%Clustering hard\n%Clusters 2 b,a\n1 1\n", "l")), Error);
    EXPECT_THROW(names(Bytes::copy("", "l.txt")), Error);
    EXPECT_THROW(names(Bytes::copy("a\n\nb\n", "l.txt")), Error);
    EXPECT_THROW(names(Bytes::copy("1,2\n3,4\n", "l.csv")), Error);
}

}  // namespace
}  // namespace dunlin::io
