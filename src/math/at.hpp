// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <dunlin/types.hpp>

namespace dunlin {

/// Converts a signed index to std::size_t: v[at(i)].
constexpr std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

}  // namespace dunlin
