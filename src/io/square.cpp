// SPDX-License-Identifier: Apache-2.0
#include <dunlin/square.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "device/mapped.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/number.hpp"
#include "io/read_progress.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/table_schema.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// .npy

/// n such that an n x n matrix has `count` entries above the diagonal; 0: none.
Index items_of_condensed(std::uint64_t count) {
    const auto n = static_cast<std::uint64_t>(std::llround((1 + std::sqrt(1 + 8 * static_cast<double>(count))) / 2));
    return n * (n - 1) / 2 == count && n < (std::uint64_t{1} << 31) ? static_cast<Index>(n) : 0;
}

std::vector<float> room_for(Index n, const std::string& file) {
    require_memory(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * sizeof(float),
                   "the matrix of '" + file + "'");
    return std::vector<float>(at(Offset{n} * n), 0.0F);
}

Square read_condensed(const Array& array, const Bytes& bytes) {
    const Index n = items_of_condensed(array.count());
    if (n == 0) {
        bad_file(
            "'{}' has one axis of {} values; a condensed matrix of n items has n (n - 1) / 2 values, which no n gives "
            "here",
            bytes.name(), array.count());
    }
    std::vector<float> values = room_for(n, bytes.name());
    std::uint64_t from = 0;
    for (Offset i = 0; i < n; ++i) {
        for (Offset j = i + 1; j < n; ++j) {
            values[at(i * n + j)] = values[at(j * n + i)] = static_cast<float>(array.number(from++));
        }
    }
    return {Matrix(n, n, std::move(values)), {}, "condensed npy"};
}

Square read_array(const Bytes& bytes) {
    const Array array = parse_npy(bytes);
    if (array.is_text()) bad_file("'{}' holds text; a matrix is numbers: save it as float32", bytes.name());
    if (array.shape.size() == 1) return read_condensed(array, bytes);
    const auto [n, cols] = extents(array, bytes.name());
    if (n != cols || array.shape.size() != 2) {
        bad_file("'{}' is {} x {}; a matrix of dissimilarities has as many rows as columns", bytes.name(), n, cols);
    }
    const bool aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(float) == 0;
    if (array.kind == 'f' && array.item == 4 && !array.swapped && !array.fortran && aligned) {
        std::shared_ptr<const float> there(bytes.owner(), reinterpret_cast<const float*>(array.data));
        return {Matrix(n, n, std::move(there)), {}, "matrix npy"};
    }
    std::vector<float> values = room_for(n, bytes.name());
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t row = k / at(n), column = k % at(n);
        values[k] = static_cast<float>(array.number(array.fortran ? column * at(n) + row : k));
    }
    return {Matrix(n, n, std::move(values)), {}, "matrix npy"};
}

// Tables

/// Reads a table of n columns and n rows with their names.
class SquareTable {
public:
    SquareTable(const Bytes& bytes, Decimal decimal)
        : bytes_(bytes),
          dialect_(choose_dialect(bytes, text_of(bytes), decimal)),
          fields_(bytes, dialect_, text_of(bytes)),
          decimal_(decimal) {}

    Square read() {
        FieldReader ahead = fields_;
        std::vector<std::string_view> first = raw_fields(ahead);
        if (first.empty()) bad_file("'{}' has no rows; give a row per item", bytes_.name());
        named_ = !number(first.front());
        if (!std::all_of(first.begin(), first.end(), [this](auto c) { return number(c); }))
            first = header(ahead, std::move(first));
        const std::size_t n = first.size() - (named_ ? 1 : 0);
        if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
            bad_file("'{}' has {} columns, more than there can be", bytes_.name(), n);
        ReadProgress progress("read", bytes_.view());
        for (std::size_t row = 0; fields_.next_row(); ++row) {
            progress.advance(fields_.at());
            if (row == n)
                bad_file("{}: row {} of a matrix of {} columns; it must be square", spot_at(fields_.at()), row + 1, n);
            read_row(n);
        }
        if (values_.size() != n * n) {
            bad_file("'{}' has {} rows and {} columns; a matrix of dissimilarities is square", bytes_.name(),
                     n == 0 ? 0 : values_.size() / n, n);
        }
        if (names_.size() != n) names_.clear();
        choose_names();
        const auto size = static_cast<Index>(n);
        return {Matrix(size, size, std::move(values_)), std::move(names_), "matrix csv", notes_of(dialect_, decimal_)};
    }

    /// Conflict between the names; empty if they agree.
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    /// Reads the names of the first line, if any; returns the row after it.
    std::vector<std::string_view> header(FieldReader& ahead, std::vector<std::string_view> first) {
        std::vector<std::string_view> second = raw_fields(ahead);
        const bool data =
            second.size() == first.size() && !first.front().empty() &&
            std::all_of(first.begin() + 1, first.end(), [this](auto c) { return number(c) || is_missing(c); });
        if (data) return first;  // a name and numbers
        if (second.empty()) bad_file("'{}' has one line, of names; give a row per item", bytes_.name());
        const bool corner = first.size() == second.size() && (first.front().empty() || !number(second.front()));
        named_ = corner || second.size() == first.size() + 1;
        for (std::size_t c = corner ? 1 : 0; c < first.size(); ++c) names_.push_back(unquoted(first[c]));
        fields_.next_row();
        raw_fields(fields_);
        return second;
    }

