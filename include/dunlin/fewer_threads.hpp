// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/export.hpp>

namespace dunlin {

/// The reason, as a sentence, for which this process used fewer threads than usable_threads() returns. Empty: it used
/// all. Results are the same.
DUNLIN_API std::string why_fewer_threads();

}  // namespace dunlin
