// SPDX-License-Identifier: Apache-2.0
#include "communities/sequential.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "communities/numbering.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

/// A graph whose vertices are groups; `inner` is twice the weight of the edges within each.
struct GroupGraph {
    Graph graph;
    std::vector<double> inner;

    /// Weighted degree of a vertex; inner edges count twice.
    [[nodiscard]] double strength(Index v) const {
        double sum = inner[at(v)];
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
            sum += static_cast<double>(graph.weights[at(e)]);
        return sum;
    }
};

/// Local moving phase of the Louvain method; each vertex starts in its own group.
class SequentialMoving {
public:
    explicit SequentialMoving(const GroupGraph& level)
        : level_(level),
          group_(at(level.graph.size())),
          strength_(group_.size()),
          total_(group_.size()),
          links_(group_.size()) {
        std::iota(group_.begin(), group_.end(), Index{0});
        for (Index v = 0; v < level.graph.size(); ++v) strength_[at(v)] = total_[at(v)] = level.strength(v);
        all_ = std::accumulate(total_.begin(), total_.end(), 0.0);
    }

    /// Visits all vertices until at most 1% of them move. Returns true if any moved.
    bool run() {
        constexpr int most_rounds = 20;
        std::vector<Index> order(group_.size());
        std::iota(order.begin(), order.end(), Index{0});
        std::sort(order.begin(), order.end(), [](Index a, Index b) {
            const auto hash = [](Index v) { return math::random_bits(1, static_cast<std::uint64_t>(v)); };
            return hash(a) < hash(b);
        });
        bool any = false;
        for (int round = 0; round < most_rounds; ++round) {
            Offset moved = 0;
            for (const Index v : order) {
                progress::cancellation_point();
                moved += move(v) ? 1 : 0;
            }
            any = any || moved > 0;
            if (moved * 100 <= std::ssize(order)) break;
        }
        return any;
    }

    /// Group of every vertex; groups are numbered in the order of their first vertices.
    std::vector<Index> groups() const {
        std::vector<Index> number(group_.size(), -1), result;
        Index next = 0;
        for (const Index g : group_) {
            if (number[at(g)] < 0) number[at(g)] = next++;
            result.push_back(number[at(g)]);
        }
        return result;
    }

private:
    /// Moves v to the group with the largest gain of modularity: weight of the edges to it minus the expected weight.
    bool move(Index v) {
        const Graph& graph = level_.graph;
        near_.clear();
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            const Index g = group_[at(graph.targets[at(e)])];
            if (links_[at(g)] == 0) near_.push_back(g);
            links_[at(g)] += static_cast<double>(graph.weights[at(e)]);
        }
        const Index own = group_[at(v)];
        total_[at(own)] -= strength_[at(v)];
        const auto gain = [&](Index g) { return links_[at(g)] - strength_[at(v)] * total_[at(g)] / all_; };
        Index best = own;
        double most = gain(own) + 1e-12 * strength_[at(v)];
        for (const Index g : near_) {
            if (gain(g) > most || (gain(g) == most && g < best)) most = gain(g), best = g;
        }
        for (const Index g : near_) links_[at(g)] = 0;
        total_[at(best)] += strength_[at(v)];
        group_[at(v)] = best;
        return best != own;
    }

    const GroupGraph& level_;
    std::vector<Index> group_;
    std::vector<double> strength_, total_, links_;
    std::vector<Index> near_;
    double all_ = 0;
};

/// Aggregation phase: groups become vertices, parallel edges are merged.
GroupGraph merged(const GroupGraph& level, const std::vector<Index>& group) {
    const Index count = *std::max_element(group.begin(), group.end()) + 1;
    std::vector<std::vector<Index>> members(at(count));
    for (std::size_t v = 0; v < group.size(); ++v) members[at(group[v])].push_back(static_cast<Index>(v));
    GroupGraph next;
    next.inner.resize(at(count));
    std::vector<double> links(at(count));
    std::vector<Index> near;
    for (Index g = 0; g < count; ++g) {
        near.clear();
        for (const Index v : members[at(g)]) {
            next.inner[at(g)] += level.inner[at(v)];
            for (Offset e = level.graph.offsets[at(v)]; e < level.graph.offsets[at(v) + 1]; ++e) {
                const Index other = group[at(level.graph.targets[at(e)])];
                const auto weight = static_cast<double>(level.graph.weights[at(e)]);
                if (other == g) {
                    next.inner[at(g)] += weight;
                    continue;
                }
                if (links[at(other)] == 0) near.push_back(other);
                links[at(other)] += weight;
            }
        }
        std::sort(near.begin(), near.end());
        for (const Index other : near) {
            next.graph.targets.push_back(other);
            next.graph.weights.push_back(static_cast<float>(std::exchange(links[at(other)], 0.0)));
        }
        next.graph.offsets.push_back(std::ssize(next.graph.targets));
    }
    return next;
}

}  // namespace

std::vector<Index> find_sequentially(const Graph& graph) {
    std::vector<Index> group(at(graph.size()));
    std::iota(group.begin(), group.end(), Index{0});
    if (graph.edges() == 0) return group;
    GroupGraph level{graph, std::vector<double>(group.size())};
    while (true) {
        SequentialMoving moves(level);
        if (!moves.run()) break;
        const std::vector<Index> found = moves.groups();
        for (Index& g : group) g = found[at(g)];
        level = merged(level, found);
    }
    number_by_size(group);
    return group;
}

Labels labels_of(std::vector<Index> communities) {
    Labels labels{std::move(communities), {}};
    const Index count = labels.of.empty() ? 0 : *std::max_element(labels.of.begin(), labels.of.end()) + 1;
    for (Index g = 1; g <= count; ++g) labels.names.push_back(std::to_string(g));
    return labels;
}

}  // namespace dunlin::communities
