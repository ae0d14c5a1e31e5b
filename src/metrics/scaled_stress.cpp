#include <algorithm>

#include "device/choose.hpp"
#include "device/memory.hpp"
#include "graph/paths.hpp"
#include "metrics/drawing.hpp"
#include "metrics/sample.hpp"

namespace dunlin::metrics {

namespace {

/// Sums over the pairs of one source, of q = distance in the map / length of the path.
struct Pairs {
    double count = 0, q = 0, squares = 0;

    void add(double ratio) {
        count += 1;
        q += ratio;
        squares += ratio * ratio;
    }
    Pairs& operator+=(const Pairs& other) {
        count += other.count;
        q += other.q;
        squares += other.squares;
        return *this;
    }
};

/// sum (s q - 1)^2 / count at s = sum q / sum q^2 is 1 - (sum q)^2 / (count sum q^2).
double stress_of(const Pairs& all) {
    return all.squares > 0 ? std::max(0.0, 1 - all.q * all.q / (all.count * all.squares)) : 1.0;
}

/// How much one source moves that ratio: its derivative at the sums of all, times what the source adds. Divided by
/// the share of the sources that it is, this averages to 0, and scatters as the estimate does.
double influence(const Pairs& one, const Pairs& all) {
    const double lack = 1 - stress_of(all);
    return lack * (one.count / all.count + one.squares / all.squares) - 2 * all.q * one.q / (all.count * all.squares);
}

std::vector<Pairs> pairs_of(device::Cpu& cpu, const Graph& graph, const Map& map, std::span<const Index> sources,
                            std::span<const float> lengths) {
    std::vector<Pairs> pairs(sources.size());
    std::vector<graph::Paths> paths(static_cast<std::size_t>(cpu.threads()), graph::Paths(graph, lengths));
    cpu.blocks(std::ssize(sources), graph::Paths::most_sources, [&](Offset begin, Offset end, int worker) {
        const auto mine = sources.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        paths[static_cast<std::size_t>(worker)].run(mine, [&](int k, Index v, double length) {
            const auto source = static_cast<std::size_t>(k);
            pairs[static_cast<std::size_t>(begin) + source].add(distance(map, mine[source], v) / length);
        });
    });
    return pairs;
}

/// Sources beyond the exact ones: a fixed number of steps, however large the graph.
Index sources_to_draw(const Graph& graph) {
    constexpr Offset steps = Offset{1} << 28;
    return static_cast<Index>(std::max<Offset>(64, steps / (graph.size() + graph.edges())));
}

}  // namespace

Score scaled_stress(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("scaled_stress", graph, map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const Index n = graph.size();
    const std::vector<Index> sources = rows_to_judge(n, options.exact_sources, sources_to_draw(graph), run.seed);
    constexpr std::uint64_t bytes_per_vertex = 64;  // of one thread's searches, queues and all
    device::require_memory(run, static_cast<std::uint64_t>(n) * bytes_per_vertex * static_cast<unsigned>(cpu.threads()),
                           "scaled_stress");
    const std::span<const float> ones;
    const std::vector<Pairs> pairs = pairs_of(cpu, graph, map, sources, options.lengths ? graph.weights : ones);
    Pairs all;
    for (const Pairs& one : pairs) all += one;
    if (all.count == 0) return {0, 0};  // the sources that were drawn have no edges

    std::vector<double> influences(pairs.size());
    std::transform(pairs.begin(), pairs.end(), influences.begin(),
                   [&](const Pairs& one) { return influence(one, all) * static_cast<double>(pairs.size()); });
    return {stress_of(all), mean_over(influences, n).se};
}

}  // namespace dunlin::metrics
