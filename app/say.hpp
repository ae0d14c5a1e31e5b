// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common.hpp"

namespace dunlin::app {

/// What a user should know of a result or an input: a line on standard error, unless --quiet, and in the report.
void say(const CommonOptions& common, const std::string& sentence);

}  // namespace dunlin::app
