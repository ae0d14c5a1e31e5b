// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dunlin::io {

/// A character of UTF-8 and its length; a byte that is in none is itself, of length 1.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 1;
    bool is_utf8 = false;
};

/// The first character of a text that is not empty.
inline Character character_at(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    if (length == 1 || length > text.size()) return {first, 1, false};
    std::uint32_t code = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {first, 1, false};
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_half = code >= 0xd800 && code < 0xe000;  // of UTF-16
    if (code < least[length] || code > 0x10ffff || is_half) return {first, 1, false};
    return {code, length, true};
}

/// Writes a character in UTF-8, at most four bytes; returns the end.
inline char* put_utf8(char* out, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { *out++ = static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
        return out;
    }
    if (code < 0x800) {
        byte(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            byte(0xe0 | code >> 12);
        } else {
            byte(0xf0 | code >> 18);
            byte(0x80 | (code >> 12 & 0x3f));
        }
        byte(0x80 | (code >> 6 & 0x3f));
    }
    byte(0x80 | (code & 0x3f));
    return out;
}

}  // namespace dunlin::io