    [[nodiscard]] bool number(std::string_view raw) const { return is_number(raw, dialect_.point); }
    [[nodiscard]] FileLocation spot_at(const char* place) const {
        const std::size_t line = line_of(bytes_, place);
        return {fmt::format("'{}' line {}", bytes_.name(), line), at_line(bytes_.name(), line).place};
    }

    void read_row(std::size_t n) {
        std::size_t column = 0;
        do {
            const char* const place = fields_.at();
            const std::string_view raw = fields_.raw();
            if (named_ && column == 0) {
                row_names_.push_back(unquoted(raw));
            } else {
                add(raw, place);
            }
            ++column;
        } while (fields_.next_field());
        if (column != n + (named_ ? 1 : 0)) {
            bad_file("{}: {} cells, and {} on the lines before it", spot_at(fields_.at()), column,
                     n + (named_ ? 1 : 0));
        }
    }

    /// Items take the names of the columns, else of the rows; numbered rows beside named columns are ignored.
    void choose_names() {
        if (names_.empty()) names_ = std::move(row_names_);
        for (std::size_t i = 0; i < row_names_.size() && complaint_.empty(); ++i) {
            const std::string& name = row_names_[i];
            if (name == names_[i] || std::find(names_.begin(), names_.end(), name) == names_.end()) continue;
            complaint_ = fmt::format("'{}': row {} is called '{}' and column {} '{}'; put both in one order",
                                     bytes_.name(), i + 1, shown(name), i + 1, shown(names_[i]));
        }
    }

    void add(std::string_view raw, const char* place) {
        double value = 0;
        if (parse_field(raw, dialect_.point, value)) {
            values_.push_back(static_cast<float>(value));
        } else if (is_missing(raw) && lower(raw).find("inf") == std::string::npos) {
            values_.push_back(missing);
        } else {
            bad_file("{}: '{}' is not a number", spot_at(place), shown(raw));
        }
    }

    const Bytes& bytes_;
    Dialect dialect_;
    FieldReader fields_;
    Decimal decimal_;
    bool named_ = false;  ///< a row begins with its name
    std::vector<std::string> names_, row_names_;
    std::vector<float> values_;
    std::string complaint_;
};

/// For a large matrix, tests some hundred entries in parallel, because each is a separate disk read.
bool has_zero_diagonal(const Matrix& matrix) {
    const auto each_place = [&](const auto& look) {
        for (Offset i = 0; i < matrix.rows(); i += 1 + matrix.rows() / 256)
            look(matrix.row(static_cast<Index>(i)).subspan(at(i), 1));
    };
    bool zero = true;
    device::expect(matrix.view(), device::Reading::here_and_there);
    each_place([](std::span<const float> place) { device::load_ahead(place); });
    each_place([&](std::span<const float> place) { zero = zero && place[0] == 0; });
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

struct ParsedSquare {
    Square square;
    std::string complaint;  ///< error for a matrix; irrelevant if the file is not meant as one
};

ParsedSquare parse(const Bytes& bytes, const ReadOptions& options) {
    if (bytes.size() == 0) bad_file("'{}' is empty; give a square matrix", bytes.name());
    if (is_npz(bytes)) return {read_array(Npz(bytes).chosen(options.array)), ""};
    if (!options.array.empty()) bad_option("array", "'{}' is no .npz archive; leave the option out", bytes.name());
    if (is_npy(bytes)) return {read_array(bytes), ""};
    SquareTable table(bytes, options.decimal);
    Square square = table.read();
    return {std::move(square), table.complaint()};
}

Square without_complaint(ParsedSquare parsed) {
    if (!parsed.complaint.empty()) bad_file("{}", parsed.complaint);
    return std::move(parsed.square);
}

}  // namespace

SquareTraits inspect_square(const Bytes& bytes, const ReadOptions& options) {
    try {
        const Matrix values = parse(bytes, options).square.values;
        return {true, has_zero_diagonal(values), is_symmetric(values)};
    } catch (const Error&) {
        return {};  // points, whose reader reports the error
    }
}

Square read_square(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] { return without_complaint(parse(load(path), options)); });
}

bool resembles_dissimilarities(const Points& points) {
    const MatrixView<const float> stored = points.values.view();
    if (stored.rows != stored.cols || stored.rows < 3) return false;
    const Index looked_at = std::min<Index>(stored.rows, 256);
    const auto value = [&](Index i, Index j) {
        return points.shift.empty() ? static_cast<double>(stored(i, j)) : stored(i, j) + points.shift[at(j)];
    };
    // What is left of a number that the shift of its column hides
    const auto rounding = [&](Index j) { return points.shift.empty() ? 0 : 1e-6 * std::abs(points.shift[at(j)]); };
    bool zero = true, symmetric = true;
    for (Index i = 0; i < stored.rows && zero; ++i) zero = std::abs(value(i, i)) <= rounding(i);
    for (Index i = 0; i < looked_at && (zero || symmetric); ++i) {
        for (Index j = 0; j < looked_at; ++j) {
            const double there = value(i, j), back = value(j, i);
            if (there < -rounding(j)) return false;
            symmetric = symmetric && std::abs(there - back) <=
                                         1e-5 * std::max(std::abs(there), std::abs(back)) + rounding(i) + rounding(j);
        }
    }
    return zero || symmetric;
}

}  // namespace dunlin::io
