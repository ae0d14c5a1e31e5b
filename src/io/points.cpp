// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <dunlin/labels.hpp>
#include <dunlin/match.hpp>
#include <dunlin/partial_map.hpp>
#include <dunlin/points_like.hpp>

#include "io/as_text.hpp"
#include "io/binary_rows.hpp"
#include "io/dense.hpp"
#include "io/documents.hpp"
#include "io/fail.hpp"
#include "io/hdf5_module.hpp"
#include "io/map_read.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/table_column.hpp"
#include "io/table_header.hpp"
#include "io/table_ids.hpp"
#include "io/table_schema.hpp"
#include "io/totals.hpp"
#include "io/word_vectors.hpp"

namespace dunlin::io {

namespace {

/// Labels of points that are in a file of their own: FILE or FILE:COLUMN.
void read_labels_beside(Points& points, const std::string& labels, const std::string& path) {
    FileColumn at = split_file_column(labels);
    if (at.file.empty() && is_hdf5_name(path) && labels.find(':') != std::string::npos) at = {path, labels};
    if (at.file.empty()) {
        bad_option(
            "labels",
            "'{}' is neither a column of '{}' nor a file; give a column's name or number, a file, or FILE:COLUMN",
            labels, path);
    }
    const LabelColumn read = read_label_column(at.file, at.column);
    const RowMatch match =
        match_rows({path, points.values.rows(), points.ids},
                   {at.file.string(), static_cast<Index>(read.labels.of.size()), read.ids}, Lonely::allowed);
    points.labels = taken(read.labels, match);
    for (const Note& note : read.notes)
        points.notes.push_back({fmt::format("labelled from {}, {}", at.file.string(), note.what), ""});
    if (!match.how.empty())
        points.notes.push_back({fmt::format("labelled from {} {}", at.file.string(), match.how), ""});
}

}  // namespace

std::string extension_of(const std::string& name) {
    std::filesystem::path path(name);
    std::string extension = lower(path.extension().string());
    if (extension == ".gz" || extension == ".xz") extension = lower(path.stem().extension().string());
    return extension;
}

void refuse_json(const std::string& name) {
    bad_file(
        "'{}': a .json file is read as a map (to draw, score or start from), or as a graph with lists of nodes and of "
        "links; give another graph as .graphml or .dot, points as .csv or .npy",
        name);
}

namespace {

/// Throws for an option of text tables.
void refuse_options_of_tables(const ReadOptions& options, const std::string& file) {
    const auto useless = [&](const char* name, bool given) {
        if (given) bad_option(name, "'{}' is no table of text; leave the option out", file);
    };
    useless("decimal", options.decimal != Decimal::automatic);
    useless("columns", !options.columns.empty());
    useless("drop-rows-with-gaps", options.drop_rows_with_gaps);
    useless("fill", !options.fill.empty());
    useless("text", !options.text.empty());
}

/// Throws for an option that does not apply to the format.
void refuse_useless(const Bytes& bytes, const ReadOptions& options, bool is_table) {
    if (!options.array.empty() && !is_npz(bytes) && extension_of(bytes.name()) != ".safetensors")
        bad_option("array", "'{}' is no .npz or .safetensors with several arrays; leave the option out", bytes.name());
    if (!is_table) refuse_options_of_tables(options, bytes.name());
}

bool is_svmlight_name(const std::string& extension) {
    return extension == ".svm" || extension == ".svmlight" || extension == ".libsvm";
}

/// The reader of the format; null for a text table.
using Reader = Points (*)(const Bytes&, const ReadOptions&);
Reader reader_of(const Bytes& bytes, const ReadOptions& options, Holds rows) {
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes) || extension == ".npz") return read_npz;
    if (is_npy(bytes) || extension == ".npy") return read_npy;
    if (is_idx(bytes)) return read_idx;
    if (extension == ".mtx" || is_mtx(bytes)) return read_mtx;
    if (item_of_vecs(bytes.name()) > 0) return read_fvecs;
    if (is_binary_rows(bytes.name())) return read_binary_rows;
    if (extension == ".safetensors") return read_safetensors;
    if (rows == Holds::documents) return read_lda;
    // In svmlight files of points, labels can equal the number of pairs, as in LDA-C
    if (is_svmlight_name(extension) || (options.holds == Holds::points && is_lda(bytes))) return read_svmlight;
    if (find_vectors(bytes, options)) return read_word_vectors;
    return nullptr;
}

}  // namespace

