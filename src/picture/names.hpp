// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cpu.hpp"
#include "picture/page.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// The name of every label, at the place where its points lie densest. Labels with more points come first, and a name
/// that would touch one before it is left out: the legend has them all. None for a single label, for "other", or on a
/// page that has no room for a legend.
std::vector<TextLine> names_of(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Page& page,
                               const Viewport& viewport);

/// The ids of vertices, or their numbers from 0, beside their discs: those with most edges first (of equals, the
/// first), as many as have room without touching each other.
std::vector<TextLine> vertex_names(const Graph& graph, const FlatMap& flat, const std::vector<std::string>& ids,
                                   const Page& page, const Viewport& viewport, const Style& style);

}  // namespace dunlin::picture
