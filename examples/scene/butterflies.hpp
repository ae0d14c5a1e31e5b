// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "terrain.hpp"

/// Butterflies of three kinds on pursuit curves.
namespace scene {

struct Wings {
    const char* name;
    Vec field, margin;
};
constexpr std::array<Wings, 3> butterfly_kinds{{{"monarch", {0.90, 0.42, 0.06}, {0.08, 0.05, 0.03}},
                                                {"blue morpho", {0.10, 0.38, 0.95}, {0.03, 0.04, 0.08}},
                                                {"white morpho", {0.95, 0.95, 0.90}, {0.45, 0.42, 0.36}}}};
struct Flight {
    std::size_t kind;
    std::vector<Vec> path;  ///< closed, a position every 0.1 s
};

/// Wings with a colored field within a dark margin. The head is at +y, the span about 2.
inline Model butterfly(const Wings& wings) {
    const std::array<std::vector<Vec>, 2> outlines{
        {{{0.05, 0.1, 0}, {0.5, 0.1, 0}, {0.85, 0.35, 0}, {1.05, 0.75, 0}, {0.95, 0.9, 0}, {0.45, 0.6, 0}},
         {{0.05, 0.1, 0}, {0.1, -0.65, 0}, {0.4, -0.75, 0}, {0.72, -0.5, 0}, {0.75, -0.1, 0}, {0.5, 0.1, 0}}}};
    Model model(wings.name);
    for (const std::vector<Vec>& wing : outlines) {
        for (const double side : {-1.0, 1.0}) {
            std::vector<Vec> outer, inner;
            for (const Vec& p : wing) {
                outer.push_back({side * p[0], p[1], 0});
                inner.push_back(mix(outer[0], outer.back(), 0.82));
            }
            model.in("field", wings.field, Kind::wing).polygon(inner);
            for (std::size_t i = 0, next = 1; i < 6; ++i, next = (i + 1) % 6)
                model.in("margin", wings.margin, Kind::wing).polygon({inner[i], outer[i], outer[next], inner[next]});
        }
    }
    model.in("body", {0.10, 0.08, 0.07}).tube({0, -0.45, 0}, {0, 0.4, 0}, 0.045, 0.06, 6, 1, true);
    for (const double side : {-1.0, 1.0}) model.tube({0, 0.4, 0}, {0.2 * side, 0.7, 0.1}, 0.012, 0.008, 3);
    return model;
}

/// Each step leads towards where the target will be next; the target walks at random, and is set anew when it is caught
/// or leaves the unit cube. At last the target is the start, which closes the path.
inline Flight pursuit(Random& random, const Terrain& terrain, const Vec& corner, double edge, std::size_t steps) {
    const auto anywhere = [&] { return Vec{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0.05, 0.5)}; };
    const double stride = 0.16 / edge;
    Flight flight{random.below(3), {}};
    const Vec start = anywhere();
    Vec position = start, target = anywhere();
    while (true) {
        const bool returns = flight.path.size() >= steps;
        const Vec walk = 0.25 * stride * Vec{random.normal(), random.normal(), random.normal()},
                  next = returns ? start : target + walk;
        const Vec world = corner + edge * position;
        flight.path.push_back(
            {world[0], world[1], std::max(terrain.height(world[0], world[1]), 0.0) + 0.3 + edge * position[2]});
        const bool is_caught = length(next - position) < stride;
        if (returns && is_caught) return flight;
        position = position + stride * unit(next - position);
        const bool is_outside = std::any_of(next.begin(), next.end(), [](double c) { return c < 0 || c > 1; });
        target = is_caught || is_outside ? anywhere() : next;
    }
}

/// The place of a butterfly at the start: it faces along its path.
inline Place place_of(const Flight& flight, double phase) {
    const Vec ahead = flight.path[3] - flight.path[0];
    const double pitch = 0.6 * std::atan2(ahead[2], std::hypot(ahead[0], ahead[1]));
    return {flight.path[0], 0.14, std::atan2(-ahead[0], ahead[1]), pitch, 0.35 + 0.85 * std::sin(phase)};
}

}  // namespace scene
