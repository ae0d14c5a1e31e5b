// SPDX-License-Identifier: Apache-2.0
#include "arrange/pack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrange/polyomino.hpp"
#include "arrange/hull.hpp"
#include "math/at.hpp"

namespace dunlin::arrange {

namespace {

/// The map that is packed, in doubles, and the discs in it.
struct Page {
    Map& map;
    std::span<const float> radii;

    [[nodiscard]] double radius(Index v) const { return radii.empty() ? 0.0 : static_cast<double>(radii[at(v)]); }
    [[nodiscard]] float* place(Index v) const { return map.coordinates.data() + Offset{v} * map.dim; }
    [[nodiscard]] Point point(Index v) const {
        return {static_cast<double>(place(v)[0]), static_cast<double>(place(v)[1])};
    }
    void move(Index v, Point to) const {
        place(v)[0] = static_cast<float>(to.x);
        place(v)[1] = static_cast<float>(to.y);
    }
};

struct Box {
    Point low = {}, high = {};

    [[nodiscard]] double width() const { return high.x - low.x; }
    [[nodiscard]] double height() const { return high.y - low.y; }
};

/// Vertices that move as one, and what they take of the page.
struct Part {
    std::span<const Index> vertices;
    std::vector<Point> hull = {};  ///< of the discs
    Box box = {};                  ///< around the hull

