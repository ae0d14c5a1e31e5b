// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/plots.hpp>

/// Pictures of one map in several colorings.
namespace dunlin::picture {

/// A coloring of the map: labels, or one of the others in their place.
struct Panel {
    std::string title = {};  ///< above the panel
    Labels labels = {};
    std::optional<Coloring> values = {};  ///< without a film
    ColorBy by = ColorBy::labels;         ///< graphs: community or degree
    std::vector<LabelColor> colors = {};  ///< of these labels, before those of the options
};

/// Draws a panel per coloring, at the same places and each with a legend, options.panels_per_row beside each other
/// below the title. Width and height are those of a panel, and figure_size is that of the whole picture; a single
/// length is its width. Palettes and colors of labels, and range, scale, center and palettes of numbers, go to the
/// panels that have such. The extension is .png, .svg or .pdf; a page (.html) has the first coloring, which a note
/// says. A graph without vertices: points only. Return value and errors are those of draw() for a map; also
/// Error{bad_input} for no panel.
DUNLIN_API bool draw(const std::filesystem::path& path, const std::vector<Panel>& panels, const Graph& graph,
                     const Map& map, const std::vector<std::string>& ids = {}, const Options& options = {},
                     const Run& run = {});

}  // namespace dunlin::picture
