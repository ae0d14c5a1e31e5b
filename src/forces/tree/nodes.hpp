// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/tree/cell.hpp"
#include "numerics/sort.hpp"

namespace dunlin::forces {

/// A cell of the tree: points [first, first + count) in sorted order.
template <int D>
struct alignas(32) TreeNode {
    std::array<float, D> at{};  ///< center of mass
    float accept_r2 = 0;        ///< accepted beyond this squared distance (MAC); 0: all points coincide
    Index first = 0, count = 0;
    Index child = 0, children = 0;  ///< nodes [child, child + children); a leaf has none
};
static_assert(sizeof(TreeNode<2>) == 32 &&
              sizeof(TreeNode<3>) == 32);  // mac_test_simd.cpp gathers fields by their offset

/// Second moments of a cell's points about their center: the sums of x x, y y (, z z), x y (, x z, y z).
template <int D>
using Quadrupole = std::array<float, moment_count<D>>;

/// A quadtree or octree over points sorted by Morton code. The side of a cell is that of the bounding box of its
/// points, not of its square. Cells with a single child are left out. Distinct points of equal code are split by
/// halving their box; coincident points are one leaf, whatever their number.
template <int D>
class TreeNodes {
public:
    static constexpr Index leaf_size = 32;   ///< most points of a leaf, unless all coincide
    static constexpr Index group_size = 64;  ///< most targets that share one traversal, with the same exception

    /// theta: parameter of the MAC (accept_r2 in cell.hpp). charges: one per point, above 0; they weight the centers
    /// and moments of cells; null: 1 each.
    void build(device::Cpu& cpu, MatrixView<const float> y, float theta, const float* charges = nullptr);

    [[nodiscard]] const std::vector<TreeNode<D>>& nodes() const { return nodes_; }        ///< nodes()[0] is the root
    [[nodiscard]] const std::vector<Quadrupole<D>>& moments() const { return moments_; }  ///< per node
    [[nodiscard]] const std::vector<float>& loads() const { return loads_; }              ///< sum of charges per node
    [[nodiscard]] const std::vector<Index>& groups() const {
        return groups_;
    }  ///< nodes that partition the points into groups of targets
    /// Coordinates in sorted order, followed by leaf_size zeros, so that a copy of leaf_size values is always valid.
    [[nodiscard]] const float* axis(std::size_t d) const { return at_[d].data(); }
    [[nodiscard]] const float* charge() const { return charge_.data(); }  ///< in sorted order; null if none were given
    [[nodiscard]] Index item(Index place) const { return order_[static_cast<std::size_t>(place)].item; }

private:
    using Content = CellContent<D, double>;
    /// A subtree, built by one thread.
    struct Branch {
        std::vector<TreeNode<D>> nodes;
        std::vector<Quadrupole<D>> moments;
        std::vector<float> loads;
        std::vector<Index> groups;
        Content content;
    };
    using Ends = std::array<Index, (1 << D) + 1>;

    void sort(device::Cpu& cpu, MatrixView<const float> y, const float* charges);
    std::vector<Index> grow_trunk(Index n);
    Content grow(Branch& branch, Index node, bool in_group);
    void join(const std::vector<Index>& tips, std::vector<Branch>& branches);
    bool split(std::vector<TreeNode<D>>& nodes, Index node);
    int cut(Index first, Index last, Ends& ends);
    int cut_in_half(Index first, Index last, Ends& ends);
    [[nodiscard]] Content measure(Index first, Index count) const;
    template <class Weight>
    [[nodiscard]] Content measure(Index first, Index count, const Weight& weight) const;
    void finish(TreeNode<D>& node, Quadrupole<D>& moments, float& load, const Content& content) const;

    float theta_ = 0;
    numerics::RadixSort radix_;
    std::vector<numerics::Keyed> order_;
    std::array<std::vector<float>, D> at_;
    std::vector<float> charge_;
    std::vector<TreeNode<D>> nodes_;
    std::vector<Quadrupole<D>> moments_;
    std::vector<float> loads_;
    std::vector<Index> groups_;
};

extern template class TreeNodes<2>;
extern template class TreeNodes<3>;

}  // namespace dunlin::forces
