// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "progress/cancel.hpp"

/// Lines of a level of values on a grid of nx x ny nodes, by marching triangles: each square of nodes is halved along
/// (0, 0) - (1, 1), and the values are linear in each half. A node is above the level if its value is at least the
/// level.
namespace dunlin::density {

/// A polyline in units of nodes; the values are larger on its left side (x to the right, y upwards).
struct LevelLine {
    std::vector<std::array<double, 2>> points;
    bool closed = true;
};

/// Where lines end: at nodes that are not finite and at the border of the grid, or nowhere: these nodes and those
/// outside are below every level, and lines pass through the last node that is above.
enum class LineEnds { open, closed };

/// One level; values: value(x, y) for 0 <= x < nx, 0 <= y < ny.
template <class Value>
class MarchingTriangles {
public:
    MarchingTriangles(Index nx, Index ny, const Value& value, double level, LineEnds ends)
        : nx_(nx), ny_(ny), value_(value), level_(level), ends_(ends) {}

    std::vector<LevelLine> lines() {
        const Index beyond = ends_ == LineEnds::closed ? 1 : 0;
        for (Index y = -beyond; y < ny_ - 1 + beyond; ++y) {
            progress::cancellation_point();
            for (Index x = -beyond; x < nx_ - 1 + beyond; ++x) add_square(x, y);
        }
        return joined();
    }

private:
    /// Edges are numbered by their first node, with one more node on each side of the grid, and direction: along x,
    /// along y, diagonal.
    using Edge = Offset;
    struct LinePiece {
        Edge from, to;
    };

    [[nodiscard]] Edge edge(Index x, Index y, int direction) const {
        return 3 * (x + 1 + (nx_ + Offset{2}) * (y + 1)) + direction;
    }
    [[nodiscard]] double value_at(Index x, Index y) const {
        return x < 0 || y < 0 || x >= nx_ || y >= ny_ ? -HUGE_VAL : static_cast<double>(value_(x, y));
    }
    [[nodiscard]] bool is_above(double value) const { return value >= level_; }

    void add_square(Index x, Index y) {
        const double a = value_at(x, y), b = value_at(x + 1, y), c = value_at(x, y + 1), d = value_at(x + 1, y + 1);
        const bool above = is_above(a);
        if (is_above(b) == above && is_above(c) == above && is_above(d) == above) return;
        const Edge ab = edge(x, y, 0), ac = edge(x, y, 1), ad = edge(x, y, 2);
        const Edge bd = edge(x + 1, y, 1), cd = edge(x, y + 1, 0);
        add_triangle({a, b, d}, {ab, bd, ad});
        add_triangle({a, d, c}, {ad, cd, ac});
    }

    /// Corners counterclockwise; edges[i] leads from corner i to the next.
    void add_triangle(const std::array<double, 3>& corners, const std::array<Edge, 3>& edges) {
        LinePiece piece{-1, -1};
        for (std::size_t i = 0; i < 3; ++i) {
            if (ends_ == LineEnds::open && !std::isfinite(corners[i])) return;
            const bool here = is_above(corners[i]), there = is_above(corners[(i + 1) % 3]);
            if (here && !there) piece.from = edges[i];
            if (!here && there) piece.to = edges[i];
        }
        if (piece.from >= 0) pieces_.push_back(piece);
    }

    [[nodiscard]] std::array<double, 2> place_on(Edge edge) const {
        const Offset node = edge / 3, direction = edge % 3, width = nx_ + Offset{2};
        const auto x = static_cast<Index>(node % width - 1), y = static_cast<Index>(node / width - 1);
        const Index dx = direction == 1 ? 0 : 1, dy = direction == 0 ? 0 : 1;
        const double first = value_at(x, y), second = value_at(x + dx, y + dy);
        double share = (level_ - first) / (second - first);
        if (!std::isfinite(first)) share = 1;
        if (!std::isfinite(second)) share = 0;
        return {x + share * dx, y + share * dy};
    }

    /// Every edge is the end of at most one piece and the begin of at most one.
    std::vector<LevelLine> joined() {
        const auto less = [](const LinePiece& a, const LinePiece& b) { return a.from < b.from; };
        std::sort(pieces_.begin(), pieces_.end(), less);
        used_.assign(pieces_.size(), false);
        std::vector<LevelLine> lines;
        if (ends_ == LineEnds::open) {
            std::vector<Edge> ends;
            ends.reserve(pieces_.size());
            for (const LinePiece& piece : pieces_) ends.push_back(piece.to);
            std::sort(ends.begin(), ends.end());
            for (std::size_t s = 0; s < pieces_.size(); ++s) {
                if (!std::binary_search(ends.begin(), ends.end(), pieces_[s].from)) lines.push_back(traced(s));
            }
        }
        for (std::size_t s = 0; s < pieces_.size(); ++s) {
            if (!used_[s]) lines.push_back(traced(s));
        }
        return lines;
    }

    LevelLine traced(std::size_t first) {
        LevelLine line;
        for (std::size_t s = first;;) {
            used_[s] = true;
            line.points.push_back(place_on(pieces_[s].from));
            const Edge to = pieces_[s].to;
            const auto next = std::lower_bound(pieces_.begin(), pieces_.end(), to,
                                               [](const LinePiece& a, Edge from) { return a.from < from; });
            if (next == pieces_.end() || next->from != to) {
                line.points.push_back(place_on(to));
                line.closed = false;
                return line;
            }
            s = static_cast<std::size_t>(next - pieces_.begin());
            if (used_[s]) return line;
        }
    }

    Index nx_, ny_;
    const Value& value_;
    double level_;
    LineEnds ends_;
    std::vector<LinePiece> pieces_;
    std::vector<bool> used_;
};

template <class Value>
std::vector<LevelLine> level_lines(Index nx, Index ny, const Value& value, double level, LineEnds ends) {
    return MarchingTriangles<Value>(nx, ny, value, level, ends).lines();
}

}  // namespace dunlin::density