Guess guess_rows(const Bytes& bytes, const ReadOptions& options) {
    if (options.holds == Holds::points || options.holds == Holds::documents) return {options.holds, false, ""};
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes)) {
        const bool sparse = options.array.empty() && Npz(bytes).is_sparse();
        if (!sparse) return {Holds::points, false, "a dense array"};
        return {Holds::documents, true, "a sparse matrix that is not square"};
    }
    if (is_mtx(bytes) && parse_mtx_head(bytes).coordinate) return {Holds::documents, false, "a sparse matrix"};
    const bool is_array = item_of_vecs(bytes.name()) > 0 || extension == ".safetensors" || is_binary_rows(bytes.name());
    if (is_npy(bytes) || is_idx(bytes) || is_mtx(bytes) || is_array) return {Holds::points, false, "an array"};
    if (is_svmlight_name(extension)) return {Holds::points, false, "svmlight by its name"};
    if (extension == ".ldac" || extension == ".lda-c") return {Holds::documents, false, "LDA-C by its name"};
    if (find_vectors(bytes, options)) return {Holds::points, false, "vectors of tokens"};
    if (is_lda(bytes))
        return {Holds::documents, true, "every line begins with the number of its id:count pairs (LDA-C)"};
    return {Holds::points, false, "a table"};
}

bool is_text_table(const Bytes& bytes, const ReadOptions& options) {
    return bytes.size() > 0 && extension_of(bytes.name()) != ".json" &&
           reader_of(bytes, options, guess_rows(bytes, options).holds) == nullptr;
}

Points read_points(const Bytes& bytes, const ReadOptions& options) {
    if (extension_of(bytes.name()) == ".json") refuse_json(bytes.name());
    if (bytes.size() == 0) bad_file("'{}' is empty; give a file with a row per point", bytes.name());
    if (options.holds == Holds::graph || options.holds == Holds::dissimilarities) {
        bad_option("holds",
                   "'{}' is read as rows of numbers here, not as {}; say points or documents, or leave the option out",
                   bytes.name(), name_of(options.holds));
    }
    Guess guess = guess_rows(bytes, options);
    const Reader reader = reader_of(bytes, options, guess.holds);
    refuse_useless(bytes, options, reader == nullptr);
    Points points = reader != nullptr ? reader(bytes, options) : read_table(bytes, options);
    if (reader != nullptr) note_said(bytes, points.notes);
    points.guess = std::move(guess);
    subtract_shift(options, bytes.name(), points);
    return points;
}

namespace {

Points read_hdf5(const std::string& path, const ReadOptions& options) {
    refuse_options_of_tables(options, path);
    Points points = hdf5_module(path).read_points(path, options);
    points.guess = {Holds::points, false, "an annotated matrix"};
    subtract_shift(options, path, points);
    return points;
}

/// Whether a path holds texts: a folder, or a table with a column that is named.
bool has_texts(const std::filesystem::path& path, const ReadOptions& options) {
    std::error_code unknown;
    return !options.text.empty() || std::filesystem::is_directory(path, unknown);
}

Points read_texts(const std::filesystem::path& path, const ReadOptions& options) {
    if (options.transpose)
        bad_option("transpose", "'{}' has texts, which are points; leave the option out", path.string());
    Points points;
    if (std::error_code unknown; std::filesystem::is_directory(path, unknown)) {
        refuse_options_of_tables(options, path.string());
        points = read_folder(path);
    } else {
        const Bytes bytes = load(path);
        if (!is_text_table(bytes, {})) refuse_options_of_tables(options, path.string());
        points = read_text_column(bytes, options);
    }
    points.guess = {Holds::documents, false, "texts"};
    return points;
}

/// Points of any format. Labels that are in a file of their own are not read.
Points read_rows(const std::filesystem::path& path, const ReadOptions& options) {
    if (has_texts(path, options)) return read_texts(path, options);
    return is_hdf5_name(path.string()) ? read_hdf5(path.string(), options) : read_points(load(path), options);
}

/// Whether the format has no column that options.labels could name.
bool has_no_label_column(const Points& points) {
    return points.kind != "csv" && points.kind != "documents" && points.kind != "npz" && points.kind != "hdf5";
}

void add_labels(Points& points, const ReadOptions& options, const std::string& path) {
    if (!options.labels.empty() && (points.labels.empty() || has_no_label_column(points)))
        read_labels_beside(points, options.labels, path);
    note_unlabeled(points.labels, points.notes);
}

/// The names of the columns of numbers of a table, before it is read.
std::vector<std::string> names_ahead(const Bytes& bytes, const ReadOptions& options) {
    if (!is_text_table(bytes, options)) return {};
    TableSchema schema = detect_schema(bytes, options);
    take_numbered_ids(schema, without_totals(bytes, schema), !options.ids.empty());
    return number_names(schema);
}

/// A shift of columns of which the second input has column c at from[c], in the order of the second input.
std::vector<double> shift_there(const std::vector<double>& shift, const std::vector<Index>& from) {
    std::vector<double> there(shift.size());
    for (std::size_t c = 0; c < shift.size(); ++c) there[static_cast<std::size_t>(from[c])] = shift[c];
    return there;
}

/// Puts the columns of points in another order: column c becomes that which was from[c].
void permute_columns(Points& points, const std::vector<Index>& from) {
    const MatrixView<const float> old = points.values.view();
    if (old.rows == 0) return;
    std::vector<float> values(static_cast<std::size_t>(old.size()));
    auto to = values.begin();
    for (Index r = 0; r < old.rows; ++r) {
        if (r % 65536 == 0) progress::cancellation_point();
        for (const Index c : from) *to++ = old(r, c);
    }
    points.values = Matrix(old.rows, old.cols, std::move(values));
    RowMatch columns{.partner = from};
    points.columns = taken(points.columns, columns, {});
    if (!points.shift.empty()) points.shift = taken(points.shift, columns, 0.0);
}

}  // namespace

