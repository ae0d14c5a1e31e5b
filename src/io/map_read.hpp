// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// As read_map(), for maps some of whose points have no place.
MapFile read_partial_map(const Bytes& bytes, const std::optional<std::vector<double>>& origin = {});

}  // namespace dunlin::io
