// SPDX-License-Identifier: Apache-2.0
#include "hierarchy/layers.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::hierarchy {

namespace {

/// The clusters and the groups above them, in preorder.
class Above {
public:
    Above(const GroupTree& tree, const std::vector<Index>& clusters) {
        std::vector<Index> place(tree.groups.size(), -1);
        std::vector<Index> path;
        for (const Index cluster : clusters) {
            for (Index g = cluster; g >= 0 && place[at(g)] < 0; g = tree.groups[at(g)].parent) {
                place[at(g)] = 0;
                path.push_back(g);
            }
        }
        std::sort(path.begin(), path.end());
        for (std::size_t i = 0; i < path.size(); ++i) place[at(path[i])] = static_cast<Index>(i);
        for (const Index g : path) {
            const Group& group = tree.groups[at(g)];
            nodes_.push_back({g, group.parent < 0 ? -1 : place[at(group.parent)], group.size});
        }
    }

    [[nodiscard]] Index largest() const { return nodes_.empty() ? 0 : nodes_.front().size; }

    /// The groups that end when a cluster has at least `least` points.
    [[nodiscard]] std::vector<Index> ends(Index least) const {
        std::vector<Index> large(nodes_.size(), 0), begins(nodes_.size(), 0), found;
        for (const Nested& node : nodes_) {
            if (node.parent >= 0 && node.size >= least) ++large[at(node.parent)];
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const auto& [group, parent, size] = nodes_[i];
            if (size < least) continue;
            begins[i] = parent >= 0 && large[at(parent)] == 1 ? begins[at(parent)] : group;
            if (large[i] == 0) found.push_back(begins[i]);
        }
        return found;
    }

    /// The groups for the least size with a number of them nearest to `wanted`, of equally near ones the larger number.
    [[nodiscard]] std::vector<Index> about(Index wanted) const {
        Index low = 1, high = largest() + 1;  // more than wanted; at most wanted
        while (high - low > 1) {
            progress::cancellation_point();
            const Index middle = low + (high - low) / 2;
            (std::ssize(ends(middle)) > wanted ? low : high) = middle;
        }
        std::vector<Index> more = ends(low), fewer = ends(high);
        const bool takes_fewer = std::ssize(fewer) >= 2 && wanted - std::ssize(fewer) < std::ssize(more) - wanted;
        return takes_fewer ? fewer : more;
    }

private:
    struct Nested {
        Index group, parent, size;
    };
    std::vector<Nested> nodes_;
};

}  // namespace

std::vector<std::vector<Index>> layers_above(const GroupTree& tree, const std::vector<Index>& clusters, Index count) {
    std::vector<std::vector<Index>> layers{clusters};
    if (clusters.size() < 3 || count < 2) return layers;
    const Above above(tree, clusters);
    for (Index j = count - 1; j > 0; --j) {
        const double wanted = std::pow(static_cast<double>(clusters.size()), static_cast<double>(j) / count);
        std::vector<Index> layer = above.about(std::max(2, static_cast<Index>(std::lround(wanted))));
        if (layer.size() < 2 || layer.size() >= layers.back().size()) continue;
        layers.push_back(std::move(layer));
    }
    return layers;
}

void number_layers(GroupTree& tree) {
    for (Group& group : tree.groups) group.number = -1;
    Index number = 0;
    for (const std::vector<Index>& layer : tree.layers) {
        for (const Index group : layer) {
            if (tree.groups[at(group)].number < 0) tree.groups[at(group)].number = number++;
        }
    }
}

}  // namespace dunlin::hierarchy
