// SPDX-License-Identifier: Apache-2.0
#include "io/word_vectors.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_set>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/number_like.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t sampled_lines = 32;
/// Fewer dimensions without a first line are a table, whose words may be labels.
constexpr std::size_t least_bare = 8;
/// With fewer dimensions than this, the first line counts as one only if it has the right number of rows: a list of
/// edges may also begin with two counts.
constexpr std::size_t least_counted = 4;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Ends at LF, since tokens may have any other character; without the CR before it and blanks around it.
std::string_view trimmed_line(const char* p, const char* end) {
    const char* last = end;
    while (last > p && (is_blank(last[-1]) || last[-1] == '\r')) --last;
    while (p < last && is_blank(*p)) ++p;
    return {p, static_cast<std::size_t>(last - p)};
}

/// Lines of a text that are not empty.
class Lines {
public:
    Lines(const char* p, const char* end) : p_(p), end_(end) {}

    /// False at the end.
    bool next() {
        do {
            if (p_ == end_) return false;
            const char* const end = std::find(p_, end_, '\n');
            line_ = trimmed_line(p_, end);
            p_ = end == end_ ? end_ : end + 1;
        } while (line_.empty());
        return true;
    }
    [[nodiscard]] std::string_view line() const { return line_; }
    [[nodiscard]] const char* after() const { return p_; }

private:
    const char *p_, *end_;
    std::string_view line_;
};

/// Takes the last field off a trimmed text.
std::string_view take_last(std::string_view& text) {
    std::size_t begin = text.size();
    while (begin > 0 && !is_blank(text[begin - 1])) --begin;
    const std::string_view field = text.substr(begin);
    while (begin > 0 && is_blank(text[begin - 1])) --begin;
    text = text.substr(0, begin);
    return field;
}

/// How many of the last fields are numbers; the token is at least one field.
std::size_t numbers_at_end(std::string_view line, std::size_t most) {
    std::size_t count = 0;
    while (count < most && !line.empty() && is_number(take_last(line)) && !line.empty()) ++count;
    return count;
}

std::string_view token_of(std::string_view line, std::size_t dims) {
    for (std::size_t d = 0; d < dims; ++d) take_last(line);
    return line;
}

bool has_blank(std::string_view token) { return std::any_of(token.begin(), token.end(), is_blank); }

/// Two whole numbers that are not zero.
std::optional<VectorsHead> counts_of(std::string_view line) {
    std::string_view rest = line;
    const std::string_view dims = take_last(rest), rows = take_last(rest);
    if (!rest.empty() || !is_whole(dims) || !is_whole(rows)) return {};
    VectorsHead head{VectorsForm::counted};
    const auto parsed = [](std::string_view digits, std::uint64_t& value) {
        return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc() && value > 0;
    };
    if (!parsed(rows, head.rows) || !parsed(dims, head.dims)) return {};
    return head;
}

std::uint64_t rows_from(const char* p, const char* end) {
    std::uint64_t rows = 0;
    for (Lines lines(p, end); lines.next();) ++rows;
    return rows;
}

/// Whether the line after the counts is a token and as many numbers. A token that is a number has no blank.
bool fits(const VectorsHead& head, std::string_view line) {
    const auto dims = static_cast<std::size_t>(head.dims);
    if (head.dims > line.size() || numbers_at_end(line, dims) != dims) return false;
    const std::string_view token = token_of(line, dims);
    std::string_view rest = token;
    return !has_blank(token) || !is_number(take_last(rest));
}

std::optional<VectorsHead> find_counted(const Bytes& bytes) {
    Lines lines(bytes.begin(), bytes.end());
    if (!lines.next()) return {};
    std::optional<VectorsHead> head = counts_of(lines.line());
    if (!head) return {};
    head->body = lines.after();
    const bool is_text = std::memchr(bytes.begin(), '\0', std::min<std::size_t>(bytes.size(), 4096)) == nullptr;
    if (is_text && lines.next() && fits(*head, lines.line())) {
        if (head->dims >= least_counted || rows_from(head->body, bytes.end()) == head->rows) return head;
        return {};
    }
    if (is_text && extension_of(bytes.name()) != ".bin") return {};
    head->form = VectorsForm::binary;
    return head;
}

