// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distance/space.hpp"

namespace dunlin::neighbors {

/// Groups of equal rows. The search handles each group once, as an *item*, so that a million copies cost no more than
/// one row. Group g has members[offsets[g] .. offsets[g + 1]), ascending. Groups are in the order of their first
/// members.
struct DistinctRows {
    std::vector<Index> members;
    std::vector<Offset> offsets{0};
    std::vector<Index> group_of;  ///< per row

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] Index first(Index group) const {
        return members[static_cast<std::size_t>(offsets[static_cast<std::size_t>(group)])];
    }
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
