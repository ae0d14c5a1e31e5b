// SPDX-License-Identifier: Apache-2.0
#include "arrange/pack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrange/hull.hpp"
#include "arrange/polyomino.hpp"
#include "math/at.hpp"

namespace dunlin::arrange {

namespace {

/// Access to the map in double, with the radii of discs.
struct PackedMap {
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

struct HullBox {
    Point low = {}, high = {};

    [[nodiscard]] double width() const { return high.x - low.x; }
    [[nodiscard]] double height() const { return high.y - low.y; }
};

/// A component that is moved as a whole, and its extent.
struct PackedComponent {
    std::span<const Index> vertices;
    std::vector<Point> hull = {};  ///< of the discs
    HullBox box = {};              ///< around the hull

    [[nodiscard]] double width() const { return box.width(); }
    [[nodiscard]] double height() const { return box.height(); }
};

/// Places isolated vertices in rows below a box, larger discs first; the width is that of the box or, if larger, the
/// square root of the discs' total area.
void place_isolated_vertices(const PackedMap& view, std::vector<Index>& vertices, double gap, const HullBox& above) {
    std::stable_sort(vertices.begin(), vertices.end(),
                     [&](Index a, Index b) { return view.radius(a) > view.radius(b); });
    const auto pitch = [&](Index v) { return 2 * view.radius(v) + gap; };
    double area = 0;
    for (const Index v : vertices) area += pitch(v) * pitch(v);
    const double width = std::max(above.width(), std::sqrt(area)) * (1 - 1e-9);  // k * k equal discs make k rows
    const double left = (above.low.x + above.high.x - width) / 2;
    double x = width, y = above.low.y, height = 0;
    for (const Index v : vertices) {
        if (x >= width) {
            x = 0;
            y -= height;
            height = pitch(v);
        }
        view.move(v, {left + x + pitch(v) / 2, y - height / 2});
        if (view.map.dim == 3) view.place(v)[2] = 0;
        x += pitch(v);
    }
}

/// Components on a line: one after another, the longest first.
void pack_on_line(const PackedMap& view, const graph::Components& components, double gap) {
    struct Segment {
        std::span<const Index> vertices;
        double low = std::numeric_limits<double>::infinity(), high = -low;
    };
    std::vector<Segment> segments;
    for (Index c = 0; c < components.count(); ++c) {
        Segment segment{components.members_of(c)};
        for (const Index v : segment.vertices) {
            const auto x = static_cast<double>(*view.place(v));
            segment.low = std::min(segment.low, x - view.radius(v));
            segment.high = std::max(segment.high, x + view.radius(v));
        }
        segments.push_back(segment);
    }
    std::stable_sort(segments.begin(), segments.end(),
                     [](const Segment& a, const Segment& b) { return a.high - a.low > b.high - b.low; });
    double end = segments.front().low;  // the longest one stays
    for (const Segment& segment : segments) {
        for (const Index v : segment.vertices)
            *view.place(v) = static_cast<float>(static_cast<double>(*view.place(v)) + end - segment.low);
        end += segment.high - segment.low + gap;
    }
}

/// Components with at least two vertices; single vertices go to `isolated`.
std::vector<PackedComponent> packed_components(const graph::Components& components, std::vector<Index>& isolated) {
    std::vector<PackedComponent> packed;
    for (Index c = 0; c < components.count(); ++c) {
        const auto vertices = components.members_of(c);
        if (vertices.size() == 1) {
            isolated.push_back(vertices[0]);
        } else {
            packed.push_back({vertices});
        }
    }
    return packed;
}

/// Corners of the bounding squares of the discs, or the points themselves.
std::vector<Point> disc_corners(const PackedMap& view, std::span<const Index> vertices) {
    std::vector<Point> points;
    for (const Index v : vertices) {
        const Point p = view.point(v);
        const double r = view.radius(v);
        points.push_back({p.x - r, p.y - r});
        if (r == 0) continue;
        points.insert(points.end(), {{p.x + r, p.y - r}, {p.x + r, p.y + r}, {p.x - r, p.y + r}});
    }
    return points;
}

void rotate_level(const PackedMap& view, const PackedComponent& component) {
    const Point level = long_direction(component.hull);
    for (const Index v : component.vertices) {
        const Point p = view.point(v);
        view.move(v, {p.x * level.x + p.y * level.y, p.y * level.x - p.x * level.y});
    }
}

/// 3-D: centers the heights of a component at 0.
void center_height(const PackedMap& view, const PackedComponent& component) {
    double sum = 0;
    for (const Index v : component.vertices) sum += static_cast<double>(view.place(v)[2]);
    const auto mean = static_cast<float>(sum / static_cast<double>(component.vertices.size()));
    for (const Index v : component.vertices) view.place(v)[2] -= mean;
}

void extend(HullBox& box, const HullBox& other) {
    box.low = {std::min(box.low.x, other.low.x), std::min(box.low.y, other.low.y)};
    box.high = {std::max(box.high.x, other.high.x), std::max(box.high.y, other.high.y)};
}

void prepare(const PackedMap& view, PackedComponent& component) {
    component.hull = convex_hull(disc_corners(view, component.vertices));
    rotate_level(view, component);
    component.hull = convex_hull(disc_corners(view, component.vertices));
    if (view.map.dim == 3) center_height(view, component);
    component.box = {component.hull.front(), component.hull.front()};
    for (const Point p : component.hull) extend(component.box, {p, p});
}

/// Cell size such that a component of mean area has a few hundred cells, and the grid stays small even for very long
/// components.
double cell_side(const std::vector<PackedComponent>& packed, double gap) {
    double area = 0, longest = 0;
    for (const PackedComponent& component : packed) {
        area += (component.width() + gap) * (component.height() + gap);
        longest = std::max({longest, component.width() + gap, component.height() + gap});
    }
    const auto cells = std::clamp<Offset>(256 * std::ssize(packed), Offset{1} << 14, Offset{1} << 24);
    return std::max(std::sqrt(area / static_cast<double>(cells)), longest / 4096);
}

/// Cells touched by a hull that is widened by `pad` on all sides.
Polyomino polyomino_of(const PackedComponent& component, double pad, double cell) {
    const auto cells = [cell](double length) { return std::max(1, static_cast<int>(std::ceil(length / cell))); };
    Polyomino polyomino{cells(component.width() + 2 * pad),
                        std::vector<Polyomino::RowRange>(at(cells(component.height() + 2 * pad)))};
    const int height = polyomino.height();
    constexpr double nowhere = std::numeric_limits<double>::infinity();
    std::vector<double> least(polyomino.rows.size(), nowhere), most(polyomino.rows.size(), -nowhere);
    for (std::size_t i = 0; i < component.hull.size(); ++i) {
        Point a = component.hull[i], b = component.hull[(i + 1) % component.hull.size()];
        if (a.y > b.y) std::swap(a, b);
        const double from = a.y - component.box.low.y + pad, to = b.y - component.box.low.y + pad;
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
    for (std::size_t row = 0; row < polyomino.rows.size(); ++row) {
        const int first = static_cast<int>((least[row] - component.box.low.x) / cell);
        polyomino.rows[row] = {
            std::clamp(first, 0, polyomino.width - 1),
            std::clamp(cells(most[row] - component.box.low.x + 2 * pad), first + 1, polyomino.width)};
    }
    return polyomino;
}

}  // namespace

void pack(device::Cpu& cpu, Map& map, const graph::Components& components, std::span<const float> radii, float gap) {
    if (components.count() < 2) return;
    const PackedMap view{map, radii};
    if (map.dim == 1) return pack_on_line(view, components, static_cast<double>(gap));
    const double pad = static_cast<double>(gap) / 2;
    std::vector<Index> isolated;
    std::vector<PackedComponent> packed = packed_components(components, isolated);
    cpu.each(std::ssize(packed), [&](Offset p) { prepare(view, packed[at(p)]); }, 1);
    std::stable_sort(packed.begin(), packed.end(), [](const PackedComponent& a, const PackedComponent& b) {
        return a.width() + a.height() > b.width() + b.height();
    });

    const double cell = cell_side(packed, 2 * pad);
    PolyominoPacking packing;
    HullBox taken;
    for (const PackedComponent& component : packed) {
        const GridCell corner = packing.place(polyomino_of(component, pad, cell));
        const Point low{corner.x * cell, corner.y * cell};
        extend(taken, {low, {low.x + component.width() + 2 * pad, low.y + component.height() + 2 * pad}});
        const Point shift{low.x + pad - component.box.low.x, low.y + pad - component.box.low.y};
        for (const Index v : component.vertices) {
            const Point p = view.point(v);
            view.move(v, {p.x + shift.x, p.y + shift.y});
        }
    }
    place_isolated_vertices(view, isolated, 2 * pad, taken);
}

}  // namespace dunlin::arrange
