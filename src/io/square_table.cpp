// SPDX-License-Identifier: Apache-2.0
#include "io/square_table.hpp"

#include <algorithm>
#include <limits>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/id_titles.hpp"
#include "io/magnitudes.hpp"
#include "io/number.hpp"
#include "io/read_progress.hpp"
#include "io/square_names.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Reads a table of n columns and n rows with their names.
class SquareTable {
public:
    SquareTable(const Bytes& bytes, Decimal decimal)
        : bytes_(bytes),
          dialect_(choose_dialect(bytes, text_of(bytes), decimal)),
          fields_(bytes, dialect_, text_of(bytes)),
          decimal_(decimal) {}

    Square read() {
        FieldReader ahead = fields_;
        std::vector<std::string_view> first = raw_fields(ahead);
        if (first.empty()) bad_file("'{}' has no rows; give a row per item", bytes_.name());
        named_ = !number(first.front());
        if (!std::all_of(first.begin(), first.end(), [this](auto c) { return number(c); }))
            first = header(ahead, std::move(first));
        const std::size_t n = first.size() - (named_ ? 1 : 0);
        if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
            bad_file("'{}' has {} columns, more than there can be", bytes_.name(), n);
        ReadProgress progress("read", bytes_.view());
        for (std::size_t row = 0; fields_.next_row(); ++row) {
            progress.advance(fields_.at());
            if (row == n)
                bad_file("{}: row {} of a matrix of {} columns; it must be square", spot_at(fields_.at()), row + 1, n);
            read_row(n);
        }
        if (values_.size() != n * n) {
            bad_file("'{}' has {} rows and {} columns; a matrix of dissimilarities is square", bytes_.name(),
                     n == 0 ? 0 : values_.size() / n, n);
        }
        stored_.require_visible(bytes_.name());
        if (names_.size() != n) names_.clear();
        notes_ = notes_of(dialect_, decimal_);
        choose_names();
        const auto size = static_cast<Index>(n);
        return {Matrix(size, size, std::move(values_)), std::move(names_), "matrix csv", std::move(notes_)};
    }

    /// Conflict between the names; empty if they agree.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    /// Reads the names of the first line, if any; returns the row after it.
    std::vector<std::string_view> header(FieldReader& ahead, std::vector<std::string_view> first) {
        std::vector<std::string_view> second = raw_fields(ahead);
        const std::string above = unquoted(first.front());
        const bool titled = !above.empty() && (lower(above) == "id" || is_id_title(above));
        const bool data =
            second.size() == first.size() && !above.empty() && !titled &&
            std::all_of(first.begin() + 1, first.end(), [this](auto c) { return number(c) || is_missing(c); });
        if (data) return first;  // a name and numbers
        if (second.empty()) bad_file("'{}' has one line, of names; give a row per item", bytes_.name());
        const bool corner = first.size() == second.size() && (above.empty() || titled || !number(second.front()));
        named_ = corner || second.size() == first.size() + 1;
        for (std::size_t c = corner ? 1 : 0; c < first.size(); ++c) names_.push_back(unquoted(first[c]));
        fields_.next_row();
        raw_fields(fields_);
        return second;
    }

    [[nodiscard]] bool number(std::string_view raw) const { return is_number(raw, dialect_.point); }
    [[nodiscard]] FileLocation spot_at(const char* place) const {
        const std::size_t line = line_of(bytes_, place);
        return {fmt::format("'{}' line {}", bytes_.name(), line), at_line(bytes_.name(), line).place};
    }

    void read_row(std::size_t n) {
        std::size_t column = 0;
        do {
            const char* const place = fields_.at();
            const std::string_view raw = fields_.raw();
            if (named_ && column == 0) {
                row_names_.push_back(unquoted(raw));
            } else {
                add(raw, place);
            }
            ++column;
        } while (fields_.next_field());
        if (column != n + (named_ ? 1 : 0)) {
            bad_file("{}: {} cells, and {} on the lines before it", spot_at(fields_.at()), column,
                     n + (named_ ? 1 : 0));
        }
    }

    /// Columns in another order than the rows are put in that of the rows.
    void choose_names() {
        SquareNames chosen = square_names(std::move(row_names_), std::move(names_), bytes_.name());
        names_ = std::move(chosen.items);
        complaint_ = std::move(chosen.complaint);
        if (chosen.columns.empty()) return;
        permute_columns(values_, chosen.columns);
        notes_.push_back({note_of_order, ""});
    }

    void add(std::string_view raw, const char* place) {
        double value = 0;
        if (parse_field(raw, dialect_.point, value)) {
            values_.push_back(stored_.stored(value));
        } else if (is_missing(raw) && lower(raw).find("inf") == std::string::npos) {
            values_.push_back(missing);
        } else {
            bad_file("{}: '{}' is not a number", spot_at(place), shown(raw));
        }
    }

    const Bytes& bytes_;
    Dialect dialect_;
    FieldReader fields_;
    Decimal decimal_;
    bool named_ = false;  ///< a row begins with its name
    std::vector<std::string> names_, row_names_;
    std::vector<float> values_;
    StoredMatrix stored_;
    std::string complaint_;
    std::vector<Note> notes_;
};

}  // namespace

ParsedSquare read_square_table(const Bytes& bytes, Decimal decimal) {
    SquareTable table(bytes, decimal);
    Square square = table.read();
    return {std::move(square), table.complaint()};
}

}  // namespace dunlin::io
