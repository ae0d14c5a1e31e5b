// SPDX-License-Identifier: Apache-2.0
#include "arrange/packed_component.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dunlin::arrange {

namespace {

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

void level(const PackedMap& view, PackedComponent& component) {
    component.hull = convex_hull(disc_corners(view, component.vertices));
    rotate_level(view, component);
    component.hull = convex_hull(disc_corners(view, component.vertices));
    if (view.map.dim == 3) center_height(view, component);
    component.box = {component.hull.front(), component.hull.front()};
    for (const Point p : component.hull) extend(component.box, {p, p});
}

}  // namespace

void extend(HullBox& box, const HullBox& other) {
    box.low = {std::min(box.low.x, other.low.x), std::min(box.low.y, other.low.y)};
    box.high = {std::max(box.high.x, other.high.x), std::max(box.high.y, other.high.y)};
}

std::vector<PackedComponent> leveled_components(device::Cpu& cpu, const PackedMap& view,
                                                const graph::Components& components, std::vector<Index>& isolated) {
    std::vector<PackedComponent> packed;
    for (Index c = 0; c < components.count(); ++c) {
        const auto vertices = components.members_of(c);
        if (vertices.size() == 1) {
            isolated.push_back(vertices[0]);
        } else {
            packed.push_back({c, vertices});
        }
    }
    cpu.each(std::ssize(packed), [&](Offset p) { level(view, packed[at(p)]); }, 1);
    return packed;
}

PackedComponent scaled(const PackedComponent& component, double scale) {
    PackedComponent copy = component;
    for (Point& p : copy.hull) p = {scale * p.x, scale * p.y};
    copy.box.low = {scale * copy.box.low.x, scale * copy.box.low.y};
    copy.box.high = {scale * copy.box.high.x, scale * copy.box.high.y};
    copy.pad *= scale;
    copy.scale *= scale;
    return copy;
}

Polyomino polyomino_of(const PackedComponent& component, double cell) {
    const double pad = component.pad;
    const auto cells = [cell](double length) { return std::max(1, static_cast<int>(std::ceil(length / cell))); };
    Polyomino polyomino{cells(component.width()), std::vector<Polyomino::RowRange>(at(cells(component.height())))};
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

}  // namespace dunlin::arrange
