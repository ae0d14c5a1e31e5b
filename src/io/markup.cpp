// SPDX-License-Identifier: Apache-2.0
#include "io/markup.hpp"

namespace dunlin::io {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Length of the character at `at`, or 0 if the bytes are not UTF-8 (RFC 3629, section 4).
std::size_t character_length(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues_character(text[at + i])) return 0;
    }
    const auto second = length > 2 ? static_cast<unsigned char>(text[at + 1]) : 0x90U;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : length;
}

}  // namespace

std::string clean_text(std::string_view text) {
    std::string clean;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0) {
            clean += replacement;
        } else if (length == 1 && (text[at] == '\n' || text[at] == '\t')) {
            clean += ' ';
        } else if (length > 1 || (static_cast<unsigned char>(text[at]) >= 0x20 && text[at] != 0x7F)) {
            clean += text.substr(at, length);
        }
        at += length == 0 ? 1 : length;
    }
    return clean;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

}  // namespace dunlin::io
