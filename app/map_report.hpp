// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include <dunlin/transform.hpp>

#include "common.hpp"

namespace dunlin::app {

/// Adds --map-report FILE, the report of the command that made the map: sets the options of placing to those of the
/// map, `made` to its method, and `normalize` to the scaling of its points. Must be added before their flags, which
/// override them: CLI11 applies flags in the order of addition.
void add_map_report_flag(CLI::App& app, fs::path& file, std::optional<placement::Method>& made,
                         placement::Options& options, Normalize& normalize);

}  // namespace dunlin::app
