// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "device/cpu.hpp"
#include "picture/scene.hpp"
#include "picture/text_placement.hpp"

namespace dunlin::picture {

/// A name and where it stands.
struct PlacedName {
    std::string text;
    PixelPoint at;
};

/// Names of the groups at the peaks of their points (label_grid.hpp), those of larger groups first. None for gray
/// groups, for fewer than three points or 0.2% of all, for a single group, and on a small page.
std::vector<PlacedName> group_names(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Page& page,
                                    const Viewport& viewport);

/// Adds names of groups to the page: over their points, in up to three lines, or up to six sizes away with a line to
/// the peak. What has no place is left out; the legend has it.
void add_group_names(TextPlacement& placement, const Page& page, const std::vector<PlacedName>& names, float size);

/// How many names of points a picture shows at most.
Index most_names(const Options& options, Index n, bool has_ids);

/// What names are placed on.
struct NamedMap {
    const Graph& graph;
    const FlatMap& flat;
    const Groups& groups;
    const std::vector<std::string>& ids;
    const Viewport& viewport;
    Style style;
    Index below = 0;  ///< points, the first ones, that have no names
};

/// Discs and edges that names keep off, of points always, of groups where they would hide many of a few points.
void avoid_marks(TextPlacement& placement, const NamedMap& named, const Page& page);

/// The names that are shown: options.item_names, or the ids.
const std::vector<std::string>& shown_names(const Options& options, const std::vector<std::string>& ids);

/// The points in the order in which their names are placed, 5,000 at most: first those of options.name_these (ids, or
/// names that are shown), then by options.name_ranks, by degree in a graph, or in their order.
std::vector<Index> order_of_names(const NamedMap& named, const Options& options);

/// Adds names (or numbers from 0) beside their discs, as many as have room, `most` at most, in the order of
/// order_of_names(). A name covers no other name and no disc, and as few edges as it can.
void add_point_names(TextPlacement& placement, const NamedMap& named, const Page& page, const Options& options,
                     Index most);

}  // namespace dunlin::picture
