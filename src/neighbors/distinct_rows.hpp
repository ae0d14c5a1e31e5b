// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distance/space.hpp"

namespace dunlin::neighbors {

/// Groups of equal rows. The search handles each group once, as an *item*, so that a million copies cost no more than
/// one row. Group g has the points members[offsets[g] .. offsets[g + 1]), ascending. Groups are in the order of their
/// first members. A query that equals a point belongs to that point's group. Any other is a group of its own, after the
/// items: queries do not share a group, so that the list of one does not depend on the others.
struct DistinctRows {
    std::vector<Index> members;
    std::vector<Offset> offsets{0};
    std::vector<Index> group_of;  ///< per row, points first
    std::vector<Index> apart;     ///< the rows of the groups after the items

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }  ///< number of items
    [[nodiscard]] Index groups() const { return size() + static_cast<Index>(apart.size()); }
    [[nodiscard]] bool is_item(Index group) const { return group < size(); }
    [[nodiscard]] Index first(Index group) const {
        if (!is_item(group)) return apart[static_cast<std::size_t>(group - size())];
        return members[static_cast<std::size_t>(offsets[static_cast<std::size_t>(group)])];
    }
    /// The points of an item.
    [[nodiscard]] std::span<const Index> of(Index group) const {
        const auto g = static_cast<std::size_t>(group);
        return std::span(members).subspan(static_cast<std::size_t>(offsets[g]),
                                          static_cast<std::size_t>(offsets[g + 1] - offsets[g]));
    }
};

/// Rows are equal if the metric cannot tell them apart: +0 equals -0, and under cosine and correlation unit rows are
/// compared up to 2^-40 (a distance below 1e-20, less than the rounding of any formula for it).
DistinctRows find_distinct_rows(device::Cpu& cpu, const distance::Space& space);

}  // namespace dunlin::neighbors
