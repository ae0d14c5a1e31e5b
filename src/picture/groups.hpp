// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dunlin/picture.hpp>
#include <dunlin/types.hpp>

#include "colors/color.hpp"
#include "picture/scale.hpp"

namespace dunlin::picture {

/// Points of one color: a label, all labels beyond the palette, or the points without one.
struct Group {
    std::string name;
    Offset count = 0;  ///< -1: not shown
    Color color;
};

struct Groups {
    std::vector<Group>
        list;  ///< in the order of the labels, then "other" and "no label"; one without a name if there are no labels
    std::vector<std::uint8_t> of;  ///< per point, an index into `list`; empty if there are no labels

    std::optional<ColorScale> scale = {};  ///< the groups are steps of a continuous scale

    [[nodiscard]] bool labeled() const { return !of.empty(); }
    [[nodiscard]] std::size_t group(Offset point) const { return of.empty() ? 0 : of[static_cast<std::size_t>(point)]; }
};

/// Up to 20 labels have one color each; with more, the 19 largest (ties: the first) and a gray "other". Points without
/// a label are gray, too, in a group of their own. Labels without points are omitted. Throws Error{bad_input} unless
/// there are no labels or one for each of n points.
Groups groups_of(const Labels& labels, Index n);

/// Groups of fewer of n points are not named on a map that is seen as a whole.
inline double least_named(Index n) { return std::max(3.0, 0.002 * static_cast<double>(n)); }

/// Steps of a continuous scale: a step changes a color by less than 3 of 255.
constexpr int value_steps = 240;
/// Step of a value; value_steps if it is not finite.
int step_of(const ColorScale& scale, double value);
/// Widens the scale, empty at first (low above high), by the finite values.
void widen(ColorScale& scale, std::span<const double> values);
/// A scale that no value has widened is from 0 to 0.
ColorScale empty_scale(const std::string& name);
void close(ColorScale& scale);

/// Steps of a continuous scale, fine enough to look continuous, and last, gray, the values that are not finite. Throws
/// Error{bad_input} unless there is one value for each of n points.
Groups groups_by_value(std::span<const double> values, const std::string& name, Index n);

/// Vertices by degree: 0, 1, 2, 3-4, 5-8 ..., from pale to dark.
Groups groups_by_degree(const Graph& graph);

}  // namespace dunlin::picture
