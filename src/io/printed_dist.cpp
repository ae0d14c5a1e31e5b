// SPDX-License-Identifier: Apache-2.0
#include "io/printed_dist.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "io/fail.hpp"
#include "io/triangle.hpp"
#include "io/triangle_rows.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

class PrintedDist {
public:
    PrintedDist(const Bytes& bytes, Dialect dialect) : bytes_(bytes), fields_(bytes, dialect, text_of(bytes), false) {}

    std::optional<Square> read() {
        if (!read_first_names()) return {};
        for (next(); !row_.empty() && !begins_block(); next()) read_row(items_.size(), true);
        if (items_.size() < 2 || end_ > items_.size()) refuse("ends before all items have a row");
        while (!row_.empty()) read_block();
        if (end_ + (diagonal_ ? 0 : 1) != items_.size()) refuse("ends before the columns of all items");
        return square();
    }

private:
    void next() {
        fields_.next_row();
        place_ = fields_.at();
        row_ = raw_fields(fields_);
        if (!row_.empty() && row_.back().empty()) row_.pop_back();
        if (!row_.empty() && row_.front().empty()) row_.erase(row_.begin());  // above the names of rows
        progress::cancellation_point();
    }

    /// The names of the first columns, if the rows below them look like a printed dist: a name and one number more
    /// than the row before has.
    bool read_first_names() {
        next();
        names_ = row_;
        FieldReader ahead = fields_;
        const std::vector<std::string_view> first = raw_fields(ahead), second = raw_fields(ahead);
        const bool grows = first.size() == 2 && (names_.size() == 1 ? second.empty() : second.size() == 3);
        float entry = 0;
        if (names_.empty() || !grows || !parse_entry(first[1], fields_.point(), entry)) return false;
        diagonal_ = first[0] == names_[0];
        const bool is_indented = *text_of(bytes_) == ' ' || *text_of(bytes_) == '\t';
        if (names_.size() == 1 && is_number(names_[0]) && !is_indented) return false;  // numbers of a triangle
        if (diagonal_ && entry != 0) return false;
        if (!diagonal_) items_.emplace_back(names_[0]);
        if (names_.size() > 1 && (diagonal_ ? second[0] : first[0]) != names_[1]) return false;
        lower_.resize(items_.size());
        end_ = names_.size();
        return true;
    }

    /// Whether a row has the names of further columns.
    [[nodiscard]] bool begins_block() const { return end_ < items_.size() && row_[0] == items_[end_]; }

    /// The row of item i: its name, and its entries in the columns from begin_ on.
    void read_row(std::size_t i, bool is_new) {
        if (is_new) {
            items_.emplace_back(row_[0]);
            lower_.emplace_back();
            if (i < end_) require_name(row_[0], names_[i]);
        } else {
            require_name(row_[0], items_[i]);
        }
        const std::size_t most = i + (diagonal_ ? 1 : 0);
        const std::size_t wanted = std::min(most, end_) - std::min(most, begin_);
        if (row_.size() != wanted + 1)
            refuse(fmt::format("has {} numbers where {} were expected", row_.size() - 1, wanted));
        for (std::size_t c = 1; c < row_.size(); ++c) {
            float value = 0;
            if (!parse_entry(row_[c], fields_.point(), value))
                refuse(fmt::format("has '{}', which is no number", shown(row_[c])));
            lower_[i].push_back(value);
        }
    }

    /// Further columns: their names, then the rows of all items but those that have no entry at the top.
    void read_block() {
        begin_ = end_;
        end_ += row_.size();
        if (end_ > items_.size()) refuse("has more names than there are items");
        for (std::size_t c = 0; c < row_.size(); ++c) require_name(row_[c], items_[begin_ + c]);
        next();
        std::size_t i = diagonal_ ? 0 : 1;
        while (i < items_.size() && !row_.empty() && row_[0] != items_[i]) ++i;
        for (; i < items_.size(); ++i) {
            if (row_.empty()) refuse("ends before all items have a row");
            read_row(i, false);
            next();
        }
    }

    [[noreturn]] void refuse(const std::string& why) const {
        bad_file("{}: a printed dist of R {}; correct it, or write as.matrix(d) as a table",
                 at_line(bytes_.name(), line_of(bytes_, place_)), why);
    }
    void require_name(std::string_view name, std::string_view wanted) const {
        if (name != wanted)
            refuse(fmt::format("has the name '{}' where '{}' was expected", shown(name), shown(wanted)));
    }

    Square square() {
        const std::size_t n = items_.size();
        std::vector<float> values = room_for_square(n, bytes_.name());
        for (std::size_t i = 0; i < n; ++i) {
            progress::cancellation_point();
            for (std::size_t j = 0; j < lower_[i].size(); ++j) values[i * n + j] = values[j * n + i] = lower_[i][j];
        }
        const auto size = static_cast<Index>(n);
        Square square{Matrix(size, size, std::move(values)), std::move(items_), "printed dist"};
        square.notes.push_back({fmt::format("read as a dist that R printed, of {} items", n), ""});
        return square;
    }

    const Bytes& bytes_;
    FieldReader fields_;
    const char* place_ = nullptr;
    std::vector<std::string_view> row_, names_;
    bool diagonal_ = false;
    std::size_t begin_ = 0, end_ = 0;  ///< the columns of the block
    std::vector<std::string> items_;
    std::vector<std::vector<float>> lower_;  ///< entries of an item, in the order of the columns
};

}  // namespace

std::optional<Square> read_printed_dist(const Bytes& bytes, Dialect dialect) {
    if (dialect.delimiter != ' ') return {};  // R prints blanks; of other delimiters a ragged table is meant
    return PrintedDist(bytes, dialect).read();
}

}  // namespace dunlin::io
