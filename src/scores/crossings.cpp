// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "math/at.hpp"
#include "scores/segments.hpp"
#include "scores/drawing.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

/// An edge as a segment of the map.
struct EdgeSegment {
    Index from, to;
    Segment segment;
    bool counted;  ///< its crossings are wanted

    [[nodiscard]] bool has(Index v) const { return from == v || to == v; }
    [[nodiscard]] bool shares_end(const EdgeSegment& other) const { return has(other.from) || has(other.to); }
};

/// A rectangle; a point belongs to it from its low to below its high sides.
struct Rectangle {
    PlanePoint low, high;

    [[nodiscard]] bool contains(PlanePoint p) const { return low.x <= p.x && p.x < high.x && low.y <= p.y && p.y < high.y; }
    /// Whether a segment may have a point within `slack` of the box.
    [[nodiscard]] bool intersects(const Segment& s, double slack) const {
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
    /// Quadrant `q`, 0 to 3.
    [[nodiscard]] Rectangle quadrant(int q) const {
        const PlanePoint middle{(low.x + high.x) / 2, (low.y + high.y) / 2};
        return {{q % 2 == 0 ? low.x : middle.x, q / 2 == 0 ? low.y : middle.y},
                {q % 2 == 0 ? middle.x : high.x, q / 2 == 0 ? middle.y : high.y}};
    }
};

std::vector<EdgeSegment> edges_of(device::Cpu& cpu, const Graph& graph, const Map& map) {
    constexpr Offset grain = 4096;
    const MatrixView<const float> y = map.view();
    const auto place = [&](Index v) { return PlanePoint{static_cast<double>(y(v, 0)), static_cast<double>(y(v, 1))}; };
    const auto each_of = [&](Offset begin, Offset end, const auto& visit) {
        for (Offset v = begin; v < end; ++v) {
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
                if (graph.targets[at(e)] > v) visit(static_cast<Index>(v), graph.targets[at(e)]);
        }
    };
    std::vector<std::size_t> first(at(graph.size() / grain) + 2, 0);  // edge of a block of vertices
    cpu.blocks(graph.size(), grain, [&](Offset begin, Offset end, int) {
        each_of(begin, end, [&](Index, Index) { ++first[at(begin / grain) + 1]; });
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<EdgeSegment> edges(first.back());
    cpu.blocks(graph.size(), grain, [&](Offset begin, Offset end, int) {
        auto next = edges.begin() + static_cast<std::ptrdiff_t>(first[at(begin / grain)]);
        each_of(begin, end, [&](Index v, Index u) { *next++ = {v, u, {place(v), place(u)}, false}; });
    });
    return edges;
}

/// The ends of some edges, coordinate by coordinate.
class SegmentColumns {
public:
    void assign(const std::vector<EdgeSegment>& edges, std::span<const Index> some) {
        for (std::vector<double>* column : {&ax_, &ay_, &bx_, &by_}) column->resize(some.size());
        for (std::size_t i = 0; i < some.size(); ++i) {
            const Segment& s = edges[at(some[i])].segment;
            ax_[i] = s.a.x, ay_[i] = s.a.y, bx_[i] = s.b.x, by_[i] = s.b.y;
        }
    }
    [[nodiscard]] SegmentEnds from(Offset first) const {
        return {ax_.data() + first, ay_.data() + first, bx_.data() + first, by_.data() + first};
    }

private:
    std::vector<double> ax_, ay_, bx_, by_;
};

/// The box that contains some edges, and sums of their extents along x and y, and of the products of these.
struct EdgeExtent {
    PlanePoint low{infinity, infinity}, high{-infinity, -infinity};
    double dx = 0, dy = 0, areas = 0;

    static EdgeExtent of(const Segment& s) {
        const auto [left, right] = std::minmax(s.a.x, s.b.x);
        const auto [bottom, top] = std::minmax(s.a.y, s.b.y);
        return {{left, bottom}, {right, top}, right - left, top - bottom, (right - left) * (top - bottom)};
    }
    EdgeExtent& operator+=(const EdgeExtent& other) {
        low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y)};
        high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y)};
        dx += other.dx, dy += other.dy, areas += other.areas;
        return *this;
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();
};

/// A square cut into side x side cells, side a power of two, and the edges that may meet each, ascending. CrossingGrid are so
/// small that few edges meet one, unless that made edges meet many.
class CrossingGrid {
public:
    CrossingGrid(device::Cpu& cpu, const std::vector<EdgeSegment>& edges) : edges_(edges) {
        device::Cell<EdgeExtent> reach;
        cpu.sum(std::ssize(edges), [&](Offset e) { return EdgeExtent::of(edges[at(e)].segment); }, reach);
        choose_size(reach.value);
        assign_edges(cpu);
    }

