#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/cells.hpp"
#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/layout.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"
#include "io/words.hpp"

namespace dunlin::io {

namespace {

/// Moves a double that lies half way between two floats, although its decimal does not, to the decimal's side.
double untied(const char* first, const char* last, double value) {
    float nearest = 0;
    const auto parsed = std::from_chars(*first == '+' ? first + 1 : first, last, nearest);
    if (parsed.ec != std::errc() || static_cast<float>(value) == nearest) return value;
    return std::nextafter(value, static_cast<double>(nearest));
}

/// Reads the rows of a table one by one: numbers into one row of doubles, words column by column.
class Rows {
public:
    Rows(const Bytes& bytes, const Layout& layout)
        : bytes_(bytes), layout_(layout), cells_(bytes, layout.delimiter, layout.body), words_(layout.roles.size()) {
        for (const Role role : layout.roles) width_ += role == Role::number ? 1 : 0;
        numbers_.resize(width_);
    }

    /// How many columns are numbers.
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] const double* numbers() const { return numbers_.data(); }
    [[nodiscard]] Offset read() const { return row_; }
    [[nodiscard]] Words& words(std::size_t column) { return words_[column]; }
    std::vector<std::string>& ids() { return ids_; }

    /// Reads the next row; false at the end.
    bool next() {
        if (!cells_.next_row()) return false;
        ++row_;
        double* out = numbers_.data();
        const std::size_t cols = layout_.roles.size();
        for (std::size_t c = 0; c < cols; ++c) {
            if (c > 0 && !cells_.next_cell()) ragged(c);
            if (layout_.roles[c] == Role::number) [[likely]] {
                read_number(c, *out++);
            } else {
                read_word(c);
            }
        }
        if (cells_.next_cell()) ragged(cols + 1);
        return true;
    }

private:
    void read_number(std::size_t column, double& value) {
        const char* const p = cells_.at();
        const char* const after = parse_number(p, value);
        if (after == nullptr || !cells_.accept(after)) {
            read_unusual_number(column, value);
        } else if (is_float_tie(value)) [[unlikely]] {
            value = untied(p, after, value);
        }
    }

    /// A number within quotes or blanks, or none at all.
    void read_unusual_number(std::size_t column, double& value) {
        const std::string_view raw = cells_.raw();
        if (is_number(raw)) {
            parse_number(raw.data(), value);
            return;
        }
        const std::string place =
            fmt::format("{}:{}: row {}, column {}", bytes_.name(), line(), row_, layout_.title(column));
        if (raw.empty()) bad_file("{}: the cell is empty; remove the row or fill the value in", place);
        if (is_missing(raw)) {
            bad_file("{}: '{}' is not a finite number; remove the row or fill the value in", place, raw);
        }
        bad_file("{}: '{}' is not a number; correct it, or name the column as labels or ids if it holds words", place,
                 shown(raw));
    }

    void read_word(std::size_t column) {
        const Role role = layout_.roles[column];
        if (role == Role::id)
            ids_.push_back(cells_.text());
        else if (role == Role::skipped)
            cells_.raw();
        else if (role == Role::empty && !cells_.raw().empty())
            ragged(column + 1);
        else if (role != Role::empty)
            words_[column].add(cells_.text());
    }

    [[nodiscard]] std::size_t line() const { return line_of(bytes_, cells_.at()); }

    [[noreturn]] void ragged(std::size_t columns) {
        while (cells_.next_cell()) {
            cells_.raw();
            ++columns;
        }
        bad_file("{}:{}: row {} has {} columns where {} were expected; correct the row", bytes_.name(), line(), row_,
                 columns, layout_.roles.size());
    }

    const Bytes& bytes_;
    const Layout& layout_;
    Cells cells_;
    std::size_t width_ = 0;
    std::vector<double> numbers_;
    std::vector<Words> words_;
    std::vector<std::string> ids_;
    Offset row_ = 0;
};

std::vector<double> shift_of(const Layout& layout, std::size_t width) {
    std::vector<double> sample;
    for (const auto& row : layout.sample) {
        const std::size_t begin = sample.size();
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (layout.roles[c] != Role::number || !is_number(row[c])) continue;
            parse_number(row[c].data(), sample.emplace_back());
        }
        if (sample.size() != begin + width) sample.resize(begin);
    }
    return choose_shift(sample, static_cast<Index>(width));
}

/// scikit-learn's first line names the labels 0, 1, ... of the last column.
Labels with_classes(Labels labels, const std::vector<std::string>& classes, const std::string& file) {
    Labels named;
    for (const std::string& name : labels.names) {
        std::size_t index = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), index);
        if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || index >= classes.size()) {
            bad_file("'{}': label '{}' is none of the {} that the first line names; correct it", file, shown(name),
                     classes.size());
        }
        named.names.push_back(classes[index]);
    }
    named.of = std::move(labels.of);
    return named;
}

