// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"

namespace dunlin::math {

/// A small vector that is added elementwise, such as the coordinates of a point.
template <class Real, int Size>
struct Vec {
    Real at[Size]{};

    template <class Other>
    DUNLIN_HD Vec& operator+=(const Vec<Other, Size>& other) {
        for (int i = 0; i < Size; ++i) at[i] += static_cast<Real>(other.at[i]);
        return *this;
    }
};

}  // namespace dunlin::math
