// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <dunlin/transform.hpp>

#include "common.hpp"

namespace dunlin::app {

/// Adds --map-report FILE, the report of dunlin tsne (or map) for the map: sets the options of placing to those of the
/// map. Must be added before their flags, which override them: CLI11 applies flags in the order of addition.
void add_map_report_flag(CLI::App& app, fs::path& file, tsne::PlaceOptions& options);

}  // namespace dunlin::app
