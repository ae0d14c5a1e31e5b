// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/nodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "forces/box.hpp"
#include "math/morton.hpp"

namespace dunlin::forces {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Index smallest_branch = 2048;  // fewest points of a subtree that gets a task of its own

/// The axis along which a box is longest.
template <std::size_t D>
std::size_t longest(const std::array<float, D>& low, const std::array<float, D>& high) {
    std::size_t axis = 0;
    for (std::size_t d = 1; d < D; ++d) {
        if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
    }
    return axis;
}

}  // namespace

template <int D>
void TreeNodes<D>::build(device::Cpu& cpu, MatrixView<const float> y, float theta, const float* charges) {
    theta_ = theta;
    sort(cpu, y, charges);
    const std::vector<Index> tips = grow_trunk(y.rows);
    std::vector<Branch> branches(tips.size());
    cpu.each(
        static_cast<Offset>(tips.size()),
        [&](Offset t) {
            Branch& branch = branches[static_cast<std::size_t>(t)];
            branch.nodes.push_back(nodes_[static_cast<std::size_t>(tips[static_cast<std::size_t>(t)])]);
            branch.content = grow(branch, 0, false);
        },
        1);
    join(tips, branches);
}

/// Sorts the points by code and gathers their coordinates and charges in that order.
template <int D>
void TreeNodes<D>::sort(device::Cpu& cpu, MatrixView<const float> y, const float* charges) {
    const BoundingBox box = box_of(cpu, y);
    const std::size_t axis = box.longest();
    const float scale = std::ldexp(1.0F, math::morton_bits<D>) / (box.most[axis] - box.least[axis]);
    order_.resize(static_cast<std::size_t>(y.rows));
    cpu.each(y.rows, [&](Offset i) {
        std::uint32_t cell[D];
        for (int d = 0; d < D; ++d) {
            cell[d] = math::morton_cell<D>(y.data[i * D + d], box.least[static_cast<std::size_t>(d)], scale);
        }
        order_[static_cast<std::size_t>(i)] = {math::morton<D>(cell), static_cast<Index>(i)};
    });
    radix_.sort(cpu, order_, D * math::morton_bits<D>);
    for (auto& axis_values : at_) axis_values.resize(order_.size() + leaf_size);
    charge_.resize(charges != nullptr ? order_.size() + leaf_size : 0);
    cpu.each(y.rows, [&](Offset place) {
        const Index i = item(static_cast<Index>(place));
        for (int d = 0; d < D; ++d) {
            at_[static_cast<std::size_t>(d)][static_cast<std::size_t>(place)] =
                std::clamp(y(i, d), -farthest, farthest);
        }
        if (charges != nullptr) charge_[static_cast<std::size_t>(place)] = charges[i];
    });
}

/// Splits the tree from the root down to subtrees small enough to distribute over threads; returns their nodes.
template <int D>
std::vector<Index> TreeNodes<D>::grow_trunk(Index n) {
    nodes_.assign(1, {.first = 0, .count = n});
    std::vector<Index> tips;
    const Index branch = std::max(smallest_branch, n / 64);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const auto id = static_cast<Index>(node);
        if (nodes_[node].count <= branch || !split(nodes_, id)) tips.push_back(id);
    }
    moments_.resize(nodes_.size());
    loads_.resize(nodes_.size());
    return tips;
}

template <int D>
auto TreeNodes<D>::grow(Branch& branch, Index node, bool in_group) -> Content {
    const bool leaf = !split(branch.nodes, node);
    branch.moments.resize(branch.nodes.size());
    branch.loads.resize(branch.nodes.size());
    const TreeNode<D> cell = branch.nodes[static_cast<std::size_t>(node)];
    if (!in_group && (leaf || cell.count <= group_size)) {
        branch.groups.push_back(node);
        in_group = true;
    }
    Content content;
    if (leaf) {
        content = measure(cell.first, cell.count);
    } else {
        std::array<Content, 1 << D> parts;
        for (Index c = 0; c < cell.children; ++c) {
            parts[static_cast<std::size_t>(c)] = grow(branch, cell.child + c, in_group);
        }
        content = merge(parts.data(), cell.children);
    }
    const auto i = static_cast<std::size_t>(node);
    finish(branch.nodes[i], branch.moments[i], branch.loads[i], content);
    return content;
}

/// Appends the subtrees to the trunk and aggregates the cells of the trunk.
template <int D>
void TreeNodes<D>::join(const std::vector<Index>& tips, std::vector<Branch>& branches) {
    std::vector<Content> contents(nodes_.size());
    auto inner = static_cast<Index>(nodes_.size());
    groups_.clear();
    for (std::size_t t = 0; t < tips.size(); ++t) {
        // The root of a branch is already in the trunk; its node 1 becomes the next free node
        const Index shift = static_cast<Index>(nodes_.size()) - 1;
        Branch& branch = branches[t];
        for (TreeNode<D>& node : branch.nodes) node.child += shift;
        for (const Index group : branch.groups) groups_.push_back(group == 0 ? tips[t] : group + shift);
        nodes_[static_cast<std::size_t>(tips[t])] = branch.nodes[0];
        nodes_.insert(nodes_.end(), branch.nodes.begin() + 1, branch.nodes.end());
        moments_[static_cast<std::size_t>(tips[t])] = branch.moments[0];
        moments_.insert(moments_.end(), branch.moments.begin() + 1, branch.moments.end());
        loads_[static_cast<std::size_t>(tips[t])] = branch.loads[0];
        loads_.insert(loads_.end(), branch.loads.begin() + 1, branch.loads.end());
        contents[static_cast<std::size_t>(tips[t])] = branch.content;
    }
    while (inner-- > 0) {
        if (std::binary_search(tips.begin(), tips.end(), inner)) continue;
        const auto i = static_cast<std::size_t>(inner);
        contents[i] = merge(contents.data() + nodes_[i].child, nodes_[i].children);
        finish(nodes_[i], moments_[i], loads_[i], contents[i]);
    }
}

