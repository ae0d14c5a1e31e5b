// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "annotated.hpp"
#include "io/fail.hpp"
#include "matrix.hpp"

/// One column of an annotated matrix: of obs, or a gene.
namespace dunlin::hdf5 {

using io::bad_file;

namespace {

/// Where a column is: in obs, or a column of a matrix.
struct ColumnPlace {
    std::string name;
    std::optional<MatrixPlace> matrix = {};  ///< none: obs
    Index column = 0;
};

std::vector<Index> places_of(const std::vector<std::string>& names, const std::string& name) {
    std::vector<Index> found;
    for (std::size_t n = 0; n < names.size(); ++n) {
        if (names[n] == name) found.push_back(static_cast<Index>(n));
    }
    return found;
}

/// A gene of a matrix by its name.
ColumnPlace gene_of(const File& file, const MatrixPlace& matrix, const std::string& name) {
    const std::vector<std::string> genes = column_names(file, matrix);
    const std::vector<Index> found = places_of(genes, name);
    if (found.size() > 1)
        bad_file("'{}' has the gene '{}' {} times in {} (columns {}, from 0); make the names unique", file.name,
                 io::shown(name), found.size(), matrix.name(), fmt::join(found, ", "));
    if (found.empty()) {
        const std::string such = genes.empty() ? "it has no names of genes"
                                               : fmt::format("it has {} genes, such as '{}'", genes.size(), genes[0]);
        bad_file("'{}' has no gene '{}' in {}; {}", file.name, io::shown(name), matrix.name(), such);
    }
    return {name, matrix, found.front()};
}

/// The matrix whose columns are genes: X, or that of a file of 10x Genomics.
std::optional<MatrixPlace> genes_of(const File& file) {
    for (const MatrixPlace& place : matrices_of(file)) {
        if (place.name() == "X" || place.of_tenx) return place;
    }
    return {};
}

MatrixPlace require_genes(const File& file) {
    std::optional<MatrixPlace> genes = genes_of(file);
    if (!genes) bad_file("'{}' has no X, hence no genes; give obs:NAME", file.name);
    return *genes;
}

/// Whether `text` is the number, from 1, of one of `count` columns.
std::optional<Index> number_among(const std::string& text, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c) {
        if (text == fmt::format("{}", c + 1)) return static_cast<Index>(c);
    }
    return {};
}

/// A column without a prefix: of obs, a gene, or the number of a column of the matrix that is read.
ColumnPlace bare_column(const File& file, const std::string& name) {
    const Frame obs(file, "/obs");
    const std::optional<MatrixPlace> genes = genes_of(file);
    const bool is_gene = genes && !places_of(column_names(file, *genes), name).empty();
    if (obs.has(name) && is_gene)
        bad_file("'{}' has '{}' as a column of obs and as a gene; give obs:{} or gene:{}", file.name, name, name, name);
    if (obs.has(name)) return {name};
    if (is_gene) return gene_of(file, *genes, name);
    if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos) {
        const MatrixPlace matrix = find_matrix(file, {});
        if (const auto column = number_among(name, width_of(file, matrix))) return {name, matrix, *column};
    }
    if (name.empty())
        bad_file("'{}' has columns {} in obs; name one ('{}:NAME')", file.name, columns_of(obs), file.name);
    const std::string of_genes = genes ? fmt::format("; gene:NAME is a gene of {}", genes->name()) : "";
    bad_file("'{}' has no column '{}'; obs has {}{}", file.name, io::shown(name), columns_of(obs), of_genes);
}

ColumnPlace place_of(const File& file, const std::string& column) {
    const std::size_t colon = column.find(':');
    const std::string where = column.substr(0, colon == std::string::npos ? 0 : colon);
    const std::string name = column.substr(where.empty() ? 0 : colon + 1);
    if (where == "gene") return gene_of(file, require_genes(file), name);
    if (where == "raw") return gene_of(file, find_matrix(file, "raw"), name);
    if (where != "obs") return bare_column(file, column);
    const Frame obs(file, "/obs");
    if (!obs.has(name))
        bad_file("'{}' has no column '{}' in obs, which has {}", file.name, io::shown(name), columns_of(obs));
    return {name};
}

std::vector<std::string> ids_of(const File& file, const ColumnPlace& place, std::size_t count) {
    std::vector<std::string> ids = row_names(file, place.matrix.value_or(MatrixPlace{}));
    if (!ids.empty() && ids.size() != count)
        bad_file("'{}': column '{}' has {} values for {} rows; save the file again", file.name, place.name, count,
                 ids.size());
    return ids;
}

}  // namespace

io::NumberColumn read_column(const File& file, const std::string& column) {
    const ColumnPlace place = place_of(file, column);
    std::vector<double> values =
        place.matrix ? matrix_column(file, *place.matrix, place.column) : Frame(file, "/obs").numbers(place.name);
    std::vector<std::string> ids = ids_of(file, place, values.size());
    return {place.name, std::move(values), std::move(ids)};
}

bool holds_classes(const File& file, const std::string& column) {
    const ColumnPlace place = place_of(file, column);
    return !place.matrix && Frame(file, "/obs").holds_classes(place.name);
}

io::LabelColumn read_label_column(const File& file, const std::string& column) {
    const ColumnPlace place = place_of(file, column);
    std::vector<std::string> texts;
    if (place.matrix) {
        for (const double value : matrix_column(file, *place.matrix, place.column))
            texts.push_back(fmt::format("{}", static_cast<float>(value)));
    } else {
        texts = Frame(file, "/obs").texts(place.name);
    }
    std::vector<std::string> ids = ids_of(file, place, texts.size());
    return {labels_of(std::move(texts)), std::move(ids)};
}

std::vector<std::pair<std::string, std::string>> read_colors(const File& file, const std::string& column) {
    const std::string name = column.starts_with("obs:") ? column.substr(4) : column;
    constexpr std::string_view ending = "_colors";
    std::vector<std::string> known;
    for (const std::string& member : members_of(file, "/uns"))
        if (member.ends_with(ending)) known.push_back(member.substr(0, member.size() - ending.size()));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string has = known.empty() ? "none" : fmt::format("those of {}", fmt::join(known, ", "));
        if (name.empty())
            bad_file("'{}' has colors of columns of obs; name one: --color obs:NAME; it has {}", file.name, has);
        bad_file("'{}' has no colors of '{}' in uns; it has {}", file.name, io::shown(name), has);
    }
    const std::vector<std::string> colors = texts_of(open_dataset(file, "/uns/" + name + "_colors"));
    const Frame obs(file, "/obs");
    if (!obs.has(name))
        bad_file("'{}' has no column '{}' in obs, which has {}", file.name, io::shown(name), columns_of(obs));
    const std::vector<std::string> classes = obs.categories(name);
    if (classes.size() > colors.size())
        bad_file("'{}': uns/{}_colors has {} colors for {} categories; give the colors as a table", file.name, name,
                 colors.size(), classes.size());
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t c = 0; c < classes.size(); ++c) pairs.emplace_back(classes[c], colors[c]);
    return pairs;
}

}  // namespace dunlin::hdf5
