// SPDX-License-Identifier: Apache-2.0
#include <dunlin/square.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "device/mapped.hpp"
#include "io/binary_rows.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/hdf5_module.hpp"
#include "io/magnitudes.hpp"
#include "io/memory.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/safetensors.hpp"
#include "io/square_names.hpp"
#include "io/square_table.hpp"
#include "io/table_schema.hpp"
#include "io/triangle.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/file_mappings.hpp"

namespace dunlin::io {

namespace {

/// n such that an n x n matrix has `count` entries above the diagonal; 0: none.
Index items_of_condensed(std::uint64_t count) {
    const auto n = static_cast<std::uint64_t>(std::llround((1 + std::sqrt(1 + 8 * static_cast<double>(count))) / 2));
    return n * (n - 1) / 2 == count && n < (std::uint64_t{1} << 31) ? static_cast<Index>(n) : 0;
}

std::vector<float> room_for(Index n, const std::string& file) { return room_for_square(at(n), file); }

/// Values above the diagonal, row by row, as a matrix. value(k): the k-th of `count`.
template <class Value>
Matrix matrix_of_condensed(std::uint64_t count, const std::string& file, const Value& value) {
    const Index n = items_of_condensed(count);
    if (n == 0) {
        bad_file(
            "'{}' has one axis of {} values; a condensed matrix of n items has n (n - 1) / 2 values, which no n gives "
            "here",
            file, count);
    }
    std::vector<float> values = room_for(n, file);
    std::uint64_t from = 0;
    StoredMatrix stored;
    for (Offset i = 0; i < n; ++i) {
        progress::cancellation_point();
        for (Offset j = i + 1; j < n; ++j) {
            values[at(i * n + j)] = values[at(j * n + i)] = stored.stored(value(from++));
        }
    }
    stored.require_visible(file);
    return {n, n, std::move(values)};
}

/// format: "npy", or another one of arrays.
Square read_array(const Array& array, const Bytes& bytes, const std::string& format) {
    if (array.is_text()) bad_file("'{}' holds text; a matrix is numbers: save it as float32", bytes.name());
    if (array.shape.size() == 1) {
        const auto value = [&](std::uint64_t k) { return array.number(k); };
        return {matrix_of_condensed(array.count(), bytes.name(), value), {}, "condensed " + format};
    }
    const auto [n, cols] = extents(array, bytes.name());
    if (n != cols || array.shape.size() != 2) {
        bad_file("'{}' is {} x {}; a matrix of dissimilarities has as many rows as columns", bytes.name(), n, cols);
    }
    const bool aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(float) == 0;
    if (array.kind == 'f' && array.item == 4 && !array.swapped && !array.fortran && aligned) {
        std::shared_ptr<const float> there(bytes.owner(), reinterpret_cast<const float*>(array.data));
        return {Matrix(n, n, std::move(there)), {}, "matrix " + format};
    }
    std::vector<float> values = room_for(n, bytes.name());
    StoredMatrix stored;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t row = k / at(n), column = k % at(n);
        if (column == 0) progress::cancellation_point();
        values[k] = stored.stored(array.number(array.fortran ? column * at(n) + row : k));
    }
    stored.require_visible(bytes.name());
    return {Matrix(n, n, std::move(values)), {}, "matrix " + format};
}

/// For a large matrix, tests some hundred entries in parallel, because each is a separate disk read.
bool has_zero_diagonal(const Matrix& matrix) {
    const auto each_place = [&](const auto& look) {
        for (Offset i = 0; i < matrix.rows(); i += 1 + matrix.rows() / 256)
            look(matrix.row(static_cast<Index>(i)).subspan(at(i), 1));
    };
    bool zero = true;
    device::expect(matrix.view(), device::Reading::here_and_there);
    each_place([](std::span<const float> place) { device::load_ahead(place); });
    each_place([&](std::span<const float> place) { zero = zero && (place[0] == 0 || std::isnan(place[0])); });
    device::expect(matrix.view(), device::Reading::in_order);
    return zero;
}

/// Tests the first 256 rows; a missing value equals any value.
bool is_symmetric(const Matrix& matrix) {
    const auto m = matrix.view();
    const Index looked_at = std::min<Index>(m.rows, 256);
    for (Index i = 0; i < looked_at; ++i) {
        for (Index j = 0; j < i; ++j) {
            if (m(i, j) != m(j, i) && !std::isnan(m(i, j)) && !std::isnan(m(j, i))) return false;
        }
    }
    return true;
}

/// Whether its first 256 rows have 0 and 1 alone, and both.
bool is_binary(const Matrix& matrix) {
    const Index looked_at = std::min<Index>(matrix.rows(), 256);
    bool has_one = false;
    for (Index i = 0; i < looked_at; ++i) {
        for (const float value : matrix.row(i)) {
            if (value != 0 && value != 1) return false;
            has_one = has_one || value == 1;
        }
    }
    return has_one;
}

/// Points of another format as a matrix. `file`: its name in messages.
Square square_of(Points points, const std::string& file) {
    const Index n = points.values.rows();
    if (n != points.values.cols()) {
        bad_file("'{}' is {} x {}; a matrix of dissimilarities has as many rows as columns", file, n,
                 points.values.cols());
    }
    Square square{std::move(points.values), std::move(points.ids), "matrix " + points.kind, std::move(points.notes),
                  std::move(points.labels)};
    if (points.shift.empty()) return square;
    const MatrixView<const float> stored = square.values.view();
    std::vector<float> values = room_for(n, file);
    for (Index i = 0; i < n; ++i) {
        progress::cancellation_point();
        for (Index j = 0; j < n; ++j)
            values[at(Offset{i} * n + j)] = static_cast<float>(stored(i, j) + points.shift[at(j)]);
    }
    square.values = Matrix(n, n, std::move(values));
    return square;
}

ReadOptions as_points(ReadOptions options) {
    options.holds = Holds::points;
    return options;
}

/// The matrix of a .mtx, .fvecs or its kin. What is not square by its head is refused before it is read.
Square read_rows(const Bytes& bytes, const ReadOptions& options) {
    if (is_mtx(bytes)) {
        const MtxHead head = parse_mtx_head(bytes);
        if (head.coordinate) {
            bad_file(
                "'{}' is sparse, and two items without an entry have no dissimilarity; give a dense matrix, or the "
                "lengths of edges as a graph",
                bytes.name());
        }
        if (head.rows != head.cols) {
            bad_file("'{}' is {} x {}; a matrix of dissimilarities has as many rows as columns", bytes.name(),
                     head.rows, head.cols);
        }
    } else {
        std::int32_t n = 0;
        std::memcpy(&n, bytes.begin(), std::min(bytes.size(), sizeof n));
        const auto size = static_cast<std::uint64_t>(std::max(n, 0));
        if (bytes.size() != size * (size * item_of_vecs(bytes.name()) + sizeof n))
            bad_file("'{}' has another number of rows than of columns, {}; a matrix of dissimilarities is square",
                     bytes.name(), n);
    }
    return square_of(read_points(bytes, as_points(options)), bytes.name());
}

/// Whether a text has about as many lines as columns, as a matrix with names and labels has.
bool may_be_square(std::string_view text, std::size_t columns) {
    std::size_t lines = 0;
    for (auto end = text.find('\n'); end != std::string_view::npos && lines <= columns + 2;
         end = text.find('\n', end + 1))
        ++lines;
    return lines <= columns + 2 && columns <= lines + 3;
}

/// The matrix of a text table that also has a column of labels; nothing if it holds none.
std::optional<ParsedSquare> read_labeled_table(const Bytes& bytes, const ReadOptions& options) {
    try {
        if (!may_be_square(bytes.view(), detect_schema(bytes, options).roles.size())) return {};
        Points points = read_table(bytes, as_points(options));
        if (points.labels.empty() || points.values.rows() != points.values.cols()) return {};
        SquareNames names = square_names(std::move(points.ids), std::move(points.columns), bytes.name());
        points.ids = std::move(names.items);
        ParsedSquare parsed{square_of(std::move(points), bytes.name()), std::move(names.complaint)};
        if (names.columns.empty()) return parsed;
        const MatrixView<const float> read = parsed.square.values.view();
        std::vector<float> values(read.data, read.data + read.size());
        permute_columns(values, names.columns);
        parsed.square.values = Matrix(read.rows, read.cols, std::move(values));
        parsed.square.notes.push_back({note_of_order, ""});
        return parsed;
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return {};
    }
}

/// The values above the diagonal, one in a row.
Square read_condensed_text(const Bytes& bytes, const ReadOptions& options) {
    Points points = read_table(bytes, as_points(options));
    const MatrixView<const float> stored = points.values.view();
    const double shift = points.shift.empty() ? 0 : points.shift.front();
    const auto value = [&](std::uint64_t k) { return stored(static_cast<Index>(k), 0) + shift; };
    const auto count = static_cast<std::uint64_t>(stored.rows);
    return {matrix_of_condensed(count, bytes.name(), value), {}, "condensed csv", std::move(points.notes)};
}

/// Whether three rows of three columns are pairs of whole numbers and their distances.
bool may_be_pairs(const Square& square) {
    if (square.values.rows() != 3 || has_zero_diagonal(square.values) || is_symmetric(square.values)) return false;
    const auto m = square.values.view();
    for (Index r = 0; r < m.rows; ++r) {
        if (m(r, 0) != std::floor(m(r, 0)) || m(r, 1) != std::floor(m(r, 1))) return false;
    }
    return true;
}

/// Only options.holds makes one column of a text condensed, and three columns pairs.
ParsedSquare read_text(const Bytes& bytes, const ReadOptions& options) {
    const bool is_given = options.holds == Holds::dissimilarities;
    try {
        ParsedSquare table = read_square_table(bytes, options.decimal);
        if (is_given && may_be_pairs(table.square)) {
            if (std::optional<Square> pairs = read_pairs(bytes, options.decimal)) return {std::move(*pairs)};
        }
        return table;
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        if (std::optional<Square> triangle = read_triangle(bytes, options)) return {std::move(*triangle)};
        if (is_given) {
            if (std::optional<Square> pairs = read_pairs(bytes, options.decimal)) return {std::move(*pairs)};
        }
        if (options.holds == Holds::dissimilarities && detect_schema(bytes, options).roles.size() == 1)
            return {read_condensed_text(bytes, options)};
        std::optional<ParsedSquare> labeled = read_labeled_table(bytes, options);
        if (!labeled) throw;
        return std::move(*labeled);
    }
}

Square without_complaint(ParsedSquare parsed) {
    if (!parsed.complaint.empty()) bad_file("{}", parsed.complaint);
    return std::move(parsed.square);
}

}  // namespace

