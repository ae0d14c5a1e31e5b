// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/table_header.hpp"
#include "io/table_schema.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names of the categories that codes stand for; -1 is missing, an empty name.
std::vector<std::string> named(const Dataset& codes, const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    for (const std::int64_t code : integers_of(codes)) {
        if (code >= std::ssize(names))
            bad_file("{} has the code {} and {} categories; save the file again", codes.title, code, names.size());
        texts.push_back(code < 0 ? "" : names[static_cast<std::size_t>(code)]);
    }
    return texts;
}

/// Which values are missing; none if there is no mask.
std::vector<std::int64_t> mask_of(const Series& series) {
    if (!series.mask) return {};
    std::vector<std::int64_t> mask = integers_of(*series.mask);
    if (mask.size() != series.values.count())
        bad_file("{} has {} values for {} rows; save the file again", series.mask->title, mask.size(),
                 series.values.count());
    return mask;
}

/// The number that a text is; NaN if it is missing.
double number_of(const std::string& text, const std::string& title, std::size_t row) {
    if (io::is_missing(text)) return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const char* const end = io::parse_number(text.c_str(), value);
    if (end != text.c_str() + text.size())
        bad_file("{} holds words such as '{}' (row {}); give a column of numbers", title, io::shown(text), row + 1);
    return value;
}

}  // namespace

Frame::Frame(const File& file, std::string path) : file_(file), path_(std::move(path)) {
    if (!hdf5::has(file.handle.id(), path_)) return;
    path_within(file, path_);  // throws for one in another file
    is_group_ = is_group(file, path_);
    if (!is_group_) fields_ = fields_of(file, path_);
}

std::optional<std::string> Frame::index() const {
    if (!is_group_) return fields_.empty() ? std::nullopt : std::optional(fields_.front());
    const std::string name = text_attribute(file_, path_, "_index").value_or("_index");
    if (!hdf5::has(file_.handle.id(), path_ + "/" + name)) return {};
    return name;
}

std::vector<std::string> Frame::columns() const {
    if (!is_group_) return fields_.empty() ? fields_ : std::vector(fields_.begin() + 1, fields_.end());
    std::vector<std::string> names = texts_attribute(file_, path_, "column-order");
    if (!names.empty()) return names;
    names = members_of(file_, path_);
    const std::string index_name = index().value_or("");
    std::erase_if(names, [&](const std::string& name) { return name == "__categories" || name == index_name; });
    return names;
}

bool Frame::has(const std::string& column) const {
    if (!is_group_) return among(fields_, column);
    return (among(columns(), column) || column == index()) && hdf5::has(file_.handle.id(), path_ + "/" + column);
}

/// Of anndata before 0.8, which has codes as numbers; none if they are numbers.
std::vector<std::string> Frame::categories_of(const std::string& column, const Dataset& codes) const {
    if (codes.kind != H5T_INTEGER) return {};
    const std::string path = path_ + "/" + column;
    if (is_group_) {  // 0.7
        const auto referred = reference_attribute(file_, path, "categories");
        const std::string known = referred.value_or(path_ + "/__categories/" + column);
        if (hdf5::has(file_.handle.id(), known)) return texts_of(open_dataset(file_, known));
    }
    const std::string beside = "/uns/" + column + "_categories";  // 0.6; obs and var share them
    if (!hdf5::has(file_.handle.id(), beside) || is_group(file_, beside)) return {};
    const std::vector<std::string> names = texts_of(open_dataset(file_, beside));
    const std::vector<std::int64_t> all = integers_of(codes);
    const bool fits =
        std::all_of(all.begin(), all.end(), [&](auto code) { return code >= -1 && code < std::ssize(names); });
    return fits ? names : std::vector<std::string>();
}

Series Frame::series(const std::string& column) const {
    const std::string path = path_ + "/" + column;
    if (!is_group_ || !is_group(file_, path)) {
        Series found{is_group_ ? open_dataset(file_, path) : open_dataset(file_, path_, column)};
        if (found.values.shape.size() != 1)
            bad_file("{} has {} axes; a column has one", found.values.title, found.values.shape.size());
        std::vector<std::string> names = categories_of(column, found.values);
        if (!names.empty()) found.names = std::move(names);
        return found;
    }
    const auto there = [&](const char* part) { return hdf5::has(file_.handle.id(), path + part); };
    if (there("/codes") && there("/categories")) {
        const Frame categories(file_, path);
        return {open_dataset(file_, path + "/codes"), categories.texts("categories")};
    }
    if (there("/values") && there("/mask"))
        return {open_dataset(file_, path + "/values"), {}, open_dataset(file_, path + "/mask")};
    bad_file("'{}': {} is a group of {}, not a column that can be read here; save it as texts or numbers", file_.name,
             path, io::shown(text_attribute(file_, path, "encoding-type").value_or("no known type")));
}

std::vector<std::string> Frame::texts(const std::string& column) const {
    const Series found = series(column);
    if (found.names) return named(found.values, *found.names);
    std::vector<std::string> texts = texts_of(found.values);
    const std::vector<std::int64_t> mask = mask_of(found);
    for (std::size_t row = 0; row < mask.size(); ++row) {
        if (mask[row] != 0) texts[row].clear();
    }
    return texts;
}

std::vector<double> Frame::numbers(const std::string& column) const {
    const Series found = series(column);
    if (!found.names && found.values.numeric()) {
        std::vector<double> values = doubles_of(found.values);
        const std::vector<std::int64_t> mask = mask_of(found);
        for (std::size_t row = 0; row < mask.size(); ++row) {
            if (mask[row] != 0) values[row] = std::numeric_limits<double>::quiet_NaN();
        }
        return values;
    }
    std::vector<double> values;
    const std::string title = fmt::format("'{}': {}/{}", file_.name, path_, column);
    for (const std::string& text : texts(column)) values.push_back(number_of(text, title, values.size()));
    return values;
}

bool Frame::holds_classes(const std::string& column) const {
    const Series found = series(column);
    if (found.names || found.values.boolean()) return true;
    if (found.values.numeric()) return found.values.kind == H5T_INTEGER && io::is_class_name(column);
    double value = 0;
    for (const std::string& text : texts_of(found.values)) {
        const char* const begin = text.c_str();
        if (!io::is_missing(text) && io::parse_number(begin, value) != begin + text.size()) return true;
    }
    return false;
}

std::vector<std::string> Frame::categories(const std::string& column) const {
    if (const Series found = series(column); found.names) return *found.names;
    std::vector<std::string> words = texts(column);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::erase(words, "");
    return words;
}

std::vector<std::string> Frame::ids() const {
    const std::optional<std::string> name = index();
    if (!name) return {};
    std::vector<std::string> names = texts(*name);
    const auto missing = std::find(names.begin(), names.end(), "");
    if (missing != names.end())
        bad_file("'{}': {}/{} has no name in row {}; give every row one", file_.name, path_, *name,
                 missing - names.begin() + 1);
    return names;
}

std::optional<std::uint64_t> Frame::rows() const {
    const std::optional<std::string> name = index();
    if (!name) return {};
    return series(*name).values.count();
}

}  // namespace dunlin::hdf5
