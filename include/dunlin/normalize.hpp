// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Scaling of each column of points. standardize: to mean 0 and standard deviation 1 (with n - 1); minmax: to [0, 1]. A
/// constant column becomes 0. zscore: the former name of standardize.
enum class Normalize { none, standardize, minmax, zscore };
constexpr std::array<std::string_view, 4> names(Normalize) { return {"none", "standardize", "minmax", "zscore"}; }

struct NormalizeOptions {
    Normalize normalize = Normalize::none;
};

/// The option as every struct lists it.
inline auto normalize_field(Normalize& value) {
    return field("normalize", value,
                 "scaling of each column of points: to mean 0 and standard deviation 1, or to 0 .. 1");
}

template <class Visit>
void fields(Visit&& visit, NormalizeOptions& o) {
    visit(normalize_field(o.normalize));
}

/// A scaled column is (x - shift) * scale. Rows that are compared with the points are scaled by the points' numbers.
struct ColumnScales {
    std::vector<double> shift, scale;  ///< one each per column; both empty: columns as they are

    [[nodiscard]] bool empty() const { return scale.empty(); }
};

/// The scales of the columns of these points; none of points without rows.
DUNLIN_API ColumnScales scales_of(MatrixView<const float> points, Normalize how, const Run& run = {});

/// The rows with scaled columns. Throws Error{bad_input} if the scales are of another number of columns.
DUNLIN_API Matrix scaled(MatrixView<const float> rows, const ColumnScales& scales, const Run& run = {});

/// A column whose scale decides the distances of the points.
struct RulingColumn {
    Index column = -1;     ///< -1: there is none
    double deviation = 0;  ///< its standard deviation
    double usual = 0;      ///< the median of those of the columns that vary
};

/// The column of the largest variance, if squared distances are those of fewer than two columns, as (sum of
/// variances)^2 / (sum of their squares) tells, and its standard deviation is more than ten times the median. From a
/// sample of rows. Principal components, pixels and counts have none; a table with units of several sizes has.
DUNLIN_API RulingColumn ruling_column(MatrixView<const float> points);

}  // namespace dunlin
