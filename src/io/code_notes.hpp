// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

namespace dunlin::io {

/// Says which columns have a number such as -999 in several rows, far from all others, which may mean a missing value.
void note_codes(Points& points);

}  // namespace dunlin::io