/// Whether the tokens of the first lines name rows: they differ, most are words, and no column of a table is meant.
bool are_tokens(const std::vector<std::string_view>& tokens) {
    std::unordered_set<std::string_view> seen;
    NumberLikeColumn looks(true);
    std::size_t words = 0;
    for (const std::string_view token : tokens) {
        const bool quoted = token.size() > 1 && token.front() == '"' && token.back() == '"';
        if (token.empty() || quoted || !seen.insert(token).second) return false;
        looks.add(token);
        words += is_number(token) ? 0 : 1;
    }
    return 2 * words > tokens.size() && !looks.looks_like_numbers();
}

std::optional<VectorsHead> find_bare(const Bytes& bytes) {
    if (bytes.size() == 0 || std::memchr(bytes.begin(), '\0', std::min<std::size_t>(bytes.size(), 4096)) != nullptr)
        return {};
    std::vector<std::string_view> first;
    for (Lines lines(bytes.begin(), bytes.end()); first.size() < sampled_lines && lines.next();)
        first.push_back(lines.line());
    if (first.empty()) return {};
    std::size_t dims = first.front().size();
    for (const std::string_view line : first) dims = std::min(dims, numbers_at_end(line, dims));
    if (dims < least_bare) return {};
    for (std::string_view& line : first) line = token_of(line, dims);
    if (!are_tokens(first)) return {};
    return VectorsHead{VectorsForm::bare, 0, dims, bytes.begin()};
}

// --- reading

[[noreturn]] void refuse_field(const Bytes& bytes, const char* place, std::string_view field) {
    bad_file("{}: '{}' is not a number; correct it", at_line(bytes.name(), line_of(bytes, place)), shown(field));
}

/// The last numbers of a line, which are `dims`, and the token before them.
std::string_view read_line(const Bytes& bytes, std::string_view line, std::size_t dims, double* out) {
    std::string_view token = line;
    for (std::size_t d = dims; d-- > 0;) {
        const std::string_view field = take_last(token);
        if (token.empty())
            bad_file("{}: {} fields where a token and {} numbers were expected; correct the line",
                     at_line(bytes.name(), line_of(bytes, line.data())), dims - d, dims);
        if (!parse_field(field, '.', out[d])) refuse_field(bytes, field.data(), field);
    }
    return token;
}

/// From lines spread over the file.
std::vector<double> shift_of(const Bytes& bytes, const VectorsHead& head, ColumnOffsets offsets) {
    const auto dims = static_cast<std::size_t>(head.dims);
    const Index lines = sample_size(dims);
    const std::ptrdiff_t size = bytes.end() - head.body;
    std::vector<double> row(dims), sample;
    const char* p = head.body;
    for (Index i = 0; i < lines; ++i) {
        if (const char* const spot = head.body + size / lines * i; spot > p) {
            p = std::find(spot, bytes.end(), '\n');
            if (p != bytes.end()) ++p;
        }
        Lines rest(p, bytes.end());
        if (!rest.next()) break;
        read_line(bytes, rest.line(), dims, row.data());
        sample.insert(sample.end(), row.begin(), row.end());
        p = rest.after();
    }
    return choose_shift(sample, static_cast<Index>(dims), offsets);
}

Points read_text(const Bytes& bytes, const VectorsHead& head, const ReadOptions& options) {
    const auto dims = static_cast<std::size_t>(head.dims);
    require_columns_of_shift(options, bytes.name(), dims);
    Narrowing narrowing(bytes.name(), dims, options.shift ? *options.shift : shift_of(bytes, head, options.offsets));
    std::vector<double> row(dims);
    Points points;
    ReadProgress progress("read", bytes.view());
    for (Lines lines(head.body, bytes.end()); lines.next();) {
        progress.advance(lines.after());
        points.ids.emplace_back(read_line(bytes, lines.line(), dims, row.data()));
        if (const std::size_t bad = narrowing.add(row.data()); bad < dims)
            not_finite(at_line(bytes.name(), line_of(bytes, lines.line().data())), row[bad]);
        if (narrowing.rows() >= most_items) bad_file("'{}' has more than {} rows; split it", bytes.name(), most_items);
    }
    points.values = narrowing.matrix();
    points.shift = narrowing.shift();
    if (head.rows != 0 && head.rows != points.ids.size())
        points.notes.push_back(
            {fmt::format("read with {} rows, where its first line says {}; see whether it is complete",
                         points.ids.size(), head.rows),
             ""});
    return points;
}

