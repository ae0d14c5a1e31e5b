// SPDX-License-Identifier: Apache-2.0
#include "io/triangle_rows.hpp"

#include <algorithm>
#include <limits>

#include "io/fail.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t name_width = 10;  // PHYLIP's

class RowsReader {
public:
    RowsReader(const Bytes& bytes, Dialect dialect, TriangleStart start)
        : bytes_(bytes), fields_(bytes, dialect, text_of(bytes), false), start_(start) {}

    std::optional<TriangleRows> read() {
        const bool phylip = start_ != TriangleStart::rows;
        if (phylip) raw_fields(fields_);
        ReadProgress progress("read", bytes_.view());
        while (fields_.next_row()) {
            progress.advance(fields_.at());
            if (rows_.size() == 0) named_ = phylip || !starts_with_number();
            const bool goes_on = phylip && rows_.size() > 0 && !numbered_names_ && starts_with_number();
            if (!(goes_on ? read_entries() : read_row())) return {};
            rows_.starts.back() = rows_.values.size();
            if (!phylip && !looks_like_triangle()) return {};
        }
        return std::move(rows_);
    }

private:
    [[nodiscard]] bool starts_with_number() const {
        FieldReader ahead = fields_;
        const std::string_view first = ahead.raw();
        return is_number(first, fields_.point()) || is_missing(first);
    }

    bool read_row() {
        rows_.places.push_back(fields_.at());
        rows_.starts.push_back(rows_.values.size());
        if (!named_) return read_entries();
        if (rows_.size() == 1) numbered_names_ = starts_with_number();
        if (start_ == TriangleStart::phylip_columns) {
            const char* p = fields_.at();
            for (std::size_t c = 0; c < name_width && !fields_.ends_row(p); ++c) ++p;
            const std::string_view wide(fields_.at(), static_cast<std::size_t>(p - fields_.at()));
            rows_.names.emplace_back(wide.substr(0, wide.find_last_not_of(" \t") + 1));
            fields_.go_to(p);
            fields_.skip_blanks();
            return fields_.ends_row(fields_.at()) || read_entries();
        }
        rows_.names.push_back(fields_.text());
        return !fields_.next_field() || read_entries();
    }

    /// The rest of a line.
    bool read_entries() {
        bool is_empty = false;
        do {
            float value = 0;
            const std::string_view raw = fields_.raw();
            if (!parse_entry(raw, fields_.point(), value)) return false;
            rows_.values.push_back(value);
            is_empty = raw.empty();
        } while (fields_.next_field());
        if (is_empty) rows_.values.pop_back();  // a delimiter at the end of the line
        return true;
    }

    /// Whether the second and third row are longer, or shorter, by one than the row before them.
    [[nodiscard]] bool looks_like_triangle() const {
        const std::size_t n = rows_.size();
        if (n < 2 || n > 3) return true;
        const std::size_t last = rows_.width(n - 1), before = rows_.width(n - 2);
        if (n == 3 && (last > before) != (before > rows_.width(0))) return false;
        return last == before + 1 || last + 1 == before;
    }

    const Bytes& bytes_;
    FieldReader fields_;
    TriangleStart start_;
    bool named_ = false, numbered_names_ = false;
    TriangleRows rows_;
};

}  // namespace

bool parse_entry(std::string_view raw, char point, float& value) {
    double number = 0;
    if (parse_field(raw, point, number)) {
        value = static_cast<float>(number);
        return true;
    }
    value = std::numeric_limits<float>::quiet_NaN();
    return is_missing(raw) && lower(raw).find("inf") == std::string::npos;
}

Dialect dialect_of_rows(const Bytes& bytes, Decimal decimal) {
    constexpr std::size_t looked_at = 4096;
    const std::string_view head = bytes.view().substr(0, looked_at);
    Dialect dialect{' ', '.'};
    for (const char mark : {'\t', ';', ','}) {
        const bool is_decimal = mark == ',' && decimal == Decimal::comma;
        if (head.find(mark) == std::string_view::npos || is_decimal) continue;
        dialect.delimiter = mark;
        break;
    }
    const bool has_commas = dialect.delimiter != ',' && head.find(',') != std::string_view::npos;
    if (decimal == Decimal::comma || (decimal == Decimal::automatic && has_commas)) dialect.point = ',';
    if (dialect.point == ',' && head.find(',') == std::string_view::npos) dialect.point = '.';
    return dialect;
}

std::optional<TriangleRows> read_triangle_rows(const Bytes& bytes, Dialect dialect, TriangleStart start) {
    return RowsReader(bytes, dialect, start).read();
}

}  // namespace dunlin::io
