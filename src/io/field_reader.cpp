// SPDX-License-Identifier: Apache-2.0
#include "io/field_reader.hpp"

#include <algorithm>
#include <cstring>

#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/spreadsheet.hpp"

namespace dunlin::io {

bool FieldReader::next_row() {
    for (;;) {
        const char* const line = at_;
        while (*at_ == ' ') ++at_;
        if (at_ == bytes_->end()) return false;
        if (*at_ != '\n' && *at_ != '\r') {
            if (delimiter_ == ' ') {
                skip_blanks();
                if (ends_row(at_)) continue;
            } else {
                at_ = line;
            }
            return true;
        }
        ++at_;
    }
}

std::size_t FieldReader::numbers(double* out, std::size_t count) {
    if (delimiter_ == ' ' || delimiter_ == point_) return 0;
    const char delimiter = delimiter_, point = point_;
    const char* p = at_;
    std::size_t read = 0;
    for (; read < count; ++read) {
        if (is_digit(*p) && p[1] == delimiter) {
            out[read] = static_cast<double>(*p - '0');
            p += 2;
            continue;
        }
        const char* const after = parse_number(p, out[read], point);
        if (after == nullptr || *after != delimiter || is_float_tie(out[read])) break;
        p = after + 1;
    }
    at_ = p;
    return read;
}

/// The quote that closes the field opened at `open`, or nullptr.
const char* FieldReader::closing_quote(const char* open) const {
    const char* p = open + 1;
    for (;;) {
        p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(bytes_->end() - p)));
        if (p == nullptr) return nullptr;
        if (p[1] != '"') return p;
        p += 2;
    }
}

/// The field between the quote at at_ and `close`; data() is null if text follows the closing quote.
std::string_view FieldReader::quoted(const char* close) {
    const char* after = close + 1;
    while (*after == ' ' && delimiter_ != ' ') ++after;
    if (!ends_field(after)) return {};
    const std::string_view field(at_ + 1, static_cast<std::size_t>(close - at_ - 1));
    at_ = after;
    return field;
}

std::string_view FieldReader::bare() {
    const char* const first = at_;
    while (!ends_field(at_)) ++at_;
    const char* last = at_;
    while (last != first && last[-1] == ' ') --last;
    return {first, static_cast<std::size_t>(last - first)};
}

std::string_view FieldReader::raw() {
    skip_blanks();
    if (*at_ != '"') return bare();
    // With the delimiter ' ', a lone quote can be a field (files of word vectors)
    const char* const close = closing_quote(at_);
    if (delimiter_ == ' ' && (close == nullptr || std::find(at_, close, '\n') != close)) return bare();
    const std::string_view field = close != nullptr ? quoted(close) : std::string_view();
    if (field.data() != nullptr) return field;
    if (!strict_ || delimiter_ == ' ') return bare();
    bad_file(
        "{}: a quote is opened and not closed at the end of its cell; close it, or double a quote that belongs "
        "to the text",
        at_line(bytes_->name(), line_of(*bytes_, at_)));
}

std::string FieldReader::text() { return unquoted(raw()); }

std::vector<std::string_view> raw_fields(FieldReader& fields) {
    std::vector<std::string_view> row;
    if (!fields.next_row()) return row;
    do {
        row.push_back(fields.raw());
    } while (fields.next_field());
    return row;
}

std::string unquoted(std::string_view raw) {
    raw = without_guard(raw);
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        text += raw[i];
        if (raw[i] == '"' && i + 1 < raw.size() && raw[i + 1] == '"') ++i;
    }
    // ="0042" keeps the zeros of a text in spreadsheets
    const bool is_text_formula = text.size() >= 3 && text.starts_with("=\"") && text.ends_with('"');
    return is_text_formula && text.find('"', 2) == text.size() - 1 ? text.substr(2, text.size() - 3) : text;
}

std::size_t line_of(const Bytes& bytes, const char* place) {
    return 1 + static_cast<std::size_t>(std::count(bytes.begin(), place, '\n'));
}

}  // namespace dunlin::io
