// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/export.hpp>

namespace dunlin {

/// Why this process has had fewer threads than usable_threads() would give, as a sentence; empty: it has had them all.
/// Results are the same.
DUNLIN_API std::string why_fewer_threads();

}  // namespace dunlin
