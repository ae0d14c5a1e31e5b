// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <dunlin/types.hpp>

namespace dunlin {

/// Ids and offsets are signed, places in a vector are not: v[at(i)].
constexpr std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

}  // namespace dunlin
