// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "forces/tree/nodes.hpp"

namespace dunlin::forces {

/// Bounding box of a group of targets.
template <int D>
struct GroupBox {
    std::array<float, D> low, high;
};

/// Result of a MAC test: numbers of accepted and of opened cells.
struct MacCounts {
    Index accepted, opened;
};

/// Tests the cells `ids` against the multipole acceptance criterion (MAC) for all targets in the box. Accepted cells go
/// to `accepted`, the others to `opened`, both in the order of ids. Both arrays need room for 16 more than count.
template <int D>
MacCounts mac_test(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box, Index* accepted,
                   Index* opened);

/// mac_test() in portable code.
template <int D>
MacCounts mac_test_plain(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box,
                         Index* accepted, Index* opened);

}  // namespace dunlin::forces
