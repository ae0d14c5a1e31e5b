// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "io/as_text.hpp"
#include "io/growable_buffer.hpp"
#include "io/utf8.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t looked_at = std::size_t{4} << 20;  ///< beginning of a large file

/// Characters of the bytes 0x80 to 0x9f. Bytes without a character stand for themselves.
constexpr std::array<std::uint32_t, 32> characters = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                                      0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                                      0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                      0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

bool is_ascii(std::string_view text) {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + i, 8);
        bits |= eight;
    }
    for (; i < text.size(); ++i) bits |= static_cast<unsigned char>(text[i]);
    return (bits & 0x8080808080808080) == 0;
}

/// Whether a text has no control characters other than tabs and ends of lines and pages.
bool is_text(std::string_view beginning) {
    return std::none_of(beginning.begin(), beginning.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && !(byte >= '\t' && byte <= '\r') && byte != 0x1a;
    });
}

/// Whether some byte is in no character of UTF-8; the end may cut one.
bool has_other_bytes(std::string_view text) {
    while (!text.empty()) {
        const Character next = character_at(text);
        if (!next.is_utf8) return text.size() >= 4;
        text.remove_prefix(next.length);
    }
    return false;
}

}  // namespace

bool is_windows_1252(const Bytes& bytes) {
    const std::string_view beginning = bytes.view().substr(0, looked_at);
    constexpr std::size_t of_binary = 1 << 16;
    if (is_ascii(beginning) || !is_text(beginning.substr(0, of_binary))) return false;
    return has_other_bytes(beginning.size() == bytes.size() ? std::string_view(bytes.begin(), bytes.size() + 4)
                                                            : beginning);
}

Bytes utf8_of_1252(const Bytes& bytes) {
    GrowableBuffer<char> text("the text of '" + bytes.name() + "'");
    for (std::string_view rest = bytes.view(); !rest.empty();) {
        Character next = character_at(rest);
        if (!next.is_utf8 && next.code < 0xa0) next.code = characters[next.code - 0x80];
        char* const to = text.room(4);
        text.add(static_cast<std::size_t>(put_utf8(to, next.code) - to));
        rest.remove_prefix(next.length);
    }
    Bytes utf8 = padded(text, bytes.name());
    utf8.say(
        "read with bytes that are no UTF-8 as Windows-1252; if it has another encoding, convert it: iconv -f ENCODING "
        "-t UTF-8");
    return utf8;
}

}  // namespace dunlin::io
