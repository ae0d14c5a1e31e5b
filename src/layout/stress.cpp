// SPDX-License-Identifier: Apache-2.0
#include "layout/stress.hpp"

#include <cstdint>
#include <cstring>

#include "layout/stress_rows.hpp"
#include "math/at.hpp"

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

/// A step of one vertex to where it would like to be best if the others stayed.
class Majorization {
public:
    Majorization(const graph::Level& level, const Pivots<device::Cpu>& pivots, int dim, const std::vector<float>& map)
        : level_(level), pivots_(pivots), map_(map), dim_(at(dim)) {
        for (std::size_t d = 0; d < dim_; ++d) {
            for (const Index p : pivots.vertices) pivot_at_[d].push_back(map[at(p) * dim_ + d]);
        }
    }

    void move(Offset i, float* to) const {
        const Offset k = pivots_.count;
        StressRow row{
            pivots_.distances.data() + i * k, pivots_.weights.data() + i * k, {}, {}, pivots_.count, dimension()};
        for (std::size_t d = 0; d < dim_; ++d) {
            row.at[d] = pivot_at_[d].data();
            row.from[d] = map_[at(i) * dim_ + d];
        }
        StressSums sums;
        stress_row(row, sums);
        if (k < level_.graph->size()) add_neighbors(i, row.from, sums);
        for (std::size_t d = 0; d < dim_; ++d) {
            to[d] = sums.weight > 0 ? static_cast<float>(sums.place[d] / sums.weight) : row.from[d];
        }
    }

private:
    [[nodiscard]] int dimension() const { return static_cast<int>(dim_); }
    void add_neighbors(Offset i, const std::array<float, 3>& from, StressSums& sums) const {
        for (Offset e = level_.graph->offsets[at(i)]; e < level_.graph->offsets[at(i) + 1]; ++e) {
            const float length = level_.length(e), weight = 1 / (length * length);
            std::array<float, 3> other{};
            for (std::size_t d = 0; d < dim_; ++d) other[d] = map_[at(level_.graph->targets[at(e)]) * dim_ + d];
            StressRow row{&length, &weight, {&other[0], &other[1], &other[2]}, from, 1, dimension()};
            stress_row(row, sums);
        }
    }

    graph::Level level_;
    const Pivots<device::Cpu>& pivots_;
    const std::vector<float>& map_;
    std::size_t dim_;
    std::array<std::vector<float>, 3> pivot_at_;
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
