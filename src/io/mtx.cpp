// SPDX-License-Identifier: Apache-2.0
#include "io/mtx.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::string_view banner = "%%MatrixMarket";

std::vector<std::string> words_in(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : line) {
        if (c != ' ' && c != '\t' && c != '\r') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    if (!word.empty()) words.push_back(std::move(word));
    return words;
}

std::string_view line_at(const Bytes& bytes, const char* p) {
    return {p, static_cast<std::size_t>(std::find(p, bytes.end(), '\n') - p)};
}

void read_kind(MtxHead& head, std::string_view line, const std::string& file) {
    const std::vector<std::string> words = words_in(line);
    if (words.size() < 5 || lower(words[1]) != "matrix") {
        bad_file(
            "{}: '{}' is no head of a matrix; it has to be '%%MatrixMarket matrix coordinate real general' or alike",
            at_line(file, 1), shown(line));
    }
    const std::string format = lower(words[2]), field = lower(words[3]), symmetry = lower(words[4]);
    head.coordinate = format == "coordinate";
    head.pattern = field == "pattern";
    head.skew = symmetry == "skew-symmetric";
    head.symmetric = head.skew || symmetry == "symmetric";
    const bool known =
        (head.coordinate || format == "array") && (head.symmetric || symmetry == "general") &&
        (field == "real" || field == "double" || field == "integer" || (head.pattern && head.coordinate));
    if (!known) {
        bad_file(
            "{}: a matrix that is '{} {} {}' cannot be used; write it as coordinate or array, real, integer or "
            "pattern, general or symmetric",
            at_line(file, 1), shown(words[2]), shown(words[3]), shown(words[4]));
    }
}

std::int64_t count_in(const std::string& word, const FileLocation& place) {
    std::int64_t count = -1;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), count);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || count < 0) {
        bad_file("{}: '{}' is not a count; correct the line of sizes", place, shown(word));
    }
    return count;
}

void read_sizes(MtxHead& head, std::string_view line, const FileLocation& place, std::size_t bytes_left) {
    const std::vector<std::string> words = words_in(line);
    if (words.size() != (head.coordinate ? 3 : 2)) {
        bad_file("{}: '{}' is no line of sizes; it has to be {}", place, shown(line),
                 head.coordinate ? "rows, columns, entries" : "rows, columns");
    }
    const std::int64_t rows = count_in(words[0], place), cols = count_in(words[1], place);
    if (rows > most_items || cols > most_items)
        bad_file("{}: more than {} rows or columns; split the matrix", place, most_items);
    if (rows == 0 || cols == 0) bad_file("{}: the matrix is {} x {}; it holds no values", place, rows, cols);
    if (head.symmetric && rows != cols)
        bad_file("{}: a symmetric matrix cannot be {} x {}; correct the sizes", place, rows, cols);
    head.rows = static_cast<Index>(rows);
    head.cols = static_cast<Index>(cols);
    head.entries = head.coordinate   ? count_in(words[2], place)
                   : !head.symmetric ? rows * cols
                   : head.skew       ? rows * (rows - 1) / 2
                                     : rows * (rows + 1) / 2;
    // An entry takes a line of at least two characters; the last line end may be missing
    if (static_cast<std::uint64_t>(head.entries) > bytes_left / 2 + 1) {
        bad_file(
            "{}: {} entries are announced and cannot be in the {} bytes that follow; the file is truncated, copy it "
            "again",
            place, head.entries, bytes_left);
    }
}

}  // namespace

bool is_mtx(const Bytes& bytes) { return bytes.view().starts_with(banner); }

MtxHead parse_mtx_head(const Bytes& bytes) {
    if (!is_mtx(bytes))
        bad_file("'{}' is no Matrix Market file: it does not begin with {}; convert it again", bytes.name(), banner);
    MtxHead head;
    std::string_view line = line_at(bytes, bytes.begin());
    read_kind(head, line, bytes.name());
    const char* p = line.data() + line.size();
    for (std::size_t number = 2;; ++number) {
        if (p == bytes.end()) bad_file("'{}' ends before its line of sizes; copy it again", bytes.name());
        line = line_at(bytes, ++p);
        p = line.data() + line.size();
        if (line.starts_with('%') || words_in(line).empty()) continue;
        read_sizes(head, line, at_line(bytes.name(), number), static_cast<std::size_t>(bytes.end() - p));
        break;
    }
    head.body = p;
    return head;
}

bool counts_from_zero(const Bytes& bytes, const MtxHead& head) {
    if (!head.coordinate) return false;
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    for (const char* p = head.body; p != bytes.end(); p = std::find(p, bytes.end(), '\n')) {
        for (int index = 0; index < 2; ++index) {
            while (is_space(*p) || (index == 0 && *p == '\n')) ++p;
            if (p[0] == '0' && (is_space(p[1]) || p[1] == '\n' || p[1] == '\r')) return true;
            while (is_digit(*p)) ++p;
        }
    }
    return false;
}

bool pattern_has_values(const Bytes& bytes, const MtxHead& head) {
    const char* const first =
        std::find_if(head.body, bytes.end(), [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
    return head.pattern && words_in(line_at(bytes, first)).size() == 3;
}

void MtxEntries::fail(const char* what, const char* place) const {
    const char* const end =
        std::find_if(place, bytes_.end(), [](char c) { return c == ' ' || c == '\n' || c == '\r'; });
    bad_file("{}: '{}' is not {}; correct the entry", at_line(bytes_.name(), line_of(bytes_, place)),
             shown({place, static_cast<std::size_t>(end - place)}), what);
}

bool MtxEntries::next_line() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') ++at_;
    return at_ != bytes_.end();
}

Index MtxEntries::index(Index extent, const char* what) {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    const char* const first = at_;
    std::int64_t value = 0;
    for (; is_digit(*at_) && value <= most_items; ++at_) value = value * 10 + (*at_ - '0');
    const Offset last = Offset{extent} - 1 + first_;
    if (value < first_ || value > last ||
        (*at_ != ' ' && *at_ != '\t' && *at_ != '\n' && *at_ != '\r' && at_ != bytes_.end())) {
        fail(fmt::format("a {} from {} to {}", what, first_, last).c_str(), first);
    }
    return static_cast<Index>(value - first_);
}

double MtxEntries::value() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
    double value = 0;
    const char* const after = parse_number(at_, value);
    if (after == nullptr || !std::isfinite(value)) fail("a finite number", at_);
    at_ = after;
    return value;
}

bool MtxEntries::next(Triplet& entry) {
    progress_.advance(at_);
    if (read_ == head_.entries) {
        if (next_line()) {
            bad_file("{}: there are more than the {} entries announced; correct the line of sizes",
                     at_line(bytes_.name(), line_of(bytes_, at_)), head_.entries);
        }
        return false;
    }
    if (!next_line()) {
        bad_file("'{}' is truncated: {} of {} entries are there; copy it again", bytes_.name(), read_, head_.entries);
    }
    if (head_.coordinate) {
        entry.row = index(head_.rows, "row");
        entry.col = index(head_.cols, "column");
    } else {
        if (read_ == 0 && head_.skew) row_ = 1;
        entry.row = row_;
        entry.col = col_;
        if (++row_ == head_.rows) {
            ++col_;
            row_ = head_.skew ? col_ + 1 : head_.symmetric ? col_ : 0;
        }
    }
    entry.value = head_.pattern ? 1.0 : value();
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
    if (*at_ != '\n' && at_ != bytes_.end()) fail("the end of the line", at_);
    ++read_;
    return true;
}

}  // namespace dunlin::io
