// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dunlin::app {

/// The known word nearest to a misspelled one by edits of letters, whatever their case; the first of equally near ones.
/// Empty if more than a third of its letters would change.
std::string nearest_word(const std::string& misspelled, const std::vector<std::string>& known);

}  // namespace dunlin::app
