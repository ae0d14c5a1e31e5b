// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace dunlin::io {

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
