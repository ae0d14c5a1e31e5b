// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/npy.hpp"

namespace dunlin::io {

namespace {

struct IdxType {
    char code, kind;
    std::size_t bytes;
};

constexpr std::array<IdxType, 6> types = {
    {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}}};

}  // namespace

bool is_idx(const Bytes& bytes) {
    const std::string_view head = bytes.view().substr(0, 4);
    return head.size() == 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14 && head[3] > 0 &&
           head[3] < 9;
}

Array parse_idx(const Bytes& bytes) {
    if (!is_idx(bytes))
        bad_file("'{}' is not an IDX file: it does not begin with 0, 0, type, axes; convert it again", bytes.name());
    const char code = bytes.begin()[2];
    const auto* type = std::find_if(types.begin(), types.end(), [&](const IdxType& t) { return t.code == code; });
    if (type == types.end())
        bad_file("'{}' is IDX of the type 0x{:02x}, which is not known; convert it again", bytes.name(), code);
    Array array;
    array.swapped = true;
    array.kind = type->kind, array.item = type->bytes;
    const auto axes = static_cast<std::size_t>(static_cast<unsigned char>(bytes.begin()[3]));
    if (bytes.size() < 4 + 4 * axes) bad_file("'{}' is truncated: its header ends early; copy it again", bytes.name());
    const auto* p = reinterpret_cast<const unsigned char*>(bytes.begin()) + 4;
    for (std::size_t axis = 0; axis < axes; ++axis, p += 4) {
        array.shape.push_back(std::uint64_t{p[0]} << 24 | std::uint64_t{p[1]} << 16 | std::uint64_t{p[2]} << 8 | p[3]);
    }
    array.data = bytes.begin() + 4 + 4 * axes;
    check_size(array, bytes);
    return array;
}

}  // namespace dunlin::io
