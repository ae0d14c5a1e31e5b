// SPDX-License-Identifier: Apache-2.0
#include "communities/cpu_engine.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "communities/numbering.hpp"
#include "graph/forest.hpp"
#include "math/at.hpp"

namespace dunlin::communities {

CpuEngine::CpuEngine(device::Cpu& cpu, const Problem& problem)
    : cpu_(cpu),
      problem_(problem),
      sums_(at(cpu.threads())),
      moving_(cpu, sums_),
      refinement_(cpu, sums_),
      aggregation_(cpu, sums_) {}

CpuEngine::Labels CpuEngine::numbers() const {
    Labels labels(at(base().size()));
    std::iota(labels.begin(), labels.end(), Index{0});
    return labels;
}

void CpuEngine::follow(Labels& vertex, const Labels& of) {
    cpu_.each(std::ssize(vertex), [&](Offset v) { vertex[at(v)] = of[at(vertex[at(v)])]; });
}

Index CpuEngine::number_by_first(Labels& labels) { return communities::number_by_first(labels); }

void CpuEngine::number_by_size(Labels& labels) { communities::number_by_size(labels); }

CpuEngine::Labels CpuEngine::of_parts(Labels& community, const Labels& part, Index parts) {
    number_by_first(community);
    Labels result(at(parts));
    for (std::size_t v = 0; v < part.size(); ++v) result[at(part[v])] = community[v];
    return result;
}

void CpuEngine::divide_into_components(Labels& labels) {
    const WeightedLevel& level = base();
    graph::Forest forest(level.size());
    cpu_.each(
        level.size(),
        [&](Offset i) {
            const auto v = static_cast<Index>(i);
            for (Offset e = level.offsets[at(i)]; e < level.offsets[at(i) + 1]; ++e) {
                const Index u = level.targets[at(e)];
                if (u < v && labels[at(u)] == labels[at(v)]) forest.unite(v, u);
            }
        },
        1024);
    cpu_.each(level.size(), [&](Offset v) { labels[at(v)] = forest.root(static_cast<Index>(v)); });
    number_by_size(labels);
}

void CpuEngine::divide_along(const Labels& labels, Labels& parts) {
    std::vector<Index> label_of_part(parts.size(), -1);
    bool inside = true;
    for (std::size_t v = 0; v < parts.size(); ++v) {
        Index& label = label_of_part[at(parts[v])];
        if (label < 0) label = labels[v];
        inside = inside && label == labels[v];
    }
    if (inside) return;
    std::vector<Index> order(parts.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index v) { return std::pair(parts[at(v)], labels[at(v)]); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
    std::vector<Index> divided(parts.size());
    for (std::size_t i = 1; i < order.size(); ++i)
        divided[at(order[i])] = divided[at(order[i - 1])] + (key(order[i]) == key(order[i - 1]) ? 0 : 1);
    parts = std::move(divided);
}

void CpuEngine::move(const Level& level, std::uint64_t seed, Labels& community) {
    moving_.run(level, aim().objective, seed, community);
}

void CpuEngine::refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part) {
    refinement_.run(level, aim().objective, seed, community, moving_, part);
}

const WeightedLevel& CpuEngine::aggregate(const Level& level, const Labels& part, Index parts) {
    WeightedLevel& next = levels_[&level == &levels_[0] ? 1 : 0];
    aggregation_.run(level, part, parts, next);
    return next;
}

void CpuEngine::polish(std::uint64_t seed, Labels& community) {
    moving_.polish(base(), aim().objective, seed, community);
}

Terms CpuEngine::terms(const Labels& labels, MassKind kind) {
    return terms_of(cpu_, base(), kind == MassKind::degrees ? problem_.degrees : base().masses, labels);
}

}  // namespace dunlin::communities