ParsedSquare parse_square(const Bytes& bytes, const ReadOptions& options) {
    if (bytes.size() == 0) bad_file("'{}' is empty; give a square matrix", bytes.name());
    if (is_npz(bytes)) {
        const Npz archive(bytes);
        const Bytes member = archive.chosen(options.array);
        Square square = read_array(parse_npy(member), member, "npy");
        square.ids = archive.names_of_rows(square.values.rows(), square.notes);
        return {std::move(square)};
    }
    const std::string extension = extension_of(bytes.name());
    if (extension == ".safetensors") return {read_array(parse_safetensors(bytes, options.array), bytes, "safetensors")};
    if (!options.array.empty()) bad_option("array", "'{}' is no .npz archive; leave the option out", bytes.name());
    if (is_npy(bytes)) return {read_array(parse_npy(bytes), bytes, "npy")};
    if (is_idx(bytes)) return {read_array(parse_idx(bytes), bytes, "idx")};
    if (is_binary_rows(bytes.name())) return {read_array(parse_binary_rows(bytes), bytes, extension.substr(1))};
    if (is_mtx(bytes) || item_of_vecs(bytes.name()) > 0) return {read_rows(bytes, options)};
    return read_text(bytes, options);
}

bool may_be_square(const Bytes& bytes, Decimal decimal) {
    FieldReader fields(bytes, choose_dialect(bytes, text_of(bytes), decimal), text_of(bytes));
    return may_be_square(bytes.view(), raw_fields(fields).size());
}

