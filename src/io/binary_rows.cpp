// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "io/array.hpp"
#include "io/binary_rows.hpp"
#include "io/fail.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

struct BinaryType {
    std::string_view extension;
    char kind;
    std::size_t bytes;
};

constexpr std::array<BinaryType, 5> types = {
    {{".fbin", 'f', 4}, {".f16bin", 'f', 2}, {".u8bin", 'u', 1}, {".i8bin", 'i', 1}, {".ibin", 'i', 4}}};

const BinaryType* type_of(const std::string& name) {
    const std::string extension = extension_of(name);
    const auto* const found =
        std::find_if(types.begin(), types.end(), [&](const BinaryType& type) { return type.extension == extension; });
    return found == types.end() ? nullptr : found;
}

}  // namespace

bool is_binary_rows(const std::string& name) { return type_of(name) != nullptr; }

Array parse_binary_rows(const Bytes& bytes) {
    const BinaryType* const type = type_of(bytes.name());
    if (type == nullptr) bad_file("'{}' is none of .fbin, .f16bin, .u8bin, .i8bin, .ibin by its name", bytes.name());
    constexpr std::size_t head = 8;
    if (bytes.size() < head)
        bad_file("'{}' is truncated: {} bytes do not hold its numbers of rows and columns; copy it again", bytes.name(),
                 bytes.size());
    std::uint32_t extents[2];
    std::memcpy(extents, bytes.begin(), head);
    Array array;
    array.kind = type->kind;
    array.item = type->bytes;
    array.shape = {extents[0], extents[1]};
    array.data = bytes.begin() + head;
    check_size(array, bytes);
    return array;
}

}  // namespace dunlin::io
