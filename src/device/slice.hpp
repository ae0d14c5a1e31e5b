// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::device {

/// The items [begin, end).
struct Slice {
    Offset begin = 0, end = 0;
    [[nodiscard]] Offset size() const { return end - begin; }
};

}  // namespace dunlin::device
