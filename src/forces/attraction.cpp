#include "forces/attraction.hpp"

#include <algorithm>
#include <array>

#include "forces/attraction_rows.hpp"

namespace dunlin::forces {

namespace {

constexpr Offset edges_per_block = 16384;

/// What a block of edges knows of a row that it shares with its neighbours.
struct Share {
    Index row = -1;
    std::array<double, 3> force{};
};

/// Blocks are cut by edges, so that a star's centre is shared like any other work. A row inside a block is written
/// at once; the first and last, which may be cut, wait for `join`.
template <int D>
class Pull {
public:
    Pull(const Graph& graph, MatrixView<const float> y, MatrixView<float> force)
        : graph_(graph), y_(y), force_(force), cut_(2 * static_cast<std::size_t>(blocks())) {}

    void run(device::Cpu& cpu) {
        cpu.each(force_.size(), [this](Offset i) { force_.data[i] = 0; }, 1 << 16);
        cpu.blocks(graph_.edges(), edges_per_block, [this](Offset begin, Offset end, int) { block(begin, end); });
        join();
    }

private:
    [[nodiscard]] Offset blocks() const { return (graph_.edges() + edges_per_block - 1) / edges_per_block; }

    void block(Offset begin, Offset end) {
        const Offset* offsets = graph_.offsets.data();
        auto row = static_cast<Index>(std::upper_bound(offsets, offsets + graph_.offsets.size(), begin) - offsets - 1);
        for (; row < graph_.size() && offsets[row] < end; ++row) {
            const Offset first = std::max(begin, offsets[row]), last = std::min(end, offsets[row + 1]);
            if (first == last) continue;
            std::array<double, 3> sum{};
            pull_({.targets = graph_.targets.data() + first,
                   .weights = graph_.weights.data() + first,
                   .size = last - first,
                   .from = y_.data + Offset{row} * D,
                   .y = y_.data},
                  sum.data());
            if (first == offsets[row] && last == offsets[row + 1]) {
                write(row, sum);
            } else {
                const Offset side = first > offsets[row] ? 0 : 1;
                cut_[static_cast<std::size_t>(2 * (begin / edges_per_block) + side)] = {row, sum};
            }
        }
    }

    void join() {
        Share whole;
        for (const Share& share : cut_) {
            if (share.row < 0) continue;
            if (share.row != whole.row) whole = {share.row, {}};
            for (std::size_t d = 0; d < D; ++d) whole.force[d] += share.force[d];
            write(whole.row, whole.force);
        }
    }

    void write(Index row, const std::array<double, 3>& sum) {
        for (Index d = 0; d < D; ++d) force_(row, d) = static_cast<float>(sum[static_cast<std::size_t>(d)]);
    }

    void (*pull_)(const Spokes&, double*) = has_avx512() ? pull_spokes_avx512<D> : pull_spokes<D>;
    const Graph& graph_;
    MatrixView<const float> y_;
    MatrixView<float> force_;
    std::vector<Share> cut_;  // two for each block: the row it begins in, the row it ends in
};

template <int D>
void cost(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, device::Cell<double>& total) {
    const Offset* offsets = graph.offsets.data();
    const Offset blocks = (graph.edges() + edges_per_block - 1) / edges_per_block;
    cpu.sum(
        blocks,
        [&](Offset block) {
            const Offset begin = block * edges_per_block, end = std::min(graph.edges(), begin + edges_per_block);
            double sum = 0;
            auto row = std::upper_bound(offsets, offsets + graph.offsets.size(), begin) - offsets - 1;
            for (; row < graph.size() && offsets[row] < end; ++row) {
                const Offset first = std::max(begin, offsets[row]), last = std::min(end, offsets[row + 1]);
                sum += spokes_cost<D>({.targets = graph.targets.data() + first,
                                       .weights = graph.weights.data() + first,
                                       .size = last - first,
                                       .from = y.data + row * D,
                                       .y = y.data});
            }
            return sum;
        },
        total, 1);
}

}  // namespace

void attract(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, MatrixView<float> force) {
    if (y.cols == 2) {
        Pull<2>(affinities, y, force).run(cpu);
    } else {
        Pull<3>(affinities, y, force).run(cpu);
    }
}

void attract_cost(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, device::Cell<double>& cost_) {
    if (y.cols == 2) {
        cost<2>(cpu, affinities, y, cost_);
    } else {
        cost<3>(cpu, affinities, y, cost_);
    }
}

}  // namespace dunlin::forces
