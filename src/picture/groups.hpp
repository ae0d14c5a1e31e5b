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

#include "colors/look.hpp"
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

    std::optional<ColorScale> scale = {};   ///< the groups are steps of a continuous scale
    std::optional<std::size_t> below = {};  ///< a group that is drawn below the others, which have a rim
    Look look = {};                         ///< of the paper that the colors are for

    /// The group of the points without a value. Only with a scale.
    [[nodiscard]] const Group& none() const;
    [[nodiscard]] bool labeled() const { return !of.empty(); }
    [[nodiscard]] std::size_t group(Offset point) const { return of.empty() ? 0 : of[static_cast<std::size_t>(point)]; }
};

/// Labels have one color each, if the palette has enough, such as 20; else those with a color of their own and the
/// largest (ties: the first) keep theirs, and the others are a gray "other". Points without a label are gray, too, in a
/// group of their own. Labels without points are omitted. Throws Error{bad_input} unless there are no labels or one for
/// each of n points.
Groups groups_of(const Labels& labels, Index n, const Options& options = {});

/// Sets the look of the groups, whose colors are of white paper, and adapts these.
void adapt(Groups& groups, const Look& look);

/// Groups of fewer of n points are not named on a map that is seen as a whole.
inline double least_named(Index n) { return std::max(3.0, 0.002 * static_cast<double>(n)); }

/// Steps of a continuous scale: a step changes a color by less than 3 of 255.
constexpr int value_steps = 240;
/// Step of a value; value_steps if the scale does not show it.
int step_of(const ColorScale& scale, double value);
/// Steps of the scale of the options, fine enough to look continuous, and last, gray, the values that it does not show.
/// Throws Error{bad_input} unless there is one value for each of n points.
Groups groups_by_value(std::span<const double> values, const std::string& name, Index n, const Options& options = {});

/// Vertices by degree: 0, 1, 2, 3-4, 5-8 ..., from pale to dark or by a palette of numbers.
Groups groups_by_degree(const Graph& graph, const Options& options = {});

}  // namespace dunlin::picture