Points read_points(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        Points points = read_rows(path, options);
        add_labels(points, options, path.string());
        return points;
    });
}

Points read_points_like(const std::filesystem::path& path, const std::string& first,
                        const std::vector<std::string>& columns, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        if (has_texts(path, options)) {
            if (!first.empty())
                bad_input(
                    "'{}' and '{}' have texts, which are weighed by how many of all have a word; give them as one "
                    "input",
                    first, path.string());
            Points texts = read_texts(path, options);
            add_labels(texts, options, path.string());
            return texts;
        }
        ReadOptions how = options;
        how.shift.reset();
        const bool annotated = is_hdf5_name(path.string());
        const std::optional<Bytes> bytes = annotated ? std::nullopt : std::optional(load(path));
        Points points;
        const auto read = [&] { return annotated ? read_hdf5(path.string(), how) : read_points(*bytes, how); };
        const bool named_when_read = annotated || options.transpose;
        if (named_when_read) points = read();
        const ColumnMatch match = first.empty()
                                      ? ColumnMatch{}
                                      : match_columns(first, columns, path.string(),
                                                      named_when_read ? points.columns : names_ahead(*bytes, how));
        how.shift = options.shift;
        if (options.shift && !options.shift->empty() && !match.from.empty())
            how.shift = shift_there(*options.shift, match.from);
        if (!named_when_read || options.shift) points = read();
        if (!match.from.empty()) permute_columns(points, match.from);
        if (!match.how.empty()) points.notes.push_back({match.how, ""});
        add_labels(points, options, path.string());
        return points;
    });
}

