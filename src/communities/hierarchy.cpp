// SPDX-License-Identifier: Apache-2.0
#include "communities/hierarchy.hpp"

#include <numeric>
#include <utility>

#include "communities/numbering.hpp"
#include "graph/forest.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::communities {

Hierarchy::Hierarchy(device::Cpu& cpu, const WeightedLevel& base, const PartitionObjective& objective, Method method)
    : cpu_(cpu),
      base_(base),
      objective_(objective),
      method_(method),
      sums_(at(cpu.threads())),
      moving_(cpu, sums_),
      refinement_(cpu, sums_),
      aggregation_(cpu, sums_) {}

/// The parts of a level that become vertices of the next one. Returns how many there are.
Index Hierarchy::divide(const WeightedLevel& level, std::uint64_t seed, const std::vector<Index>& community,
                        std::vector<Index>& part) {
    if (method_ == Method::leiden) {
        refinement_.run(level, objective_, seed, community, moving_, part);
    } else {
        part = community;
    }
    return number_by_first(part);
}

Partition Hierarchy::improve(const std::vector<Index>& from, std::uint64_t seed) {
    const WeightedLevel* level = &base_;
    std::vector<Index> community = from, part, vertex(from.size());  // vertex: of the level, for each of the base
    std::iota(vertex.begin(), vertex.end(), Index{0});
    std::vector<std::vector<Index>> levels;
    for (std::uint64_t depth = 0; level->size() > 0; ++depth) {
        const auto seed_of = [&](std::uint64_t phase) { return math::random_bits(seed, depth, phase); };
        moving_.run(*level, objective_, seed_of(0), community);
        const Index parts = divide(*level, seed_of(1), community, part);
        if (parts == level->size()) break;

        cpu_.each(std::ssize(vertex), [&](Offset v) { vertex[at(v)] = part[at(vertex[at(v)])]; });
        levels.push_back(vertex);
        WeightedLevel& next = levels_[depth % 2];
        aggregation_.run(*level, part, parts, next);
        std::vector<Index> next_community(at(parts));
        number_by_first(community);
        for (std::size_t v = 0; v < part.size(); ++v) next_community[at(part[v])] = community[v];
        community = std::move(next_community);
        level = &next;
    }
    std::vector<Index> labels(from.size());
    cpu_.each(std::ssize(labels), [&](Offset v) { labels[at(v)] = community[at(vertex[at(v)])]; });
    Partition result = connected(std::move(labels));
    result.levels = std::move(levels);
    return result;
}

Partition Hierarchy::polish(const std::vector<Index>& from, std::uint64_t seed) {
    std::vector<Index> labels = from;
    moving_.polish(base_, objective_, seed, labels);
    return connected(std::move(labels));
}

Partition Hierarchy::connected(std::vector<Index> labels) {
    graph::Forest forest(base_.size());
    cpu_.each(
        base_.size(),
        [&](Offset i) {
            const auto v = static_cast<Index>(i);
            for (Offset e = base_.offsets[at(i)]; e < base_.offsets[at(i) + 1]; ++e) {
                const Index u = base_.targets[at(e)];
                if (u < v && labels[at(u)] == labels[at(v)]) forest.unite(v, u);
            }
        },
        1024);
    cpu_.each(base_.size(), [&](Offset v) { labels[at(v)] = forest.root(static_cast<Index>(v)); });
    number_by_size(labels);
    const Wide quality = objective_.value(terms_of(cpu_, base_, base_.masses, labels));
    return {std::move(labels), {}, quality};
}

}  // namespace dunlin::communities
