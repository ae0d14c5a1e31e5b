#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "math/at.hpp"
#include "metrics/crossing.hpp"
#include "metrics/drawing.hpp"
#include "metrics/sample.hpp"
#include "metrics/sizes.hpp"

namespace dunlin::metrics {

namespace {

/// An edge as a segment of the map.
struct Edge {
    Index from, to;
    Segment segment;
    bool counted;  ///< its crossings are wanted

    [[nodiscard]] bool has(Index v) const { return from == v || to == v; }
    [[nodiscard]] bool shares_end(const Edge& other) const { return has(other.from) || has(other.to); }
};

/// A rectangle; a point belongs to it from its low to below its high sides.
struct Box {
    Place low, high;

    [[nodiscard]] bool holds(Place p) const { return low.x <= p.x && p.x < high.x && low.y <= p.y && p.y < high.y; }
    /// Whether a segment may have a point within `slack` of the box.
    [[nodiscard]] bool meets(const Segment& s, double slack) const {
        const auto [left, right] = std::minmax(s.a.x, s.b.x);
        const auto [bottom, top] = std::minmax(s.a.y, s.b.y);
        if (right < low.x - slack || left > high.x + slack || top < low.y - slack || bottom > high.y + slack)
            return false;
        // The box lies on one side of the line if its middle is farther from it than its corners reach
        const double dx = s.b.x - s.a.x, dy = s.b.y - s.a.y;
        const double off = dx * ((low.y + high.y) / 2 - s.a.y) - dy * ((low.x + high.x) / 2 - s.a.x);
        const double reach =
            std::abs(dx) * ((high.y - low.y) / 2 + slack) + std::abs(dy) * ((high.x - low.x) / 2 + slack);
        return std::abs(off) <= reach * (1 + 1e-12);
    }
    /// Quarter `q` of it: 0 to 3.
    [[nodiscard]] Box quarter(int q) const {
        const Place middle{(low.x + high.x) / 2, (low.y + high.y) / 2};
        return {{q % 2 == 0 ? low.x : middle.x, q / 2 == 0 ? low.y : middle.y},
                {q % 2 == 0 ? middle.x : high.x, q / 2 == 0 ? middle.y : high.y}};
    }
};

std::vector<Edge> edges_of(const Graph& graph, const Map& map) {
    const MatrixView<const float> y = map.view();
    const auto place = [&](Index v) { return Place{static_cast<double>(y(v, 0)), static_cast<double>(y(v, 1))}; };
    std::vector<Edge> edges;
    edges.reserve(at(graph.edges() / 2));
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
            const Index u = graph.targets[at(e)];
            if (u > v) edges.push_back({v, u, {place(v), place(u)}, false});
        }
    }
    return edges;
}

/// The ends of some edges, coordinate by coordinate.
class Columns {
public:
    Columns(const std::vector<Edge>& edges, const std::vector<Index>& some)
        : ax_(some.size()), ay_(some.size()), bx_(some.size()), by_(some.size()) {
        for (std::size_t i = 0; i < some.size(); ++i) {
            const Segment& s = edges[at(some[i])].segment;
            ax_[i] = s.a.x, ay_[i] = s.a.y, bx_[i] = s.b.x, by_[i] = s.b.y;
        }
    }
    [[nodiscard]] Ends from(Offset first) const {
        return {ax_.data() + first, ay_.data() + first, bx_.data() + first, by_.data() + first};
    }

private:
    std::vector<double> ax_, ay_, bx_, by_;
};

