#include <algorithm>
#include <array>

#include "device/choose.hpp"
#include "device/memory.hpp"
#include "graph/paths.hpp"
#include "math/at.hpp"
#include "metrics/columns.hpp"
#include "metrics/drawing.hpp"
#include "metrics/kernels.hpp"
#include "metrics/sample.hpp"
#include "metrics/sizes.hpp"
#include "metrics/two_way.hpp"

namespace dunlin::metrics {

namespace {

/// Sums over pairs: their number, q = distance in the map / length of the path, and q^2.
using Pairs = std::array<double, 3>;

Pairs pair_of(double ratio) { return {1, ratio, ratio * ratio}; }

Pairs& operator+=(Pairs& sum, const Pairs& more) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
    return sum;
}

/// sum (s q - 1)^2 / count at s = sum q / sum q^2 is 1 - (sum q)^2 / (count sum q^2).
double stress_of(const Pairs& all) {
    const auto [count, q, squares] = all;
    return squares > 0 ? std::max(0.0, 1 - q * q / (count * squares)) : 1.0;
}

/// Its derivatives.
Pairs gradient_of(const Pairs& all) {
    const auto [count, q, squares] = all;
    if (!(squares > 0)) return {};
    const double lack = q * q / (count * squares);
    return {lack / count, -2 * q / (count * squares), lack / squares};
}

/// The drawn sources, what their pairs with all vertices add up to, and the lengths of the paths between them.
class Sources {
public:
    Sources(device::Cpu& cpu, const Graph& graph, const Map& map, std::vector<Index> drawn,
            std::span<const float> lengths)
        : map_(map), drawn_(std::move(drawn)), sums_(drawn_.size()) {
        if (std::ssize(drawn_) < graph.size() && std::ssize(drawn_) <= most_two_way) {
            between_.assign(drawn_.size() * drawn_.size(), 0);
            place_.assign(at(graph.size()), -1);
            for (std::size_t k = 0; k < drawn_.size(); ++k) place_[at(drawn_[k])] = static_cast<Index>(k);
        }
        if (lengths.empty() && map.dim <= 3 && goes_far(graph)) {
            search_one_by_one(cpu, graph);
        } else {
            search_together(cpu, graph, lengths);
        }
    }

    [[nodiscard]] std::span<const Pairs> sums() const { return sums_; }

    /// Whether the pairs of drawn sources are known.
    [[nodiscard]] bool has_between() const { return !between_.empty(); }

    [[nodiscard]] Pairs between(std::size_t i, std::size_t j) const {
        const float length = between_[i * drawn_.size() + j];
        return length > 0 ? pair_of(distance(map_, drawn_[i], drawn_[j]) / static_cast<double>(length)) : Pairs{};
    }

private:
    /// Whether searches take so many steps that few reach a vertex at the same one.
    [[nodiscard]] bool goes_far(const Graph& graph) const {
        constexpr Index many_steps = 48;
        graph::OneBreadthFirst search(graph);
        search.run(drawn_.front());
        return search.farthest() > many_steps;
    }

    void keep(std::size_t source, std::size_t other, double length) {
        between_[source * drawn_.size() + other] = static_cast<float>(length);
    }

    void search_one_by_one(device::Cpu& cpu, const Graph& graph) {
        const Columns columns(map_);
        std::array<const float*, 3> column{};
        for (int c = 0; c < map_.dim; ++c) column[at(c)] = columns.column(c);
        std::vector<graph::OneBreadthFirst> searches(at(cpu.threads()), graph::OneBreadthFirst(graph));
        cpu.blocks(std::ssize(drawn_), 1, [&](Offset s, Offset, int worker) {
            const Index source = drawn_[at(s)];
            const std::span<const Index> steps = searches[at(worker)].run(source);
            std::array<double, 3> point{};
            for (int c = 0; c < map_.dim; ++c) point[at(c)] = static_cast<double>(column[at(c)][source]);
            const RatioSums sums = ratio_sums(column.data(), map_.dim, point.data(), steps.data(), graph.size());
            sums_[at(s)] = {sums.count, sums.q, sums.squares};
            for (std::size_t k = 0; k < drawn_.size() && has_between(); ++k)
                keep(at(s), k, std::max(0, steps[at(drawn_[k])]));
        });
    }

    void search_together(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths) {
        std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(graph, lengths));
        cpu.blocks(std::ssize(drawn_), graph::Paths::most_sources, [&](Offset begin, Offset end, int worker) {
            const auto mine = std::span(drawn_).subspan(at(begin), at(end - begin));
            paths[at(worker)].run(mine, [&](int k, Index v, double length) {
                const std::size_t source = at(begin + k);
                sums_[source] += pair_of(distance(map_, drawn_[source], v) / length);
                if (has_between() && place_[at(v)] >= 0) keep(source, at(place_[at(v)]), length);
            });
        });
    }

    const Map& map_;
    std::vector<Index> drawn_;
    std::vector<Pairs> sums_;
    std::vector<float> between_;  ///< drawn x drawn; 0: no path
    std::vector<Index> place_;    ///< of a vertex among the drawn; -1: it is not
};

/// From the rows alone: the standard error is that of the ratio of their sums, linearized.
Score by_rows(std::span<const Pairs> sums, const Pairs& all, Index n) {
    const Pairs slope = gradient_of(all);
    std::vector<double> influences;
    influences.reserve(sums.size());
    for (const Pairs& one : sums)
        influences.push_back(two_way_detail::along(slope, one) * static_cast<double>(sums.size()));
    return {stress_of(all), mean_over(influences, n).se};
}

/// Sources beyond the exact ones where sizes are given: a fixed number of steps, however large the graph.
Index sources_to_draw(const Graph& graph) {
    constexpr Offset steps = Offset{1} << 28;
    return static_cast<Index>(std::max<Offset>(64, steps / (graph.size() + graph.edges())));
}

std::vector<Index> draw_sources(const Graph& graph, const LayoutOptions& o, std::uint64_t seed) {
    const std::optional<Index> sample = o.exact_sources ? std::optional(sources_to_draw(graph)) : std::nullopt;
    const Size size =
        size_of(o.extent, graph.size(), stress_sources(graph.size(), graph.edges() / 2), o.exact_sources, sample);
    return rows_to_judge(graph.size(), size.exact, size.sample, seed);
}

}  // namespace

Score scaled_stress(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("scaled_stress", graph, map, options);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    const Index n = graph.size();
    constexpr std::uint64_t bytes_per_vertex = 64;  // of one thread's searches, queues and all
    device::require_memory(run, static_cast<std::uint64_t>(n) * bytes_per_vertex * static_cast<unsigned>(cpu.threads()),
                           "scaled_stress");
    const std::span<const float> ones;
    const Sources sources(cpu, graph, map, draw_sources(graph, options, run.seed),
                          options.lengths ? graph.weights : ones);
    const std::span<const Pairs> sums = sources.sums();
    Pairs all{};
    for (const Pairs& one : sums) all += one;
    if (all[0] == 0) return {0, 0};  // the sources that were drawn have no edges
    if (!sources.has_between() || sums.size() < 3) return by_rows(sums, all, n);
    const auto between = [&](std::size_t i, std::size_t j) { return sources.between(i, j); };
    const auto found = two_way(sums, n, between, gradient_of);
    return {stress_of(found.means), found.se};
}

}  // namespace dunlin::metrics