    [[nodiscard]] Offset count() const { return side_ * side_; }
    /// How often the square was quartered.
    [[nodiscard]] int level() const { return std::countr_zero(static_cast<std::uint64_t>(side_)); }
    [[nodiscard]] double slack() const { return slack_; }
    [[nodiscard]] Rectangle box(Offset cell) const {
        const auto x = static_cast<double>(cell % side_), y = static_cast<double>(cell / side_);
        return {{low_.x + x * width_, low_.y + y * width_}, {low_.x + (x + 1) * width_, low_.y + (y + 1) * width_}};
    }
    [[nodiscard]] std::span<const Index> edges(Offset cell) const {
        return std::span(members_).subspan(first_[at(cell)], first_[at(cell) + 1] - first_[at(cell)]);
    }

private:
    static constexpr Offset least_side = 8, most_side = 1024;
    static constexpr double edges_a_cell = 4, cells_an_edge = 4;  // at least, at most
    static constexpr Offset parts = 16;                           // of the edges, dealt out side by side

    void choose_size(const EdgeExtent& reach) {
        const double extent = std::max(reach.high.x - reach.low.x, reach.high.y - reach.low.y);
        const double whole = extent > 0 ? extent : 1;
        const auto n = static_cast<double>(edges_.size());
        const auto fits = [&](Offset side) {
            const double per = static_cast<double>(side) / whole;
            const double meetings = n + per * (reach.dx + reach.dy) + per * per * reach.areas;
            return static_cast<double>(side * side) * edges_a_cell <= n && meetings <= cells_an_edge * n;
        };
        while (side_ < most_side && fits(2 * side_)) side_ *= 2;
        slack_ = 1e-9 * whole;
        low_ = reach.low;
        width_ = (whole + slack_) / static_cast<double>(side_);
    }

    void assign_edges(device::Cpu& cpu) {
        const Offset grain = std::max<Offset>(1, (std::ssize(edges_) + parts - 1) / parts);
        std::vector<std::vector<std::size_t>> next(at(parts));  // place in members_ of a part, for each cell
        cpu.blocks(std::ssize(edges_), grain, [&](Offset begin, Offset end, int) {
            std::vector<std::size_t>& mine = next[at(begin / grain)];
            mine.assign(at(count()), 0);
            for (Offset e = begin; e < end; ++e)
                each_cell(edges_[at(e)].segment, [&](Offset cell) { ++mine[at(cell)]; });
        });
        first_.assign(at(count()) + 1, 0);
        for (Offset cell = 0, all = 0; cell < count(); ++cell) {
            for (std::vector<std::size_t>& part : next) {
                if (!part.empty()) all += static_cast<Offset>(std::exchange(part[at(cell)], at(all)));
            }
            first_[at(cell) + 1] = at(all);
        }
        members_.resize(first_.back());
        cpu.blocks(std::ssize(edges_), grain, [&](Offset begin, Offset end, int) {
            std::vector<std::size_t>& mine = next[at(begin / grain)];
            for (Offset e = begin; e < end; ++e)
                each_cell(edges_[at(e)].segment,
                          [&](Offset cell) { members_[mine[at(cell)]++] = static_cast<Index>(e); });
        });
    }

    template <class Visit>
    void each_cell(const Segment& s, const Visit& visit) const {
        const auto number = [&](double from_low) {
            return std::clamp<Offset>(static_cast<Offset>(from_low / width_), 0, side_ - 1);
        };
        const EdgeExtent reach = EdgeExtent::of(s);
        const Offset left = number(reach.low.x - slack_ - low_.x), right = number(reach.high.x + slack_ - low_.x);
        const Offset bottom = number(reach.low.y - slack_ - low_.y), top = number(reach.high.y + slack_ - low_.y);
        const bool all = left == right || bottom == top;
        for (Offset y = bottom; y <= top; ++y) {
            for (Offset x = left; x <= right; ++x)
                if (all || box(y * side_ + x).intersects(s, slack_)) visit(y * side_ + x);
        }
    }

    const std::vector<EdgeSegment>& edges_;
    Offset side_ = least_side;
    PlanePoint low_;
    double width_ = 1, slack_ = 0;
    std::vector<std::size_t> first_;
    std::vector<Index> members_;
};

/// Counts the crossings of edges in cells of the plane, which are quartered until few edges are left in a box. Two
/// edges are met in the box that contains their meeting point, and in no other. Where edges are so long that boxes save
/// little, all meet all.
class CrossingCounter {
public:
    CrossingCounter(device::Cpu& cpu, const std::vector<EdgeSegment>& edges)
        : cpu_(cpu), edges_(edges), cells_(cpu, edges), scratch_(at(cpu.threads())), crossings_(edges.size()) {}

