// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/as_text.hpp"
#include "io/code_notes.hpp"
#include "io/dense.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/gaps.hpp"
#include "io/huge_numbers.hpp"
#include "io/id_titles.hpp"
#include "io/number.hpp"
#include "io/number_like.hpp"
#include "io/readers.hpp"
#include "io/table_ids.hpp"
#include "io/table_rows.hpp"
#include "io/table_schema.hpp"
#include "io/totals.hpp"

namespace dunlin::io {

namespace {

std::vector<double> shift_of(const TableSchema& schema, std::size_t width, ColumnOffsets offsets) {
    std::vector<double> sample;
    for (const auto& row : schema.sample) {
        const std::size_t begin = sample.size();
        for (std::size_t c = 0; c < row.size(); ++c) {
            double value = 0;
            if (schema.roles[c] == ColumnRole::number && parse_field(row[c], schema.dialect.point, value))
                sample.push_back(value);
        }
        if (sample.size() != begin + width) sample.resize(begin);
    }
    return choose_shift(sample, static_cast<Index>(width), offsets);
}

/// Applies the names of the labels 0, 1, ... in scikit-learn's first line to the last column.
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

/// Gives the columns of strings their meaning, after all rows have been read.
class WordColumns {
public:
    /// all_are_data: columns of strings that look like numbers are an error, instead of left out.
    /// labels_are_named: an option tells the labels.
    WordColumns(Points& points, TableRows& rows, const TableSchema& schema, const Bytes& bytes, bool labels_are_named,
                bool all_are_data)
        : points_(points),
          rows_(rows),
          schema_(schema),
          bytes_(bytes),
          labels_are_named_(labels_are_named),
          labels_elsewhere_(labels_are_named || !all_are_data),
          all_are_data_(all_are_data),
          label_(schema.roles.size()) {}

    /// Columns of strings become ids if all strings differ, else labels, unless an option or a name has decided it.
    void settle() {
        has_ids_ = !rows_.ids().empty();
        points_.ids = std::move(rows_.ids());
        for (std::size_t c = 0; c < schema_.roles.size(); ++c) {
            if (schema_.roles[c] != ColumnRole::label) continue;
            take_named_labels(c);
            labels_elsewhere_ = true;  // other words are no labels
        }
        for (std::size_t c = 0; c < schema_.roles.size(); ++c) {
            if (schema_.roles[c] == ColumnRole::word) settle(c);
        }
        if (!left_out_.empty())
            points_.notes.push_back(
                {"read without columns of words that are neither labels nor ids: " + left_out_, ""});
    }

private:
    /// Takes the labels that a name or an option tells, but not by its name a column of numbers with fractions.
    void take_named_labels(std::size_t column) {
        const std::vector<std::string>& names = rows_.words(column).names();
        const char point = schema_.dialect.point;
        const auto fraction = std::find_if(names.begin(), names.end(),
                                           [point](const std::string& name) { return is_fraction(name, point); });
        const bool are_numbers = fraction != names.end() && std::all_of(names.begin(), names.end(), [&](auto& name) {
                                     return is_missing(name) || is_number(name, point);
                                 });
        if (labels_are_named_ || !are_numbers) return take_labels(column);
        label_ = column;
        points_.notes.push_back(note_of_measures(schema_, column, *fraction));
    }

    void take_labels(std::size_t column) {
        label_ = column;
        points_.labels = std::move(rows_.words(column)).labels();
        if (!schema_.classes.empty() && column + 1 == schema_.roles.size())
            points_.labels = with_classes(std::move(points_.labels), schema_.classes, bytes_.name());
    }

    void settle(std::size_t column) {
        if (looks_like_numbers(column)) return;
        const bool has_label = label_ != schema_.roles.size();
        const bool is_distinct = rows_.words(column).distinct();
        if (!has_ids_ && is_distinct && (rows_.read() > 1 || has_usual_name_of_ids(column))) {
            points_.ids = rows_.words(column).all();
            has_ids_ = true;
        } else if (!has_ids_ && !is_distinct && has_usual_name_of_ids(column) && are_mostly_single(column)) {
            points_.ids = rows_.words(column).all();
            has_ids_ = true;
            points_.notes.push_back({fmt::format("read with column {} as ids, although '{}' is in several rows",
                                                 schema_.title(column), shown(rows_.words(column).repeated())),
                                     "ids"});
        } else if (!has_label) {
            if (all_are_data_) note_truths(column);
            if (!has_ids_) note_ids_that_repeat(column);
            take_labels(column);
        } else if (labels_elsewhere_) {
            if (all_are_data_) left_out_ += (left_out_.empty() ? "" : ", ") + schema_.title(column);
        } else {
            bad_file(
                "'{}': columns {} and {} both hold words; name the one that is the label (labels) or the id (ids){}",
                bytes_.name(), schema_.title(label_), schema_.title(column),
                schema_.roles.size() == 3 ? ", or say that it holds a graph or dissimilarities (holds), as lists of "
                                            "edges or distances have such columns"
                                          : "");
        }
    }

