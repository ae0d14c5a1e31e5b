// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <dunlin/error.hpp>

#include "folder.hpp"
#include "io/bytes.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

std::string gzip(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(text.size() + 100, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string xz(const std::string& text) {
    std::string out(text.size() + 1000, '\0');
    std::size_t size = 0;
    lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                            text.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
    out.resize(size);
    return out;
}

std::string plain(const std::string& bytes, const char* name = "t.csv.gz") {
    return std::string(decompressed(Bytes::copy(bytes, name)).view());
}

const std::string text = "1,2\n3,4\n5,6\n";

TEST(IoBytes, CompressedFilesAreSeen) {
    std::string large;
    for (int i = 0; i < 30000; ++i) large += std::to_string(i) + "\n";
    for (const auto& pack : {gzip, xz}) {
        EXPECT_EQ(plain(pack(text), "t"), text);
        EXPECT_EQ(plain(pack(text) + pack("7,8\n"), "t"), text + "7,8\n") << "members are joined";
        EXPECT_EQ(plain(pack(""), "t"), "");
        EXPECT_EQ(plain(pack(large), "t"), large);
    }
    EXPECT_EQ(plain(text, "t.csv"), text);
}

TEST(IoBytes, EveryTruncationIsSeen) {
    for (const std::string& whole : {gzip(text), xz(text), gzip(text) + gzip(text)}) {
        for (std::size_t size = 6; size < whole.size(); ++size) {
            if (whole == gzip(text) + gzip(text) && size == gzip(text).size()) continue;
            EXPECT_THROW(plain(whole.substr(0, size)), Error) << size;
        }
    }
}

TEST(IoBytes, EveryDamageIsSeen) {
    for (const std::string& whole : {gzip(text), xz(text)}) {
        for (std::size_t at = whole.size() / 2; at < whole.size(); ++at) {
            std::string bad = whole;
            bad[at] = static_cast<char>(bad[at] ^ 0x20);
            try {
                EXPECT_EQ(plain(bad), text)
                    << "damaged at " << at;  // some bits of the last byte of a stream are unused
            } catch (const Error&) {
            }
        }
    }
    EXPECT_THROW(plain(gzip(text) + "rubbish"), Error);
    EXPECT_THROW(plain(text, "t.csv.gz"), Error);
    EXPECT_THROW(plain(text, "t.csv.xz"), Error);
}

class IoFile : public InFolder {};

TEST_F(IoFile, AnySizeIsPadded) {
    for (const std::size_t size : {0, 1, 4079, 4080, 4081, 4095, 4096, 4097, 8192}) {
        const Bytes bytes = load(put("f", std::string(size, '7')));
        ASSERT_EQ(bytes.size(), size);
        EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '7'; }));
        EXPECT_TRUE(std::all_of(bytes.end(), bytes.end() + Bytes::padding, [](char c) { return c == 0; })) << size;
    }
}

TEST_F(IoFile, WhatCannotBeReadIsNamed) {
    for (const auto& path : {folder_, folder_ / "none.csv", put("empty.csv", "")}) {
        const auto said = refusal(Fault::bad_file, [&] { dunlin::io::read_points(path); });
        EXPECT_NE(said.find(path.string()), std::string::npos) << said;
    }
}

TEST_F(IoFile, LabelsMayLieElsewhere) {
    const auto points = put("p.csv", "a,label\n1,u\n2,v\n3,v\n");
    EXPECT_EQ(dunlin::io::read_points(points, {.labels = put("l.txt", "x\ny\nx\n")}).labels.names,
              (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(dunlin::io::read_points(points).labels.names, (std::vector<std::string>{"u", "v"}));
    EXPECT_THROW(dunlin::io::read_points(points, {.labels = put("s.txt", "x\ny\n")}), Error);
    EXPECT_THROW(dunlin::io::read_points(points, {.labels = "nothing"}), Error);
}

TEST(IoNumber, RoundsCorrectly) {
    for (const std::string word :
         {"0", "-0", "1", "-1.5", "+7", ".5", "5.", "1e5", "1E-5", "123456789012345678901234567890", "0.1",
          "9007199254740993", "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308",
          "0.000000000000000000000000000001234567890123456789", "8.5e22", "1e23"}) {
        double value = 0;
        const char* const end = parse_number(word.c_str(), value);
        ASSERT_EQ(end, word.c_str() + word.size()) << word;
        EXPECT_EQ(value, std::strtod(word.c_str(), nullptr)) << word;
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const double exact = std::bit_cast<double>(random());
        if (!std::isfinite(exact)) continue;
        char word[64] = {};
        std::to_chars(word, word + 60, exact);
        double value = 0;
        parse_number(word, value);
        EXPECT_EQ(value, exact) << word;
    }
}

TEST(IoNumber, KnowsItsRangeAndWhatIsNoNumber) {
    double value = 1;
    for (const char* word :
         {"1e999", "880e9223372036854775807", "1e99999999999999999999", "1000000000000000000000000000000000e300"}) {
        parse_number(word, value);
        EXPECT_TRUE(std::isinf(value)) << word;
    }
    for (const char* word : {"1e-999", "0e999", "0.0000000001e-330", "1e-99999999999999999999"}) {
        parse_number(word, value);
        EXPECT_EQ(value, 0) << word;
    }
    for (const char* word : {"", "-", ".", "+.", "e5", "nan", "inf", "--1"})
        EXPECT_EQ(parse_number(word, value), nullptr) << word;
}

TEST(IoNumber, FloatsAreRoundedOnce) {
    // Just above the midpoint of two floats: rounding to double first loses the difference
    const std::string above = "1.00000005960464477539062500000000000000000001";
    const Points points = read_points(Bytes::copy("0," + above + "\n0,1\n0,-5\n0,2\n", "t.csv"), {});
    EXPECT_EQ(points.values.view()(0, 1), std::strtof(above.c_str(), nullptr));
    EXPECT_NE(points.values.view()(0, 1), 1.0F);
}

}  // namespace
}  // namespace dunlin::io
