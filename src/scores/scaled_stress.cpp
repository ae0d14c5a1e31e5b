// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "device/choose.hpp"
#include "device/memory.hpp"
#include "forces/morton_order.hpp"
#include "graph/paths.hpp"
#include "graph/relabel.hpp"
#include "math/at.hpp"
#include "scores/coordinate_columns.hpp"
#include "scores/drawing.hpp"
#include "scores/kernels.hpp"
#include "scores/pair_means.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"
#include "stress/scaled_stress.hpp"

namespace dunlin::scores {

namespace {

/// Sums over pairs of 1, q = distance in the map / length of the path, and q^2.
using PairSums = std::array<double, 3>;

PairSums pair_of(double ratio) { return {1, ratio, ratio * ratio}; }

PairSums& operator+=(PairSums& sum, const PairSums& more) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
    return sum;
}

double stress_of(const PairSums& all) { return stress::scaled_stress(all[0], all[1], all[2]); }

/// Derivatives of stress_of.
PairSums gradient_of(const PairSums& all) {
    const auto [count, q, squares] = all;
    if (!(squares > 0)) return {};
    const double lack = q * q / (count * squares);
    return {lack / count, -2 * q / (count * squares), lack / squares};
}

/// Sampled sources, the sums over their pairs with all vertices, and the lengths of the paths between them.
class Sources {
public:
    Sources(device::Cpu& cpu, const Graph& graph, const Map& map, std::vector<Index> drawn,
            std::span<const float> lengths, const Run& run)
        : map_(map), columns_(map), drawn_(std::move(drawn)), numbers_(drawn_), sums_(drawn_.size()) {
        if (std::ssize(drawn_) < graph.size() && std::ssize(drawn_) <= max_pair_sample)
            between_.assign(drawn_.size() * drawn_.size(), 0);
        if (!lengths.empty() || map.dim > 3) {
            measure(cpu, graph, lengths);
            return;
        }
        graph::OneBreadthFirst first(graph);
        first.run(drawn_.front());
        constexpr Index many_steps = 48;  // beyond, searches rarely reach a vertex in the same step
        if (first.farthest() > many_steps) {
            search_one_by_one(cpu, graph, first, run);
        } else {
            search_together(cpu, graph);
        }
    }

    /// Upper bound of the memory of one thread's searches, in bytes: rows of steps, masks and queues.
    [[nodiscard]] static std::uint64_t bytes(Index n) {
        return static_cast<std::uint64_t>(n) * (graph::BreadthFirst::max_sources + 32);
    }

    [[nodiscard]] std::span<const PairSums> sums() const { return sums_; }

    /// Whether the paths between sources are stored.
    [[nodiscard]] bool has_between() const { return !between_.empty(); }

    [[nodiscard]] PairSums between(std::size_t i, std::size_t j) const {
        const float length = between_[i * drawn_.size() + j];
        return length > 0 ? pair_of(distance(map_, drawn_[i], drawn_[j]) / static_cast<double>(length)) : PairSums{};
    }

private:
    /// Renumbers the vertices for locality: by their places in the map, or in the order of the first search if that
    /// gives neighbors nearer numbers, as in a map that does not show the graph.
    void search_one_by_one(device::Cpu& cpu, const Graph& graph, const graph::OneBreadthFirst<Graph>& first,
                           const Run& run) {
        const Index n = graph.size();
        const std::uint64_t copies = static_cast<std::uint64_t>(n) * 56 + static_cast<std::uint64_t>(graph.edges()) * 8;
        device::require_memory(run, copies, "scaled_stress");
        std::vector<Index> order = order_of(first, n), number = numbers_by(order);
        if (map_.dim == 2 || map_.dim == 3) {
            std::vector<Index> by_map = forces::morton_order(cpu, map_.view()), number_by_map = numbers_by(by_map);
            if (graph::bits_of_gaps(cpu, graph, number_by_map) < graph::bits_of_gaps(cpu, graph, number)) {
                order.swap(by_map);
                number.swap(number_by_map);
            }
        }
        columns_ = CoordinateColumns(map_, order);
        for (std::size_t k = 0; k < drawn_.size(); ++k) numbers_[k] = number[at(drawn_[k])];
        if (graph::CompactRows::can_hold(graph)) {
            search_each(cpu, graph::relabel_compact(cpu, graph, order));
        } else {
            search_each(cpu, graph::relabel(cpu, graph, order));
        }
    }

