// SPDX-License-Identifier: Apache-2.0
#include "io/network/gml_pairs.hpp"
#include "progress/cancel.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/network/nesting.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

std::string utf8(std::uint32_t code) {
    const auto byte = [](std::uint32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
    if (code < 0x10000) return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
    return {byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f)),
            byte(0x80 | (code & 0x3f))};
}

/// The character of &name;, or the entity itself if it is unknown.
std::string entity(std::string_view name) {
    if (name == "quot") return "\"";
    if (name == "amp") return "&";
    if (name == "lt") return "<";
    if (name == "gt") return ">";
    if (name == "apos") return "'";
    std::uint32_t code = 0;
    if (name.starts_with('#')) {
        const auto parsed = std::from_chars(name.data() + 1, name.data() + name.size(), code);
        const bool whole = parsed.ec == std::errc() && parsed.ptr == name.data() + name.size();
        if (whole && code > 0 && code < 0x110000) return utf8(code);
    }
    return fmt::format("&{};", name);
}

bool is_key_character(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string gml_text(std::string_view raw) {
    std::string text;
    while (!raw.empty()) {
        const std::size_t and_sign = std::min(raw.find('&'), raw.size());
        text += raw.substr(0, and_sign);
        raw.remove_prefix(and_sign);
        const std::size_t end = raw.substr(0, 12).find(';');
        if (raw.empty()) break;
        if (end == std::string_view::npos) {
            text += raw.front();
            raw.remove_prefix(1);
            continue;
        }
        text += entity(raw.substr(1, end - 1));
        raw.remove_prefix(end + 1);
    }
    return text;
}

GmlPairs::GmlPairs(const Bytes& bytes) : bytes_(bytes), at_(text_of(bytes)) {}

bool GmlPairs::next(KeyValue& pair) {
    progress::cancellation_point();
    skip_blanks();
    if (*at_ == ']' && depth_ > 0) {
        ++at_, --depth_;
        return false;
    }
    if (at_ == bytes_.end()) {
        if (depth_ > 0) fail(at_, "the file ends within a list; close it with ]");
        return false;
    }
    pair.place = at_;
    pair.key = word();
    if (pair.key.empty() || is_digit(pair.key[0])) {
        fail(pair.place,
             fmt::format("'{}' is no key of GML", shown({pair.place, std::max<std::size_t>(1, pair.key.size())})));
    }
    skip_blanks();
    read_value(pair);
    return true;
}

void GmlPairs::skip_list() {
    const int outer = depth_ - 1;
    for (KeyValue pair; depth_ > outer;) next(pair);
}

void GmlPairs::fail(const char* place, const std::string& what) const {
    bad_file("{}: {}", at_line(bytes_.name(), line_of(bytes_, place)), what);
}

void GmlPairs::skip_blanks() {
    for (;;) {
        while (*at_ == ' ' || (*at_ >= '\t' && *at_ <= '\r')) ++at_;
        if (*at_ != '#') return;
        at_ = std::find(at_, bytes_.end(), '\n');
    }
}

std::string_view GmlPairs::word() {
    const char* const first = at_;
    while (is_key_character(*at_)) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
}

void GmlPairs::read_value(KeyValue& pair) {
    const char* const first = at_;
    if (*at_ == '[') {
        ++at_;
        if (++depth_ > most_nested) fail(first, fmt::format("lists nest deeper than {}; leave some out", most_nested));
        pair.kind = Kind::list;
    } else if (*at_ == '"') {
        at_ = std::find(at_ + 1, bytes_.end(), '"');
        if (at_ == bytes_.end()) fail(first, "a text is opened with \" and not closed");
        pair.kind = Kind::text;
        pair.raw = {first + 1, static_cast<std::size_t>(at_ - first - 1)};
        ++at_;
        if (static_cast<unsigned char>(*at_) > ' ' && *at_ != ']')
            fail(first, "a text ends at its second quote, and more follows; write a quote in a text as &quot;");
    } else {
        read_number(pair);
    }
}

void GmlPairs::read_number(KeyValue& pair) {
    const char* const first = at_;
    const char* const after = parse_number(at_, pair.number);
    while (static_cast<unsigned char>(*at_) > ' ' && *at_ != ']' && *at_ != '[') ++at_;
    pair.raw = {first, static_cast<std::size_t>(at_ - first)};
    pair.kind = Kind::number;
    if (after == at_) return;
    if (pair.key == "Creator") {  // Gephi writes its name without quotes
        pair.kind = Kind::text;
        return;
    }
    pair.number = std::numeric_limits<double>::quiet_NaN();
    if (pair.raw.empty() || !is_missing(pair.raw)) {
        fail(first, fmt::format("the {} '{}' is neither a number, a text in quotes nor a list", shown(pair.key),
                                shown(pair.raw)));
    }
}

}  // namespace dunlin::io
