// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/field_reader.hpp"
#include "io/network/numbering.hpp"
#include "io/network/parsed_network.hpp"
#include "io/number.hpp"

/// Four kinds of ids in an edge list with delimiters. Each parses an id (`parse`: false for another kind), collects
/// edges (`add`) and at the end numbers the vertices from 0 (`finish`), if they suit it (`are_unsuited`).
namespace dunlin::io {

/// Reads a field of digits; false for other characters, and for leading zeros, which are part of a name.
inline bool parse_digits(FieldReader& fields, std::uint64_t& value, std::ptrdiff_t max_digits) {
    const char* const first = fields.at();
    const char* p = first;
    value = 0;
    for (; is_digit(*p); ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    const std::ptrdiff_t digits = p - first;
    if (digits == 0 || digits > max_digits || (*first == '0' && digits > 1)) return false;
    if (*p == ' ' && fields.delimiter() != ' ') {
        while (*p == ' ') ++p;
    }
    return fields.accept(p);
}

/// 32-bit integers, dense enough for a bit set of their range.
class NarrowIds {
public:
    using Id = Index;
    static constexpr bool takes_all = false;

    explicit NarrowIds(char) {}

    bool parse(FieldReader& fields, Index& id) {
        std::uint64_t value = 0;
        if (!parse_digits(fields, value, 10) || value >= static_cast<std::uint64_t>(most_items)) return false;
        id = static_cast<Index>(value);
        return true;
    }
    void add(ParsedNetwork& parsed, Index source, Index target) {
        largest_ = std::max(largest_, std::max(source, target));
        parsed.source->edges.add(source, target);
    }
    /// Whether a bit set over the range of ids would take more memory than the edges.
    [[nodiscard]] bool are_unsuited(const ParsedNetwork& parsed) const;
    void finish(ParsedNetwork& parsed);

private:
    Index largest_ = -1;
};

/// Integers of up to 64 bits, numbered in ascending order.
class WideIds {
public:
    using Id = std::uint64_t;
    static constexpr bool takes_all = false;

    explicit WideIds(char) {}

    static bool parse(FieldReader& fields, std::uint64_t& id) { return parse_digits(fields, id, 19); }
    void add(ParsedNetwork& parsed, std::uint64_t source, std::uint64_t target) {
        numbering_.add(source, target, parsed.source->edges);
    }
    static bool are_unsuited(const ParsedNetwork&) { return false; }
    void finish(ParsedNetwork& parsed);

private:
    VertexNumbering<std::uint64_t> numbering_;
};

/// Integers, of which some are written as 2.0, as pandas writes a column that has gaps.
class DecimalIds {
public:
    using Id = std::uint64_t;
    static constexpr bool takes_all = false;

    explicit DecimalIds(char delimiter) : whole_(delimiter) {}

    bool parse(FieldReader& fields, std::uint64_t& id);
    void add(ParsedNetwork& parsed, std::uint64_t source, std::uint64_t target) { whole_.add(parsed, source, target); }
    [[nodiscard]] bool are_unsuited(const ParsedNetwork&) const { return example_.empty(); }
    void finish(ParsedNetwork& parsed);

private:
    WideIds whole_;
    std::string_view example_;  ///< the first that is written so; empty: none
};

/// Strings, numbered in order of first appearance.
class NameIds {
public:
    using Id = VertexName;
    static constexpr bool takes_all = true;  ///< except the empty string

    explicit NameIds(char delimiter) {
        for (const char c : {delimiter, delimiter == ' ' ? '\t' : delimiter, '\n', '\r', '\0', ' '})
            ends_[byte(c)] = true;
        for (const char c : std::string_view("Nn?-<#1")) starts_missing_[byte(c)] = true;
        for (const char c : std::string_view("AaNnLlTteDE>?-")) ends_missing_[byte(c)] = true;
    }

    bool parse(FieldReader& fields, VertexName& id) {
        const char* const first = fields.at();
        const char* p = first;
        while (!ends_[byte(*p)]) ++p;
        std::string_view name(first, static_cast<std::size_t>(p - first));
        if (*first == '"' || !fields.accept(p)) name = fields.raw();  // quoted, or with blanks inside or after it
        id = VertexName(name);
        if (name.empty()) return false;
        if (!starts_missing_[byte(*first)] || !ends_missing_[byte(name.back())] || !is_missing_end(name)) return true;
        missing_ = name;
        return false;
    }
    /// The last field that stands for a missing value; empty: none.
    [[nodiscard]] std::string_view missing() const { return missing_; }
    void add(ParsedNetwork& parsed, const VertexName& source, const VertexName& target) {
        numbering_.add(source, target, parsed.source->edges);
    }
    static bool are_unsuited(const ParsedNetwork&) { return false; }
    void finish(ParsedNetwork& parsed);

private:
    static std::size_t byte(char c) { return static_cast<unsigned char>(c); }
    static bool is_missing_end(std::string_view name);

    std::array<bool, 256> ends_{};                             ///< whether a byte ends an unquoted name
    std::array<bool, 256> starts_missing_{}, ends_missing_{};  ///< first and last bytes of words for missing values
    std::string_view missing_;
    VertexNumbering<VertexName> numbering_;
};

}  // namespace dunlin::io
