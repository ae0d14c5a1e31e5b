// SPDX-License-Identifier: Apache-2.0
#include "io/triangle.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "device/pieces.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/printed_dist.hpp"
#include "io/triangle_rows.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

/// The entries that the rows of a file have.
enum class Layout : unsigned char { square, lower, lower_diagonal, upper, upper_diagonal };

constexpr std::string_view layouts[] = {"a square matrix", "a lower triangle without its diagonal",
                                        "a lower triangle with its diagonal", "an upper triangle without its diagonal",
                                        "an upper triangle with its diagonal"};

std::string_view name_of(Layout layout) { return layouts[static_cast<std::size_t>(layout)]; }

/// Number of entries of row i of n.
std::size_t width_of(Layout layout, std::size_t i, std::size_t n) {
    switch (layout) {
        case Layout::square:
            return n;
        case Layout::lower:
            return i;
        case Layout::lower_diagonal:
            return i + 1;
        case Layout::upper:
            return n - 1 - i;
        case Layout::upper_diagonal:
            return n - i;
    }
    return 0;
}

/// Column of the first entry of row i.
std::size_t first_column(Layout layout, std::size_t i) {
    if (layout == Layout::upper) return i + 1;
    return layout == Layout::upper_diagonal ? i : 0;
}

/// A layout of n items; row r of the file is that of item first + r.
struct Plan {
    Layout layout;
    std::size_t n = 0;
    std::size_t rows = n;   ///< fewer by one where an item without entries and without a name has no row
    std::size_t first = 0;  ///< 1: that item is the first
};

/// The first row that has another number of entries than the plan; the number of rows if there is none.
std::size_t first_misfit(const TriangleRows& rows, const Plan& plan) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (r >= plan.rows || rows.width(r) != width_of(plan.layout, r + plan.first, plan.n)) return r;
    }
    return rows.size();
}

bool fits(const TriangleRows& rows, const Plan& plan) {
    return rows.size() == plan.rows && first_misfit(rows, plan) == rows.size();
}

/// Whether the last (lower triangle) or first (upper) entries of all rows are 0.
bool has_zero_diagonal(const TriangleRows& rows, bool lower) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (rows.width(r) == 0 || rows.values[lower ? rows.starts[r + 1] - 1 : rows.starts[r]] != 0) return false;
    }
    return true;
}

/// The plan that the first two rows and their entries tell, for rows without a number of items above them.
std::optional<Plan> plan_by_rows(const TriangleRows& rows) {
    const std::size_t n = rows.size();
    const std::size_t first = rows.width(0), second = rows.width(1);
    const bool named = !rows.names.empty();
    if (named && first == 0 && second == 1) return Plan{Layout::lower, n};
    if (first == 1 && second == 2) {
        if (named || has_zero_diagonal(rows, true)) return Plan{Layout::lower_diagonal, n};
        return Plan{Layout::lower, n + 1, n, 1};
    }
    if (first != second + 1) return {};
    if (named && first + 1 == n) return Plan{Layout::upper, n};
    if (named || has_zero_diagonal(rows, false)) return Plan{Layout::upper_diagonal, first};
    return Plan{Layout::upper, first + 1, first};
}

/// The plan of PHYLIP's n rows.
std::optional<Plan> plan_of_phylip(const TriangleRows& rows, std::size_t n) {
    for (const Layout layout :
         {Layout::square, Layout::lower, Layout::lower_diagonal, Layout::upper, Layout::upper_diagonal}) {
        if (const Plan plan{layout, n}; fits(rows, plan)) return plan;
    }
    return {};
}

Square square_of(const TriangleRows& rows, const Plan& plan, const Bytes& bytes) {
    const std::size_t n = plan.n;
    if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
        bad_file("'{}' has {} items, more than there can be", bytes.name(), n);
    std::vector<float> values = room_for_square(n, bytes.name());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (r % 64 == 0) progress::cancellation_point();
        const std::size_t i = r + plan.first;
        std::size_t j = first_column(plan.layout, i);
        for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e, ++j) {
            values[i * n + j] = rows.values[e];
            if (plan.layout != Layout::square) values[j * n + i] = rows.values[e];
        }
    }
    return {Matrix(static_cast<Index>(n), static_cast<Index>(n), std::move(values)), rows.names, "triangle"};
}

