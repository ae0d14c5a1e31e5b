// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/plots.hpp>

#include "picture/formats.hpp"

/// From a map and its colors to a drawing.
namespace dunlin::picture {

struct Subject {
    const Graph& graph;  ///< without vertices: points only
    const Map& map;
    const Labels& labels;
    const std::vector<std::string>& ids;
    const Coloring* coloring = nullptr;  ///< null: labels, or degrees
    Index below = 0;                     ///< points, the first ones, that are drawn below the others
};

/// Throws Error{bad_input} for ids and frames of a film that are not of the points.
void check(const Subject& subject);

/// Throws Error{bad_input} unless the graph is of the map's points.
void check_graph(const Graph& graph, const Map& map);

/// The points by color. is_page: in the colors of white paper, which a page adapts itself. Throws Error{bad_input} for
/// options of colors that these points do not have.
Groups colored_groups(const Subject& subject, const Options& options, bool is_page);

/// Places the map and its names on the page, whose legend is laid. Refers to all but the groups and the page.
Drawing drawing_of(device::Cpu& cpu, const Subject& subject, const FlatMap& flat, const Options& options, Groups groups,
                   Page page);

/// Says which of the names that are asked for are no ids.
void note_absent(const Options& options, const std::vector<std::string>& ids, const Run& run);

}  // namespace dunlin::picture
