// SPDX-License-Identifier: Apache-2.0
#include "layout/stress.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "math/at.hpp"
#include "stress/rows.hpp"

namespace dunlin::layout {

namespace {

/// Rounds of shorter ways. A row is looked at again only after one of its neighbors', and written again only after it,
/// became shorter: the two sets of rows that take turns agree on all others.
class Shortening {
public:
    Shortening(const graph::Level& level, Pivots<device::Cpu>& pivots)
        : level_(level),
          pivots_(pivots),
          next_(pivots.distances),
          shorter_(at(level.graph->size()), 1),
          now_shorter_(shorter_.size()) {}

    /// Whether a way became shorter.
    bool round(device::Cpu& cpu) {
        device::Cell<double> shorter{0};
        cpu.sum(
            level_.graph->size(),
            [&](Offset v) {
                now_shorter_[at(v)] = update(v) ? 1 : 0;
                return static_cast<double>(now_shorter_[at(v)]);
            },
            shorter, 64);
        next_.swap(pivots_.distances);
        now_shorter_.swap(shorter_);
        return shorter.value > 0;
    }

private:
    /// A vertex's distances, and those by way of each of its neighbors.
    bool update(Offset v) {
        const Graph& graph = *level_.graph;
        const Offset k = pivots_.count, begin = graph.offsets[at(v)], end = graph.offsets[at(v) + 1];
        const float* from = pivots_.distances.data();
        float* to = next_.data() + v * k;
        const std::size_t bytes = at(k) * sizeof(float);
        if (shorter_[at(v)] != 0) std::memcpy(to, from + v * k, bytes);
        bool looked = false;
        for (Offset e = begin; e < end; ++e) {
            const Index neighbor = graph.targets[at(e)];
            if (shorter_[at(neighbor)] == 0) continue;
            shorten_by(level_.length(e), from + neighbor * k, to, static_cast<Index>(k));
            looked = true;
        }
        return looked && std::memcmp(to, from + v * k, bytes) != 0;
    }

    graph::Level level_;
    Pivots<device::Cpu>& pivots_;
    std::vector<float> next_;
    std::vector<std::uint8_t> shorter_, now_shorter_;  ///< which rows became so in the last round, and in this one
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

void shorten(device::Cpu& cpu, const graph::Level& level, int rounds, Pivots<device::Cpu>& pivots) {
    Shortening shortening(level, pivots);
    for (int round = 0; round < rounds && shortening.round(cpu); ++round) {
    }
}

void lower_stress(device::Cpu& cpu, const graph::Level& level, const Pivots<device::Cpu>& pivots, int steps, int dim,
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
