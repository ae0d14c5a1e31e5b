// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <dunlin/clusters.hpp>

#include "distance/space.hpp"
#include "spanning/point_tree.hpp"

namespace dunlin::clusters {

/// The rows that take part, and the labels of the others.
struct FiniteRows {
    std::vector<Index> rows;    ///< ascending; empty if all take part
    std::vector<Index> labels;  ///< per row of all: 0, infinite_row or missing_row; empty if all take part
    Index count = 0;

    [[nodiscard]] Index row(Index i) const { return rows.empty() ? i : rows[at(i)]; }
};

FiniteRows find_finite_rows(device::Cpu& cpu, MatrixView<const float> points);

/// Those rows without the others; `kept` owns them if they are a copy.
MatrixView<const float> finite_part(MatrixView<const float> points, const FiniteRows& finite, std::vector<float>& kept);

/// Finite rows as a metric compares them: unit rows for cosine and correlation, with a column of their own for zero
/// vectors, which are at distance 1 from all others.
class MetricSource {
public:
    /// queries: rows after those of points; source().points counts both.
    MetricSource(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                 MatrixView<const float> queries = {});

    [[nodiscard]] const spanning::PointSource& source() const { return source_; }

private:
    distance::Space space_;
    spanning::PointSource source_;
};

}  // namespace dunlin::clusters