    template <class Rows>
    void search_each(device::Cpu& cpu, const Rows& renumbered) {
        std::vector<graph::OneBreadthFirst<Rows>> searches(at(cpu.threads()), graph::OneBreadthFirst<Rows>(renumbered));
        cpu.blocks(std::ssize(drawn_), 1, [&](Offset s, Offset, int worker) {
            keep(at(s), searches[at(worker)].run(numbers_[at(s)]).data());
        });
    }

    /// The vertices in the order of a search; unreached ones come last.
    static std::vector<Index> order_of(const graph::OneBreadthFirst<Graph>& search, Index n) {
        std::vector<Index> order(search.reached().begin(), search.reached().end());
        std::vector<std::uint8_t> is_reached(at(n), 0);
        for (const Index v : order) is_reached[at(v)] = 1;
        for (Index v = 0; v < n; ++v)
            if (is_reached[at(v)] == 0) order.push_back(v);
        return order;
    }

    /// The place of each vertex in an order.
    static std::vector<Index> numbers_by(std::span<const Index> order) {
        std::vector<Index> number(order.size());
        for (std::size_t place = 0; place < order.size(); ++place) number[at(order[place])] = static_cast<Index>(place);
        return number;
    }

    void search_together(device::Cpu& cpu, const Graph& graph) {
        std::vector<Together> workers(at(cpu.threads()), Together{graph::BreadthFirst(graph), {}});
        const Offset each = (std::ssize(drawn_) + cpu.threads() - 1) / cpu.threads();
        cpu.blocks(std::ssize(drawn_), std::min<Offset>(each, graph::BreadthFirst::max_sources),
                   [&](Offset begin, Offset end, int worker) { search_some(graph, workers[at(worker)], begin, end); });
    }

    struct Together {
        graph::BreadthFirst search;
        std::vector<std::uint8_t> steps;  ///< one row per source; 0: the source itself, or no path
    };

    /// Searches from the sources [begin, end) at once; repeats those with too many steps for a row one by one.
    void search_some(const Graph& graph, Together& together, Offset begin, Offset end) {
        using Searches = graph::BreadthFirst::Searches;
        constexpr int most_steps = std::numeric_limits<std::uint8_t>::max();
        const Index n = graph.size();
        auto& [search, rows] = together;
        rows.assign(at((end - begin) * n), 0);
        Searches too_far = 0;
        search.run(std::span(numbers_).subspan(at(begin), at(end - begin)), [&](Index v, Searches searches, int steps) {
            if (steps > most_steps) {
                too_far |= searches;
                return;
            }
            for (Searches left = searches; left != 0; left &= left - 1)
                rows[at(Offset{std::countr_zero(left)} * n + v)] = static_cast<std::uint8_t>(steps);
        });
        std::optional<graph::OneBreadthFirst<Graph>> again;
        for (Offset k = 0; k < end - begin; ++k) {
            if ((too_far >> k & 1) == 0) {
                keep(at(begin + k), rows.data() + k * n);
            } else {
                if (!again) again.emplace(graph);
                keep(at(begin + k), again->run(numbers_[at(begin + k)]).data());
            }
        }
    }

    /// Sums over the pairs of a source with all vertices.
    template <class Steps>
    void keep(std::size_t source, const Steps* steps) {
        std::array<const float*, 3> column{};
        std::array<double, 3> point{};
        for (int c = 0; c < map_.dim; ++c) {
            column[at(c)] = columns_.column(c);
            point[at(c)] = static_cast<double>(column[at(c)][numbers_[source]]);
        }
        const RatioSums sums = ratio_sums(column.data(), map_.dim, point.data(), steps, map_.size());
        sums_[source] = {sums.count, sums.q, sums.squares};
        for (std::size_t k = 0; k < drawn_.size() && has_between(); ++k)
            keep(source, k, static_cast<double>(std::max(Index{0}, Index{steps[numbers_[k]]})));
    }

