// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What the first row of a table is.
namespace dunlin::io {

using RawRow = std::vector<std::string_view>;

constexpr std::array<std::string_view, 6> label_names = {"label", "labels", "class", "target", "species", "category"};
/// Columns whose whole numbers are groups of rows, and no measurements.
constexpr std::array<std::string_view, 14> group_names = {
    "cluster", "clusters",  "cluster_id", "seurat_clusters", "leiden",    "louvain", "group",
    "groups",  "community", "kmeans",     "hdbscan",         "component", "batch",   "topic"};
/// Whether a column of this name holds labels or groups.
bool is_class_name(std::string_view name);
bool is_group_name(std::string_view name);
constexpr std::array<std::string_view, 8> id_names = {"id",   "ids",    "",        "unnamed: 0",
                                                      "node", "vertex", "node_id", "vertex_id"};

/// How many fields of a column are numbers (also with thousands separators, which the reader rejects later), words, or
/// empty.
struct ColumnContent {
    std::size_t numbers = 0, words = 0, empty = 0;
};
ColumnContent content_of(const std::vector<RawRow>& rows, std::size_t column, char point);

/// The most frequent length of a row.
std::size_t usual_width(const std::vector<RawRow>& rows);

/// Whether all of `raw` is this whole number.
bool is_integer(std::string_view raw, std::size_t value);

bool is_word(std::string_view raw, char point);

/// scikit-learn's first line, "150,4,setosa,versicolor,virginica": rows, features, and names of the labels 0, 1, ... in
/// the last column.
bool is_class_line(const RawRow& first, const std::vector<RawRow>& body, char point);

/// header, values: certain. likely_header, likely_values: its numbers could be names of columns, as years are.
enum class FirstRow : unsigned char { header, values, likely_header, likely_values };
FirstRow kind_of_first_row(const RawRow& first, const std::vector<RawRow>& body, char point);

/// R does not name the column of row names, which are words or 1, 2, ...
bool has_row_names(const RawRow& first, const std::vector<RawRow>& body, char point);

}  // namespace dunlin::io
