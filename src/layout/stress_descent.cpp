#include "layout/stress_descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/paths.hpp"
#include "layout/stress_moves.hpp"
#include "math/at.hpp"
#include "math/permutation.hpp"

namespace dunlin::layout {

namespace {

constexpr Offset block = stress_block, pairs_of_blocks = block * block;

/// Distances of all pairs, those of two blocks together, as meet_blocks wants them.
class Pairs {
public:
    Pairs(device::Cpu& cpu, const Task& task, const math::Permutation& place_of)
        : n_(task.graph->size()), blocks_((n_ + block - 1) / block) {
        values_.resize(at(first_of(blocks_) * pairs_of_blocks));
        std::vector<Index> places, at_place(at(n_));
        for (Index v = 0; v < n_; ++v) places.push_back(place_of(v));
        for (Index v = 0; v < n_; ++v) at_place[at(places[at(v)])] = v;
        std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*task.graph, task.lengths));
        constexpr Offset at_once = graph::Paths::most_sources;
        static_assert(block % at_once == 0);
        cpu.blocks(n_, at_once, [&](Offset begin, Offset end, int worker) {
            const std::span<const Index> sources(at_place.data() + begin, at(end - begin));
            paths[at(worker)].run(sources, [&](int k, Index v, double length) {
                put(begin + k, places[at(v)], static_cast<float>(length));
            });
        });
    }

    [[nodiscard]] Offset blocks() const { return blocks_; }
    /// a <= b
    [[nodiscard]] const float* of(Offset a, Offset b) const {
        return values_.data() + (first_of(a) + b - a) * pairs_of_blocks;
    }
    [[nodiscard]] float longest() const { return *std::max_element(values_.begin(), values_.end()); }
    [[nodiscard]] float shortest() const {
        float least = longest();
        for (const float value : values_) least = value > 0 ? std::min(least, value) : least;
        return least;
    }

private:
    /// Where the pairs of block a with itself and those after it begin.
    [[nodiscard]] Offset first_of(Offset a) const { return a * blocks_ - a * (a - 1) / 2; }

    void put(Offset i, Offset j, float length) {
        const Offset a = i / block, b = j / block;
        if (b < a) return;
        const Offset turn = (j - i + pairs_of_blocks) % block;
        values_[at((first_of(a) + b - a) * pairs_of_blocks + turn * block + i % block)] = length;
    }

    Offset n_, blocks_;
    std::vector<float> values_;
};

/// The map block by block, each dim x 32; and back.
template <class Copy>
void each_coordinate(const math::Permutation& place_of, Index n, int dim, const Copy& copy) {
    for (Index v = 0; v < n; ++v) {
        const Offset place = place_of(v);
        for (int d = 0; d < dim; ++d)
            copy(at(Offset{v} * dim + d), at((place / block * dim + d) * block + place % block));
    }
}

/// Of the vertices of all blocks, 1: moves, 0: is pinned; empty: all move.
std::vector<float> free_of(const math::Permutation& place_of, std::span<const std::uint8_t> pinned, Offset blocks) {
    if (std::none_of(pinned.begin(), pinned.end(), [](std::uint8_t mark) { return mark != 0; })) return {};
    std::vector<float> free(at(blocks * block), 1.0F);
    for (std::size_t v = 0; v < pinned.size(); ++v) free[at(place_of(static_cast<Index>(v)))] = pinned[v] != 0 ? 0 : 1;
    return free;
}

}  // namespace

Ending descend_stress(device::Cpu& cpu, const Task& task, int epochs, const Run& run, Map& map) {
    const Index n = map.size();
    if (n < 2) return {0, Stopped::converged};
    const int dim = map.dim;
    const auto place_of = math::Permutation::of(n, run.seed, ~std::uint64_t{0});
    const Pairs pairs(cpu, task, place_of);
    const Offset blocks = pairs.blocks();
    std::vector<float> y(at(blocks * dim * block), 0.0F);
    each_coordinate(place_of, n, dim, [&](std::size_t from, std::size_t to) { y[to] = map.coordinates[from]; });
    const std::vector<float> free = free_of(place_of, task.pinned, blocks);
    const auto of = [&](Offset a) {
        return StressBlock{y.data() + a * dim * block, free.empty() ? nullptr : free.data() + a * block};
    };

    const auto farthest = static_cast<double>(task.start == nullptr ? pairs.longest() : pairs.shortest());
    const double first = farthest * farthest, last = 0.01 * std::pow(static_cast<double>(pairs.shortest()), 2);
    device::Ticker ticker(run, "optimise", epochs);
    Ending ending{epochs, Stopped::budget};
    for (int t = 0; t < epochs; ++t) {
        if (run.stop.stop_requested()) {
            ending = {t, Stopped::cancelled};
            break;
        }
        const double share = epochs > 1 ? static_cast<double>(t) / (epochs - 1) : 1;
        const auto eta = static_cast<float>(first * std::pow(last / first, share));
        const auto rounds = math::Permutation::of(static_cast<Index>(blocks), run.seed, static_cast<std::uint64_t>(t));
        for (Index r = 0; r < blocks; ++r) {
            const Offset round = rounds(r);
            cpu.each(
                blocks,
                [&](Offset a) {
                    const Offset b = (round - a + blocks) % blocks;
                    if (a == b) meet_itself(of(a), dim, pairs.of(a, a), eta);
                    if (a < b) meet_blocks(of(a), of(b), dim, pairs.of(a, b), eta);
                },
                8);
        }
        ticker.tick(t + 1);
    }
    each_coordinate(place_of, n, dim, [&](std::size_t from, std::size_t to) { map.coordinates[from] = y[to]; });
    return ending;
}

}  // namespace dunlin::layout
