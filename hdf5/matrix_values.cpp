// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/zeros.hpp"
#include "matrix.hpp"
#include "progress/cancel.hpp"

namespace dunlin::hdf5 {

using io::bad_file;
using io::most_items;

namespace {

Index extent_of(const std::string& title, std::uint64_t extent) {
    if (extent == 0) bad_file("{} holds no values; give at least one row and column", title);
    if (extent > static_cast<std::uint64_t>(most_items))
        bad_file("{} has more than {} rows or columns; split it", title, most_items);
    return static_cast<Index>(extent);
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

/// A dataset of one or two axes with numbers.
Dataset open_dense(const File& file, const MatrixPlace& place) {
    Dataset dataset = open_dataset(file, place.path, place.field);
    if (!dataset.numeric()) bad_file("{} holds no numbers; name another matrix (array)", dataset.title);
    if (dataset.shape.empty() || dataset.shape.size() > 2)
        bad_file("{} has {} axes; points are a matrix: name another (array)", dataset.title, dataset.shape.size());
    for (const std::uint64_t extent : dataset.shape) extent_of(dataset.title, extent);
    if (H5Dget_storage_size(dataset.handle.id()) == 0) bad_file("{} has no values; save the file again", dataset.title);
    return dataset;
}

void put(io::ShiftedMatrix matrix, io::Points& points) {
    points.values = std::move(matrix.values);
    points.shift = std::move(matrix.shift);
}

void read_dense(const File& file, const MatrixPlace& place, const io::ReadOptions& options, io::Points& points) {
    const Dataset dataset = open_dense(file, place);
    const auto rows = static_cast<Index>(dataset.shape[0]);
    const auto cols = static_cast<Index>(dataset.shape.size() == 2 ? dataset.shape[1] : 1);
    io::require_memory(dataset.count() * sizeof(float), "the points of " + dataset.title);
    RowReader read(dataset, rows, cols);
    put(io::narrowed(file.name, options, rows, cols, [&read](Index r, double* row) { read(r, row); }), points);
}

/// The columns of a data frame.
void read_frame(const File& file, const MatrixPlace& place, const io::ReadOptions& options, io::Points& points) {
    const Frame frame(file, place.path);
    const std::string title = fmt::format("'{}': {}", file.name, place.path);
    std::vector<std::vector<double>> columns;
    for (const std::string& name : frame.columns()) columns.push_back(frame.numbers(name));
    const Index cols = extent_of(title, columns.size()), rows = extent_of(title, columns.front().size());
    for (const std::vector<double>& column : columns) {
        if (column.size() != columns.front().size())
            bad_file("{} is damaged: its columns have {} and {} values; save the file again", title,
                     columns.front().size(), column.size());
    }
    const auto read = [&](Index r, double* row) {
        for (const std::vector<double>& column : columns) *row++ = column[static_cast<std::size_t>(r)];
    };
    put(io::narrowed(file.name, options, rows, cols, read), points);
}

[[noreturn]] void damaged(const std::string& title, std::uint64_t entry, std::int64_t place, Index across) {
    bad_file("{} is damaged: index {} is {}, and there are {}; save the file again", title, entry, place, across);
}

/// A sparse matrix becomes dense.
void read_sparse(const File& file, const MatrixPlace& place, io::Points& points) {
    const SparseParts parts = open_sparse(file, place);
    const std::vector<std::int64_t> places = integers_of(parts.places);
    const std::vector<double> values = doubles_of(parts.values);
    const Index across = parts.by_column ? parts.rows : parts.cols;
    io::ZeroMatrix zeros(io::Bytes::copy("", file.name), parts.rows, parts.cols);
    for (std::size_t line = 0; line + 1 < parts.starts.size(); ++line) {
        progress::cancellation_point();
        for (std::int64_t e = parts.starts[line]; e < parts.starts[line + 1]; ++e) {
            const std::int64_t other = places[static_cast<std::size_t>(e)];
            if (other < 0 || other >= across) damaged(parts.title, static_cast<std::uint64_t>(e), other, across);
            const auto at = static_cast<Index>(line), to = static_cast<Index>(other);
            (parts.by_column ? zeros.at(to, at) : zeros.at(at, to)) +=
                static_cast<float>(values[static_cast<std::size_t>(e)]);
        }
    }
    points.values = zeros.matrix();
    io::check_finite(points.values.view(), file.name);
}

/// One column of a sparse matrix in compressed rows, which is read in parts.
std::vector<double> column_of_rows(const SparseParts& parts, Index column) {
    std::vector<double> found(static_cast<std::size_t>(parts.rows));
    const auto entries = static_cast<std::uint64_t>(parts.starts.back());
    constexpr std::uint64_t block = 1 << 20;
    for (std::uint64_t first = 0; first < entries; first += block) {
        progress::cancellation_point();
        const std::uint64_t count = std::min(block, entries - first);
        const std::vector<std::int64_t> places = read_integers(parts.places, first, count);
        if (std::find(places.begin(), places.end(), column) == places.end()) continue;
        const std::vector<double> values = read_doubles(parts.values, first, count);
        for (std::uint64_t e = 0; e < count; ++e) {
            if (places[e] != column) continue;
            const auto after =
                std::upper_bound(parts.starts.begin(), parts.starts.end(), static_cast<std::int64_t>(first + e));
            found[static_cast<std::size_t>(after - parts.starts.begin() - 1)] += values[e];
        }
    }
    return found;
}

std::vector<double> column_of_columns(const SparseParts& parts, Index column) {
    std::vector<double> found(static_cast<std::size_t>(parts.rows));
    const auto at = static_cast<std::size_t>(column);
    const auto first = static_cast<std::uint64_t>(parts.starts[at]);
    const std::uint64_t count = static_cast<std::uint64_t>(parts.starts[at + 1]) - first;
    const std::vector<std::int64_t> places = read_integers(parts.places, first, count);
    const std::vector<double> values = read_doubles(parts.values, first, count);
    for (std::uint64_t e = 0; e < count; ++e) {
        if (places[e] < 0 || places[e] >= parts.rows) damaged(parts.title, first + e, places[e], parts.rows);
        found[static_cast<std::size_t>(places[e])] += values[e];
    }
    return found;
}

}  // namespace

SparseParts open_sparse(const File& file, const MatrixPlace& place) {
    const std::string& path = place.path;
    const std::string title = fmt::format("'{}': {}", file.name, path);
    std::optional<std::string> format = text_attribute(file, path, "encoding-type");
    if (!format) format = text_attribute(file, path, "h5sparse_format");
    const std::string known = place.of_tenx ? "csc" : format.value_or("").substr(0, 3);
    if (known != "csr" && known != "csc")
        bad_file("{} is a group of {}; points are a matrix: name another (array)", title,
                 io::shown(format.value_or("no known type")));
    for (const char* part : {"/data", "/indices", "/indptr"}) {
        if (!has(file.handle.id(), path + part)) bad_file("{} has no {}; save the file again", title, part + 1);
    }
    std::vector<std::int64_t> shape = integer_attribute(file, path, "shape");
    if (shape.empty()) shape = integer_attribute(file, path, "h5sparse_shape");
    if (place.of_tenx) shape = integers_of(open_dataset(file, path + "/shape"));
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) bad_file("{} has no shape; save the file again", title);
    SparseParts parts{title,
                      extent_of(title, static_cast<std::uint64_t>(shape[0])),
                      extent_of(title, static_cast<std::uint64_t>(shape[1])),
                      known == "csc",
                      integers_of(open_dataset(file, path + "/indptr")),
                      open_dataset(file, path + "/indices"),
                      open_dataset(file, path + "/data")};
    if (place.of_tenx) {  // features by barcodes; a cell is a row here
        std::swap(parts.rows, parts.cols);
        parts.by_column = false;
    }
    const auto lines = static_cast<std::size_t>(parts.by_column ? parts.cols : parts.rows);
    const auto entries = static_cast<std::int64_t>(parts.values.count());
    if (parts.starts.size() != lines + 1 || parts.starts.front() != 0 || parts.starts.back() != entries ||
        parts.places.count() != parts.values.count() || !std::is_sorted(parts.starts.begin(), parts.starts.end())) {
        bad_file("{} is damaged: indptr, indices and data do not fit its shape; save the file again", title);
    }
    return parts;
}

void read_matrix(const File& file, const MatrixPlace& place, const io::ReadOptions& options, io::Points& points) {
    if (!place.field.empty() || !is_group(file, place.path)) {
        read_dense(file, place, options, points);
    } else if (is_frame(file, place)) {
        read_frame(file, place, options, points);
    } else {
        read_sparse(file, place, points);
    }
    points.columns = column_names(file, place);
    if (!points.columns.empty() && std::ssize(points.columns) != points.values.cols())
        bad_file("'{}': {} has {} columns and {} names of them; save the file again", file.name, place.name(),
                 points.values.cols(), points.columns.size());
}

std::size_t width_of(const File& file, const MatrixPlace& place) {
    if (place.field.empty() && is_group(file, place.path) && !is_frame(file, place))
        return static_cast<std::size_t>(open_sparse(file, place).cols);
    if (is_frame(file, place)) return Frame(file, place.path).columns().size();
    const Dataset dataset = open_dense(file, place);
    return dataset.shape.size() > 1 ? dataset.shape[1] : 1;
}

std::vector<double> matrix_column(const File& file, const MatrixPlace& place, Index column) {
    if (!place.field.empty() || !is_group(file, place.path))
        return read_column(open_dense(file, place), static_cast<std::uint64_t>(column));
    if (is_frame(file, place)) {
        const Frame frame(file, place.path);
        return frame.numbers(frame.columns().at(static_cast<std::size_t>(column)));
    }
    const SparseParts parts = open_sparse(file, place);
    return parts.by_column ? column_of_columns(parts, column) : column_of_rows(parts, column);
}

}  // namespace dunlin::hdf5
