// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "forces/tree/nodes.hpp"

namespace dunlin::forces {

/// The box of a group's members.
template <int D>
struct GroupBox {
    std::array<float, D> low, high;
};

/// How many cells of a sifting went where.
struct MacCounts {
    Index accepted, opened;
};

/// Parts the cells `ids` into those that are small seen from everywhere in the box and those to be opened, both in
/// their order. The two arrays need room for 16 more than they get.
template <int D>
MacCounts mac_test(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box, Index* accepted,
                   Index* opened);

/// The same on any processor.
template <int D>
MacCounts mac_test_plain(const TreeNode<D>* nodes, const Index* ids, Index count, const GroupBox<D>& box,
                         Index* accepted, Index* opened);

}  // namespace dunlin::forces