    [[nodiscard]] bool has_usual_name_of_ids(std::size_t column) const {
        return !schema_.names.empty() && is_id_title(schema_.names[column]);
    }

    /// Whether most rows have a word that no other has.
    [[nodiscard]] bool are_mostly_single(std::size_t column) {
        return 2 * rows_.words(column).single() > static_cast<std::size_t>(rows_.read());
    }

    /// Says that words which could be ids are the labels, as they repeat.
    void note_ids_that_repeat(std::size_t column) {
        const bool may_be_ids = has_usual_name_of_ids(column) || are_mostly_single(column);
        if (!may_be_ids || rows_.words(column).distinct()) return;
        points_.notes.push_back({fmt::format("read with column {} as labels, not as ids, as '{}' is in several rows",
                                             schema_.title(column), shown(rows_.words(column).repeated())),
                                 "ids"});
    }

    /// Says that a column of true and false is the label, as it could be a coordinate.
    void note_truths(std::size_t column) {
        const std::vector<std::string>& names = rows_.words(column).names();
        const bool are_truths = std::all_of(names.begin(), names.end(), [](const std::string& name) {
            return is_missing(name) || lower(name) == "true" || lower(name) == "false";
        });
        if (!are_truths) return;
        points_.notes.push_back(
            {fmt::format("read with column {} as labels; write true and false as 1 and 0 if it is a coordinate",
                         schema_.title(column)),
             "labels"});
    }

    /// Whether a column needs no more, as its words look like numbers: it is left out, or has times and is the ids.
    /// Throws if it is data and could be named.
    bool looks_like_numbers(std::size_t column) {
        constexpr std::size_t enough = 10'000;  // of a column of millions of ids
        NumberLikeColumn looks(true);
        const std::vector<std::string>& names = rows_.words(column).names();
        for (std::size_t i = 0; i < std::min(names.size(), enough); ++i) looks.add(names[i]);
        if (!looks.looks_like_numbers()) return false;
        const bool is_time = looks.sign() == "a date" || looks.sign() == "a clock time";
        if (is_time && !has_ids_ && rows_.words(column).distinct() && rows_.read() > 1) {  // a table's usual index
            points_.ids = rows_.words(column).all();
            has_ids_ = true;
            points_.notes.push_back({fmt::format("read with column {} as ids, which has times such as '{}'; write them "
                                                 "as numbers if they are a coordinate",
                                                 schema_.title(column), shown(looks.example())),
                                     ""});
            return true;
        }
        const bool could_be_named = !has_ids_ || label_ == schema_.roles.size();
        if (all_are_data_ && could_be_named) {
            const std::vector<std::string> all = rows_.words(column).all();
            const auto row = std::find(all.begin(), all.end(), looks.example()) - all.begin();
            refuse_number_like(place_of_cell(bytes_, schema_, row, column), looks.example(), looks.sign());
        }
        points_.notes.push_back({fmt::format("read without column {}: '{}' has {} and is no number",
                                             schema_.title(column), shown(looks.example()), looks.sign()),
                                 ""});
        return true;
    }