    /// Per edge, with how many others it crosses, where that is wanted. Empty if more than `most_pairs` pairs of edges
    /// would have to be looked at.
    std::vector<Offset> run(Offset most_pairs = std::numeric_limits<Offset>::max()) {
        const auto squared = [](Offset count) { return static_cast<double>(count) * static_cast<double>(count); };
        const Offset n = std::ssize(edges_);
        device::Cell<double> pairs;
        cpu_.sum(cells_.count(), [&](Offset cell) { return squared(std::ssize(cells_.edges(cell))); }, pairs);
        if (pairs.value > 0.1 * squared(n)) {
            if (n * n / 2 > most_pairs) return {};
            count_all_pairs();
        } else {
            if (!affords(most_pairs)) return {};
            each_box([&](const Rectangle& box, std::span<const Index> edges, int worker) { count_in_box(box, edges, worker); });
        }
        return std::move(crossings_);
    }

private:
    struct Scratch {
        SegmentColumns columns;
        std::vector<std::uint8_t> verdict;
        std::vector<Offset> counts;
    };
    static constexpr int deepest = 24;
    static constexpr std::size_t few = 48;
    static constexpr Offset chunk = 1024;

    [[nodiscard]] const EdgeSegment& edge(Index e) const { return edges_[at(e)]; }

