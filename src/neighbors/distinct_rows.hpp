// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "distance/space.hpp"

namespace dunlin::neighbors {

/// Rows that are the same, gathered: the search sees each once, so that a million copies cost no more than one.
/// Group g holds members[offsets[g] .. offsets[g + 1]), ascending; groups are in the order of their first members.
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

/// Rows are the same when the metric sees the same values: +0 is -0, and under cosine and correlation rows whose
/// unit rows agree to 2^-40 (their distance, below 1e-20, is less than the rounding of any formula for it).
DistinctRows find_distinct_rows(device::Cpu& cpu, const distance::Space& space);

}  // namespace dunlin::neighbors
