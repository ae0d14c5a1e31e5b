// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <unordered_map>

#include <dunlin/sequences.hpp>

namespace dunlin::sequences {

namespace {

constexpr std::uint32_t first_invalid = 0x110000;  // bytes that begin no code point are symbols beyond Unicode

/// The code point at the begin of `text`, and the number of its bytes.
struct CodePoint {
    std::uint32_t value;
    std::size_t bytes;
};

CodePoint code_point(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const CodePoint invalid{first_invalid + first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return invalid;
    std::uint32_t value = first & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return invalid;
        value = value << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};  // longer encodings are invalid
    const bool surrogate = value >= 0xd800 && value < 0xe000;
    return value < least[bytes] || value >= first_invalid || surrogate ? invalid : CodePoint{value, bytes};
}

constexpr std::string_view blanks = " \t\r\n\v\f";

}  // namespace

Strings strings_of(std::span<const std::string> texts, Unit unit) {
    Strings strings;
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (const std::string& text : texts) {
        std::string_view rest = text;
        if (unit == Unit::characters) {
            while (!rest.empty()) {
                const CodePoint next = code_point(rest);
                strings.symbols.push_back(next.value);
                rest.remove_prefix(next.bytes);
            }
        } else {
            for (std::size_t begin = rest.find_first_not_of(blanks); begin != std::string_view::npos;
                 begin = rest.find_first_not_of(blanks)) {
                rest.remove_prefix(begin);
                const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
                strings.symbols.push_back(
                    numbers.try_emplace(word, static_cast<std::uint32_t>(numbers.size())).first->second);
                rest.remove_prefix(word.size());
            }
        }
        strings.offsets.push_back(std::ssize(strings.symbols));
    }
    return strings;
}

}  // namespace dunlin::sequences