/// Counts the crossings of edges by quartering the plane until few edges are left in a box. Two edges are met in the
/// box that holds their meeting point, and in no other. Where edges are so long that boxes save little, all meet all.
class Count {
public:
    Count(device::Cpu& cpu, const std::vector<Edge>& edges) : cpu_(cpu), edges_(edges), crossings_(edges.size()) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        whole_ = {{infinity, infinity}, {-infinity, -infinity}};
        for (const Edge& edge : edges) {
            for (const Place p : {edge.segment.a, edge.segment.b}) {
                whole_.low = {std::min(whole_.low.x, p.x), std::min(whole_.low.y, p.y)};
                whole_.high = {std::max(whole_.high.x, p.x), std::max(whole_.high.y, p.y)};
            }
        }
        const double extent = std::max(whole_.high.x - whole_.low.x, whole_.high.y - whole_.low.y);
        const double side = extent > 0 ? extent : 1;
        slack_ = 1e-9 * side;
        whole_.high = {whole_.low.x + side + slack_, whole_.low.y + side + slack_};
    }

    /// Per edge, with how many others it crosses, where that is wanted. Empty if more than `most_pairs` pairs of edges
    /// would have to be looked at.
    std::vector<Offset> run(Offset most_pairs = std::numeric_limits<Offset>::max()) {
        std::vector<Index> all(edges_.size());
        for (std::size_t e = 0; e < all.size(); ++e) all[e] = static_cast<Index>(e);
        std::vector<Task> tasks{{whole_, all}};
        for (int level = 0; level < shared_levels; ++level) tasks = quartered(tasks);
        double pairs = 0;
        for (const Task& task : tasks) pairs += std::pow(static_cast<double>(task.edges.size()), 2);
        const bool many_long = pairs > 0.1 * std::pow(static_cast<double>(all.size()), 2);
        if (!affords(tasks, many_long ? std::ssize(all) * std::ssize(all) / 2 : 0, most_pairs)) return {};
        if (many_long) {
            meet_everywhere(all);
        } else {
            cpu_.blocks(std::ssize(tasks), 1, [&](Offset t, Offset, int) { count(tasks[at(t)], shared_levels); });
        }
        return std::move(crossings_);
    }

