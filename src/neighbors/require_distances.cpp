// SPDX-License-Identifier: Apache-2.0
#include "neighbors/require_distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"

namespace dunlin::neighbors {

namespace {

/// Fewer falls may be chance: lists sorted by target have their distances in arbitrary order.
constexpr Offset telling_falls = 32;

/// What is wrong with a row, as the end of a sentence; empty if it is valid. `order`: scratch.
std::string fault_of(Index row, std::span<const Index> targets, std::span<const float> weights, Index points,
                     std::vector<Index>& order) {
    for (std::size_t e = 0; e < targets.size(); ++e) {
        if (!std::isfinite(weights[e]) || weights[e] < 0) {
            return fmt::format(
                "has the weight {} for point {}; weights are distances, finite and not negative (not "
                "inner products or other similarities)",
                weights[e], targets[e]);
        }
        if (targets[e] == row) return "has itself as a neighbor; leave a point out of its own list";
        if (targets[e] < 0 || targets[e] >= points) {
            return fmt::format("has the neighbor {}, but there are points 0 to {}", targets[e], points - 1);
        }
    }
    order.assign(targets.begin(), targets.end());
    std::sort(order.begin(), order.end());
    const auto twice = std::adjacent_find(order.begin(), order.end());
    if (twice == order.end()) return "";
    return fmt::format("has the neighbor {} twice; name each neighbor once", *twice);
}

/// How often a weight is less (greater) than its predecessor.
struct WeightSteps {
    Offset falls = 0, rises = 0;
    WeightSteps& operator+=(const WeightSteps& other) {
        falls += other.falls;
        rises += other.rises;
        return *this;
    }
};

WeightSteps steps_of(std::span<const float> weights) {
    WeightSteps steps;
    for (std::size_t e = 1; e < weights.size(); ++e) {
        steps.falls += weights[e] < weights[e - 1] ? 1 : 0;
        steps.rises += weights[e] > weights[e - 1] ? 1 : 0;
    }
    return steps;
}

}  // namespace

void require_distances(device::Cpu& cpu, const Graph& neighbors) {
    constexpr Offset grain = 256;
    const Index n = neighbors.size();
    std::vector<WeightSteps> parts(at((n + grain - 1) / grain));
    std::vector<std::pair<Index, std::string>> faults(parts.size());  // the first of each block
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        std::vector<Index> order;
        for (Offset r = begin; r < end && faults[at(begin / grain)].second.empty(); ++r) {
            const auto first = at(neighbors.offsets[at(r)]), count = at(neighbors.offsets[at(r) + 1]) - first;
            const auto weights = std::span(neighbors.weights).subspan(first, count);
            const auto row = static_cast<Index>(r);
            faults[at(begin / grain)] = {
                row, fault_of(row, std::span(neighbors.targets).subspan(first, count), weights, n, order)};
            parts[at(begin / grain)] += steps_of(weights);
        }
    });
    for (const auto& [row, fault] : faults) {
        if (fault.empty()) continue;
        throw Error(Fault::bad_input, fmt::format("neighbor graph: row {} (counting from 0) {}", row, fault),
                    {.row = row});
    }
    WeightSteps all;
    for (const WeightSteps& part : parts) all += part;
    if (all.rises > 0 || all.falls < telling_falls) return;
    throw Error(Fault::bad_input,
                "neighbor graph: from row 0 on weights only fall, as those of inner products or other similarities do; "
                "weights are distances, the nearest neighbor's is the least");
}

}  // namespace dunlin::neighbors
