// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "annotated.hpp"
#include "io/dense.hpp"
#include "io/interner.hpp"
#include "io/memory.hpp"
#include "io/zeros.hpp"

namespace dunlin::hdf5 {

using io::bad_file;
using io::most_items;

namespace {

/// The path of the matrix that is read.
std::string matrix_of(const File& file, const std::string& wanted) {
    const hid_t root = file.handle.id();
    if (!wanted.empty()) {
        for (const std::string& path : {wanted, "obsm/" + wanted, "layers/" + wanted}) {
            if (has(root, "/" + path)) return "/" + path;
        }
        io::bad_option("array", "'{}' is nothing in '{}'; obsm has: {}", wanted, file.name,
                       fmt::join(members_of(file, "/obsm"), ", "));
    }
    for (const char* path : {"/obsm/X_pca", "/X", "/train"}) {
        if (has(root, path)) return path;
    }
    std::vector<std::string> matrices;
    for (const std::string& name : members_of(file, "/")) {
        if (!is_group(file, "/" + name) && open_dataset(file, "/" + name).shape.size() == 2)
            matrices.push_back("/" + name);
    }
    if (matrices.size() == 1) return matrices.front();
    bad_file("'{}' has neither obsm/X_pca nor X, and {} other matrices: {}; name one (array)", file.name,
             matrices.size(), fmt::join(matrices, ", "));
}

/// Rows of a dataset, read in blocks if they are asked for in order.
class RowReader {
public:
    RowReader(const Dataset& dataset, Index rows, Index cols) : dataset_(dataset), rows_(rows), cols_(cols) {}

    void operator()(Index r, double* row) {
        const auto width = static_cast<std::size_t>(cols_);
        if (r != last_ + 1) {
            read_rows(dataset_, static_cast<std::uint64_t>(r), 1, row);
            begin_ = end_ = 0;
        } else {
            if (r < begin_ || r >= end_) fill(r);
            std::copy_n(block_.data() + static_cast<std::size_t>(r - begin_) * width, width, row);
        }
        last_ = r;
    }

private:
    void fill(Index r) {
        constexpr Offset values = 1 << 19;
        begin_ = r;
        end_ = static_cast<Index>(std::min<Offset>(rows_, r + std::max<Offset>(1, values / cols_)));
        block_.resize(static_cast<std::size_t>(end_ - begin_) * static_cast<std::size_t>(cols_));
        read_rows(dataset_, static_cast<std::uint64_t>(begin_), static_cast<std::uint64_t>(end_ - begin_),
                  block_.data());
    }

