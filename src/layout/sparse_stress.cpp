// SPDX-License-Identifier: Apache-2.0
#include "layout/sparse_stress.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "math/at.hpp"
#include "stress/rows.hpp"

namespace dunlin::layout {

namespace {

/// Double-buffered relaxation. A row is relaxed only if a neighbor's row changed in the last round, and copied only if
/// it changed itself; all other rows are equal in both buffers.
class DistanceRelaxation {
public:
    DistanceRelaxation(const graph::Level& level, Pivots<device::Cpu>& pivots)
        : level_(level),
          pivots_(pivots),
          next_(pivots.distances),
          changed_(at(level.graph->size()), 1),
          now_changed_(changed_.size()) {}

    /// Returns whether a distance changed.
    bool round(device::Cpu& cpu) {
        device::Cell<double> changed{0};
        cpu.sum(
            level_.graph->size(),
            [&](Offset v) {
                now_changed_[at(v)] = update(v) ? 1 : 0;
                return static_cast<double>(now_changed_[at(v)]);
            },
            changed, 64);
        next_.swap(pivots_.distances);
        now_changed_.swap(changed_);
        return changed.value > 0;
    }

private:
    /// Relaxes the row of a vertex; returns whether it changed.
    bool update(Offset v) {
        const Graph& graph = *level_.graph;
        const Offset k = pivots_.count, begin = graph.offsets[at(v)], end = graph.offsets[at(v) + 1];
        const float* from = pivots_.distances.data();
        float* to = next_.data() + v * k;
        const std::size_t bytes = at(k) * sizeof(float);
        if (changed_[at(v)] != 0) std::memcpy(to, from + v * k, bytes);
        bool relaxed = false;
        for (Offset e = begin; e < end; ++e) {
            const Index neighbor = graph.targets[at(e)];
            if (changed_[at(neighbor)] == 0) continue;
            relax_by(level_.length(e), from + neighbor * k, to, static_cast<Index>(k));
            relaxed = true;
        }
        return relaxed && std::memcmp(to, from + v * k, bytes) != 0;
    }

    graph::Level level_;
    Pivots<device::Cpu>& pivots_;
    std::vector<float> next_;
    std::vector<std::uint8_t> changed_, now_changed_;  ///< rows that changed in the last round, and in this one
};

/// A step of majorization of one vertex, the others staying.
class Majorization {
public:
    Majorization(const graph::Level& level, const Pivots<device::Cpu>& pivots, int dim, const std::vector<float>& map)
        : level_(level), pivots_(pivots), map_(map), dim_(dim) {
        for (Offset c = 0; c < dim; ++c) {
            auto& axis = pivot_axes_[at(c)];
            for (const Index p : pivots.vertices) axis.push_back(map[at(Offset{p} * dim + c)]);
        }
    }

    void move(Offset i, float* to) const {
        const Offset k = pivots_.count;
        const float* own = map_.data() + i * dim_;
        const std::array<const float*, 3> axes{pivot_axes_[0].data(), pivot_axes_[1].data(), pivot_axes_[2].data()};
        std::array<double, 3> force{};
        double weight = stress::add_force_and_weight(
            {pivots_.distances.data() + i * k, pivots_.weights.data() + i * k, axes.data(), own, dim_, pivots_.count},
            force.data());
        if (k < level_.graph->size()) weight += add_neighbors(i, own, force.data());
        for (Offset c = 0; c < dim_; ++c)
            to[c] = weight > 0 ? own[c] + static_cast<float>(force[at(c)] / weight) : own[c];
    }

private:
    double add_neighbors(Offset i, const float* own, double* force) const {
        double sum = 0;
        for (Offset e = level_.graph->offsets[at(i)]; e < level_.graph->offsets[at(i) + 1]; ++e) {
            const float length = level_.length(e), weight = stress::inverse_square(length);
            const float* other = map_.data() + Offset{level_.graph->targets[at(e)]} * dim_;
            const std::array<const float*, 3> axes{other, other + 1, other + dim_ - 1};
            sum += stress::add_force_and_weight({&length, &weight, axes.data(), own, dim_, 1}, force);
        }
        return sum;
    }

    graph::Level level_;
    const Pivots<device::Cpu>& pivots_;
    const std::vector<float>& map_;
    int dim_;
    std::array<std::vector<float>, 3> pivot_axes_;
};

}  // namespace

void relax_distances(device::Cpu& cpu, const graph::Level& level, int rounds, Pivots<device::Cpu>& pivots) {
    DistanceRelaxation shortening(level, pivots);
    for (int round = 0; round < rounds && shortening.round(cpu); ++round) {
    }
}

void reduce_stress(device::Cpu& cpu, const graph::Level& level, const Pivots<device::Cpu>& pivots, int steps, int dim,
                   std::vector<float>& map, const std::uint8_t* pinned) {
    std::vector<float> next = map;
    const auto moves = [&](Offset i) { return pinned == nullptr || pinned[i] == 0; };
    for (int step = 0; step < steps; ++step) {
        const Majorization majorization(level, pivots, dim, map);
        const auto move = [&](Offset i) {
            if (moves(i)) majorization.move(i, next.data() + i * dim);
        };
        cpu.each(level.graph->size(), move, 64);
        map.swap(next);
    }
}

}  // namespace dunlin::layout
