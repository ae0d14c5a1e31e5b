#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "device/sort.hpp"

namespace dunlin::forces {

/// A cell of the tree: the points [first, first + count) of the sorted order.
template <int D>
struct TreeNode {
    std::array<float, D> at{};  ///< centre of mass
    float reach2 = 0;           ///< beyond this squared distance the cell acts as one point
    Index first = 0, count = 0;
    Index child = 0, children = 0;  ///< nodes [child, child + children); a leaf has none

    [[nodiscard]] bool holds(Index point) const {
        return static_cast<std::uint32_t>(point - first) < static_cast<std::uint32_t>(count);
    }
};

/// A quadtree or octree over points sorted by Morton code. A cell's side is that of its points' box, not of its
/// square; a cell with one child is left out. Points that share a code but not a place are cut into halves of their
/// box; points that share a place are one leaf, however many, and act as one point at any distance.
template <int D>
class TreeNodes {
public:
    static constexpr Index leaf_size = 16;   ///< most points of a leaf, unless they all share a place
    static constexpr Index group_size = 64;  ///< most points that share one list of interactions, with that exception

    /// A cell is small beyond side / theta.
    void build(device::Cpu& cpu, MatrixView<const float> y, float theta);

    [[nodiscard]] const std::vector<TreeNode<D>>& nodes() const { return nodes_; }  ///< the root first
    [[nodiscard]] const std::vector<Index>& groups() const { return groups_; }  ///< nodes that hold every point once
    [[nodiscard]] const float* axis(std::size_t d) const { return at_[d].data(); }  ///< coordinates in sorted order
    [[nodiscard]] Index item(Index place) const { return order_[static_cast<std::size_t>(place)].item; }

private:
    using Corner = std::array<float, D>;
    /// What a cell tells its parent.
    struct Content {
        std::array<double, D> sum{};
        Corner low, high;
    };
    /// A part of the tree, built by one thread.
    struct Branch {
        std::vector<TreeNode<D>> nodes;
        std::vector<Index> groups;
        Content content;
    };
    using Ends = std::array<Index, (1 << D) + 1>;

    void sort(device::Cpu& cpu, MatrixView<const float> y);
    std::vector<Index> grow_trunk(Index n);
    Content grow(Branch& branch, Index node, bool in_group);
    void join(const std::vector<Index>& tips, std::vector<Branch>& branches);
    bool split(std::vector<TreeNode<D>>& nodes, Index node);
    int cut(Index first, Index last, Ends& ends);
    int cut_in_half(Index first, Index last, Ends& ends);
    [[nodiscard]] Content measure(Index first, Index count) const;
    void finish(TreeNode<D>& node, const Content& content) const;

    float theta_ = 0;
    device::RadixSort radix_;
    std::vector<device::Keyed> order_;
    std::array<std::vector<float>, D> at_;
    std::vector<TreeNode<D>> nodes_;
    std::vector<Index> groups_;
};

extern template class TreeNodes<2>;
extern template class TreeNodes<3>;

}  // namespace dunlin::forces
