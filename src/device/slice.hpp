// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::device {

/// The items [begin, end).
struct Slice {
    Offset begin = 0, end = 0;
    [[nodiscard]] Offset size() const { return end - begin; }
};

/// The part of n items of one of `count` ranks.
constexpr Slice slice_of(int rank, int count, Offset n) { return {n * rank / count, n * (rank + 1) / count}; }

}  // namespace dunlin::device