/// Words become ids where all of them differ, labels otherwise, unless the caller or a name has said so before.
void settle_words(Points& points, Rows& rows, const Layout& layout, const ReadOptions& options,
                  const std::string& file) {
    const bool labels_elsewhere = !options.labels.empty();
    std::size_t label = layout.roles.size();
    bool has_ids = !rows.ids().empty();
    points.ids = std::move(rows.ids());
    for (std::size_t c = 0; c < layout.roles.size(); ++c) {
        if (layout.roles[c] != Role::label) continue;
        label = c;
        points.labels = std::move(rows.words(c)).labels();
        if (!layout.classes.empty() && c + 1 == layout.roles.size()) {
            points.labels = with_classes(std::move(points.labels), layout.classes, file);
        }
    }
    for (std::size_t c = 0; c < layout.roles.size(); ++c) {
        if (layout.roles[c] != Role::word) continue;
        if (!has_ids && rows.words(c).distinct() && rows.read() > 1) {
            points.ids = rows.words(c).all();
            has_ids = true;
        } else if (label == layout.roles.size()) {
            label = c;
            points.labels = std::move(rows.words(c)).labels();
        } else if (!labels_elsewhere) {
            bad_file("'{}': columns {} and {} both hold words; name the one that is the label (labels) or the id (ids)",
                     file, layout.title(label), layout.title(c));
        }
    }
}

std::vector<std::string> number_names(const Layout& layout) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < layout.names.size(); ++c) {
        if (layout.roles[c] == Role::number) names.push_back(layout.names[c]);
    }
    return names;
}

/// Rows of the file are features: their names are the columns', the columns' are the rows'.
void read_transposed(Points& points, Rows& rows, const Layout& layout, const Bytes& bytes) {
    Growing<double> values("the points of '" + bytes.name() + "'");
    while (rows.next()) {
        std::copy_n(rows.numbers(), rows.width(), values.room(rows.width()));
        values.add(rows.width());
    }
    if (rows.read() > most_items) bad_file("'{}' has more than {} features; choose some", bytes.name(), most_items);
    const auto features = static_cast<std::size_t>(rows.read());
    Dense dense = narrowed(bytes.name(), static_cast<Index>(rows.width()), static_cast<Index>(rows.read()),
                           [&](Index r, double* row) {
                               for (std::size_t f = 0; f < features; ++f)
                                   row[f] = values.data()[f * rows.width() + static_cast<std::size_t>(r)];
                           });
    points.values = std::move(dense.values);
    points.shift = std::move(dense.shift);
    points.ids = number_names(layout);
    points.columns = std::move(rows.ids());
    for (std::size_t c = 0; c < layout.roles.size() && points.columns.empty(); ++c) {
        if (layout.roles[c] == Role::word || layout.roles[c] == Role::label) points.columns = rows.words(c).all();
    }
}

}  // namespace

Points read_table(const Bytes& bytes, const ReadOptions& options) {
    const Layout layout = look_at(bytes, options);
    Rows rows(bytes, layout);
    Points points;
    points.kind = "csv";
    if (rows.width() == 0) bad_file("'{}' has no column of numbers; points need at least one", bytes.name());
    if (layout.roles.size() > static_cast<std::size_t>(most_items)) {
        bad_file("'{}' has more than {} columns; choose some", bytes.name(), most_items);
    }
    if (options.transpose) {
        read_transposed(points, rows, layout, bytes);
        return points;
    }
    Narrowing narrowing(bytes.name(), rows.width(), shift_of(layout, rows.width()));
    while (rows.next()) narrowing.add(rows.numbers());
    points.values = narrowing.matrix();
    points.shift = narrowing.shift();
    points.columns = number_names(layout);
    settle_words(points, rows, layout, options, bytes.name());
    const bool elsewhere =
        !options.labels.empty() && find_column(layout, options.labels, bytes.name()) == layout.roles.size();
    if (elsewhere) points.labels = {};
    return points;
}

Labels read_label_table(const Bytes& bytes) {
    Layout layout = look_at(bytes, {});
    std::size_t chosen = layout.roles.size();
    for (const Role role : {Role::word, Role::label}) {
        const auto found = std::find(layout.roles.begin(), layout.roles.end(), role);
        if (found != layout.roles.end()) chosen = static_cast<std::size_t>(found - layout.roles.begin());
    }
    if (layout.roles.size() == 1) chosen = 0;
    if (chosen == layout.roles.size()) {
        bad_file("'{}' has {} columns and none is called label; call one so or give a file with one label per line",
                 bytes.name(), layout.roles.size());
    }
    std::fill(layout.roles.begin(), layout.roles.end(), Role::skipped);
    layout.roles[chosen] = Role::label;
    Rows rows(bytes, layout);
    while (rows.next()) {
    }
    return std::move(rows.words(chosen)).labels();
}

}  // namespace dunlin::io
