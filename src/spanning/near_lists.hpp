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

/// The same from lists of neighbors::search, of at least k - 1 entries where there are as many points. exact: they have
/// the true neighbors; lists whose order rounding leaves in doubt are searched again. Otherwise nothing is known of
/// points that are not listed.
NearLists near_lists(device::Cpu& cpu, const PointTree& tree, const PointSource& source, const Graph& found, Index k,
                     bool exact, const Run& run);

}  // namespace dunlin::spanning
