// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "scores/segments.hpp"

/// The edges of a drawing as segments, and a grid of cells that lists the edges of each.
namespace dunlin::scores {

/// An edge and its segment in the map.
struct EdgeSegment {
    Index from, to;
    Segment segment;
    bool counted;  ///< its crossings are to be counted

    [[nodiscard]] bool has(Index v) const { return from == v || to == v; }
    [[nodiscard]] bool shares_end(const EdgeSegment& other) const { return has(other.from) || has(other.to); }
};

/// A rectangle, closed at its low sides and open at its high sides.
struct Rectangle {
    PlanePoint low, high;

    [[nodiscard]] bool contains(PlanePoint p) const {
        return low.x <= p.x && p.x < high.x && low.y <= p.y && p.y < high.y;
    }
    /// Conservative test whether a segment has a point within `slack` of the rectangle.
    [[nodiscard]] bool intersects(const Segment& s, double slack) const {
        const auto [left, right] = std::minmax(s.a.x, s.b.x);
        const auto [bottom, top] = std::minmax(s.a.y, s.b.y);
        if (right < low.x - slack || left > high.x + slack || top < low.y - slack || bottom > high.y + slack)
            return false;
        // Separating axis: the line's normal
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

inline std::vector<EdgeSegment> edge_segments(device::Cpu& cpu, const Graph& graph, const Map& map) {
    constexpr Offset grain = 4096;
    const MatrixView<const float> y = map.view();
    const auto place = [&](Index v) { return PlanePoint{static_cast<double>(y(v, 0)), static_cast<double>(y(v, 1))}; };
    const auto each_of = [&](Offset begin, Offset end, const auto& visit) {
        for (Offset v = begin; v < end; ++v) {
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
                if (graph.targets[at(e)] > v) visit(static_cast<Index>(v), graph.targets[at(e)]);
        }
    };
    std::vector<std::size_t> first(at(graph.size() / grain) + 2, 0);  // index of the first edge of a block
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

/// End points of some edges as arrays of coordinates.
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

/// Bounding box of some edges, and sums of their widths, heights and areas.
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

/// A square grid of side x side cells, side a power of two, with the edges that may intersect each cell in ascending
/// order. Cells are small enough for few edges per cell, but large enough for few cells per edge.
class CrossingGrid {
public:
    CrossingGrid(device::Cpu& cpu, const std::vector<EdgeSegment>& edges) : edges_(edges) {
        device::Cell<EdgeExtent> reach;
        cpu.sum(std::ssize(edges), [&](Offset e) { return EdgeExtent::of(edges[at(e)].segment); }, reach);
        choose_size(reach.value);
        assign_edges(cpu);
    }

    [[nodiscard]] Offset count() const { return side_ * side_; }
    /// Number of subdivisions of the square.
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
    static constexpr Offset min_side = 8, max_side = 1024;
    static constexpr double edges_a_cell = 4, cells_an_edge = 4;  // minimum, maximum
    static constexpr Offset parts = 16;                           // blocks of edges, assigned in parallel

    void choose_size(const EdgeExtent& reach) {
        const double extent = std::max(reach.high.x - reach.low.x, reach.high.y - reach.low.y);
        const double whole = extent > 0 ? extent : 1;
        const auto n = static_cast<double>(edges_.size());
        const auto fits = [&](Offset side) {
            const double per = static_cast<double>(side) / whole;
            const double meetings = n + per * (reach.dx + reach.dy) + per * per * reach.areas;
            return static_cast<double>(side * side) * edges_a_cell <= n && meetings <= cells_an_edge * n;
        };
        while (side_ < max_side && fits(2 * side_)) side_ *= 2;
        slack_ = 1e-9 * whole;
        low_ = reach.low;
        width_ = (whole + slack_) / static_cast<double>(side_);
    }

    void assign_edges(device::Cpu& cpu) {
        const Offset grain = std::max<Offset>(1, (std::ssize(edges_) + parts - 1) / parts);
        std::vector<std::vector<std::size_t>> next(at(parts));  // per part and cell: next index in members_
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
    Offset side_ = min_side;
    PlanePoint low_;
    double width_ = 1, slack_ = 0;
    std::vector<std::size_t> first_;
    std::vector<Index> members_;
};

}  // namespace dunlin::scores