    [[nodiscard]] double width() const { return box.width(); }
    [[nodiscard]] double height() const { return box.height(); }
};

/// Rows of discs beneath a box, the larger first, as wide as the box or, if that is more, as all of them are high.
void lay_rows(const Page& page, std::vector<Index>& vertices, double gap, const Box& above) {
    std::stable_sort(vertices.begin(), vertices.end(),
                     [&](Index a, Index b) { return page.radius(a) > page.radius(b); });
    const auto pitch = [&](Index v) { return 2 * page.radius(v) + gap; };
    double area = 0;
    for (const Index v : vertices) area += pitch(v) * pitch(v);
    const double width = std::max(above.width(), std::sqrt(area)) * (1 - 1e-9);  // k x k equal discs are k rows
    const double left = (above.low.x + above.high.x - width) / 2;
    double x = width, y = above.low.y, height = 0;
    for (const Index v : vertices) {
        if (x >= width) {
            x = 0;
            y -= height;
            height = pitch(v);
        }
        page.move(v, {left + x + pitch(v) / 2, y - height / 2});
        if (page.map.dim == 3) page.place(v)[2] = 0;
        x += pitch(v);
    }
}

/// Components of several vertices; those of one go to `alone`.
std::vector<Part> parts_of(const graph::Components& components, std::vector<Index>& alone) {
    std::vector<Part> parts;
    for (Index c = 0; c < components.count(); ++c) {
        const auto vertices = components.members_of(c);
        if (vertices.size() == 1) {
            alone.push_back(vertices[0]);
        } else {
            parts.push_back({vertices});
        }
    }
    return parts;
}

/// The corners of the squares around the discs, or the points alone.
std::vector<Point> outline(const Page& page, std::span<const Index> vertices) {
    std::vector<Point> points;
    for (const Index v : vertices) {
        const Point p = page.point(v);
        const double r = page.radius(v);
        points.push_back({p.x - r, p.y - r});
        if (r == 0) continue;
        points.insert(points.end(), {{p.x + r, p.y - r}, {p.x + r, p.y + r}, {p.x - r, p.y + r}});
    }
    return points;
}

void turn_level(const Page& page, const Part& part) {
    const Point level = long_direction(part.hull);
    for (const Index v : part.vertices) {
        const Point p = page.point(v);
        page.move(v, {p.x * level.x + p.y * level.y, p.y * level.x - p.x * level.y});
    }
}

/// A part of a map in space comes to lie about the plane of all.
void center_height(const Page& page, const Part& part) {
    double sum = 0;
    for (const Index v : part.vertices) sum += static_cast<double>(page.place(v)[2]);
    const auto mean = static_cast<float>(sum / static_cast<double>(part.vertices.size()));
    for (const Index v : part.vertices) page.place(v)[2] -= mean;
}

void take_in(Box& box, const Box& other) {
    box.low = {std::min(box.low.x, other.low.x), std::min(box.low.y, other.low.y)};
    box.high = {std::max(box.high.x, other.high.x), std::max(box.high.y, other.high.y)};
}

void prepare(const Page& page, Part& part) {
    part.hull = convex_hull(outline(page, part.vertices));
    turn_level(page, part);
    part.hull = convex_hull(outline(page, part.vertices));
    if (page.map.dim == 3) center_height(page, part);
    part.box = {part.hull.front(), part.hull.front()};
    for (const Point p : part.hull) take_in(part.box, {p, p});
}

/// Cells small enough that a part of mean area has a few hundred, large enough that the board stays small even if a
/// part is all length.
double cell_side(const std::vector<Part>& parts, double gap) {
    double area = 0, longest = 0;
    for (const Part& part : parts) {
        area += (part.width() + gap) * (part.height() + gap);
        longest = std::max({longest, part.width() + gap, part.height() + gap});
    }
    const auto cells = std::clamp<Offset>(256 * std::ssize(parts), Offset{1} << 14, Offset{1} << 24);
    return std::max(std::sqrt(area / static_cast<double>(cells)), longest / 4096);
}

/// The cells that a hull touches when it is widened by `pad` on all sides.
Polyomino piece_of(const Part& part, double pad, double cell) {
    const auto cells = [cell](double length) { return std::max(1, static_cast<int>(std::ceil(length / cell))); };
    Polyomino piece{cells(part.width() + 2 * pad), std::vector<Polyomino::Row>(at(cells(part.height() + 2 * pad)))};
    const int height = piece.height();
    constexpr double nowhere = std::numeric_limits<double>::infinity();
    std::vector<double> least(piece.rows.size(), nowhere), most(piece.rows.size(), -nowhere);
    for (std::size_t i = 0; i < part.hull.size(); ++i) {
        Point a = part.hull[i], b = part.hull[(i + 1) % part.hull.size()];
        if (a.y > b.y) std::swap(a, b);
        const double from = a.y - part.box.low.y + pad, to = b.y - part.box.low.y + pad;
        const double slope = b.y > a.y ? (b.x - a.x) / (b.y - a.y) : 0;
        const int first = std::clamp(static_cast<int>((from - pad) / cell), 0, height - 1);
        const int last = std::clamp(static_cast<int>((to + pad) / cell), 0, height - 1);
        for (int row = first; row <= last; ++row) {
            // Where the side enters and leaves this row, widened by the pad
            const double enter = std::clamp(row * cell - pad, from, to),
                         leave = std::clamp((row + 1) * cell + pad, from, to);
            const double x0 = enter < to ? a.x + (enter - from) * slope : b.x;
            const double x1 = leave < to ? a.x + (leave - from) * slope : b.x;
            least[at(row)] = std::min({least[at(row)], x0, x1, to == from ? a.x : x0});
            most[at(row)] = std::max({most[at(row)], x0, x1, to == from ? a.x : x0});
        }
    }
    for (std::size_t row = 0; row < piece.rows.size(); ++row) {
        const int first = static_cast<int>((least[row] - part.box.low.x) / cell);
        piece.rows[row] = {std::clamp(first, 0, piece.width - 1),
                           std::clamp(cells(most[row] - part.box.low.x + 2 * pad), first + 1, piece.width)};
    }
    return piece;
}

}  // namespace

void pack(device::Cpu& cpu, Map& map, const graph::Components& components, std::span<const float> radii, float gap) {
    if (components.count() < 2) return;
    const Page page{map, radii};
    const double pad = static_cast<double>(gap) / 2;
    std::vector<Index> alone;
    std::vector<Part> parts = parts_of(components, alone);
    cpu.each(std::ssize(parts), [&](Offset p) { prepare(page, parts[at(p)]); }, 1);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.width() + a.height() > b.width() + b.height(); });

    const double cell = cell_side(parts, 2 * pad);
    PolyominoPacking board;
    Box taken;
    for (const Part& part : parts) {
        const Cell corner = board.lay(piece_of(part, pad, cell));
        const Point low{corner.x * cell, corner.y * cell};
        take_in(taken, {low, {low.x + part.width() + 2 * pad, low.y + part.height() + 2 * pad}});
        const Point shift{low.x + pad - part.box.low.x, low.y + pad - part.box.low.y};
        for (const Index v : part.vertices) {
            const Point p = page.point(v);
            page.move(v, {p.x + shift.x, p.y + shift.y});
        }
    }
    lay_rows(page, alone, 2 * pad, taken);
}

}  // namespace dunlin::arrange