/// Splits a cell into children; false if it stays a leaf.
template <int D>
bool TreeNodes<D>::split(std::vector<TreeNode<D>>& nodes, Index node) {
    const Index first = nodes[static_cast<std::size_t>(node)].first,
                count = nodes[static_cast<std::size_t>(node)].count;
    if (count <= leaf_size) return false;
    Ends ends;
    const int parts = cut(first, first + count, ends);
    if (parts == 0) return false;
    nodes[static_cast<std::size_t>(node)].child = static_cast<Index>(nodes.size());
    nodes[static_cast<std::size_t>(node)].children = parts;
    for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p) {
        nodes.push_back({.first = ends[p], .count = ends[p + 1] - ends[p]});
    }
    return true;
}

/// Finds the boundaries of the children at the highest digit in which the codes differ; returns the number of children.
template <int D>
int TreeNodes<D>::cut(Index first, Index last, Ends& ends) {
    const auto key = [this](Index place) { return order_[static_cast<std::size_t>(place)].key; };
    const std::uint32_t differ = key(first) ^ key(last - 1);
    if (differ == 0) return cut_in_half(first, last, ends);
    const int shift = (31 - std::countl_zero(differ)) / D * D;
    int parts = 0;
    ends[0] = first;
    while (ends[static_cast<std::size_t>(parts)] < last) {
        const Index begin = ends[static_cast<std::size_t>(parts++)];
        const std::uint32_t digit = key(begin) >> shift;
        const auto end = std::partition_point(order_.begin() + begin, order_.begin() + last,
                                              [&](const numerics::Keyed& k) { return k.key >> shift == digit; });
        ends[static_cast<std::size_t>(parts)] = static_cast<Index>(end - order_.begin());
    }
    return parts;
}

/// Fallback for distinct points of equal code, as when one point is far from all others: halves their box.
template <int D>
int TreeNodes<D>::cut_in_half(Index first, Index last, Ends& ends) {
    const Content box = measure(first, last - first);
    const std::size_t axis = longest(box.low, box.high);
    const float low = box.low[axis], high = box.high[axis];
    if (!(high > low)) return 0;
    float middle = low + (high - low) / 2;
    if (!(middle < high)) middle = low;
    Index left = first;
    for (Index i = first; i < last; ++i) {
        if (!(at_[axis][static_cast<std::size_t>(i)] <= middle)) continue;
        for (auto& values : at_) std::swap(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(left)]);
        if (!charge_.empty()) std::swap(charge_[static_cast<std::size_t>(i)], charge_[static_cast<std::size_t>(left)]);
        std::swap(order_[static_cast<std::size_t>(i)], order_[static_cast<std::size_t>(left)]);
        ++left;
    }
    if (left == first || left == last) return 0;
    ends[0] = first;
    ends[1] = left;
    ends[2] = last;
    return 2;
}

template <int D>
auto TreeNodes<D>::measure(Index first, Index count) const -> Content {
    if (charge_.empty()) return measure(first, count, [](Index) { return 1.0; });
    return measure(first, count,
                   [this](Index place) { return static_cast<double>(charge_[static_cast<std::size_t>(place)]); });
}

template <int D>
template <class Weight>
auto TreeNodes<D>::measure(Index first, Index count, const Weight& weight) const -> Content {
    Content content;
    for (Index i = 0; i < count; ++i) content.count += weight(first + i);
    for (std::size_t d = 0; d < D; ++d) {
        const float* x = axis(d) + first;
        float low = infinity, high = -infinity;
        double sum = 0;
        for (Index i = 0; i < count; ++i) {
            low = std::min(low, x[i]);
            high = std::max(high, x[i]);
            sum += weight(first + i) * static_cast<double>(x[i]);
        }
        content.center[d] = sum / content.count;
        content.low[d] = low;
        content.high[d] = high;
    }
    for (Index i = 0; i < count; ++i) {
        std::array<double, D> delta;
        for (std::size_t d = 0; d < D; ++d) delta[d] = static_cast<double>(axis(d)[first + i]) - content.center[d];
        add_moments(content.moments, delta, weight(first + i));
    }
    return content;
}

template <int D>
void TreeNodes<D>::finish(TreeNode<D>& node, Quadrupole<D>& moments, float& load, const Content& content) const {
    load = static_cast<float>(content.count);
    for (std::size_t d = 0; d < D; ++d) node.at[d] = static_cast<float>(content.center[d]);
    node.accept_r2 = accept_r2(content, theta_);
    for (std::size_t m = 0; m < moments.size(); ++m) moments[m] = static_cast<float>(content.moments[m]);
}

template class TreeNodes<2>;
template class TreeNodes<3>;

}  // namespace dunlin::forces
