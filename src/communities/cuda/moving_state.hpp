// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::communities {

struct MovingState {
    int moved;        ///< whether a vertex of the round has moved
    int alone;        ///< vertices of the class that want a community of their own
    Index next_free;  ///< where the search for an empty community goes on
};

}  // namespace dunlin::communities
