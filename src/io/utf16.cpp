// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/utf8.hpp"

namespace dunlin::io {

namespace {

/// Units of UTF-16 in their byte order.
class Units {
public:
    explicit Units(const Bytes& bytes)
        : at_(bytes.begin() + 2), end_(bytes.end()), is_big_(bytes.view().starts_with("\xfe\xff")) {}

    [[nodiscard]] bool more() const { return at_ < end_; }
    [[nodiscard]] std::uint32_t peek() const {
        const auto first = static_cast<unsigned char>(at_[0]), second = static_cast<unsigned char>(at_[1]);
        return is_big_ ? first * 256U + second : second * 256U + first;
    }
    std::uint32_t next() {
        const std::uint32_t unit = peek();
        at_ += 2;
        return unit;
    }

private:
    const char* at_;
    const char* end_;
    bool is_big_;
};

}  // namespace

bool is_utf16(const Bytes& bytes) {
    const std::string_view head = bytes.view().substr(0, 4);
    if (bytes.size() % 2 != 0 || !(head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))) return false;
    return head.size() < 4 || head[2] != '\0' || head[3] != '\0';  // else UTF-32, or no text
}

Bytes utf8_of(const Bytes& utf16) {
    GrowableBuffer<char> text("the text of '" + utf16.name() + "'");
    std::size_t line = 1;
    for (Units units(utf16); units.more();) {
        std::uint32_t code = units.next();
        const bool is_high = code >= 0xd800 && code < 0xdc00, is_low = code >= 0xdc00 && code < 0xe000;
        const bool has_low = is_high && units.more() && units.peek() >= 0xdc00 && units.peek() < 0xe000;
        if (is_low || (is_high && !has_low))
            bad_file("{}: the text is no UTF-16, it has half a character; save it as UTF-8",
                     at_line(utf16.name(), line));
        if (is_high) code = 0x10000 + ((code - 0xd800) << 10) + (units.next() - 0xdc00);
        if (code == '\n') ++line;
        char* const to = text.room(4);
        text.add(static_cast<std::size_t>(put_utf8(to, code) - to));
    }
    return padded(text, utf16.name());
}

}  // namespace dunlin::io
