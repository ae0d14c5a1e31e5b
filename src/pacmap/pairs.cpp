// SPDX-License-Identifier: Apache-2.0
#include "pacmap/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "distance/space.hpp"
#include "graph/symmetrize.hpp"
#include "initialization/unit.hpp"
#include "math/at.hpp"

namespace dunlin::pacmap {

namespace {

/// `degree` distinct targets per row, set by targets_of(row, targets).
template <class TargetsOf>
Graph drawn(device::Cpu& cpu, Index n, Index degree, const TargetsOf& targets_of) {
    Graph graph;
    graph.offsets.resize(at(n) + 1);
    for (Index i = 0; i <= n; ++i) graph.offsets[at(i)] = Offset{i} * degree;
    graph.targets.resize(at(Offset{n} * degree));
    graph.weights.assign(graph.targets.size(), 1.0F);
    cpu.each(n, [&](Offset i) { targets_of(static_cast<Index>(i), graph.targets.data() + i * degree); }, 64);
    return graph;
}

/// Whether squared distances leave the range of float32; sparse rows have no keys in float32.
bool has_keys_beyond_float(device::Cpu& /*cpu*/, const SparseView& /*points*/) { return true; }
bool has_keys_beyond_float(device::Cpu& cpu, MatrixView<const float> points) {
    constexpr Offset grain = 1 << 16;
    std::vector<float> most(at((points.size() + grain - 1) / grain));
    cpu.blocks(points.size(), grain, [&](Offset begin, Offset end, int) {
        float& largest = most[at(begin / grain)];
        for (Offset i = begin; i < end; ++i) largest = std::max(largest, std::abs(points.data[i]));
    });
    return !most.empty() && initialization::unit_of(static_cast<double>(std::ranges::max(most))) != 1;
}

template <class Points>
Graph mid_near_of(device::Cpu& cpu, const Points& points, const Options& options, std::uint64_t seed) {
    const distance::Space space(cpu, points, options.metric);
    const Index n = points.rows, count = std::min(options.mid_near, std::max<Index>(n - 1, 0));
    const bool exact = has_keys_beyond_float(cpu, points);
    return drawn(cpu, n, count, [&](Index i, Index* targets) {
        const auto key = [&](Index j) { return exact ? space.key(i, j) : static_cast<double>(space.rough_key(i, j)); };
        draw_mid_near(seed, i, n, count, key, targets);
    });
}

}  // namespace

Graph chosen_near(device::Cpu& cpu, const Graph& neighbors, Index k) {
    const Index n = neighbors.size();
    std::vector<double> scale(at(n));
    cpu.each(
        n,
        [&](Offset i) {
            const Offset begin = neighbors.offsets[at(i)];
            scale[at(i)] = scale_of(neighbors.weights.data() + begin, neighbors.offsets[at(i) + 1] - begin);
        },
        256);

    Graph near;
    near.offsets.assign(at(n) + 1, 0);
    for (Index i = 0; i < n; ++i) {
        const Offset degree = neighbors.offsets[at(i) + 1] - neighbors.offsets[at(i)];
        near.offsets[at(i) + 1] = near.offsets[at(i)] + std::min<Offset>(k, degree);
    }
    near.targets.resize(at(near.offsets.back()));
    near.weights.assign(near.targets.size(), 1.0F);
    cpu.blocks(n, 256, [&](Offset first, Offset end, int) {
        std::vector<double> keys;
        for (Offset i = first; i < end; ++i) {
            const Offset begin = neighbors.offsets[at(i)], degree = neighbors.offsets[at(i) + 1] - begin;
            keys.clear();
            for (Offset e = begin; e < begin + degree; ++e)
                keys.push_back(scaled_distance(neighbors.weights[at(e)], scale[at(neighbors.targets[at(e)])]));
            Offset last = degree;
            for (Offset to = near.offsets[at(i)]; to < near.offsets[at(i) + 1]; ++to) {
                last = next_in_order(degree, [&](Offset e) { return keys[at(e)]; }, last);
                near.targets[at(to)] = neighbors.targets[at(begin + last)];
            }
        }
    });
    return near;
}

Graph drawn_mid_near(device::Cpu& cpu, MatrixView<const float> points, const Options& options, std::uint64_t seed) {
    return mid_near_of(cpu, points, options, seed);
}

Graph drawn_mid_near(device::Cpu& cpu, const SparseView& points, const Options& options, std::uint64_t seed) {
    return mid_near_of(cpu, points, options, seed);
}

Graph symmetric_pairs(device::Cpu& cpu, const Graph& chosen) {
    return graph::symmetrize(cpu, chosen, chosen.weights, graph::ScaledSum{1});
}

}  // namespace dunlin::pacmap