    void keep(std::size_t source, std::size_t other, double length) {
        between_[source * drawn_.size() + other] = static_cast<float>(length);
    }

    /// For weighted graphs, or maps of more than 3 dimensions.
    void measure(device::Cpu& cpu, const Graph& graph, std::span<const float> lengths) {
        std::vector<Index> place(at(graph.size()), -1);  // index of a vertex among the sources
        for (std::size_t k = 0; k < drawn_.size() && has_between(); ++k) place[at(drawn_[k])] = static_cast<Index>(k);
        std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(graph, lengths));
        cpu.blocks(std::ssize(drawn_), graph::Paths::max_sources, [&](Offset begin, Offset end, int worker) {
            const auto mine = std::span(drawn_).subspan(at(begin), at(end - begin));
            paths[at(worker)].run(mine, [&](int k, Index v, double length) {
                const std::size_t source = at(begin + k);
                sums_[source] += pair_of(distance(map_, drawn_[source], v) / length);
                if (place[at(v)] >= 0) keep(source, at(place[at(v)]), length);
            });
        });
    }

    const Map& map_;
    CoordinateColumns columns_;
    std::vector<Index> drawn_;
    std::vector<Index> numbers_;  ///< of the sources in columns_ and in the searched graph
    std::vector<PairSums> sums_;
    std::vector<float> between_;  ///< sources x sources; 0: no path
};

/// Estimate from the rows alone; the standard error is that of the linearized ratio of sums.
Score by_rows(std::span<const PairSums> sums, const PairSums& all, Index n) {
    const PairSums slope = gradient_of(all);
    std::vector<double> influences;
    influences.reserve(sums.size());
    for (const PairSums& one : sums)
        influences.push_back(pair_means_detail::along(slope, one) * static_cast<double>(sums.size()));
    return {stress_of(all), mean_over(influences, n).se};
}

/// Number of sources beyond options.exact_sources: a constant number of steps for any graph.
Index sources_to_draw(const Graph& graph) {
    constexpr Offset steps = Offset{1} << 28;
    return static_cast<Index>(std::max<Offset>(64, steps / (graph.size() + graph.edges())));
}

std::vector<Index> draw_sources(const Graph& graph, const LayoutOptions& o, std::uint64_t seed) {
    const std::optional<Index> sample = o.exact_sources ? std::optional(sources_to_draw(graph)) : std::nullopt;
    const SamplingRule size =
        rule_of(o.extent, graph.size(), stress_sources(graph.size(), graph.edges() / 2), o.exact_sources, sample);
    return rows_to_evaluate(graph.size(), size.exact, size.sample, seed);
}

}  // namespace

Score scaled_stress(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("scaled_stress", graph, map, options);
    device::require_cpu(run, "scores of drawings are");
    device::Cpu cpu(run);
    const Index n = graph.size();
    const std::uint64_t columns = map.coordinates.size() * sizeof(float);
    device::require_memory(run, columns + Sources::bytes(n) * static_cast<unsigned>(cpu.threads()), "scaled_stress");
    const std::span<const float> ones;
    const Sources sources(cpu, graph, map, draw_sources(graph, options, run.seed),
                          options.lengths ? graph.weights : ones, run);
    const std::span<const PairSums> sums = sources.sums();
    PairSums all{};
    for (const PairSums& one : sums) all += one;
    if (all[0] == 0) return {0, 0};  // no source has an edge
    if (!sources.has_between() || sums.size() < 3) return by_rows(sums, all, n);
    const auto between = [&](std::size_t i, std::size_t j) { return sources.between(i, j); };
    const auto found = pair_means(sums, n, between, gradient_of);
    return {stress_of(found.means), found.se};
}

}  // namespace dunlin::scores
