// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/export.hpp>
#include <dunlin/layout.hpp>

namespace dunlin::layout {

/// Says that method stress, which knows ideal lengths alone, does not read strengths that differ; empty: nothing to
/// say.
DUNLIN_API std::string sentence_of_strengths(const Graph& graph, const Options& options);

}  // namespace dunlin::layout
