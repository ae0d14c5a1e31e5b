// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/picture.hpp>

#include "colors/color.hpp"

namespace dunlin::picture {

/// The colors of a palette: of labels in their order, or of a scale at equal distances.
std::span<const Color> colors_of(Palette palette);
bool is_of_labels(Palette palette);

/// #1a2b3c, also with ff for opaque; nothing for another text.
std::optional<Color> color_named(std::string_view text);

/// The colors without a label among those of one's own. Throws Error{bad_input} for what is no color.
std::vector<Color> own_colors(const Options& options);

/// Colors of `count` labels: one's own, else the palette's; of a scale, places at equal distances.
std::vector<Color> label_colors(const Options& options, std::size_t count);

/// The colors of a scale. Throws Error{bad_input} for a palette of labels.
std::vector<Color> scale_colors(const Options& options);

}  // namespace dunlin::picture