/// A triangle without a number of items above it, of at least so many rows.
std::optional<Square> read_bare(const Bytes& bytes, Dialect dialect, std::size_t least) {
    const std::optional<TriangleRows> rows = read_triangle_rows(bytes, dialect, TriangleStart::rows);
    if (!rows || rows->size() < least) return {};
    const std::optional<Plan> plan = plan_by_rows(*rows);
    if (!plan) return {};
    const std::size_t misfit = first_misfit(*rows, *plan);
    if (misfit < rows->size() || !fits(*rows, *plan)) {
        const std::size_t r = std::min(misfit, rows->size() - 1);
        bad_file("{}: row {} of {} has {} numbers; correct the row, or give the whole square",
                 at_line(bytes.name(), line_of(bytes, rows->places[r])), r + 1, name_of(plan->layout), rows->width(r));
    }
    Square square = square_of(*rows, *plan, bytes);
    square.notes.push_back({fmt::format("read as {}, of {} items", name_of(plan->layout), plan->n), ""});
    return square;
}

/// The number of items in the first line of PHYLIP; 0: it is none.
std::size_t items_of_phylip(const Bytes& bytes) {
    FieldReader fields(bytes, {' ', '.'}, text_of(bytes), false);
    const std::vector<std::string_view> first = raw_fields(fields), second = raw_fields(fields);
    constexpr std::size_t most_digits = 9;
    if (first.size() != 1 || !is_whole(first[0]) || first[0].size() > most_digits || second.empty()) return 0;
    const std::size_t n = std::stoul(std::string(first[0]));
    if (n < 2) return 0;
    const bool named = !is_number(second[0]) && !is_missing(second[0]);
    return named || second.size() == n + 1 ? n : 0;
}

/// Names end at a blank; else they are the first ten characters, or end at a tab, and may have blanks.
std::optional<Square> read_phylip(const Bytes& bytes) {
    const std::size_t n = items_of_phylip(bytes);
    if (n == 0) return {};
    std::optional<TriangleRows> first;
    constexpr std::array<std::pair<char, TriangleStart>, 3> ways{
        {{' ', TriangleStart::phylip}, {' ', TriangleStart::phylip_columns}, {'\t', TriangleStart::phylip}}};
    for (const auto& [delimiter, start] : ways) {
        std::optional<TriangleRows> rows = read_triangle_rows(bytes, {delimiter, '.'}, start);
        if (!rows) continue;
        if (const std::optional<Plan> plan = plan_of_phylip(*rows, n)) {
            Square square = square_of(*rows, *plan, bytes);
            square.kind = "phylip";
            if (plan->layout != Layout::square)
                square.notes.push_back({fmt::format("read as {}, of {} items", name_of(plan->layout), n), ""});
            return square;
        }
        if (!first) first = std::move(rows);
    }
    if (!first) return {};
    std::size_t r = first->size() - 1;
    if (first->size() >= 2) {
        const std::optional<Plan> plan = plan_by_rows(*first);
        const std::size_t misfit = first_misfit(*first, plan.value_or(Plan{Layout::square, n}));
        r = std::min(misfit, r);
    }
    bad_file(
        "{}: the first line says {} items of PHYLIP; there are {} rows, and row {} ('{}') has {} numbers: correct "
        "the row or the first line",
        at_line(bytes.name(), line_of(bytes, first->places[r])), n, first->size(), r + 1, shown(first->names[r]),
        first->width(r));
}

}  // namespace

std::vector<float> room_for_square(std::size_t n, const std::string& file) {
    if (n > std::size_t{1} << 31) bad_file("'{}' has {} items, more than there can be", file, n);
    require_memory(static_cast<std::uint64_t>(n) * n * sizeof(float), "the matrix of '" + file + "'");
    std::vector<float> values;
    device::assign_in_pieces(values, n * n);
    return values;
}

std::optional<Square> read_triangle(const Bytes& bytes, const ReadOptions& options) {
    const Dialect dialect = dialect_of_rows(bytes, options.decimal);
    if (std::optional<Square> phylip = read_phylip(bytes)) return phylip;
    if (std::optional<Square> printed = read_printed_dist(bytes, dialect)) return printed;
    return read_bare(bytes, dialect, options.holds == Holds::dissimilarities ? 2 : 3);
}

}  // namespace dunlin::io
