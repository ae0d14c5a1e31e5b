// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "spanning/keys.hpp"

namespace dunlin::spanning {

/// Points as a metric compares them. write(r, out): the cols coordinates of row r. The distance is
/// distance_of(key): sqrt(key) (euclidean), key (manhattan), key / 2 (cosine and correlation, of unit rows).
struct PointSource {
    Index points = 0, cols = 0;
    Norm norm = Norm::l2;
    bool halved = false;
    std::function<void(Index r, double* out)> write;

    [[nodiscard]] double distance_of(double key) const {
        return halved ? key / 2 : norm == Norm::l2 ? std::sqrt(key) : key;
    }
};

/// A k-d tree with its points in the order of leaves. A place is a point's number in this order. Nodes are in preorder:
/// the left child of node v is v + 1.
class PointTree {
public:
    struct BoxNode {
        Index begin, end;  ///< places
        Index right;       ///< child; 0: a leaf
        Index leaf;        ///< number of a leaf
    };

    PointTree(device::Cpu& cpu, const PointSource& source);

    [[nodiscard]] Index points() const { return static_cast<Index>(order_.size()); }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] Norm norm() const { return norm_; }
    [[nodiscard]] Index leaves() const { return static_cast<Index>(leaf_nodes_.size()); }
    [[nodiscard]] const std::vector<BoxNode>& nodes() const { return nodes_; }
    [[nodiscard]] const BoxNode& leaf(Offset number) const { return nodes_[at(leaf_nodes_[at(number)])]; }
    [[nodiscard]] const double* box(Index node) const { return boxes_.data() + Offset{node} * 2 * cols_; }
    [[nodiscard]] const double* box_of_leaf(Offset number) const { return box(leaf_nodes_[at(number)]); }
    [[nodiscard]] const double* panel(Index leaf) const { return panels_.data() + Offset{leaf} * cols_ * leaf_points; }
    /// The point at a place.
    [[nodiscard]] const std::vector<Index>& order() const { return order_; }
    /// Coordinates of the point in column `column` of a leaf.
    void point(Index leaf, Index column, double* out) const {
        for (Index c = 0; c < cols_; ++c) out[c] = panel(leaf)[c * leaf_points + column];
    }

    [[nodiscard]] static std::uint64_t bytes(Index points, Index cols);

private:
    void add_nodes(Index points);
    void fill_leaf(const PointSource& source, Offset leaf);

    Index cols_;
    Norm norm_;
    std::vector<Index> order_, leaf_nodes_;
    std::vector<BoxNode> nodes_;
    std::vector<double> boxes_, panels_;
};

}  // namespace dunlin::spanning
