// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

namespace dunlin::mds {

/// place() of dissimilarities that are fed: dunlin, landmark and pivot ask for the rows of some items; all other
/// methods, and dunlin of few items, for all. As many as the budget allows; cancelled before they are there, it
/// returns the map that those which are give.
Result place_on_demand(const Dissimilarities& items, const Options& options, const Run& run, const Given& given);

/// The same of a graph in several components: each by itself, then packed side by side (arrange::pack).
Result place_components(const Dissimilarities& items, const Options& options, const Run& run, const Given& given);

}  // namespace dunlin::mds
