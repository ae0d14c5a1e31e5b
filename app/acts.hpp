// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <dunlin/steering.hpp>

/// The log of a steered run, as JSON.
namespace dunlin::app {

nlohmann::ordered_json acts_as_json(const std::vector<live::Act>& acts);

/// Reads the acts of a log, or of a report that contains one. Throws Error{bad_file} with the number of the wrong act.
std::vector<live::Act> read_acts(const std::filesystem::path& path);
std::vector<live::Act> read_acts(std::istream& file, const std::string& name);

}  // namespace dunlin::app
