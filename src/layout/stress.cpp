#include "layout/stress.hpp"

#include <cstring>

#include "layout/stress_rows.hpp"
#include "math/at.hpp"

namespace dunlin::layout {

namespace {

/// A vertex's distances, and those by way of each of its neighbours; returns whether one is shorter.
bool shorten_row(const graph::Level& level, Offset v, Offset k, const float* from, float* to) {
    const Graph& graph = *level.graph;
    const std::size_t bytes = at(k) * sizeof(float);
    std::memcpy(to + v * k, from + v * k, bytes);
    for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
        shorten_by(level.length(e), from + graph.targets[at(e)] * k, to + v * k, static_cast<Index>(k));
    }
    return std::memcmp(to + v * k, from + v * k, bytes) != 0;
}

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
        if (k < level_.graph->size()) add_neighbours(i, row.from, sums);
        for (std::size_t d = 0; d < dim_; ++d) {
            to[d] = sums.weight > 0 ? static_cast<float>(sums.place[d] / sums.weight) : row.from[d];
        }
    }

private:
    [[nodiscard]] int dimension() const { return static_cast<int>(dim_); }
    void add_neighbours(Offset i, const std::array<float, 3>& from, StressSums& sums) const {
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
    std::vector<float> next(pivots.distances.size());
    device::Cell<double> shorter{1};
    for (int round = 0; round < rounds && shorter.value > 0; ++round) {
        const auto row = [&](Offset v) {
            return shorten_row(level, v, pivots.count, pivots.distances.data(), next.data()) ? 1.0 : 0.0;
        };
        cpu.sum(level.graph->size(), row, shorter, 64);
        next.swap(pivots.distances);
    }
}

void lower_stress(device::Cpu& cpu, const graph::Level& level, const Pivots<device::Cpu>& pivots, int steps, int dim,
                  std::vector<float>& map) {
    std::vector<float> next(map.size());
    for (int step = 0; step < steps; ++step) {
        const Majorization majorization(level, pivots, dim, map);
        cpu.each(level.graph->size(), [&](Offset i) { majorization.move(i, next.data() + i * dim); }, 64);
        map.swap(next);
    }
}

}  // namespace dunlin::layout
