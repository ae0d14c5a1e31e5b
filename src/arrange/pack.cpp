// SPDX-License-Identifier: Apache-2.0
#include "arrange/pack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "arrange/arrangement.hpp"
#include "arrange/packed_component.hpp"
#include "math/at.hpp"

namespace dunlin::arrange {

namespace {

constexpr double apart = 1.15;            ///< distance between components, in longest edges
constexpr double gap_on_line = 3;         ///< in map units
constexpr double most_share = 0.6;        ///< of the drawing that the largest component gets
constexpr double least_edge = 4 / 1200.;  ///< length of scaled edges, in sides of the drawing
constexpr int bisections = 8;

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

/// What is packed. A dominant component, of at least half of the vertices, is the first.
struct Pieces {
    std::vector<PackedComponent> packed;  ///< by size
    std::vector<Index> isolated;          ///< larger discs first
    double gap = 0;                       ///< between isolated vertices
    bool dominated = false;
};

bool is_dominant(const PackedComponent& component, const Map& map) {
    return 2 * std::ssize(component.vertices) > map.size();
}

Pieces pieces_of(device::Cpu& cpu, const PackedMap& view, const graph::Components& components) {
    Pieces pieces;
    pieces.packed = leveled_components(cpu, view, components, pieces.isolated);
    std::stable_sort(pieces.isolated.begin(), pieces.isolated.end(),
                     [&](Index a, Index b) { return view.radius(a) > view.radius(b); });
    return pieces;
}

void sort_by_size(std::span<PackedComponent> packed) {
    std::stable_sort(packed.begin(), packed.end(), [](const PackedComponent& a, const PackedComponent& b) {
        return a.width() + a.height() > b.width() + b.height();
    });
}

std::vector<double> pitches_of(const PackedMap& view, const Pieces& pieces, double scale) {
    std::vector<double> pitches;
    pitches.reserve(pieces.isolated.size());
    for (const Index v : pieces.isolated) pitches.push_back(2 * view.radius(v) + scale * pieces.gap);
    return pitches;
}

/// All components `scale` times as large, but for a dominant one.
std::vector<PackedComponent> scaled_others(const Pieces& pieces, double scale) {
    std::vector<PackedComponent> packed;
    for (const PackedComponent& component : pieces.packed) {
        if (pieces.dominated && packed.empty()) {
            packed.push_back(component);
            packed.back().pad *= scale;
        } else {
            packed.push_back(scaled(component, scale));
        }
    }
    return packed;
}

void move_to(const PackedMap& view, std::span<const PackedComponent> packed, std::span<const Index> isolated,
             const Arrangement& arrangement) {
    for (std::size_t c = 0; c < packed.size(); ++c) {
        const PackedComponent& component = packed[c];
        const Point corner = arrangement.corners[c];
        const Point shift{corner.x - component.box.low.x, corner.y - component.box.low.y};
        for (const Index v : component.vertices) {
            const Point p = view.point(v);
            view.move(v, {component.scale * p.x + shift.x, component.scale * p.y + shift.y});
            if (view.map.dim == 3) view.place(v)[2] *= static_cast<float>(component.scale);
        }
    }
    for (std::size_t i = 0; i < isolated.size(); ++i) {
        view.move(isolated[i], arrangement.isolated[i]);
        if (view.map.dim == 3) view.place(isolated[i])[2] = 0;
    }
}

double length(const Map& map, Index a, Index b) {
    double sum = 0;
    for (int d = 0; d < map.dim; ++d) {
        const double delta = static_cast<double>(map.view()(a, d)) - static_cast<double>(map.view()(b, d));
        sum += delta * delta;
    }
    return std::sqrt(sum);
}

template <class Visit>
void each_edge(const Graph& graph, Index v, const Visit& visit) {
    for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) visit(graph.targets[at(e)]);
}

/// Mean length of the edges in the map; 1 if all are 0 or there are none.
double mean_edge(device::Cpu& cpu, const Map& map, const Graph& graph) {
    device::Cell<double> total;
    const auto of_vertex = [&](Offset v) {
        double sum = 0;
        each_edge(graph, static_cast<Index>(v), [&](Index u) { sum += length(map, static_cast<Index>(v), u); });
        return sum;
    };
    cpu.sum(graph.size(), of_vertex, total);
    return total.value > 0 ? total.value / static_cast<double>(graph.edges()) : 1;
}

/// Sets the pads and the gap of isolated vertices, so that two components are `apart` longest edges of either apart.
/// Those of a dominant component do not count: its vertices have neighbors enough.
void space_by_edges(device::Cpu& cpu, const Map& map, const Graph& graph, double mean, Pieces& pieces) {
    std::vector<double> longest(pieces.packed.size(), 0);
    const auto find = [&](Offset c) {
        if (pieces.dominated && c == 0) return;
        for (const Index v : pieces.packed[at(c)].vertices)
            each_edge(graph, v, [&](Index u) { longest[at(c)] = std::max(longest[at(c)], length(map, v, u)); });
    };
    cpu.each(std::ssize(pieces.packed), find, 1);
    double least = mean;
    for (double& edge : longest) {
        if (edge == 0) edge = mean;
        least = std::min(least, edge);
    }
    if (pieces.dominated) longest[0] = least;
    for (std::size_t c = 0; c < longest.size(); ++c) pieces.packed[c].pad = apart * (longest[c] - least / 2);
    pieces.gap = apart * mean;
}

/// Moves a dominant component to the front.
void find_dominant(const Map& map, Pieces& pieces) {
    const auto found = std::find_if(pieces.packed.begin(), pieces.packed.end(),
                                    [&](const PackedComponent& component) { return is_dominant(component, map); });
    pieces.dominated = found != pieces.packed.end();
    if (pieces.dominated) std::rotate(pieces.packed.begin(), found, found + 1);
}

std::optional<Arrangement> arranged(const PackedMap& view, const Pieces& pieces,
                                    std::span<const PackedComponent> packed, double scale, double most_area) {
    return arranged(packed, pitches_of(view, pieces, scale), cell_side(packed, pieces.dominated), most_area);
}

/// The largest scale of all but the dominant component with which it has its share of the drawing.
double scale_of_others(const PackedMap& view, const Pieces& pieces, double mean) {
    const PackedComponent& dominant = pieces.packed.front();
    const double share =
        std::min(most_share, static_cast<double>(dominant.vertices.size()) / static_cast<double>(view.map.size()));
    const double width = std::max(dominant.box.width(), mean), height = std::max(dominant.box.height(), mean);
    const double most_area = width * height / share;
    const auto fits = [&](double scale) {
        return arranged(view, pieces, scaled_others(pieces, scale), scale, most_area).has_value();
    };
    if (fits(1)) return 1;
    const double side = std::max({width, height, std::sqrt(most_area)});
    double low = std::min(least_edge * side / mean, 1.0), high = 1;
    for (int i = 0; i < bisections && low < high; ++i) {
        const double middle = std::sqrt(low * high);
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

void place_pieces(const PackedMap& view, const Pieces& pieces, double scale) {
    const std::vector<PackedComponent> packed = scaled_others(pieces, scale);
    constexpr double any = std::numeric_limits<double>::infinity();
    move_to(view, packed, pieces.isolated, *arranged(view, pieces, packed, scale, any));
}

}  // namespace

void pack(device::Cpu& cpu, Map& map, const graph::Components& components, std::span<const float> radii, float gap) {
    if (components.count() < 2) return;
    const PackedMap view{map, radii};
    if (map.dim == 1) return pack_on_line(view, components, static_cast<double>(gap));
    Pieces pieces = pieces_of(cpu, view, components);
    pieces.gap = static_cast<double>(gap);
    for (PackedComponent& component : pieces.packed) component.pad = pieces.gap / 2;
    sort_by_size(pieces.packed);
    place_pieces(view, pieces, 1);
}

double pack_drawing(device::Cpu& cpu, Map& map, const Graph& graph, const graph::Components& components,
                    std::span<const float> radii, bool one_scale) {
    if (components.count() < 2) return 1;
    const PackedMap view{map, radii};
    if (map.dim == 1) {
        pack_on_line(view, components, gap_on_line);
        return 1;
    }
    const double mean = mean_edge(cpu, map, graph);
    Pieces pieces = pieces_of(cpu, view, components);
    find_dominant(map, pieces);
    space_by_edges(cpu, map, graph, mean, pieces);
    sort_by_size(std::span(pieces.packed).subspan(pieces.dominated ? 1 : 0));
    const bool may_scale = pieces.dominated && !one_scale && radii.empty();
    const double scale = may_scale ? scale_of_others(view, pieces, mean) : 1;
    place_pieces(view, pieces, scale);
    return scale;
}

}  // namespace dunlin::arrange
