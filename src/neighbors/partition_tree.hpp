// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::neighbors {

/// A balanced binary tree over the items (a k-d tree for general directions): each node is split at the median of its
/// keys, so that near items share a leaf and leaves have nearly equal sizes.
class PartitionTree {
public:
    /// Computes the keys of a node's items, at whose median the node is split.
    using Keys = std::function<void(std::span<const Index> items, std::span<float> keys)>;

    PartitionTree(device::Cpu& cpu, Index items, Index leaf_items, const Keys& keys);

    /// Upper bound of the memory for so many items, in bytes, while the tree is built.
    [[nodiscard]] static std::uint64_t bytes(Index items) { return static_cast<std::uint64_t>(items) * 20; }
    [[nodiscard]] static Index leaves_of(Index items, Index leaf_items) {
        return std::max<Index>(1, static_cast<Index>((Offset{items} + leaf_items - 1) / leaf_items));
    }

    [[nodiscard]] Index count() const { return count_; }
    [[nodiscard]] const std::vector<Index>& order() const { return order_; }
    [[nodiscard]] Index place_of(Index item) const { return place_of_[static_cast<std::size_t>(item)]; }

    /// Leaf l holds order()[begin(l) .. begin(l + 1)).
    [[nodiscard]] Index begin(Index leaf) const {
        return static_cast<Index>(Offset{leaf} * static_cast<Offset>(order_.size()) / count_);
    }
    [[nodiscard]] Index leaf_of(Index item) const { return leaf_at(place_of(item)); }
    [[nodiscard]] Index leaf_at(Offset place) const {
        const auto leaf = static_cast<Index>(place * count_ / static_cast<Offset>(order_.size()));
        return leaf + (begin(leaf + 1) <= place ? 1 : 0);
    }
    [[nodiscard]] std::span<const Index> items(Index leaf) const {
        return std::span(order_).subspan(static_cast<std::size_t>(begin(leaf)),
                                         static_cast<std::size_t>(begin(leaf + 1) - begin(leaf)));
    }
    [[nodiscard]] Index most_items() const { return static_cast<Index>((std::ssize(order_) + count_ - 1) / count_); }

    /// A node of `leaves` leaves is split after its first leaves / 2. Nodes are numbered in preorder.
    struct Node {
        Index number, first, leaves;
        [[nodiscard]] Node left() const { return {number + 1, first, leaves / 2}; }
        [[nodiscard]] Node right() const {
            return {number + 2 * (leaves / 2), first + leaves / 2, leaves - leaves / 2};
        }
    };
    [[nodiscard]] Node root() const { return {0, 0, count_}; }
    [[nodiscard]] Index nodes() const { return 2 * count_ - 1; }

private:
    void halve(const Node& node, const Keys& keys);

    Index count_;
    std::vector<Index> order_, place_of_;
};

/// Queries grouped by leaf: block b is order[cuts[b] .. cuts[b + 1]), positions in `places`.
struct QueryBlocks {
    std::vector<Index> order;
    std::vector<Offset> cuts{0};
};

/// Upper bounds of the number of blocks, and of the bytes of a QueryBlocks.
inline Offset most_blocks(Index leaves, Offset queries, Offset most) { return leaves + queries / most + 1; }
inline std::uint64_t query_bytes(Index leaves, Offset queries, Offset most) {
    return static_cast<std::uint64_t>(queries) * 8 +
           12 * static_cast<std::uint64_t>(most_blocks(leaves, queries, most));
}
/// places: for each query a place in the order of the tree. A block ends at the end of a leaf, unless it has fewer than
/// `least` queries there. No block has more than `most`.
QueryBlocks cut_queries(const PartitionTree& leaves, std::span<const Index> places, Offset least, Offset most);

}  // namespace dunlin::neighbors
