// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): bounds of boxes hold exactly.
#include "spanning/boruvka.hpp"

#include <atomic>
#include <limits>
#include <numeric>

#include "hierarchy/disjoint_sets.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "spanning/walk.hpp"

namespace dunlin::spanning {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An edge from a point to a place in another component.
struct Exit {
    double weight = infinity;
    Index to = -1;
};

void lower(std::atomic<double>& least, double value) {
    double seen = least.load(std::memory_order_relaxed);
    while (value < seen && !least.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
}

template <Norm norm>
class Boruvka {
    /// Points of a leaf that are in one component and search together.
    struct Group {
        Index component = -1, size = 0;
        Index columns[leaf_points];
        double limits[leaf_points];
        std::vector<double> points, box;
    };

public:
    Boruvka(device::Cpu& cpu, const PointTree& tree, const NearLists& lists, double scale)
        : cpu_(cpu),
          tree_(tree),
          lists_(lists),
          scale_(scale),
          n_(tree.points()),
          component_(at(n_)),
          count_(n_),
          sets_(n_),
          floor_(at(n_)),
          listed_(lists.places.size()),
          next_(at(n_), 0),
          found_(at(n_)),
          node_component_(tree.nodes().size()),
          node_core_(tree.nodes().size()),
          least_(at(n_)) {
        std::iota(component_.begin(), component_.end(), 0);
        sizes_.assign(at(n_), 1);
        cpu_.each(n_, [&](Offset p) { order_list(p); });
        find_node_cores();
    }

    /// given: edges of the tree that are known, between places.
    std::vector<hierarchy::Edge> run(const std::vector<hierarchy::Edge>& given, const Run& run) {
        for (const hierarchy::Edge& edge : given) add(edge.weight, edge.a, edge.b);
        relabel();
        find_node_components();
        progress::ProgressReporter reporter(run, "spanning", n_ - 1);
        while (count_ > 1) {
            take_listed();
            search();
            join();
            reporter.tick(std::ssize(edges_));
        }
        return std::move(edges_);
    }

private:
    [[nodiscard]] double weight(Index p, Index q, double key) const {
        return std::max({lists_.core[at(p)], lists_.core[at(q)], scale_ * key});
    }

    /// Turns a list of nearest into exits by weight, and sets the least weight of all others.
    void order_list(Offset p) {
        Exit* const mine = listed_.data() + p * lists_.width;
        for (Index i = 0; i < lists_.width; ++i) {
            const std::size_t entry = at(p * lists_.width + i);
            mine[i] = {weight(static_cast<Index>(p), lists_.places[entry], lists_.keys[entry]), lists_.places[entry]};
        }
        std::sort(mine, mine + lists_.width, [](const Exit& a, const Exit& b) {
            return a.weight != b.weight ? a.weight < b.weight : a.to < b.to;
        });
        floor_[at(p)] = std::max(lists_.core[at(p)], scale_ * lists_.reach[at(p)]);
    }

    void find_node_cores() {
        const auto& nodes = tree_.nodes();
        for (std::size_t v = nodes.size(); v-- > 0;) {
            node_core_[v] = nodes[v].right == 0 ? *std::min_element(lists_.core.begin() + nodes[v].begin,
                                                                    lists_.core.begin() + nodes[v].end)
                                                : std::min(node_core_[v + 1], node_core_[at(nodes[v].right)]);
        }
    }

    /// The component of all points of a node, or -1.
    void find_node_components() {
        const auto& nodes = tree_.nodes();
        cpu_.each(
            tree_.leaves(),
            [&](Offset l) {
                const PointTree::Node& leaf = tree_.leaf(l);
                const Index first = component_[at(leaf.begin)];
                const bool one = std::all_of(component_.begin() + leaf.begin, component_.begin() + leaf.end,
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

    [[nodiscard]] bool picks(Index component) const { return component != largest_; }

    /// The least exit of each component that is known without a search.
    void take_listed() {
        largest_ = static_cast<Index>(std::max_element(sizes_.begin(), sizes_.begin() + count_) - sizes_.begin());
        for (Index c = 0; c < count_; ++c) least_[at(c)].store(infinity, std::memory_order_relaxed);
        cpu_.each(n_, [&](Offset p) {
            const Index mine = component_[at(p)];
            if (!picks(mine)) return;
            std::uint8_t& next = next_[at(p)];
            const Exit* const list = listed_.data() + p * lists_.width;
            while (next < lists_.width && component_[at(list[next].to)] == mine) ++next;
            if (next < lists_.width) lower(least_[at(mine)], list[next].weight);
            Exit& found = found_[at(p)];
            if (found.to >= 0 && component_[at(found.to)] == mine) found = {};
            if (found.to >= 0) lower(least_[at(mine)], found.weight);
        });
    }

    void search() {
        std::vector<Group> workers(at(cpu_.threads()));
        cpu_.blocks(tree_.leaves(), 16, [&](Offset first, Offset end, int worker) {
            for (Offset l = first; l < end; ++l) search_leaf(tree_.leaf(l), workers[at(worker)]);
        });
    }

    [[nodiscard]] bool needs_search(Index p) const {
        const Index mine = component_[at(p)];
        return picks(mine) && floor_[at(p)] < least_[at(mine)].load(std::memory_order_relaxed);
    }

    void search_leaf(const PointTree::Node& leaf, Group& group) {
        std::uint32_t waiting = 0;
        for (Index p = leaf.begin; p < leaf.end; ++p) waiting |= std::uint32_t{needs_search(p)} << (p - leaf.begin);
        while (waiting != 0) {
            group.size = 0;
            for (Index i = 0; i < leaf.end - leaf.begin; ++i) {
                if ((waiting >> i & 1) == 0) continue;
                const Index component = component_[at(leaf.begin + i)];
                if (group.size == 0) group.component = component;
                if (component != group.component) continue;
                group.columns[group.size++] = i;
                waiting &= ~(std::uint32_t{1} << i);
            }
            search_group(leaf, group);
        }
    }

    void search_group(const PointTree::Node& leaf, Group& group) {
        load(leaf, group);
        std::atomic<double>& least = least_[at(group.component)];
        double limit = infinity;  // of the group
        const auto lower_limits = [&] {
            const double now = least.load(std::memory_order_relaxed);
            limit = 0;
            for (Index g = 0; g < group.size; ++g) {
                group.limits[g] = std::min(group.limits[g], now);
                limit = std::max(limit, group.limits[g]);
            }
        };
        lower_limits();
        walk(
            tree_, [&](Index node) { return scale_ * box_key<norm>(group.box.data(), tree_.box(node), tree_.cols()); },
            [&](Index node, double key) {
                return std::max(key, node_core_[at(node)]) < limit && node_component_[at(node)] != group.component;
            },
            [&](Index node) {
                scan(leaf.begin, group, tree_.nodes()[at(node)]);
                lower_limits();
            });
        for (Index g = 0; g < group.size; ++g) {
            double& floor = floor_[at(leaf.begin + group.columns[g])];
            floor = std::max(floor, group.limits[g]);
        }
    }

    void load(const PointTree::Node& leaf, Group& group) const {
        const Index cols = tree_.cols();
        group.points.resize(leaf_points * at(cols));
        group.box.resize(2 * at(cols));
        for (Index g = 0; g < group.size; ++g) {
            double* const point = group.points.data() + Offset{g} * cols;
            tree_.point(leaf.leaf, group.columns[g], point);
            group.limits[g] = infinity;
            for (Index c = 0; c < cols; ++c) {
                double &low = group.box[at(c)], &high = group.box[at(cols + c)];
                low = g == 0 ? point[c] : std::min(low, point[c]);
                high = g == 0 ? point[c] : std::max(high, point[c]);
            }
        }
    }

    /// Offers the points of a leaf to a group.
    void scan(Index begin, Group& group, const PointTree::Node& leaf) {
        double keys[leaf_points];
        for (Index g = 0; g < group.size; ++g) {
            const Index p = begin + group.columns[g];
            if (lists_.core[at(p)] >= group.limits[g]) continue;
            panel_keys(norm, tree_.panel(leaf.leaf), group.points.data() + Offset{g} * tree_.cols(), tree_.cols(),
                       keys);
            for (Index i = 0; i < leaf.end - leaf.begin; ++i) {
                const Index q = leaf.begin + i;
                if (!(scale_ * keys[i] < group.limits[g]) || component_[at(q)] == group.component) continue;
                const double found = weight(p, q, keys[i]);
                if (!(found < group.limits[g])) continue;
                group.limits[g] = found;
                found_[at(p)] = {found, q};
                lower(least_[at(group.component)], found);
            }
        }
    }

    /// Adds an edge between places, unless they are in one component.
    void add(double weight, Index p, Index q) {
        if (sets_.join(p, q)) edges_.push_back({weight, tree_.order()[at(p)], tree_.order()[at(q)]});
    }

    /// Joins each component along its least exit.
    void join() {
        std::vector<Exit> exits(at(count_));
        std::vector<Index> from(at(count_), -1);
        for (Index p = 0; p < n_; ++p) {
            const std::size_t mine = at(component_[at(p)]);
            if (!picks(component_[at(p)])) continue;
            const auto offer = [&](const Exit& exit) {
                if (exit.to < 0 || !(exit.weight < exits[mine].weight)) return;
                exits[mine] = exit;
                from[mine] = p;
            };
            if (next_[at(p)] < lists_.width) offer(listed_[at(Offset{p} * lists_.width + next_[at(p)])]);
            offer(found_[at(p)]);
        }
        progress::cancellation_point();
        for (Index c = 0; c < count_; ++c) {
            if (from[at(c)] >= 0) add(exits[at(c)].weight, from[at(c)], exits[at(c)].to);
        }
        relabel();
        find_node_components();
    }

    /// Numbers the components anew.
    void relabel() {
        std::vector<Index> numbers(at(count_), -1), of_root(at(n_), -1);
        Index count = 0;
        sizes_.clear();
        for (Index p = 0; p < n_; ++p) {
            Index& number = numbers[at(component_[at(p)])];
            if (number < 0) {
                Index& of = of_root[at(sets_.find(p))];
                if (of < 0) {
                    of = count++;
                    sizes_.push_back(0);
                }
                number = of;
            }
            component_[at(p)] = number;
            ++sizes_[at(number)];
        }
        count_ = count;
    }

    device::Cpu& cpu_;
    const PointTree& tree_;
    const NearLists& lists_;
    double scale_;
    Index n_;
    std::vector<Index> component_;  ///< per place
    std::vector<Index> sizes_;      ///< per component
    Index count_, largest_ = -1;
    hierarchy::DisjointSets sets_;
    std::vector<double> floor_;       ///< per place: exits that are neither listed nor found weigh at least this
    std::vector<Exit> listed_;        ///< width per place, by weight
    std::vector<std::uint8_t> next_;  ///< per place: the first listed exit that leaves its component
    std::vector<Exit> found_;         ///< per place: by a search
    std::vector<Index> node_component_;
    std::vector<double> node_core_;           ///< least of the node's points
    std::vector<std::atomic<double>> least_;  ///< per component: weight of its least known exit
    std::vector<hierarchy::Edge> edges_;
};

}  // namespace

std::vector<hierarchy::Edge> spanning_tree(device::Cpu& cpu, const PointTree& tree, const NearLists& lists,
                                           double scale, const std::vector<hierarchy::Edge>& given, const Run& run) {
    if (tree.points() < 2) return {};
    if (tree.norm() == Norm::l2) return Boruvka<Norm::l2>(cpu, tree, lists, scale).run(given, run);
    return Boruvka<Norm::l1>(cpu, tree, lists, scale).run(given, run);
}

std::uint64_t spanning_tree_bytes(Index points, Index k) {
    const std::uint64_t width = at(std::min(std::max<Index>(k - 1, 8), most_width));
    return at(points) *
           (width * sizeof(Exit) + sizeof(Exit) + 3 * sizeof(double) + 8 * sizeof(Index) + sizeof(hierarchy::Edge));
}

}  // namespace dunlin::spanning
