// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace dunlin {

/// Treatment of the offsets of columns that are far from zero. subtract: subtracts the offset of each column (for
/// distances that do not depend on it, such as Euclidean and Manhattan). common: subtracts the median offset from all
/// columns (correlation). keep: subtracts nothing (cosine, inner product).
enum class ColumnOffsets { subtract, common, keep };
constexpr std::array<std::string_view, 3> names(ColumnOffsets) { return {"subtract", "common", "keep"}; }

}  // namespace dunlin