[[noreturn]] void truncated(const Bytes& bytes, std::uint64_t row, const VectorsHead& head) {
    bad_file("'{}' is truncated or no word2vec: it ends in row {} of {} with {} float32 each; copy it again",
             bytes.name(), row + 1, head.rows, head.dims);
}

/// A token, a blank, the float32 values; word2vec itself, but not all others, ends a row with LF.
Points read_binary(const Bytes& bytes, const VectorsHead& head) {
    const auto there = static_cast<std::uint64_t>(bytes.end() - head.body);
    if (head.dims > there / sizeof(float) || head.rows > there / (head.dims * sizeof(float) + 1))
        bad_file("'{}' is truncated or no word2vec: {} rows of {} float32 are more than its {} bytes; copy it again",
                 bytes.name(), head.rows, head.dims, there);
    if (head.rows > static_cast<std::uint64_t>(most_items) || head.dims > static_cast<std::uint64_t>(most_items))
        bad_file("'{}' has more than {} rows or columns; split it", bytes.name(), most_items);
    const auto dims = static_cast<std::size_t>(head.dims);
    const std::size_t width = dims * sizeof(float);
    GrowableBuffer<float> values("the points of '" + bytes.name() + "'");
    Points points;
    ReadProgress progress("read", bytes.view());
    const char* p = head.body;
    for (std::uint64_t r = 0; r < head.rows; ++r) {
        progress.advance(p);
        while (p < bytes.end() && *p == '\n') ++p;
        const char* const blank = std::find(p, bytes.end(), ' ');
        if (static_cast<std::size_t>(bytes.end() - blank) < width + 1) truncated(bytes, r, head);
        points.ids.emplace_back(p, blank);
        std::memcpy(values.room(dims), blank + 1, width);
        values.add(dims);
        p = blank + 1 + width;
    }
    while (p < bytes.end() && (*p == '\n' || *p == '\r')) ++p;
    if (p != bytes.end())
        bad_file("'{}' has {} bytes after its {} rows; it is no word2vec, or its first line is wrong", bytes.name(),
                 bytes.end() - p, head.rows);
    points.values = Matrix(static_cast<Index>(head.rows), static_cast<Index>(head.dims), values.release());
    check_finite(points.values.view(), bytes.name());
    return points;
}

/// A token that is empty names no row. Without counts, tokens most of which repeat are labels.
bool name_rows(const Bytes& bytes, const VectorsHead& head, const std::vector<std::string>& tokens) {
    if (const auto empty = std::find(tokens.begin(), tokens.end(), ""); empty != tokens.end())
        bad_file("'{}': the token of row {} is empty; fill it in or remove the row", bytes.name(),
                 empty - tokens.begin() + 1);
    if (head.form != VectorsForm::bare) return true;
    const std::unordered_set<std::string_view> distinct(tokens.begin(), tokens.end());
    return 2 * distinct.size() > tokens.size();
}

}  // namespace

std::optional<VectorsHead> find_vectors(const Bytes& bytes, const ReadOptions& options) {
    if (std::optional<VectorsHead> counted = find_counted(bytes)) return counted;
    // A column that is named, a decimal comma and rows that are features are those of a table
    const bool names_column = !options.ids.empty() || is_whole(options.labels);
    if (names_column || options.transpose || options.decimal != Decimal::automatic) return {};
    return find_bare(bytes);
}

Points read_word_vectors(const Bytes& bytes, const ReadOptions& options) {
    const std::optional<VectorsHead> head = find_vectors(bytes, options);
    if (!head) bad_file("'{}' has no vectors of tokens; give a line per token, with its numbers", bytes.name());
    if (options.transpose) bad_option("transpose", "'{}' has a vector a row; leave the option out", bytes.name());
    if (!options.ids.empty() && options.ids != "1")
        bad_option("ids", "'{}' has its ids, the tokens, in the first column; leave the option out", bytes.name());
    Points points = head->form == VectorsForm::binary ? read_binary(bytes, *head) : read_text(bytes, *head, options);
    if (!name_rows(bytes, *head, points.ids)) return read_table(bytes, options);
    points.kind = "word vectors";
    return points;
}

}  // namespace dunlin::io
