// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <vector>

namespace dunlin::python {

/// Of names of points: ids that go first, names in place of ids, and ranks; as those members of picture::Options.
using ItemNames = std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<double>>;

}  // namespace dunlin::python
