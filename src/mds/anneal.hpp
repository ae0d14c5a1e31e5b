#pragma once

#include <cmath>
#include <limits>

#include <dunlin/mds.hpp>

#include "mds/relax.hpp"
#include "mds/smacof.hpp"

/// Dunlin's own method: moves of pairs whose length is annealed (Zheng, Pawar and Goodman 2018, with weights 1), in
/// groups of 32 that are shuffled anew for each step; from a random start, coarse to fine.
namespace dunlin::mds {

/// mu falls from `first` to `last`, by the same factor in each of `steps`.
struct Annealing {
    int steps;
    double first, last;

    [[nodiscard]] float mu(int step) const {
        const double share = steps > 1 ? static_cast<double>(step) / (steps - 1) : 1.0;
        return static_cast<float>(first * std::pow(last / first, share));
    }
};

/// Steps of all of `order`'s items. stream: keeps the shuffles of different calls apart.
template <class Exec, class Items>
Ending anneal(Exec& exec, const Items& items, Shape<Exec>& shape, const std::vector<Index>& order,
              const Annealing& annealing, std::uint64_t stream, const Run& run) {
    device::Ticker ticker(run, "optimise", annealing.steps);
    const auto n = static_cast<Index>(order.size());
    for (int t = 0; t < annealing.steps; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        const auto shuffle = math::Permutation::of(n, run.seed, (stream << 32) + static_cast<std::uint64_t>(t));
        relax_all(exec, items, shape, order, shuffle, annealing.mu(t));
        ticker.tick(t + 1, [&] { return exec.host(shape.y); });
    }
    return {annealing.steps, Stopped::budget};
}

/// From no start: a thousand random items first, then eight times as many at a time, each new one beside a near one
/// that is placed already. The last level is left to the caller, its items placed.
template <class Exec, class Items>
Ending grow(Exec& exec, const Items& items, Shape<Exec>& shape, const std::vector<Index>& order, const Run& run) {
    constexpr Index coarsest = 1000, factor = 8;
    std::vector<Index> sizes{shape.n};
    while (sizes.back() > coarsest) sizes.push_back(sizes.back() / factor);
    Ending all;
    for (std::size_t level = sizes.size(); level-- > 0;) {
        const Index size = sizes[level];
        const bool first = level + 1 == sizes.size();
        if (!first) place_beside(exec, items, shape, order, sizes[level + 1], size, run.seed + level);
        const std::vector<Index> some(order.begin(), order.begin() + size);
        const Annealing annealing = first ? Annealing{2000, 1, 0.05} : Annealing{30, 0.5, 0.1};
        const Ending ending = anneal(exec, items, shape, some, annealing, level + 1, run);
        all = {all.iterations + ending.iterations, ending.stopped};
        if (ending.stopped == Stopped::cancelled) break;
    }
    return all;
}

}  // namespace dunlin::mds
