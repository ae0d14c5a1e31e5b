#include "layout/ladder.hpp"

#include <algorithm>

#include "layout/drawing.hpp"
#include "layout/stress.hpp"
#include "layout/unfold.hpp"

namespace dunlin::layout {

namespace {

constexpr int first_steps = 100, steps = 30;  // of majorization

/// As many as keep n x k numbers small, but some.
Index pivots_for(Index n) { return std::clamp(5000000 / std::max(n, 1), 16, 100); }

/// The map of level l, begun from that of level l + 1.
Map unfolded(device::Cpu& cpu, const Ladder& ladder, std::size_t l, const Map& coarse, std::uint64_t seed) {
    const Graph& graph = *ladder.level(l).graph;
    Map fine{coarse.dim, std::vector<float>(static_cast<std::size_t>(Offset{graph.size()} * coarse.dim))};
    by_dimension(coarse.dim, [&]<int D>() {
        cpu.each(graph.size(), Unfold<D>{coarse.coordinates.data(), ladder.steps[l].parent.data(), graph.offsets.data(),
                                         graph.targets.data(), fine.coordinates.data(), seed + l});
    });
    return fine;
}

}  // namespace

Ladder ladder_of(device::Cpu& cpu, const graph::Level& finest, std::uint64_t seed) {
    Ladder ladder{finest, {}};
    while (ladder.size(ladder.top()) > coarsest) {
        ladder.steps.push_back(graph::coarsen(cpu, ladder.level(ladder.top()), seed + ladder.top()));
    }
    return ladder;
}

Map outline_of(device::Cpu& cpu, const Ladder& ladder, int dim, std::uint64_t seed, const std::stop_token& stop) {
    const std::size_t top = ladder.top();
    const Pivots all = pivots_of(cpu, ladder.level(top), ladder.size(top));
    Map map = classical_scaling(cpu, all, dim, seed);
    lower_stress(cpu, ladder.level(top), all, first_steps, map);
    for (std::size_t l = top; l-- > 0;) {
        map = unfolded(cpu, ladder, l, map, seed);
        if (stop.stop_requested()) continue;
        lower_stress(cpu, ladder.level(l), pivots_of(cpu, ladder.level(l), pivots_for(ladder.size(l))), steps, map);
    }
    return map;
}

}  // namespace dunlin::layout
