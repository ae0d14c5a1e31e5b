// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <dunlin/communities.hpp>

#include "communities/objective.hpp"
#include "math/rng.hpp"

namespace dunlin::communities {

/// Connected communities of the base graph.
template <class Labels>
struct Partition {
    Labels labels;
    std::vector<Labels> levels;  ///< labels of the parts of each level, the finest first
    Wide quality = 0;            ///< the objective, without the constant share of loops
};

/// Improves partitions of a graph by local moving, refinement and aggregation over levels. The engine does the work of
/// each on its device: CpuEngine (cpu_engine.hpp) or the one of a GPU (cuda/engine.cuh).
template <class Engine>
class Hierarchy {
public:
    using Labels = typename Engine::Labels;

    Hierarchy(Engine& engine, Method method) : engine_(engine), method_(method) {}

    /// One iteration from given communities, numbers below the number of vertices.
    Partition<Labels> improve(const Labels& from, std::uint64_t seed) {
        const auto* level = &engine_.base();
        Labels community = engine_.copy(from), part, vertex = engine_.numbers();  // of the level, for each of the base
        std::vector<Labels> levels;
        for (std::uint64_t depth = 0; level->size() > 0; ++depth) {
            const auto seed_of = [&](std::uint64_t phase) { return math::random_bits(seed, depth, phase); };
            engine_.move(*level, seed_of(0), community);
            const Index parts = divide(*level, seed_of(1), community, part);
            if (parts == level->size()) break;

            engine_.follow(vertex, part);
            levels.push_back(engine_.copy(vertex));
            level = &engine_.aggregate(*level, part, parts);
            community = engine_.of_parts(community, part, parts);
        }
        engine_.follow(vertex, community);
        Partition<Labels> result = connected(std::move(vertex));
        result.levels = std::move(levels);
        return result;
    }

    /// Single moves, each of which raises the quality, until there are none.
    Partition<Labels> polish(const Labels& from, std::uint64_t seed) {
        Labels labels = engine_.copy(from);
        engine_.polish(seed, labels);
        return connected(std::move(labels));
    }

    /// The partition into the connected components of the communities; this never lowers the quality.
    Partition<Labels> connected(Labels labels) {
        engine_.divide_into_components(labels);
        const Wide quality = engine_.aim().objective.value(engine_.terms(labels, MassKind::objective));
        return {std::move(labels), {}, quality};
    }

private:
    /// The parts of a level that become vertices of the next one. Returns how many there are.
    Index divide(const typename Engine::Level& level, std::uint64_t seed, const Labels& community, Labels& part) {
        if (method_ == Method::leiden) {
            engine_.refine(level, seed, community, part);
        } else {
            part = engine_.copy(community);
        }
        return engine_.number_by_first(part);
    }

    Engine& engine_;
    Method method_;
};

}  // namespace dunlin::communities
