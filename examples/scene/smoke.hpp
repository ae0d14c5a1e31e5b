// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/surface.hpp>

#include "model.hpp"

/// Smoke and boulders: level surfaces of metaballs, by the library.
namespace scene {

struct Smoke {
    std::vector<Model> frames = {};  ///< after the last, the first follows
    double foot = 0;                 ///< height of the chimney
    Offset cells = 0, visited = 0;   ///< of the grids of all frames
};

/// Adds the surface of metaballs to a model. Each point lies inside, so that the walk along the surface starts at the
/// points. Returns the numbers of cells of the grid and of those visited.
inline std::array<Offset, 2> add_surface(Model& model, const dunlin::Map& map, double radius, int cells, double level,
                                         const dunlin::Run& run) {
    const dunlin::surface::FieldArray field = dunlin::surface::metaballs(map, radius, cells, run);
    dunlin::surface::Options options;
    options.level = level;
    for (std::size_t i = 0; i < map.coordinates.size(); i += 3) {
        Offset node = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double place = (double(map.coordinates[i + a]) - field.origin[a]) / field.spacing[a];
            node = node * field.nodes[a] + std::lround(place);
        }
        options.seeds.push_back(node);
    }
    const dunlin::surface::Result result = dunlin::surface::extract(field.grid(), options, run);
    const std::vector<float>&p = result.mesh.positions, &n = result.mesh.normals;
    for (std::size_t v = 0; v < p.size(); v += 3) model.vertex({p[v], p[v + 1], p[v + 2]}, {n[v], n[v + 1], n[v + 2]});
    model.part().triangles = result.mesh.triangles;
    return {Offset{field.nodes[0] - 1} * (field.nodes[1] - 1) * (field.nodes[2] - 1), result.visited};
}

/// Batches of particles at fixed intervals rise through a random field of velocities in x and y, by Euler's forward
/// method, and leave at the sides of the unit cube. Batches repeat after `frames` steps, and so does the smoke.
class Particles {
public:
    Particles(int frames, std::uint64_t seed) : frames_(frames), seed_(seed) {
        Random random(seed);
        for (std::size_t cell = 0; cell < wind_.size(); ++cell) {
            const double gust = std::min(0.013, 0.002 + 0.002 * double(cell % cells));  // none at the chimney
            wind_[cell] = {0.4 * gust + gust * random.normal(), gust * random.normal(), 0.017};
        }
    }

    void step() {
        Random random(seed_ + 1 + static_cast<std::uint64_t>(steps_ % frames_));
        for (int i = 0; i < batch && steps_ % interval == 0; ++i)
            now_.push_back({{0.5 + random.uniform(-0.025, 0.025), 0.5 + random.uniform(-0.025, 0.025), 0}, {}});
        for (Particle& p : now_) {
            std::size_t cell = 0;
            for (const double c : p.at) cell = cell * cells + static_cast<std::size_t>(c * cells);
            p.velocity = p.velocity + 0.25 * (wind_[cell] - p.velocity);
            p.at = p.at + p.velocity;
        }
        std::erase_if(now_, [](const Particle& p) {
            return std::any_of(p.at.begin(), p.at.end(), [](double c) { return c < 0 || c >= 1; });
        });
        ++steps_;
    }

    /// The particles in a cube with this edge above a foot.
    [[nodiscard]] dunlin::Map map(const Vec& foot, double edge) const {
        dunlin::Map map{3, {}};
        for (const Particle& p : now_) {
            for (const double c : foot + edge * (p.at - Vec{0.5, 0.5, 0})) map.coordinates.push_back(float(c));
        }
        return map;
    }

private:
    static constexpr int cells = 18, batch = 5, interval = 2;
    struct Particle {
        Vec at, velocity;
    };
    std::array<Vec, cells * cells * cells> wind_;
    std::vector<Particle> now_;
    int frames_, steps_ = 0;
    std::uint64_t seed_;
};

inline Smoke make_smoke(const Vec& chimney, int frames, int cells, const dunlin::Run& run) {
    Smoke smoke{{}, chimney[2]};
    Particles particles(frames, run.seed);
    for (int step = 0; step < 96 + frames; ++step) {
        particles.step();
        if (step < 96) continue;
        smoke.frames.emplace_back("smoke").in("smoke", {0.8, 0.8, 0.82}).places = {{}};
        const auto [all, visited] =
            add_surface(smoke.frames.back(), particles.map(chimney - Vec{0, 0, 0.7}, 12), 0.95, cells, 0.3, run);
        smoke.cells += all;
        smoke.visited += visited;
    }
    return smoke;
}

/// A rounded stone of about a meter.
inline Model boulder(const std::string& name, std::uint64_t seed) {
    Random random(seed);
    dunlin::Map map{3, {}};
    for (int i = 0; i < 24; ++i) map.coordinates.push_back(float(random.uniform(-0.3, 0.3) * (i % 3 == 2 ? 0.6 : 1)));
    Model model(name);
    add_surface(model.in("stone", {0.47, 0.45, 0.42}, Kind::bark), map, 0.55, 9, 0.5, {});
    return model;
}

}  // namespace scene
