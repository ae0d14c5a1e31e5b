#pragma once

#include <dunlin/metrics.hpp>

#include "flags.hpp"

/// --scores of commands whose other flags are not those of scores.
namespace dunlin::app {

inline void add_scores_flag(CLI::App& app, metrics::Extent& extent) {
    add_flag(app, field("scores", extent, metrics::scores_help));
}

}  // namespace dunlin::app
