// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/surface.hpp>

#include "terrain.hpp"

/// What moves: butterflies of three kinds on pursuit curves, and smoke, level surfaces of metaballs by the library.
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
            model.in("field", wings.field, WING).polygon(inner);
            for (std::size_t i = 0, next = 1; i < 6; ++i, next = (i + 1) % 6)
                model.in("margin", wings.margin, WING).polygon({inner[i], outer[i], outer[next], inner[next]});
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
        const Vec walk = 0.25 * stride * Vec{random.normal(), random.normal(), random.normal()};
        const Vec next = returns ? start : target + walk, world = corner + edge * position;
        flight.path.push_back({world, max(terrain.on(world)[2], 0.0) + 0.3 + edge * position[2]});
        const bool is_caught = length(next - position) < stride;
        if (returns && is_caught) return flight;
        position = position + stride * normalize(next - position);
        target = is_caught || !in_cube(next) ? anywhere() : next;
    }
}

struct Smoke {
    std::vector<Model> frames = {};  ///< after the last, the first follows
    double foot = 0;                 ///< height of the chimney
    Offset cells = 0, visited = 0;   ///< of the grids of all frames
};

/// Batches of particles at fixed intervals rise through a random field of velocities, by Euler's forward method, and
/// leave at the sides of a cube with this edge above a foot. After `frames` steps, batches and smoke repeat.
inline std::vector<dunlin::Map> rising(const Vec& foot, double edge, int frames, std::uint64_t seed) {
    constexpr int cells = 18, batch = 5, interval = 2, before = 96;
    std::vector<Vec> wind;
    Random random(seed);
    for (int cell = 0; cell < cells * cells * cells; ++cell) {
        const double gust = min(0.013, 0.002 + 0.002 * (cell % cells));  // none at the chimney
        wind.push_back({0.4 * gust + gust * random.normal(), gust * random.normal(), 0.017});
    }
    std::vector<std::array<Vec, 2>> particles;  // places in the unit cube, and velocities
    std::vector<dunlin::Map> maps;
    for (int step = 0; step < before + frames; ++step) {
        Random start(seed + 1 + std::uint64_t(step % frames));
        for (int i = 0; i < batch && step % interval == 0; ++i)
            particles.push_back({Vec{start.uniform(0.475, 0.525), start.uniform(0.475, 0.525)}, Vec{}});
        for (auto& [at, velocity] : particles) {
            std::size_t cell = 0;
            for (const double c : at) cell = cell * cells + static_cast<std::size_t>(c * cells);
            velocity = mix(velocity, wind[cell], 0.25);
            at = at + velocity;
        }
        std::erase_if(particles, [](const auto& p) { return !in_cube(p[0]); });
        if (step < before) continue;
        std::vector<float>& coordinates = maps.emplace_back(dunlin::Map{3, {}}).coordinates;
        for (const auto& [at, velocity] : particles)
            for (const double c : foot + edge * (at - Vec{0.5, 0.5})) coordinates.push_back(float(c));
    }
    return maps;
}

/// The surface of the metaballs of each step. Particles lie inside, so that the walk along the surface starts there.
inline Smoke make_smoke(const Vec& chimney, int frames, int cells, const dunlin::Run& run) {
    namespace surface = dunlin::surface;
    Smoke smoke{{}, chimney[2]};
    for (const dunlin::Map& map : rising(chimney - Vec{0, 0, 0.7}, 12, frames, run.seed)) {
        const surface::FieldArray field = surface::metaballs(map, 0.95, cells, run);
        surface::Options options{0.3};
        for (std::size_t i = 0; i < map.coordinates.size(); i += 3) {
            Offset node = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                const double place = (double(map.coordinates[i + a]) - field.origin[a]) / field.spacing[a];
                node = node * field.nodes[a] + std::lround(place);
            }
            options.seeds.push_back(node);
        }
        const surface::Result result = surface::extract(field.grid(), options, run);
        const std::vector<float>&p = result.mesh.positions, &n = result.mesh.normals;
        Model& model = smoke.frames.emplace_back("smoke").in("smoke", {0.8, 0.8, 0.82}, SMOKE);
        for (std::size_t v = 0; v < p.size(); v += 3)
            model.vertex({p[v], p[v + 1], p[v + 2]}, {n[v], n[v + 1], n[v + 2]});
        model.part().triangles = result.mesh.triangles;
        model.places = {{}};
        smoke.cells += Offset{field.nodes[0] - 1} * (field.nodes[1] - 1) * (field.nodes[2] - 1);
        smoke.visited += result.visited;
    }
    return smoke;
}

}  // namespace scene
