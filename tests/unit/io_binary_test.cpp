// SPDX-License-Identifier: Apache-2.0
// .fbin and its relatives, .safetensors.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "io/readers.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::string rows_file(std::uint32_t rows, std::uint32_t cols, const std::vector<T>& values) {
    return bytes_of(std::vector<std::uint32_t>{rows, cols}) + bytes_of(values);
}

Points read(const std::string& content, const std::string& name, const ReadOptions& options = {}) {
    return read_points(Bytes::copy(content, name), options);
}

std::vector<float> values_of(const Points& points) {
    const auto view = points.values.view();
    return {view.data, view.data + view.size()};
}

TEST(BinaryRows, EveryTypeIsRead) {
    const std::vector<float> wanted{1, 2, 3, 4, 5, 6};
    const Points floats = read(rows_file<float>(3, 2, wanted), "a.fbin");
    EXPECT_EQ(floats.values.rows(), 3);
    EXPECT_EQ(floats.values.cols(), 2);
    EXPECT_EQ(values_of(floats), wanted);
    EXPECT_EQ(floats.kind, "fbin");
    EXPECT_EQ(values_of(read(rows_file<std::uint8_t>(3, 2, {1, 2, 3, 4, 5, 6}), "a.u8bin")), wanted);
    EXPECT_EQ(values_of(read(rows_file<std::int8_t>(1, 2, {-1, 2}), "a.i8bin")), (std::vector<float>{-1, 2}));
    EXPECT_EQ(values_of(read(rows_file<std::int32_t>(1, 2, {-1, 70000}), "a.ibin")), (std::vector<float>{-1, 70000}));
    EXPECT_EQ(values_of(read(rows_file<std::uint16_t>(1, 2, {0x3c00, 0xc000}), "a.f16bin")),
              (std::vector<float>{1, -2}));
    EXPECT_EQ(values_of(read(rows_file<float>(3, 2, wanted), "a.fbin", {.transpose = true})),
              (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(BinaryRows, FloatsAreNotCopied) {
    const Bytes bytes = Bytes::copy(rows_file<float>(1, 2, {1, 2}), "a.fbin");
    EXPECT_EQ(reinterpret_cast<const char*>(read_points(bytes, {}).values.view().data), bytes.begin() + 8);
}

TEST(BinaryRows, SizesThatDoNotFitAreRefused) {
    const auto refused = [](const std::string& content) {
        return refusal(Fault::bad_file, [&] { read(content, "a.fbin"); });
    };
    EXPECT_NE(refused("abc").find("truncated"), std::string::npos);
    EXPECT_NE(refused(rows_file<float>(3, 2, {1, 2, 3})).find("takes 24 bytes and 12 are there"), std::string::npos);
    EXPECT_NE(refused(rows_file<float>(1, 2, {1, 2, 3})).find("12 are there"), std::string::npos);
    EXPECT_NE(refused(rows_file<float>(0xffffffff, 0xffffffff, {1})), "");
    EXPECT_NE(refused(rows_file<float>(0, 2, {})).find("no values"), std::string::npos);
    EXPECT_NE(refused(rows_file<float>(1, 1, {std::bit_cast<float>(0x7fc00000)})), "");
}

std::string tensors(const std::string& header, const std::string& values) {
    return bytes_of(std::vector<std::uint64_t>{header.size()}) + header + values;
}

TEST(Safetensors, ATensorIsChosen) {
    const std::string values =
        bytes_of(std::vector<float>{1, 2, 3, 4}) + bytes_of(std::vector<std::uint16_t>{0x3f80, 0xc000});
    const std::string file =
        tensors(R"({"__metadata__":{"format":"pt"},"weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                R"("bias":{"dtype":"BF16","shape":[2],"data_offsets":[16,20]}})",
                values);
    const Points matrix = read(file, "a.safetensors");
    EXPECT_EQ(values_of(matrix), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(matrix.values.cols(), 2);
    EXPECT_EQ(matrix.kind, "safetensors");
    ReadOptions options;
    options.array = "bias";
    EXPECT_EQ(values_of(read(file, "a.safetensors", options)), (std::vector<float>{1, -2}));
    options.array = "none";
    EXPECT_NE(refusal(Fault::bad_input, [&] { read(file, "a.safetensors", options); }).find("bias, weight"),
              std::string::npos);
}

TEST(Safetensors, DamageIsRefused) {
    const std::string values(16, '\0');
    const auto refused = [&](const std::string& header, const std::string& part) {
        const std::string why = refusal(Fault::bad_file, [&] { read(tensors(header, values), "a.safetensors"); });
        EXPECT_NE(why.find(part), std::string::npos) << why;
    };
    refused("", "no JSON object");
    refused("[]", "no JSON object");
    refused("{}", "holds no tensor");
    refused(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,17]}})", "not within its 16 bytes");
    refused(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[8,4]}})", "not within");
    refused(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}})", "takes 24 bytes");
    refused(R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,16]}})", "takes 8 bytes");
    refused(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296],"data_offsets":[0,16]}})",
            "more than there can be");
    refused(R"({"a":{"dtype":"F8","shape":[16,1],"data_offsets":[0,16]}})", "of the type 'F8'");
    refused(R"({"a":{"dtype":"F32","shape":[-1,2],"data_offsets":[0,16]}})", "not numbers of at least 0");
    refused(R"({"a":{"dtype":"F32","shape":"no","data_offsets":[0,16]}})", "no list shape");
    refused(
        R"({"a":{"dtype":"U8","shape":[4,4],"data_offsets":[0,16]},"b":{"dtype":"U8","shape":[4,4],"data_offsets":[0,16]}})",
        "2 tensors of two axes: a, b");
    EXPECT_NE(refusal(Fault::bad_file, [&] { read("\xff\xff\xff\xff\xff\xff\xff\xff{}", "a.safetensors"); }), "");
    EXPECT_NE(refusal(Fault::bad_file, [&] { read("abc", "a.safetensors"); }), "");
}

}  // namespace
}  // namespace dunlin::io