FileColumn split_file_column(const std::string& text) {
    const auto is_file = [](const std::string& name) {
        std::error_code error;
        return !name.empty() && std::filesystem::exists(name, error) && !std::filesystem::is_directory(name, error);
    };
    if (is_file(text)) return {text, ""};
    for (auto colon = text.rfind(':'); colon != std::string::npos && colon > 0; colon = text.rfind(':', colon - 1)) {
        if (is_file(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
    }
    return {};
}

namespace {

/// How the columns of a file are read that is no HDF5.
ReadOptions with_gaps() {
    ReadOptions options;
    options.missing = true;
    return options;
}

NumberColumn number_column(const Bytes& bytes, const std::string& column) {
    return is_text_table(bytes, with_gaps()) ? table_column(bytes, column)
                                             : array_column(read_points(bytes, with_gaps()), column, bytes.name());
}

LabelColumn label_column(const Bytes& bytes, const std::string& column) {
    LabelColumn read = read_label_column(bytes, column);
    note_said(bytes, read.notes);
    return read;
}

void require_few_classes(const Labels& labels, const std::filesystem::path& path, const std::string& column) {
    if (labels.names.size() <= most_color_classes) return;
    bad_file(
        "'{}': column '{}' has {} different words, such as '{}' and '{}'; points are colored by numbers, or by at most "
        "{} classes",
        path.string(), column, labels.names.size(), shown(labels.names[0]), shown(labels.names[1]), most_color_classes);
}

}  // namespace

NumberColumn read_column(const std::filesystem::path& path, const std::string& column, const Run& run) {
    return run_reader(path, run, [&] {
        if (is_hdf5_name(path.string())) return hdf5_module(path.string()).read_column(path.string(), column);
        return number_column(load(path), column);
    });
}

namespace {

/// Density clusters number those of no cluster -1: in a column of groups of rows (cluster, leiden, ..) -1 beside 0, 1,
/// .. is no class.
LabelColumn without_ungrouped(LabelColumn read, std::string_view column) {
    const std::string_view title = column.starts_with("obs:") ? column.substr(4) : column;
    std::vector<std::string>& names = read.labels.names;
    const auto none = std::find(names.begin(), names.end(), "-1");
    const auto is_number = [](const std::string& name) {
        return !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    };
    const bool others_are_numbers = std::all_of(
        names.begin(), names.end(), [&](const std::string& name) { return name == "-1" || is_number(name); });
    if (!is_group_name(title) || none == names.end() || !others_are_numbers) return read;
    if (std::find(names.begin(), names.end(), "0") == names.end()) return read;
    const auto ungrouped = static_cast<Index>(none - names.begin());
    const auto count = std::count(read.labels.of.begin(), read.labels.of.end(), ungrouped);
    names.erase(none);
    for (Index& label : read.labels.of) label = label == ungrouped ? no_label : label > ungrouped ? label - 1 : label;
    read.notes.push_back({fmt::format("read with -1 for the {} rows of no {}", count, title), ""});
    return read;
}

}  // namespace

LabelColumn read_label_column(const std::filesystem::path& path, const std::string& column, const Run& run) {
    return run_reader(path, run, [&] {
        if (is_hdf5_name(path.string()))
            return without_ungrouped(hdf5_module(path.string()).read_label_column(path.string(), column), column);
        return without_ungrouped(label_column(load(path), column), column);
    });
}

TextColumn read_text_column(const std::filesystem::path& path, const std::string& column, const Run& run) {
    LabelColumn read = run_reader(path, run, [&] {
        if (is_hdf5_name(path.string())) return hdf5_module(path.string()).read_label_column(path.string(), column);
        const Bytes bytes = load(path);
        LabelColumn words = read_words(bytes, column);
        note_said(bytes, words.notes);
        return words;
    });
    TextColumn texts{{}, std::move(read.ids), std::move(read.notes)};
    texts.values.reserve(read.labels.of.size());
    for (const Index word : read.labels.of)
        texts.values.push_back(word == no_label ? "" : read.labels.names[static_cast<std::size_t>(word)]);
    return texts;
}

ColorColumn read_color_column(const std::filesystem::path& path, const std::string& column, const Run& run) {
    return run_reader(path, run, [&] {
        ColorColumn read;
        if (is_hdf5_name(path.string())) {
            const Hdf5Module& module = hdf5_module(path.string());
            if (module.holds_classes(path.string(), column))
                read.classes = module.read_label_column(path.string(), column);
            else
                read.numbers = module.read_column(path.string(), column);
        } else {
            const Bytes bytes = load(path);
            if (is_text_table(bytes, with_gaps()) && holds_classes(bytes, column))
                read.classes = label_column(bytes, column);
            else
                read.numbers = number_column(bytes, column);
        }
        read.classes = without_ungrouped(std::move(read.classes), column);
        require_few_classes(read.classes.labels, path, column);
        return read;
    });
}

Labels read_labels(const std::filesystem::path& path, const Run& run) {
    return read_label_column(path, "", run).labels;
}

namespace {

/// A map of a file that is no HDF5. partial: points may lack a place.
MapFile read_plain_map(const std::filesystem::path& path, const std::optional<std::vector<double>>& origin,
                       bool partial) {
    const Bytes bytes = load(path);
    MapFile file = partial ? read_partial_map(bytes, origin) : read_map(bytes, origin);
    note_said(bytes, file.notes);
    return file;
}

/// The file and the name of a map in a file of HDF5, FILE or FILE:NAME; nothing for another file.
std::optional<FileColumn> stored_map(const std::filesystem::path& path) {
    FileColumn at = split_file_column(path.string());
    if (at.file.empty()) at.file = path;
    return is_hdf5_name(at.file.string()) ? std::optional(std::move(at)) : std::nullopt;
}

MapFile read_stored_map(const FileColumn& at, const std::optional<std::vector<double>>& origin, bool partial) {
    const std::string file = at.file.string();
    return hdf5_module(file).read_map(file, {at.column, origin, partial});
}

}  // namespace

MapFile read_map(const std::filesystem::path& path, const Run& run, const std::optional<std::vector<double>>& origin) {
    return run_reader(path, run, [&] {
        const std::optional<FileColumn> stored = stored_map(path);
        MapFile file = stored ? read_stored_map(*stored, origin, false) : read_plain_map(path, origin, false);
        note_unlabeled(file.labels, file.notes);
        return file;
    });
}

MapFile read_partial_map(const std::filesystem::path& path, const Run& run,
                         const std::optional<std::vector<double>>& origin) {
    return run_reader(path, run, [&] {
        const std::optional<FileColumn> stored = stored_map(path);
        return stored ? read_stored_map(*stored, origin, true) : read_plain_map(path, origin, true);
    });
}

NamedGraph read_named_graph(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_named_graph(load(path), run); });
}

Graph read_graph(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_graph(load(path), run); });
}

}  // namespace dunlin::io
