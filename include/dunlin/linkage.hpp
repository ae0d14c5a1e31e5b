// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// A row of a linkage in SciPy's form. Of n points, merge i makes set n + i of the two sets first < second.
struct Merge {
    Offset first = 0, second = 0;
    double level = 0;  ///< ascending
    Index size = 0;    ///< points of the new set
};

/// For each of `points` points its component when the merges with a level of at most t are made, numbered by their
/// first points; -1 for components of fewer than `least` points (DBSCAN* of density clusters). Throws Error{bad_input}
/// for another number of merges than points - 1.
DUNLIN_API std::vector<Index> cut(std::span<const Merge> linkage, Index points, double t, Index least = 1);

}  // namespace dunlin