    const Dataset& dataset_;
    Index rows_, cols_, last_ = -2, begin_ = 0, end_ = 0;
    std::vector<double> block_;
};

Index extent_of(const std::string& title, std::uint64_t extent) {
    if (extent == 0) bad_file("{} holds no values; give at least one row and column", title);
    if (extent > static_cast<std::uint64_t>(most_items))
        bad_file("{} has more than {} rows or columns; split it", title, most_items);
    return static_cast<Index>(extent);
}

void read_dense(const File& file, const std::string& path, const io::ReadOptions& options, io::Points& points) {
    const Dataset dataset = open_dataset(file, path);
    if (dataset.kind != H5T_INTEGER && dataset.kind != H5T_FLOAT)
        bad_file("{} holds no numbers; name another matrix (array)", dataset.title);
    if (dataset.shape.empty() || dataset.shape.size() > 2)
        bad_file("{} has {} axes; points are a matrix: name another (array)", dataset.title, dataset.shape.size());
    const Index rows = extent_of(dataset.title, dataset.shape[0]),
                cols = dataset.shape.size() == 2 ? extent_of(dataset.title, dataset.shape[1]) : 1;
    if (H5Dget_storage_size(dataset.handle.id()) == 0) bad_file("{} has no values; save the file again", dataset.title);
    io::require_memory(dataset.count() * sizeof(float), "the points of " + dataset.title);
    RowReader read(dataset, rows, cols);
    io::ShiftedMatrix dense =
        io::narrowed(file.name, options, rows, cols, [&read](Index r, double* row) { read(r, row); });
    points.values = std::move(dense.values);
    points.shift = std::move(dense.shift);
}

/// A sparse matrix as its format of compressed rows or columns has it.
void read_sparse(const File& file, const std::string& path, const std::string& format, io::Points& points) {
    const std::string title = fmt::format("'{}': {}", file.name, path);
    for (const char* part : {"/data", "/indices", "/indptr"}) {
        if (!has(file.handle.id(), path + part)) bad_file("{} has no {}; save the file again", title, part + 1);
    }
    std::vector<std::int64_t> shape = integer_attribute(file, path, "shape");
    if (shape.empty()) shape = integer_attribute(file, path, "h5sparse_shape");
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) bad_file("{} has no shape; save the file again", title);
    const Index rows = extent_of(title, static_cast<std::uint64_t>(shape[0])),
                cols = extent_of(title, static_cast<std::uint64_t>(shape[1]));
    const std::vector<std::int64_t> starts = integers_of(open_dataset(file, path + "/indptr")),
                                    places = integers_of(open_dataset(file, path + "/indices"));
    const std::vector<double> values = doubles_of(open_dataset(file, path + "/data"));
    const bool by_column = format.starts_with("csc");
    const auto lines = static_cast<std::size_t>(by_column ? cols : rows);
    const Index across = by_column ? rows : cols;
    if (starts.size() != lines + 1 || starts.front() != 0 || starts.back() != std::ssize(values) ||
        values.size() != places.size() || !std::is_sorted(starts.begin(), starts.end())) {
        bad_file("{} is damaged: indptr, indices and data do not fit its shape; save the file again", title);
    }
    io::ZeroMatrix zeros(io::Bytes::copy("", file.name), rows, cols);
    for (std::size_t line = 0; line < lines; ++line) {
        device::cancellation_point();
        for (std::int64_t e = starts[line]; e < starts[line + 1]; ++e) {
            const std::int64_t place = places[static_cast<std::size_t>(e)];
            if (place < 0 || place >= across) {
                bad_file("{} is damaged: index {} is {}, and there are {}; save the file again", title, e, place,
                         across);
            }
            const auto at = static_cast<Index>(line), other = static_cast<Index>(place);
            (by_column ? zeros.at(other, at) : zeros.at(at, other)) +=
                static_cast<float>(values[static_cast<std::size_t>(e)]);
        }
    }
    points.values = zeros.matrix();
    io::check_finite(points.values.view(), file.name);
}

/// The texts of a column of an annotation: texts, categories, or numbers as they are written.
std::vector<std::string> column_of(const File& file, const std::string& path) {
    if (is_group(file, path)) {  // a categorical
        const std::vector<std::int64_t> codes = integers_of(open_dataset(file, path + "/codes"));
        const std::vector<std::string> names = column_of(file, path + "/categories");
        std::vector<std::string> texts;
        texts.reserve(codes.size());
        for (const std::int64_t code : codes) {
            if (code >= std::ssize(names))
                bad_file("'{}': {} has the code {} and {} categories; save the file again", file.name, path, code,
                         names.size());
            texts.push_back(code < 0 ? "" : names[static_cast<std::size_t>(code)]);
        }
        return texts;
    }
    const Dataset dataset = open_dataset(file, path);
    if (dataset.kind == H5T_STRING) return texts_of(dataset);
    std::vector<std::string> texts;
    if (dataset.kind == H5T_FLOAT) {
        for (const double value : doubles_of(dataset)) texts.push_back(fmt::format("{}", value));
    } else {
        for (const std::int64_t value : integers_of(dataset)) texts.push_back(fmt::format("{}", value));
    }
    return texts;
}

/// The index of obs or var; empty if there is none of this length.
std::vector<std::string> index_of(const File& file, const std::string& group, Index length) {
    if (!is_group(file, group)) return {};
    const std::string path = group + "/" + text_attribute(file, group, "_index").value_or("_index");
    if (!has(file.handle.id(), path)) return {};
    std::vector<std::string> names = column_of(file, path);
    return std::ssize(names) == length ? names : std::vector<std::string>();
}

void read_labels(const File& file, const std::string& name, io::Points& points) {
    const std::string path = "/obs/" + name;
    if (name.empty() || name.find('/') != std::string::npos || !has(file.handle.id(), path)) return;
    io::StringInterner words;
    for (std::string& text : column_of(file, path)) words.add(std::move(text));
    if (words.size() != static_cast<std::size_t>(points.values.rows()))
        bad_file("'{}': {} has {} values for {} rows", file.name, path, words.size(), points.values.rows());
    points.labels = std::move(words).labels();
}

}  // namespace

io::Points read_points(const File& file, const io::ReadOptions& options) {
    if (options.transpose) io::bad_option("transpose", "'{}' has a point a row; leave the option out", file.name);
    if (!options.ids.empty()) io::bad_option("ids", "'{}' has the index of obs; leave the option out", file.name);
    const std::string path = matrix_of(file, options.array);
    io::Points points;
    points.kind = "hdf5";
    if (is_group(file, path)) {
        std::optional<std::string> format = text_attribute(file, path, "encoding-type");
        if (!format) format = text_attribute(file, path, "h5sparse_format");
        const std::string known = format.value_or("no known type").substr(0, 3);
        if (known != "csr" && known != "csc")
            bad_file("'{}': {} is a group of {}; points are a matrix: name another (array)", file.name, path,
                     io::shown(format.value_or("no known type")));
        read_sparse(file, path, known, points);
    } else {
        read_dense(file, path, options, points);
    }
    points.ids = index_of(file, "/obs", points.values.rows());
    if (path == "/X") points.columns = index_of(file, "/var", points.values.cols());
    read_labels(file, options.labels, points);
    return points;
}

}  // namespace dunlin::hdf5