private:
    struct Task {
        Box box;
        std::vector<Index> edges;
    };
    static constexpr int shared_levels = 3, deepest = 24;
    static constexpr std::size_t few = 48;
    static constexpr Offset chunk = 1024;

    [[nodiscard]] const Edge& edge(Index e) const { return edges_[at(e)]; }

    /// Whether `known` pairs, and those in the boxes of these tasks, are at most so many.
    bool affords(const std::vector<Task>& tasks, Offset known, Offset most_pairs) {
        if (most_pairs == std::numeric_limits<Offset>::max()) return true;
        if (known > most_pairs) return false;
        std::vector<Offset> pairs(tasks.size());
        cpu_.blocks(std::ssize(tasks), 1,
                    [&](Offset t, Offset, int) { pairs[at(t)] = pairs_in(tasks[at(t)], shared_levels, most_pairs); });
        return std::accumulate(pairs.begin(), pairs.end(), Offset{0}) <= most_pairs;
    }

    /// The pairs that count() would look at; beyond `most`, any number above it.
    [[nodiscard]] Offset pairs_in(const Task& task, int level, Offset most) const {
        device::cancellation_point();
        if (idle(task.edges)) return 0;
        const Offset all = std::ssize(task.edges) * std::ssize(task.edges);
        if (task.edges.size() <= few || level == deepest) return all / 2;
        Offset pairs = 0, parts = 0;
        for (int q = 0; q < 4 && pairs <= most; ++q) {
            const Task part = quarter(task, q);
            parts += std::ssize(part.edges) * std::ssize(part.edges);
            if (parts >= all && level > shared_levels) return all / 2;
            pairs += pairs_in(part, level + 1, most);
        }
        return pairs;
    }

    std::vector<Task> quartered(const std::vector<Task>& tasks) {
        std::vector<Task> quarters(4 * tasks.size());
        cpu_.each(
            std::ssize(quarters),
            [&](Offset q) { quarters[at(q)] = quarter(tasks[at(q / 4)], static_cast<int>(q % 4)); }, 1);
        return quarters;
    }

    [[nodiscard]] Task quarter(const Task& task, int q) const {
        Task part{task.box.quarter(q), {}};
        std::copy_if(task.edges.begin(), task.edges.end(), std::back_inserter(part.edges),
                     [&](Index e) { return part.box.meets(edge(e).segment, slack_); });
        return part;
    }

    /// Edges of which none is wanted, or which all have an end in common, count nothing.
    [[nodiscard]] bool idle(const std::vector<Index>& edges) const {
        if (std::none_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).counted; })) return true;
        const Edge& first = edge(edges.front());
        const auto shared = [&](Index v) {
            return std::all_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).has(v); });
        };
        return shared(first.from) || shared(first.to);
    }

    void count(const Task& task, int level) {
        if (idle(task.edges)) return;
        if (task.edges.size() <= few || level == deepest) return meet_all(task);
        std::array<Task, 4> quarters;
        std::size_t pairs = 0;
        for (int q = 0; q < 4; ++q) {
            quarters[at(q)] = quarter(task, q);
            pairs += quarters[at(q)].edges.size() * quarters[at(q)].edges.size();
        }
        // Where most edges cross the whole box, quartering makes more pairs than it saves
        if (pairs >= task.edges.size() * task.edges.size() && level > shared_levels) return meet_all(task);
        for (const Task& part : quarters) count(part, level + 1);
    }

    void meet_all(const Task& task) {
        const Columns columns(edges_, task.edges);
        std::vector<std::uint8_t> verdict(task.edges.size());
        std::vector<Offset> counts(task.edges.size());
        for (std::size_t i = 1; i < task.edges.size(); ++i) {
            device::cancellation_point();
            const Edge& one = edge(task.edges[i]);
            judge_meetings(one.segment, columns.from(0), static_cast<int>(i), verdict.data());
            for (std::size_t j = 0; j < i; ++j) {
                if (verdict[j] == misses || !cross_in(task.box, one, edge(task.edges[j]))) continue;
                ++counts[i];
                ++counts[j];
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {  // a sum of counts is the same in any order
            std::atomic_ref(crossings_[at(task.edges[i])]).fetch_add(counts[i], std::memory_order_relaxed);
        }
    }

    /// Every wanted edge against all, without boxes.
    void meet_everywhere(const std::vector<Index>& all) {
        const Columns columns(edges_, all);
        const bool each_pair_once = std::all_of(edges_.begin(), edges_.end(), [](const Edge& e) { return e.counted; });
        cpu_.blocks(std::ssize(all), 16, [&](Offset begin, Offset end, int) {
            std::vector<std::uint8_t> verdict(chunk);
            for (Offset i = begin; i < end; ++i) {
                device::cancellation_point();
                const Edge& one = edges_[at(i)];
                if (!one.counted) continue;
                const Offset others = each_pair_once ? i : std::ssize(all);
                Offset sum = 0;
                for (Offset from = 0; from < others; from += chunk)
                    sum += met(i, columns.from(from), from, std::min(chunk, others - from), verdict);
                crossings_[at(i)] = each_pair_once ? 2 * sum : sum;
            }
        });
    }

    /// How many of the edges [from, from + count) an edge crosses.
    [[nodiscard]] Offset met(Offset i, const Ends& ends, Offset from, Offset count,
                             std::vector<std::uint8_t>& verdict) const {
        const Edge& one = edges_[at(i)];
        judge_meetings(one.segment, ends, static_cast<int>(count), verdict.data());
        Offset sum = count_crossings(verdict.data(), static_cast<int>(count));
        for (Offset j = 0; j < count; ++j) {
            if (verdict[at(j)] != unclear || from + j == i) continue;
            const Edge& other = edges_[at(from + j)];
            sum += !one.shares_end(other) && meet(one.segment, other.segment) ? 1 : 0;
        }
        return sum;
    }

    static bool cross_in(const Box& box, const Edge& one, const Edge& other) {
        return (one.counted || other.counted) && !one.shares_end(other) && meet(one.segment, other.segment) &&
               box.holds(meeting_point(other.segment, one.segment));
    }

    device::Cpu& cpu_;
    const std::vector<Edge>& edges_;
    std::vector<Offset> crossings_;
    Box whole_;
    double slack_ = 0;
};

/// Edges beyond the exact ones where sizes are given: a fixed number of pairs, however large the graph.
Index edges_to_draw(Index edges) {
    constexpr Offset pairs = Offset{1} << 30;
    return static_cast<Index>(std::max<Offset>(200, pairs / edges));
}

/// Half the sum of what each edge crosses.
Score half_of(const std::vector<Offset>& crossings) {
    return {static_cast<double>(std::accumulate(crossings.begin(), crossings.end(), Offset{0})) / 2, 0};
}

/// Every crossing, or by the sizes given: E / 2 times the mean of what drawn edges cross.
Score by_edges(device::Cpu& cpu, std::vector<Edge> edges, Index exact, std::uint64_t seed) {
    const auto n = static_cast<Index>(edges.size());
    const std::vector<Index> drawn = rows_to_judge(n, exact, edges_to_draw(n), seed);
    for (const Index e : drawn) edges[at(e)].counted = true;
    const std::vector<Offset> crossings = Count(cpu, edges).run();
    if (drawn.size() == edges.size()) return half_of(crossings);
    std::vector<double> counts;
    counts.reserve(drawn.size());
    for (const Index e : drawn) counts.push_back(static_cast<double>(crossings[at(e)]));
    const Score mean = mean_over(counts, n);
    return {mean.value * n / 2, mean.se * n / 2};
}

/// From what each of m drawn edges crosses among them: the share of their pairs that cross, times all pairs. A pair
/// crosses with probability p + a_e + a_f and some noise; the variance of the share is 4 var(a) / m + 2 var(noise) /
/// m^2 (Hoeffding 1948). A sample in which few cross may have met none by chance: the error is at least that of one.
Score by_pairs(const std::vector<Offset>& crossed, Offset edges) {
    const auto m = static_cast<double>(crossed.size()), n = static_cast<double>(edges);
    const double pairs = m * (m - 1) / 2, all = n * (n - 1) / 2, left = 1 - m / n;
    const double share = half_of(crossed).value / pairs;
    double squares = 0;
    for (const Offset count : crossed) squares += std::pow(static_cast<double>(count) / (m - 1) - share, 2);
    const double rows = squares / (m - 1), noise = share * (1 - share);
    const double variance = std::max(4 * rows / m - noise / pairs, noise / pairs) * left;
    return {share * all, std::max(std::sqrt(variance), 1 / pairs) * all};
}

/// By the table: a sample tells how many there are; where these are few, all are counted.
Score by_table(device::Cpu& cpu, std::vector<Edge> edges, std::uint64_t seed) {
    constexpr double few_crossings = 8;  // an edge
    constexpr Offset affordable = 64;    // pairs looked at, an edge
    const auto n = static_cast<Index>(edges.size());
    for (Edge& edge : edges) edge.counted = true;
    if (n <= judged_edges) return half_of(Count(cpu, edges).run());
    std::vector<Edge> drawn;
    for (const Index e : sample_rows(n, judged_edges, seed)) drawn.push_back(edges[at(e)]);
    const Score sampled = by_pairs(Count(cpu, drawn).run(), n);
    if (sampled.value > few_crossings * n) return sampled;
    const std::vector<Offset> crossings = Count(cpu, edges).run(affordable * n);
    return crossings.empty() ? sampled : half_of(crossings);
}

}  // namespace

Score crossings(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("crossings", graph, map, options);
    check_flat("crossings", map);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    std::vector<Edge> edges = edges_of(graph, map);
    const auto n = static_cast<Index>(edges.size());
    if (options.extent == Extent::full) return by_edges(cpu, std::move(edges), n, run.seed);
    if (!options.exact_edges) return by_table(cpu, std::move(edges), run.seed);
    return by_edges(cpu, std::move(edges), static_cast<Index>(std::min<Offset>(*options.exact_edges, n)), run.seed);
}

}  // namespace dunlin::metrics
