// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dataset.hpp"

namespace dunlin::hdf5 {

/// A column of a data frame as the file has it.
struct Series {
    Dataset values;                                      ///< codes, if there are categories
    std::optional<std::vector<std::string>> names = {};  ///< the categories
    std::optional<Dataset> mask = {};                    ///< true where a value is missing
};

/// A data frame of an annotated matrix in the layouts of all versions of anndata: a group with a member a column (0.7
/// and later), or a dataset of records whose first field is the index (before).
class Frame {
public:
    Frame(const File& file, std::string path);

    /// Whether it is there.
    explicit operator bool() const { return is_group_ || !fields_.empty(); }

    [[nodiscard]] const std::string& path() const { return path_; }
    /// The columns without the index, in their order.
    [[nodiscard]] std::vector<std::string> columns() const;
    /// Whether there is a column of this name; the index is one.
    [[nodiscard]] bool has(const std::string& column) const;
    /// The name of the index; none if there is no index.
    [[nodiscard]] std::optional<std::string> index() const;

    /// The column as texts, its categories by their names; missing ones are empty.
    [[nodiscard]] std::vector<std::string> texts(const std::string& column) const;
    /// The column as numbers; missing ones are NaN. Throws Error{bad_file} for words that are no numbers.
    [[nodiscard]] std::vector<double> numbers(const std::string& column) const;
    /// Whether the column has categories, truth values, or a word that is no number.
    [[nodiscard]] bool holds_classes(const std::string& column) const;
    /// The categories of a column in their order; of one without categories, its different words in ascending order.
    [[nodiscard]] std::vector<std::string> categories(const std::string& column) const;
    /// The index as names of rows; none if there is no index. Throws Error{bad_file} for a missing name.
    [[nodiscard]] std::vector<std::string> ids() const;
    /// Number of rows; none if there is no index.
    [[nodiscard]] std::optional<std::uint64_t> rows() const;

private:
    [[nodiscard]] Series series(const std::string& column) const;
    [[nodiscard]] std::vector<std::string> categories_of(const std::string& column, const Dataset& codes) const;

    const File& file_;
    std::string path_;
    bool is_group_ = false;
    std::vector<std::string> fields_;  ///< of records
};

}  // namespace dunlin::hdf5
