// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace dunlin {

/// What happens to the offsets of columns that are far from zero. subtract: each is subtracted (for distances that do
/// not depend on it, such as Euclidean and Manhattan). common: only their median is, from all columns (correlation).
/// keep: none is (cosine, inner product).
enum class ColumnOffsets { subtract, common, keep };
constexpr std::array<std::string_view, 3> names(ColumnOffsets) { return {"subtract", "common", "keep"}; }

}  // namespace dunlin
