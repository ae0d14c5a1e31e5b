#pragma once

#include "neighbors/sketch.hpp"

namespace dunlin::neighbors {

/// The items of a sketch in an order that keeps near ones together, cut into leaves of nearly equal size: a k-d tree
/// that halves the number of leaves along the coordinate of largest variance. Nodes are numbered in preorder: a node
/// over L leaves is followed by its left child, and 2 * (L / 2) further on comes the right one.
template <class Value>
class Tree {
public:
    Tree(device::Cpu& cpu, const Sketch<Value>& sketch, Index leaf_items);

    [[nodiscard]] Index leaves() const { return leaves_; }
    [[nodiscard]] const std::vector<Index>& order() const { return order_; }

    /// Leaf l holds order()[begin(l) .. begin(l + 1)).
    [[nodiscard]] Index begin(Index leaf) const {
        return static_cast<Index>(Offset{leaf} * static_cast<Offset>(order_.size()) / leaves_);
    }
    [[nodiscard]] const Value* box(Index node) const { return boxes_.data() + Offset{node} * 2 * dims_; }
    [[nodiscard]] float error(Index node) const { return errors_[static_cast<std::size_t>(node)]; }

private:
    struct Range {
        Index node, first, leaves;
    };

    void split(Range range);
    void split_all(Range range);
    void bound_all(Range range);
    [[nodiscard]] Index widest(Range range) const;
    [[nodiscard]] static Range left(Range r) { return {r.node + 1, r.first, r.leaves / 2}; }
    [[nodiscard]] static Range right(Range r) {
        return {r.node + 2 * (r.leaves / 2), r.first + r.leaves / 2, r.leaves - r.leaves / 2};
    }

    const Sketch<Value>& sketch_;
    Index dims_, leaves_;
    std::vector<Index> order_;
    std::vector<Value> boxes_;   ///< per node: lows, highs
    std::vector<float> errors_;  ///< per node: the largest of its items
};

extern template class Tree<std::uint8_t>;
extern template class Tree<float>;

}  // namespace dunlin::neighbors