    /// Edges of which none is wanted, or which all have an end in common, count nothing.
    [[nodiscard]] bool idle(std::span<const Index> edges) const {
        if (edges.size() < 2) return true;
        if (std::none_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).counted; })) return true;
        const EdgeSegment& first = edge(edges.front());
        const auto shared = [&](Index v) {
            return std::all_of(edges.begin(), edges.end(), [&](Index e) { return edge(e).has(v); });
        };
        return shared(first.from) || shared(first.to);
    }

    /// Whether the pairs in all boxes are at most so many.
    bool affords(Offset most_pairs) {
        if (most_pairs == std::numeric_limits<Offset>::max()) return true;
        std::atomic<Offset> left = most_pairs;
        each_box([&](const Rectangle&, std::span<const Index> edges, int) {
            left.fetch_sub(std::ssize(edges) * std::ssize(edges) / 2, std::memory_order_relaxed);
        });
        return left >= 0;
    }

    /// Calls visit(box, edges, worker) for each box of few edges, or that quartering makes no better.
    template <class Visit>
    void each_box(const Visit& visit) {
        cpu_.blocks(cells_.count(), 16, [&](Offset begin, Offset end, int worker) {
            const auto mine = [&](const Rectangle& box, std::span<const Index> edges) { visit(box, edges, worker); };
            for (Offset cell = begin; cell < end; ++cell)
                subdivide(cells_.box(cell), cells_.edges(cell), cells_.level(), mine);
        });
    }

    template <class Visit>
    void subdivide(const Rectangle& box, std::span<const Index> edges, int level, const Visit& visit) const {
        device::cancellation_point();
        if (idle(edges)) return;
        if (edges.size() <= few || level == deepest) return visit(box, edges);
        std::array<std::vector<Index>, 4> quadrants;
        std::size_t pairs = 0;
        for (int q = 0; q < 4; ++q) {
            std::copy_if(edges.begin(), edges.end(), std::back_inserter(quadrants[at(q)]),
                         [&](Index e) { return box.quadrant(q).intersects(edge(e).segment, cells_.slack()); });
            pairs += quadrants[at(q)].size() * quadrants[at(q)].size();
        }
        // Where most edges cross the whole box, quartering makes more pairs than it saves
        if (pairs >= edges.size() * edges.size()) return visit(box, edges);
        for (int q = 0; q < 4; ++q) subdivide(box.quadrant(q), quadrants[at(q)], level + 1, visit);
    }

    void count_in_box(const Rectangle& box, std::span<const Index> edges, int worker) {
        auto& [columns, verdict, counts] = scratch_[at(worker)];
        columns.assign(edges_, edges);
        verdict.resize(edges.size());
        counts.assign(edges.size(), 0);
        for (std::size_t i = 1; i < edges.size(); ++i) {
            device::cancellation_point();
            const EdgeSegment& one = edge(edges[i]);
            classify_pairs(one.segment, columns.from(0), static_cast<int>(i), verdict.data());
            for (std::size_t j = 0; j < i; ++j) {
                if (verdict[j] == misses || !cross_in(box, one, edge(edges[j]))) continue;
                ++counts[i];
                ++counts[j];
            }
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {  // a sum of counts is the same in any order
            if (counts[i] > 0)
                std::atomic_ref(crossings_[at(edges[i])]).fetch_add(counts[i], std::memory_order_relaxed);
        }
    }

    /// Every wanted edge against all, without boxes; where all are wanted each pair is met once.
    void count_all_pairs() {
        std::vector<Index> all(edges_.size());
        std::iota(all.begin(), all.end(), Index{0});
        SegmentColumns columns;
        columns.assign(edges_, all);
        const bool all_wanted = std::all_of(edges_.begin(), edges_.end(), [](const EdgeSegment& e) { return e.counted; });
        std::vector<std::vector<Index>> met_by(at(cpu_.threads()), std::vector<Index>(edges_.size(), 0));
        cpu_.blocks(std::ssize(all), 16, [&](Offset begin, Offset end, int worker) {
            std::vector<std::uint8_t>& verdict = scratch_[at(worker)].verdict;
            verdict.resize(at(chunk));
            for (Offset i = begin; i < end; ++i) {
                device::cancellation_point();
                if (!edges_[at(i)].counted) continue;
                const Offset others = all_wanted ? i : std::ssize(all);
                for (Offset from = 0; from < others; from += chunk)
                    crossings_[at(i)] += count_against(i, columns.from(from), from, std::min(chunk, others - from), verdict,
                                                   met_by[at(worker)]);
            }
        });
        if (!all_wanted) return;
        for (const std::vector<Index>& counts : met_by)
            std::transform(counts.begin(), counts.end(), crossings_.begin(), crossings_.begin(), std::plus<Offset>());
    }

    /// How many of the edges [from, from + count) an edge crosses; each of these adds 1 to its count.
    [[nodiscard]] Offset count_against(Offset i, const SegmentEnds& ends, Offset from, Offset count,
                                   std::vector<std::uint8_t>& verdict, std::vector<Index>& counts) const {
        const EdgeSegment& one = edges_[at(i)];
        classify_pairs(one.segment, ends, static_cast<int>(count), verdict.data());
        Offset sum = count_crossings(verdict.data(), static_cast<int>(count), counts.data() + from);
        for (Offset j = 0; j < count; ++j) {
            if (verdict[at(j)] != unclear || from + j == i) continue;
            const EdgeSegment& other = edges_[at(from + j)];
            if (one.shares_end(other) || !intersect(one.segment, other.segment)) continue;
            ++sum;
            ++counts[at(from + j)];
        }
        return sum;
    }

    static bool cross_in(const Rectangle& box, const EdgeSegment& one, const EdgeSegment& other) {
        return (one.counted || other.counted) && !one.shares_end(other) && intersect(one.segment, other.segment) &&
               box.contains(intersection_point(other.segment, one.segment));
    }

    device::Cpu& cpu_;
    const std::vector<EdgeSegment>& edges_;
    CrossingGrid cells_;
    std::vector<Scratch> scratch_;
    std::vector<Offset> crossings_;
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
Score by_edges(device::Cpu& cpu, std::vector<EdgeSegment> edges, Index exact, std::uint64_t seed) {
    const auto n = static_cast<Index>(edges.size());
    const std::vector<Index> drawn = rows_to_evaluate(n, exact, edges_to_draw(n), seed);
    for (const Index e : drawn) edges[at(e)].counted = true;
    const std::vector<Offset> crossings = CrossingCounter(cpu, edges).run();
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
Score by_table(device::Cpu& cpu, std::vector<EdgeSegment> edges, std::uint64_t seed) {
    constexpr double few_crossings = 8;  // an edge
    constexpr Offset affordable = 64;    // pairs looked at, an edge
    const auto n = static_cast<Index>(edges.size());
    for (EdgeSegment& edge : edges) edge.counted = true;
    if (n <= crossing_edges) return half_of(CrossingCounter(cpu, edges).run());
    std::vector<EdgeSegment> drawn;
    for (const Index e : sample_rows(n, crossing_edges, seed)) drawn.push_back(edges[at(e)]);
    const Score sampled = by_pairs(CrossingCounter(cpu, drawn).run(), n);
    if (sampled.value > few_crossings * n) return sampled;
    const std::vector<Offset> crossings = CrossingCounter(cpu, edges).run(affordable * n);
    return crossings.empty() ? sampled : half_of(crossings);
}

}  // namespace

Score crossings(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("crossings", graph, map, options);
    check_flat("crossings", map);
    device::require_cpu(run, "scores are");
    device::Cpu cpu(run);
    std::vector<EdgeSegment> edges = edges_of(cpu, graph, map);
    const auto n = static_cast<Index>(edges.size());
    if (options.extent == Extent::full) return by_edges(cpu, std::move(edges), n, run.seed);
    if (!options.exact_edges) return by_table(cpu, std::move(edges), run.seed);
    return by_edges(cpu, std::move(edges), static_cast<Index>(std::min<Offset>(*options.exact_edges, n)), run.seed);
}

}  // namespace dunlin::scores
