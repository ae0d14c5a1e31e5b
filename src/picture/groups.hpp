// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "picture/color.hpp"

namespace dunlin::picture {

/// Points of one color: a label, or all the labels beyond the palette.
struct Group {
    std::string name;
    Offset count = 0;
    Color color;
};

struct Groups {
    std::vector<Group> list;  ///< in order of the labels, "other" last; one without a name when there are no labels
    std::vector<std::uint8_t> of;  ///< per point, a place in `list`; empty when there are no labels

    [[nodiscard]] bool labeled() const { return !of.empty(); }
    [[nodiscard]] std::size_t group(Offset point) const { return of.empty() ? 0 : of[static_cast<std::size_t>(point)]; }
};

/// Up to 20 labels have a color each; of more, the 19 with most points (of equals, the first) and a gray "other".
/// Labels without points are left out. Throws Error{bad_input} unless there are no labels or one for each of n points.
Groups groups_of(const Labels& labels, Index n);

/// Vertices by how many edges they have: 0, 1, 2, 3-4, 5-8 ..., from pale to dark.
Groups groups_by_degree(const Graph& graph);

}  // namespace dunlin::picture
