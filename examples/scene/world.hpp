// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cabin.hpp"
#include "moving.hpp"
#include "plants.hpp"

/// Everything in the scene, and where it stands.
namespace scene {

struct View {
    std::string name;
    Vec eye, target;
};

struct World {
    Terrain terrain;
    Textures textures;
    std::vector<Model> models = {};
    std::vector<Flight> flights = {};
    Smoke smoke = {};
    std::vector<View> views = {};
    Vec sun = normalize({-0.70, -0.42, 0.40}), middle{225, 215, 20};  ///< of what has shadows
    Vec cabin{268, 168};
};

/// Where plants stand: how many, their least distance and scale, the range of heights, the least z of the normal, and
/// the least value of the noise that makes clumps. Those without distance are dense near the views and cast no shadow.
struct Habitat {
    int count;
    double apart, scale, low, high, upright, clump;
};

/// Chance of a plant at a place: none at the cabin and, for large ones, in the foreground of a view.
inline double chance(const World& world, const Vec& at, double apart) {
    double most = apart > 0 ? 1 : 0;
    for (const View& view : world.views) {
        const Vec ahead = normalize(view.target - view.eye), away = at - view.eye;
        const double along = dot(away, ahead), aside = abs(away[0] * ahead[1] - away[1] * ahead[0]);
        if (apart > 1 && along > -3 && along < 22 && aside < 5 + 0.15 * along) return 0;
        most = max(most, exp(-max(0.0, distance(at, view.eye + 11.0 * ahead) - 8) / 11));
    }
    return distance(at, world.cabin) < (apart > 0.5 ? 8.5 : 5.2) ? 0 : most;
}

inline void grow(World& world, Random& random, std::uint64_t seed, const Species& species, const Habitat& h) {
    std::vector<Model> models;
    for (const char* number : {" 0", " 1", " 2"}) models.push_back(Gardener(species, number, random).model);
    std::vector<Vec> taken;
    const auto add = [&](const Vec& at) {
        taken.push_back(at);
        const double scale = h.scale * random.uniform(0.65, 1.3), yaw = random.uniform(0, 2 * pi);
        models[taken.size() % 3].places.push_back({at, scale, yaw});
    };
    const View& view = world.views.back();  // under these cottonwoods
    const Vec ahead = normalize(view.target - view.eye), right = across(ahead);
    for (const Vec& p : std::array<Vec, 6>{{{8, -4.5}, {12, 5}, {1.5, 3.8}, {3.5, -8}, {18, -8}, {-4, -3}}})
        if (&species == &cottonwoods) add(world.terrain.on(view.eye + p[0] * ahead + p[1] * right));
    for (int attempt = 0; attempt < 200 * h.count && int(taken.size()) < h.count; ++attempt) {
        const Vec at = world.terrain.on({random.uniform(10, 390), random.uniform(10, 390)});
        const auto is_near = [&](const Vec& p) { return distance(at, p) < h.apart; };
        if (at[2] < h.low || at[2] > h.high || random.uniform(0, 1) > chance(world, at, h.apart)) continue;
        if (world.terrain.normal(at)[2] < h.upright) continue;
        if (octaves(at[0] / 400, at[1] / 400, 9, 3, seed + 5) < h.clump) continue;
        if (h.apart > 0 && std::any_of(taken.begin(), taken.end(), is_near)) continue;
        add(at);
    }
    for (Model& model : models) {
        model.casts = h.apart > 0;
        world.models.push_back(std::move(model));
    }
}

inline World make_world(bool small, const dunlin::Run& run) {
    World world{Terrain(small ? 6 : 8, run.seed), Textures(run.seed)};
    const Terrain& ground = world.terrain;
    world.terrain.level(world.cabin, 8);
    world.views = {{"shore", ground.on({214, 104}, 1.7), {160, 290, 22}},
                   {"mountain", ground.on({240, 172}, 9), {202, 345, 42}},
                   {"cabin", ground.on({259, 157.5}, 1.7), ground.on(world.cabin, 3.0)},
                   {"trees", ground.on({250, 118}, 1.6), ground.on({232, 150}, 4)}};
    world.models.push_back(world.terrain.model());
    Random random(run.seed);
    const int many = small ? 1 : 20;
    grow(world, random, run.seed, cottonwoods, {2 * many, 7.5, 1.05, 0.9, 10, 0.9, 0.47});
    grow(world, random, run.seed, spruces, {15 * many, 3.5, 0.95, 6, 46, 0.67, 0.36});
    grow(world, random, run.seed, bushes, {10 * many, 1.2, 1.1, 0.9, 20, 0.86, 0.45});
    grow(world, random, run.seed, reeds, {21 * many, 0.4, 1, -0.55, 0.05, 0, 0.5});
    grow(world, random, run.seed, grass, {750 * many, 0, 0.95, 0.45, 16, 0.86, 0.3});

    Place place{ground.on(world.cabin), 1, -0.93};
    place.at = 2.0 * place.at - place.put(PLAIN, {{0.5 * Cabin::wide, 0.5 * Cabin::deep}, {}}).position;
    world.models.push_back(Cabin(run.seed).model);
    world.models.back().places = {place};
    world.smoke = make_smoke(place.put(PLAIN, {Cabin::chimney_top, {}}).position, small ? 4 : 32, small ? 24 : 44, run);

    for (const Wings& wings : butterfly_kinds) world.models.push_back(butterfly(wings));
    for (int i = 0; i < 36; ++i) {
        const View& view = world.views[static_cast<std::size_t>(i % 4)];
        const Vec corner = view.eye + 9.0 * normalize(view.target - view.eye) - Vec{6, 6, 0};
        const auto& [kind, path] = world.flights.emplace_back(pursuit(random, ground, corner, 12, 500));
        const Vec ahead = path[3] - path[0];
        Model& model = world.models[world.models.size() - 3 + kind];
        model.places.push_back({path[0], 0.14, std::atan2(-ahead[0], ahead[1]), 0, 0.85 * sin(2.4 * i) + 0.35});
    }
    return world;
}

}  // namespace scene
