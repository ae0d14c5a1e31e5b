// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <dunlin/steering.hpp>

#include "common.hpp"

/// The log of a steered run, as JSON.
namespace dunlin::app {

nlohmann::ordered_json acts_as_json(const std::vector<live::Act>& acts);

/// Of a log, or of a report that has one. Throws Error{bad_file} with the number of the act that is wrong.
std::vector<live::Act> read_acts(const fs::path& path);

}  // namespace dunlin::app
