// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common.hpp"

namespace dunlin::app {

/// Tells the user something about a result or an input: a line on standard error, unless --quiet, and in the report.
void say(const CommonOptions& common, const std::string& sentence);

/// Says that INPUT has fewer distinct rows than clusters or components.
void say_if_few_distinct(const CommonOptions& common, const fs::path& input, Index distinct, Index parts,
                         std::string_view name);

}  // namespace dunlin::app