    Points& points_;
    TableRows& rows_;
    const TableSchema& schema_;
    const Bytes& bytes_;
    bool labels_are_named_, labels_elsewhere_, all_are_data_, has_ids_ = false;
    std::size_t label_;
    std::string left_out_;
};

bool is_missing_or_fits(double value) { return !std::isfinite(value) || std::isfinite(static_cast<float>(value)); }

/// Says that columns have one name; they stay apart.
void note_repeated_names(Points& points) {
    std::vector<std::string_view> sorted(points.columns.begin(), points.columns.end());
    std::sort(sorted.begin(), sorted.end());
    const auto same = std::adjacent_find(sorted.begin(), sorted.end());
    if (same == sorted.end() || same->empty()) return;
    points.notes.push_back({fmt::format("read with several columns called '{}'", shown(*same)), ""});
}

void require_rows(const TableRows& rows, const std::string& file) {
    if (rows.read() == 0 && rows.skipped() > 0)
        bad_file("'{}' has only empty cells; give a file with a row per point", file);
}

/// Reads a transposed table: rows of the file are features, so that names of rows and columns are exchanged.
void read_transposed(Points& points, TableRows& rows, const TableSchema& schema, const Bytes& bytes,
                     const ReadOptions& options) {
    GrowableBuffer<double> values("the points of '" + bytes.name() + "'");
    while (rows.next()) {
        std::copy_n(rows.numbers(), rows.width(), values.room(rows.width()));
        values.add(rows.width());
    }
    require_rows(rows, bytes.name());
    if (rows.read() > most_items) bad_file("'{}' has more than {} features; choose some", bytes.name(), most_items);
    const auto is_huge = [](double value) { return std::abs(value) >= largest_exact; };
    if (std::any_of(values.data(), values.data() + values.size(), is_huge)) require_told_apart(bytes, schema);
    const auto features = static_cast<std::size_t>(rows.read());
    ShiftedMatrix dense = narrowed(bytes.name(), options, static_cast<Index>(rows.width()),
                                   static_cast<Index>(rows.read()), [&](Index r, double* row) {
                                       for (std::size_t f = 0; f < features; ++f)
                                           row[f] = values.data()[f * rows.width() + static_cast<std::size_t>(r)];
                                   });
    points.values = std::move(dense.values);
    points.shift = std::move(dense.shift);
    points.ids = number_names(schema);
    points.columns = std::move(rows.ids());
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::word && schema.roles[c] != ColumnRole::label) continue;
        const bool are_names = points.columns.empty() && rows.words(c).distinct();
        if (are_names) points.columns = rows.words(c).all();
        if (!are_names)
            points.notes.push_back({"read without column " + schema.title(c), ""});
        else if (schema.roles[c] == ColumnRole::label)
            points.notes.push_back({"read with column " + schema.title(c) + " as names of the columns", ""});
    }
}

/// Throws: there is no column of numbers.
[[noreturn]] void refuse_words(const TableSchema& schema, const std::string& file) {
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] == ColumnRole::word) require_words(schema, c, file);
    }
    bad_file("'{}' has no column of numbers; points need at least one", file);
}

Points read_as(const TableSchema& schema, const Bytes& bytes, const ReadOptions& options, bool words_are_needed) {
    const bool gaps = settles_gaps(options);
    const Gaps how = options.missing     ? Gaps::kept
                     : gaps              ? Gaps::settled
                     : options.transpose ? Gaps::refused
                                         : Gaps::fillable;
    TableRows rows(bytes, schema, how);
    Points points;
    points.kind = "csv";
    points.notes = notes_of(schema.dialect, options.decimal);
    note_said(bytes, points.notes);
    points.notes.insert(points.notes.end(), schema.notes.begin(), schema.notes.end());
    if (rows.width() == 0) refuse_words(schema, bytes.name());
    if (schema.roles.size() > static_cast<std::size_t>(most_items)) {
        bad_file("'{}' has more than {} columns; choose some", bytes.name(), most_items);
    }
    if (options.transpose && gaps)
        bad_option(options.fill.empty() ? "drop-rows-with-gaps" : "fill",
                   "the table is transposed; leave one of the options out");
    if (options.transpose) {
        read_transposed(points, rows, schema, bytes, options);
        return points;
    }
    require_columns_of_shift(options, bytes.name(), rows.width());
    Narrowing narrowing(bytes.name(), rows.width(),
                        options.shift ? *options.shift : shift_of(schema, rows.width(), options.offsets),
                        options.shift.has_value());
    const auto may_stay = [&](double value) {
        return is_missing_or_fits(value) && (options.missing || (gaps && !std::isinf(value)));
    };
    while (rows.next()) {
        std::size_t bad = narrowing.add(rows.numbers());
        // A missing value is not finite as it was read; another one is too large for float32
        while (bad < rows.width() && may_stay(rows.numbers()[bad])) ++bad;
        if (bad < rows.width()) not_finite(rows.place_of_number(bad), rows.numbers()[bad]);
    }
    require_rows(rows, bytes.name());
    if (rows.skipped() > 0)
        points.notes.push_back({fmt::format("read without {} rows whose cells are all empty", rows.skipped()), ""});
    if (narrowing.has_huge()) require_told_apart(bytes, schema);
    points.values = narrowing.matrix([&](std::size_t n) { return schema.title(number_column(schema, n)); });
    points.shift = narrowing.shift();
    points.columns = number_names(schema);
    note_repeated_names(points);
    if (schema.has_bare_row_names) require_row_names_differ(rows.ids(), schema, bytes);
    const bool all_are_data = words_are_needed && options.columns.empty();
    WordColumns(points, rows, schema, bytes, !options.labels.empty(), all_are_data).settle();
    const bool elsewhere =
        !options.labels.empty() && find_column(schema, options.labels, bytes.name()) == schema.roles.size();
    if (elsewhere) points.labels = {};
    if (gaps) settle_gaps(points, options, bytes.name());
    return points;
}

}  // namespace

