#include <algorithm>
#include <bit>

#include "device/choose.hpp"
#include "metrics/drawing.hpp"
#include "metrics/sample.hpp"
#include "metrics/sizes.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::metrics {

namespace {

std::span<const Index> neighbors_of(const Graph& graph, Offset v) {
    const auto at = static_cast<std::size_t>(v);
    return {graph.targets.data() + graph.offsets[at], graph.targets.data() + graph.offsets[at + 1]};
}

/// |both| / |either| of two sets of the same size.
double jaccard(std::span<const Index> a, std::span<const Index> b, std::vector<Index>& sorted) {
    sorted.assign(a.begin(), a.end());
    std::sort(sorted.begin(), sorted.end());
    const auto both =
        std::count_if(b.begin(), b.end(), [&](Index v) { return std::binary_search(sorted.begin(), sorted.end(), v); });
    return static_cast<double>(both) / static_cast<double>(2 * std::ssize(a) - both);
}

}  // namespace

Score neighborhood_preservation(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("neighborhood_preservation", graph, map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const std::vector<Index> joined = joined_vertices(graph);
    const auto n = static_cast<Index>(joined.size());
    const Size table = judged_neighborhoods(n);
    const Size size = size_of(options.extent, n, table, options.exact_neighborhoods, table.sample);
    std::vector<Index> judged = rows_to_judge(n, size.exact, size.sample, run.seed);
    for (Index& v : judged) v = joined[static_cast<std::size_t>(v)];

    // Vertices of similar degrees are searched for together: up to 16, 64, 256 and so on
    const auto degree = [&](Index v) { return neighbors_of(graph, v).size(); };
    const auto bits = [&](Index v) { return std::max(2, static_cast<int>(std::bit_width(degree(v) - 1) + 1) / 2); };
    std::stable_sort(judged.begin(), judged.end(), [&](Index a, Index b) { return bits(a) < bits(b); });
    std::vector<double> shares(judged.size());
    for (auto begin = judged.begin(); begin != judged.end();) {
        const auto end = std::find_if(begin, judged.end(), [&](Index v) { return bits(v) != bits(*begin); });
        const auto largest = static_cast<Index>(
            degree(*std::max_element(begin, end, [&](Index a, Index b) { return degree(a) < degree(b); })));
        const Graph nearest =
            neighbors::search_rows(cpu, map.view(), std::span(begin, end), largest, neighbors::Metric::euclidean,
                                   {.threads = run.threads, .memory = run.memory});
        const auto first = begin - judged.begin();
        cpu.blocks(end - begin, 256, [&](Offset from, Offset to, int) {
            std::vector<Index> sorted;
            for (Offset i = from; i < to; ++i) {
                const auto mine = neighbors_of(graph, judged[static_cast<std::size_t>(first + i)]);
                shares[static_cast<std::size_t>(first + i)] =
                    jaccard(mine, neighbors_of(nearest, i).first(mine.size()), sorted);
            }
        });
        begin = end;
    }
    return mean_over(shares, n);
}

}  // namespace dunlin::metrics
