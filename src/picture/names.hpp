// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cpu.hpp"
#include "picture/page.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// Whether two texts would touch, with a gap between them.
bool touch(const TextLine& a, const TextLine& b);

/// Names of the labels where their points are densest. Labels with more points come first; a name that would touch an
/// earlier one is omitted (the legend has all names). None for a single label, for gray groups, or on a page without
/// room for a legend.
std::vector<TextLine> names_of(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Page& page,
                               const Viewport& viewport);

/// The ids of vertices, or their numbers from 0, beside their discs, in order of decreasing degree (ties: the first).
/// An id that would touch an earlier one is omitted.
std::vector<TextLine> vertex_names(const Graph& graph, const FlatMap& flat, const std::vector<std::string>& ids,
                                   const Page& page, const Viewport& viewport, const Style& style);

}  // namespace dunlin::picture