Points read_table(const Bytes& all, const ReadOptions& options) {
    TableSchema schema = detect_schema(all, options);
    const Bytes bytes = without_totals(all, schema);
    leave_measures_out(schema);
    take_numbered_ids(schema, bytes, !options.ids.empty());
    note_ids_as_coordinates(schema, bytes);
    Points points = read_as(schema, bytes, options, true);
    note_codes(points);
    return points;
}

Points read_chosen(const Bytes& all, const ReadOptions& options, const std::function<void(TableSchema&)>& choose) {
    TableSchema schema = detect_schema(all, options);
    const Bytes bytes = without_totals(all, schema);
    leave_measures_out(schema);
    take_numbered_ids(schema, bytes, !options.ids.empty());
    choose(schema);
    return read_as(schema, bytes, options, false);
}

namespace {

/// The column of labels: the given one, else the one with a usual name, else the only one beside the ids.
std::size_t label_column(const TableSchema& schema, const std::string& column, const std::string& file) {
    const std::size_t none = schema.roles.size();
    const auto titles = [&] {
        std::vector<std::string> all;
        for (std::size_t c = 0; c < none; ++c) {
            const bool has_word = schema.names.empty() && !schema.sample.empty();
            all.push_back(schema.title(c) +
                          (has_word ? fmt::format(" ('{}', ..)", shown(unquoted(schema.sample.back()[c]))) : ""));
        }
        return fmt::format("{}", fmt::join(all, ", "));
    };
    if (!column.empty()) {
        const std::size_t named = find_column(schema, column, file);
        if (named == none) bad_file("{} has no column '{}'; its columns are {}", file, shown(column), titles());
        return named;
    }
    std::vector<std::size_t> candidates;
    for (std::size_t c = 0; c < none; ++c) {
        if (schema.roles[c] == ColumnRole::label) return c;
        const ColumnRole role = schema.roles[c];
        if (role != ColumnRole::id && role != ColumnRole::empty && role != ColumnRole::skipped) candidates.push_back(c);
    }
    if (candidates.size() == 1) return candidates.front();
    if (none == 1) return 0;
    bad_file("'{}' has the columns {} and none is called label; name one: {}:COLUMN", file, titles(), file);
}

}  // namespace

LabelColumn read_label_table(const Bytes& all, const std::string& column) {
    ReadOptions options;
    if (!column.empty() && !is_number(column)) options.labels = column;
    TableSchema schema = detect_schema(all, options);
    const Bytes bytes = without_totals(all, schema);
    const std::size_t named = column.empty() ? schema.roles.size() : find_column(schema, column, bytes.name());
    if (named < schema.roles.size()) schema.roles[named] = ColumnRole::label;
    take_numbered_ids(schema, bytes);
    const std::size_t label = label_column(schema, column, bytes.name());
    std::vector<Note> unused;
    note_unused_names(schema, label, unused);
    const bool has_ids = std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::id) != schema.roles.end();
    for (ColumnRole& role : schema.roles) {
        if (role != ColumnRole::id && (has_ids || role != ColumnRole::word)) role = ColumnRole::skipped;
    }
    schema.roles[label] = ColumnRole::label;
    TableRows rows(bytes, schema);
    while (rows.next()) {
    }
    LabelColumn read;
    read.notes = schema.notes;
    read.ids = std::move(rows.ids());
    // Without a column with a usual name, words that all differ are the ids
    for (std::size_t c = 0; c < schema.roles.size() && read.ids.empty(); ++c) {
        if (schema.roles[c] == ColumnRole::word && rows.words(c).distinct() && rows.read() > 1)
            read.ids = rows.words(c).all();
    }
    if (read.ids.empty()) read.notes.insert(read.notes.end(), unused.begin(), unused.end());
    read.labels = std::move(rows.words(label)).labels();
    return read;
}

}  // namespace dunlin::io
