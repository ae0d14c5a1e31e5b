// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>

#include "flags.hpp"

/// The flag --scores of commands without the other flags of scores.
namespace dunlin::app {

inline void add_scores_flag(CLI::App& app, scores::Extent& extent) {
    add_flag(app, field("scores", extent, scores::scores_help));
}

}  // namespace dunlin::app
