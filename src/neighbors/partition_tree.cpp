// SPDX-License-Identifier: Apache-2.0
#include "neighbors/partition_tree.hpp"

#include "progress/cancel.hpp"

namespace dunlin::neighbors {

namespace {

struct Keyed {
    float key;
    Index item;
    [[nodiscard]] bool operator<(const Keyed& other) const {
        return key != other.key ? key < other.key : item < other.item;
    }
};

}  // namespace

PartitionTree::PartitionTree(device::Cpu& cpu, Index items, Index leaf_items, const Keys& keys)
    : count_(leaves_of(items, leaf_items)) {
    order_.resize(static_cast<std::size_t>(items));
    std::iota(order_.begin(), order_.end(), 0);

    // Level by level; the nodes of a level in parallel
    std::vector<Node> level{root()}, next;
    while (!level.empty()) {
        cpu.each(std::ssize(level), [&](Offset part) { halve(level[static_cast<std::size_t>(part)], keys); }, 1);
        next.clear();
        for (const Node& node : level) {
            if (node.leaves / 2 > 1) next.push_back(node.left());
            if (node.leaves - node.leaves / 2 > 1) next.push_back(node.right());
        }
        level.swap(next);
    }

    place_of_.resize(order_.size());
    for (std::size_t at = 0; at < order_.size(); ++at) {
        place_of_[static_cast<std::size_t>(order_[at])] = static_cast<Index>(at);
    }
}

void PartitionTree::halve(const Node& node, const Keys& keys) {
    if (node.leaves < 2) return;
    const auto from = static_cast<std::size_t>(begin(node.first));
    const auto middle = static_cast<std::size_t>(begin(node.right().first));
    const auto to = static_cast<std::size_t>(begin(node.first + node.leaves));
    const std::span part(order_.data() + from, to - from);
    std::vector<float> values(part.size());
    keys(part, values);
    progress::cancellation_point();
    std::vector<Keyed> keyed(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) keyed[i] = {values[i], part[i]};
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(middle - from), keyed.end());
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = keyed[i].item;
}

QueryBlocks cut_queries(const PartitionTree& leaves, std::span<const Index> places, Offset least, Offset most) {
    QueryBlocks blocks;
    blocks.order.resize(places.size());
    std::iota(blocks.order.begin(), blocks.order.end(), 0);
    const auto place = [&](Index q) { return places[static_cast<std::size_t>(q)]; };
    std::sort(blocks.order.begin(), blocks.order.end(), [&](Index a, Index b) { return place(a) < place(b); });

    Index leaf = 0;
    for (std::size_t at = 0; at < blocks.order.size(); ++at) {
        const Index before = leaf;
        while (leaves.begin(leaf + 1) <= place(blocks.order[at])) ++leaf;
        const Offset size = static_cast<Offset>(at) - blocks.cuts.back();
        if (size >= most || (size >= least && leaf != before)) blocks.cuts.push_back(static_cast<Offset>(at));
    }
    if (!places.empty()) blocks.cuts.push_back(std::ssize(places));
    return blocks;
}

}  // namespace dunlin::neighbors
