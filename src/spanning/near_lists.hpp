// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/run.hpp>

#include "spanning/point_tree.hpp"

namespace dunlin::spanning {

/// For the point at each place of a tree its core distance and some of its nearest others, as keys.
struct NearLists {
    Index width = 0;            ///< entries per place
    std::vector<Index> places;  ///< nearest first
    std::vector<double> keys;
    std::vector<double> core;   ///< per place: key of the k-th nearest, counting the point itself
    std::vector<double> reach;  ///< per place: points that are not listed have at least this key

    [[nodiscard]] static std::uint64_t bytes(Index points, Index k, int threads);
};

constexpr Index most_width = 32;  ///< entries that are kept of longer lists

/// 1 <= k <= points. Points at equal distance may or may not be listed; keys do not depend on it.
NearLists near_lists(device::Cpu& cpu, const PointTree& tree, Index k, const Run& run);

}  // namespace dunlin::spanning
