// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): bounds of boxes hold exactly.
#include "spanning/boruvka.hpp"

#include <limits>

#include "spanning/rounds.hpp"
#include "spanning/walk.hpp"

namespace dunlin::spanning {

namespace {

/// Searches exits in a tree of points.
template <Norm norm>
class TreeSearch {
    /// Points of a leaf that are in one component and search together.
    struct Fragment {
        Index component = -1, size = 0;
        Index columns[leaf_points];
        double limits[leaf_points];
        std::vector<double> points, box;
    };

public:
    TreeSearch(device::Cpu& cpu, const PointTree& tree, const NearLists& lists, Rounds& rounds)
        : cpu_(cpu),
          tree_(tree),
          rounds_(rounds),
          node_component_(tree.nodes().size()),
          node_core_(tree.nodes().size()),
          workers_(at(cpu.threads())) {
        const auto& nodes = tree_.nodes();
        for (std::size_t v = nodes.size(); v-- > 0;) {
            node_core_[v] = nodes[v].right == 0 ? *std::min_element(lists.core.begin() + nodes[v].begin,
                                                                    lists.core.begin() + nodes[v].end)
                                                : std::min(node_core_[v + 1], node_core_[at(nodes[v].right)]);
        }
    }

    void search() {
        find_node_components();
        cpu_.blocks(tree_.leaves(), 16, [&](Offset first, Offset end, int worker) {
            for (Offset l = first; l < end; ++l) search_leaf(tree_.leaf(l), workers_[at(worker)]);
        });
    }

private:
    /// The component of all points of a node, or -1.
    void find_node_components() {
        const auto& nodes = tree_.nodes();
        const auto& components = rounds_.component_of_points();
        cpu_.each(
            tree_.leaves(),
            [&](Offset l) {
                const PointTree::BoxNode& leaf = tree_.leaf(l);
                const Index first = components[at(leaf.begin)];
                const bool one = std::all_of(components.begin() + leaf.begin, components.begin() + leaf.end,
                                             [&](Index c) { return c == first; });
                node_component_[at(&leaf - nodes.data())] = one ? first : -1;
            },
            256);
        for (std::size_t v = nodes.size(); v-- > 0;) {
            if (nodes[v].right == 0) continue;
            const Index left = node_component_[v + 1], right = node_component_[at(nodes[v].right)];
            node_component_[v] = left == right ? left : -1;
        }
    }

    void search_leaf(const PointTree::BoxNode& leaf, Fragment& group) {
        std::uint32_t waiting = 0;
        for (Index p = leaf.begin; p < leaf.end; ++p)
            waiting |= std::uint32_t{rounds_.needs_search(p)} << (p - leaf.begin);
        while (waiting != 0) {
            group.size = 0;
            for (Index i = 0; i < leaf.end - leaf.begin; ++i) {
                if ((waiting >> i & 1) == 0) continue;
                const Index component = rounds_.component(leaf.begin + i);
                if (group.size == 0) group.component = component;
                if (component != group.component) continue;
                group.columns[group.size++] = i;
                waiting &= ~(std::uint32_t{1} << i);
            }
            search_group(leaf, group);
        }
    }

    void search_group(const PointTree::BoxNode& leaf, Fragment& group) {
        load(leaf, group);
        double limit = 0;  // of the group
        const auto lower_limits = [&] {
            const double least = rounds_.least(group.component);
            limit = 0;
            for (Index g = 0; g < group.size; ++g) {
                group.limits[g] = std::min(group.limits[g], least);
                limit = std::max(limit, group.limits[g]);
            }
        };
        lower_limits();
        walk(
            tree_,
            [&](Index node) {
                return rounds_.scale() * box_key<norm>(group.box.data(), tree_.box(node), tree_.cols());
            },
            [&](Index node, double key) {
                return std::max(key, node_core_[at(node)]) < limit && node_component_[at(node)] != group.component;
            },
            [&](Index node) {
                scan(leaf.begin, group, tree_.nodes()[at(node)]);
                lower_limits();
            });
        for (Index g = 0; g < group.size; ++g) rounds_.raise_floor(leaf.begin + group.columns[g], group.limits[g]);
    }

    void load(const PointTree::BoxNode& leaf, Fragment& group) const {
        const Index cols = tree_.cols();
        group.points.resize(leaf_points * at(cols));
        group.box.resize(2 * at(cols));
        for (Index g = 0; g < group.size; ++g) {
            double* const point = group.points.data() + Offset{g} * cols;
            tree_.point(leaf.leaf, group.columns[g], point);
            group.limits[g] = std::numeric_limits<double>::infinity();
            for (Index c = 0; c < cols; ++c) {
                double &low = group.box[at(c)], &high = group.box[at(cols + c)];
                low = g == 0 ? point[c] : std::min(low, point[c]);
                high = g == 0 ? point[c] : std::max(high, point[c]);
            }
        }
    }

    /// Offers the points of a leaf to a group whose leaf begins at place `begin`.
    void scan(Index begin, Fragment& group, const PointTree::BoxNode& leaf) {
        double keys[leaf_points];
        for (Index g = 0; g < group.size; ++g) {
            const Index p = begin + group.columns[g];
            if (rounds_.core(p) >= group.limits[g]) continue;
            panel_keys(norm, tree_.panel(leaf.leaf), group.points.data() + Offset{g} * tree_.cols(), tree_.cols(),
                       keys);
            for (Index i = 0; i < leaf.end - leaf.begin; ++i) {
                const Index q = leaf.begin + i;
                if (!(rounds_.scale() * keys[i] < group.limits[g]) || rounds_.component(q) == group.component) continue;
                const double weight = rounds_.weight(p, q, keys[i]);
                if (!(weight < group.limits[g])) continue;
                group.limits[g] = weight;
                rounds_.found(p, q, weight);
            }
        }
    }

    device::Cpu& cpu_;
    const PointTree& tree_;
    Rounds& rounds_;
    std::vector<Index> node_component_;
    std::vector<double> node_core_;  ///< least of the node's points
    std::vector<Fragment> workers_;
};

template <Norm norm>
std::vector<hierarchy::Edge> tree_of(device::Cpu& cpu, const PointTree& tree, const NearLists& lists, double scale,
                                     const std::vector<hierarchy::Edge>& given, const Run& run) {
    Rounds rounds(cpu, lists, scale);
    TreeSearch<norm> search(cpu, tree, lists, rounds);
    return rounds.run(given, run, [&] { search.search(); });
}

}  // namespace

std::vector<hierarchy::Edge> spanning_tree(device::Cpu& cpu, const PointTree& tree, const NearLists& lists,
                                           double scale, const std::vector<hierarchy::Edge>& given, const Run& run) {
    if (tree.points() < 2) return {};
    std::vector<hierarchy::Edge> edges = tree.norm() == Norm::l2
                                             ? tree_of<Norm::l2>(cpu, tree, lists, scale, given, run)
                                             : tree_of<Norm::l1>(cpu, tree, lists, scale, given, run);
    for (hierarchy::Edge& edge : edges) {
        edge.a = tree.order()[at(edge.a)];
        edge.b = tree.order()[at(edge.b)];
    }
    return edges;
}

std::uint64_t spanning_tree_bytes(Index points, Index k) {
    const std::uint64_t width = at(std::min(std::max<Index>(k - 1, 8), most_width));
    return at(points) * (16 * (width + 1) + 3 * sizeof(double) + 8 * sizeof(Index) + sizeof(hierarchy::Edge));
}

}  // namespace dunlin::spanning
