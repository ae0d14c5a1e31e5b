// SPDX-License-Identifier: Apache-2.0
#include "io/utf32.hpp"

#include <algorithm>
#include <cstdint>

#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/utf8.hpp"

namespace dunlin::io {

namespace {

std::uint32_t character_at(const char* at, bool is_big) {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) code = code << 8 | static_cast<unsigned char>(at[is_big ? i : 3 - i]);
    return code;
}

bool is_character(std::uint32_t code) { return code <= 0x10ffff && (code < 0xd800 || code >= 0xe000); }

}  // namespace

/// Arrays may begin with the same four bytes, but go on with numbers that are no characters of a text.
bool is_utf32(const Bytes& bytes) {
    const std::string_view head = bytes.view().substr(0, 4);
    const bool is_big = head == std::string_view("\0\0\xfe\xff", 4);
    if (bytes.size() % 4 != 0 || bytes.size() == 4 || !(is_big || head == std::string_view("\xff\xfe\0\0", 4)))
        return false;
    constexpr std::size_t looked_at = 64;
    for (std::size_t i = 4; i < std::min(bytes.size(), 4 * looked_at); i += 4) {
        const std::uint32_t code = character_at(bytes.begin() + i, is_big);
        const bool is_of_text = code >= 0x20 || code == '\n' || code == '\r' || code == '\t';
        if (!is_of_text || !is_character(code)) return false;
    }
    return true;
}

Bytes utf8_of_32(const Bytes& utf32) {
    GrowableBuffer<char> text("the text of '" + utf32.name() + "'");
    const bool is_big = utf32.begin()[0] == '\0';
    std::size_t line = 1;
    for (const char* at = utf32.begin() + 4; at < utf32.end(); at += 4) {
        const std::uint32_t code = character_at(at, is_big);
        if (!is_character(code))
            bad_file("{}: the text is no UTF-32, it has a character that there is not; save it as UTF-8",
                     at_line(utf32.name(), line));
        if (code == '\n') ++line;
        char* const to = text.room(4);
        text.add(static_cast<std::size_t>(put_utf8(to, code) - to));
    }
    return padded(text, utf32.name());
}

}  // namespace dunlin::io