SquareTraits inspect_square(const Bytes& bytes, const ReadOptions& options) {
    try {
        const Square square = parse_square(bytes, options).square;
        return {true,
                has_zero_diagonal(square.values),
                is_symmetric(square.values),
                square.kind.starts_with("condensed"),
                !square.ids.empty() && is_binary(square.values),
                square.kind};
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        return {};  // points, whose reader reports the error
    }
}

Square read_square(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        const std::string file = path.string();
        Square square = is_hdf5_name(file) ? square_of(hdf5_module(file).read_points(file, as_points(options)), file)
                                           : without_complaint(parse_square(load(path), options));
        complete_diagonal(square, file);
        complete_half(square, file);
        return square;
    });
}

bool resembles_dissimilarities(const Points& points) {
    const MatrixView<const float> stored = points.values.view();
    if (stored.rows != stored.cols || stored.rows < 3) return false;
    const progress::UseOfMappings files;  // a page that is lost here is an error of the method that follows
    const Index looked_at = std::min<Index>(stored.rows, 256);
    const auto value = [&](Index i, Index j) {
        return points.shift.empty() ? static_cast<double>(stored(i, j)) : stored(i, j) + points.shift[at(j)];
    };
    // What float32 loses of a number less the shift of its column
    const auto rounding = [&](Index i, Index j) { return 0x1p-23 * std::abs(static_cast<double>(stored(i, j))); };
    double low = value(0, 0), high = low;
    for (Index i = 0; i < looked_at; ++i) {
        for (Index j = 0; j < looked_at; ++j) {
            if (value(i, j) < -rounding(i, j)) return false;
            low = std::min(low, value(i, j)), high = std::max(high, value(i, j));
        }
    }
    bool zero = true, symmetric = true;
    for (Index i = 0; i < stored.rows && zero; ++i) zero = std::abs(value(i, i)) <= rounding(i, i);
    for (Index i = 0; i < looked_at && symmetric; ++i) {
        for (Index j = 0; j < i && symmetric; ++j) {
            // By the range of the numbers, not their size: far from zero all are alike
            symmetric = std::abs(value(i, j) - value(j, i)) <= 1e-5 * (high - low) + rounding(i, j) + rounding(j, i);
        }
    }
    return zero || symmetric;
}

}  // namespace dunlin::io
