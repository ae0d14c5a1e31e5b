// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spanning/point_tree.hpp"

namespace dunlin::spanning {

/// Depth-first walk, nearer child first. key_to(node): a lower bound of keys; enters a node if is_within(node, key),
/// which is asked again when the node's turn comes; scan(node) for leaves.
template <class KeyTo, class IsWithin, class Scan>
[[gnu::always_inline]] inline void walk(const PointTree& tree, const KeyTo& key_to, const IsWithin& is_within,
                                        const Scan& scan) {
    struct Open {
        Index node;
        double key;
    };
    Open open[64];  // trees of 2^31 points have fewer levels
    int count = 0;
    if (is_within(0, 0.0)) open[count++] = {0, 0};
    while (count > 0) {
        const Open next = open[--count];
        if (!is_within(next.node, next.key)) continue;
        const Index right = tree.nodes()[at(next.node)].right;
        if (right == 0) {
            scan(next.node);
            continue;
        }
        Open near{next.node + 1, key_to(next.node + 1)}, far{right, key_to(right)};
        if (far.key < near.key) std::swap(near, far);
        if (is_within(far.node, far.key)) open[count++] = far;
        if (is_within(near.node, near.key)) open[count++] = near;
    }
}

}  // namespace dunlin::spanning
