// SPDX-License-Identifier: Apache-2.0
#include "io/huge_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/number.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

/// A whole number without a plus and zeros before it; empty: it is none, or one that double holds for certain.
std::string_view huge_whole(std::string_view raw, double value) {
    if (!(std::abs(value) >= largest_exact)) return {};
    std::string_view digits = raw;
    if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
    if (!is_whole(digits)) return {};
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

[[noreturn]] void refuse_alike(const FileLocation& place, std::string_view one, std::string_view other) {
    bad_file(
        "{}: {} and {} are the same number in double precision; subtract a number from the column, or take it as "
        "ids or labels",
        place, one, other);
}

/// The bits of item `index` of an array of 8-byte whole numbers.
std::uint64_t bits_of(const Array& array, std::uint64_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, array.data + index * array.item, sizeof bits);
    return array.swapped ? __builtin_bswap64(bits) : bits;
}

std::string text_of(const Array& array, std::uint64_t bits) {
    return array.kind == 'i' ? fmt::format("{}", static_cast<std::int64_t>(bits)) : fmt::format("{}", bits);
}

}  // namespace

void require_told_apart(const Bytes& bytes, const TableSchema& schema) {
    std::vector<std::unordered_map<double, std::string_view>> seen(schema.roles.size());
    FieldReader fields(bytes, schema.dialect, schema.body);
    for (Offset row = 0; fields.next_row(); ++row) {
        if (row % 1024 == 0) progress::cancellation_point();
        std::size_t c = 0;
        do {
            const std::string_view raw = fields.raw();
            double value = 0;
            if (c >= seen.size() || schema.roles[c] != ColumnRole::number) continue;
            if (!parse_field(raw, schema.dialect.point, value)) continue;
            const std::string_view digits = huge_whole(raw, value);
            if (digits.empty()) continue;
            const std::string_view before = seen[c].emplace(value, digits).first->second;
            if (before == digits) continue;
            FileLocation place = at_line(bytes.name(), line_of(bytes, raw.data()));
            place.text += fmt::format(": column {}", schema.title(c));
            place.place.row = row;
            place.place.column = static_cast<Offset>(c);
            refuse_alike(place, before, digits);
        } while (++c, fields.next_field());
    }
}

void require_told_apart(const Array& array, std::uint64_t cols, bool by_column, const std::string& file) {
    if ((array.kind != 'i' && array.kind != 'u') || array.item != sizeof(std::uint64_t)) return;
    const std::uint64_t count = array.count();
    bool any = false;
    for (std::uint64_t i = 0; i < count && !any; ++i) any = std::abs(array.number(i)) >= largest_exact;
    if (!any) return;
    std::vector<std::unordered_map<double, std::uint64_t>> seen(cols);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % 65536 == 0) progress::cancellation_point();
        const double value = array.number(i);
        if (!(std::abs(value) >= largest_exact)) continue;
        const std::uint64_t bits = bits_of(array, i), column = by_column ? i / (count / cols) : i % cols;
        const std::uint64_t before = seen[column].emplace(value, bits).first->second;
        if (before == bits) continue;
        const FileLocation place{fmt::format("'{}': column {}", file, column + 1),
                                 {.file = file, .column = static_cast<Offset>(column)}};
        refuse_alike(place, text_of(array, before), text_of(array, bits));
    }
}

}  // namespace dunlin::io
