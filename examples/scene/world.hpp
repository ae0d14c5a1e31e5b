// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "butterflies.hpp"
#include "cabin.hpp"
#include "plants.hpp"
#include "smoke.hpp"

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
    Vec sun = unit({-0.70, -0.42, 0.40});
};

/// Where copies of a model stand: how many, their least distance and scale, the range of heights, the greatest slope,
/// and the least value of the noise that makes clumps. Small ones are dense near the views.
struct Habitat {
    int count;
    double apart, scale, low, high, slope, clump;
    bool near_views = false;
};

class Planter {
public:
    static constexpr Vec cabin{268, 168, 0};

    Planter(World& world, std::uint64_t seed, bool small)
        : world_(world), random_(seed), noise_(seed + 5), fewer_(small ? 20 : 1) {
        trees(seed);
        undergrowth(seed);
        std::vector<Model> stones;
        for (std::uint64_t i = 0; i < 3; ++i) stones.push_back(boulder("boulder " + std::to_string(i), seed + i));
        scatter(stones, {130, 0.8, 0.9, -2.5, 0.4, 9, 0.49});
        scatter(stones, {90, 0.8, 1.1, 18, 60, 9, 0.48});
    }

private:
    void scatter(std::vector<Model> models, const Habitat& h) {
        std::vector<Vec> taken;
        const int count = 1 + h.count / fewer_;
        for (int attempt = 0; attempt < 200 * count && static_cast<int>(taken.size()) < count; ++attempt) {
            const Vec at = world_.terrain.on(random_.uniform(10, 390), random_.uniform(10, 390));
            const auto is_near = [&](const Vec& p) { return std::hypot(at[0] - p[0], at[1] - p[1]) < h.apart; };
            if (at[2] < h.low || at[2] > h.high || is_built(at, h.apart)) continue;
            if (world_.terrain.slope(at[0], at[1]) > h.slope) continue;
            if (octaves(at[0] / 400, at[1] / 400, 9, 3, noise_) < h.clump) continue;
            if (h.near_views && random_.uniform(0, 1) > nearness(at)) continue;
            if (h.apart > 0 && std::any_of(taken.begin(), taken.end(), is_near)) continue;
            taken.push_back(at);
            auto& places = models[random_.below(models.size())].places;
            places.push_back({at, h.scale * random_.uniform(0.65, 1.3), random_.uniform(0, 2 * pi)});
        }
        for (Model& model : models) world_.models.push_back(std::move(model));
    }

    /// Whether the cabin is there or, for large plants, the foreground of a view.
    [[nodiscard]] bool is_built(const Vec& at, double apart) const {
        if (std::hypot(at[0] - cabin[0], at[1] - cabin[1]) < (apart > 0.5 ? 8.5 : 5.2)) return true;
        return apart > 2 && std::any_of(world_.views.begin(), world_.views.end(), [&](const View& view) {
                   const Vec ahead = unit(view.target - view.eye), away = at - view.eye;
                   const double along = dot(away, ahead), aside = std::abs(away[0] * ahead[1] - away[1] * ahead[0]);
                   return along > -3 && along < 22 && aside < 5 + 0.15 * along;
               });
    }
    [[nodiscard]] double nearness(const Vec& at) const {
        double most = 0;
        for (const View& view : world_.views) {
            const Vec away = at - view.eye - 11.0 * unit(view.target - view.eye);
            most = std::max(most, std::exp(-std::max(0.0, std::hypot(away[0], away[1]) - 8) / 11));
        }
        return most;
    }

    void trees(std::uint64_t seed) {
        std::vector<Model> cottonwoods, spruces;
        for (int i = 0; i < 3; ++i) {
            const std::string number = " " + std::to_string(i);
            cottonwoods.push_back(plant("cottonwood" + number, cottonwood(random_, 6, 3.1, 0.36),
                                        {{0.40, 0.35, 0.29}, {0.36, 0.47, 0.15}, {}, 0.36}, 1.1, seed));
            spruces.push_back(plant("spruce" + number, spruce(random_, 20, 20, 0.62, 0.2),
                                    {{0.30, 0.23, 0.17}, {0.15, 0.25, 0.13}, {}, 1}, 0.7, seed));
        }
        const View& view = world_.views.back();  // under these trees
        const Vec ahead = unit(view.target - view.eye), right = across(ahead);
        constexpr std::array<Vec, 6> grove{{{8, -4.5}, {12, 5}, {1.5, 3.8}, {3.5, -8}, {18, -8}, {-4, -3}}};
        for (std::size_t i = 0; i < 6; ++i) {
            const Vec at = view.eye + grove[i][0] * ahead + grove[i][1] * right;
            cottonwoods[i % 3].places.push_back(
                {world_.terrain.on(at[0], at[1]), random_.uniform(0.9, 1.1), double(i)});
        }
        scatter(std::move(cottonwoods), {42, 7.5, 1.05, 0.9, 10, 0.5, 0.47});
        scatter(std::move(spruces), {300, 3.5, 0.95, 6, 46, 1.1, 0.36});
    }

    void undergrowth(std::uint64_t seed) {
        const auto grass = [&](const std::string& name, const Branch& branch, const Vec& color, const Vec& petal) {
            Model model = plant(name, branch, {{0.25, 0.36, 0.13}, color, petal, 1, Kind::grass}, 0, seed);
            model.casts = false;
            return model;
        };
        const Look shrub{{0.30, 0.25, 0.18}, {0.27, 0.38, 0.13}, {}, 0.12};
        scatter({plant("bush", bush(random_, 4, 0.42, 0.035), shrub, 0.9, seed)}, {200, 1.2, 1.1, 0.9, 20, 0.6, 0.45});
        constexpr std::array<Vec, 3> petals{{{0.93, 0.91, 0.86}, {0.90, 0.72, 0.12}, {0.52, 0.34, 0.72}}};
        for (std::size_t i = 0; i < 3; ++i) {
            const Branch flowers = tuft(random_, 6, 2, 0.2, 0.5, Organ::flower, Organ::blade);
            const Model model = grass("flower " + std::to_string(i), flowers, {0.27, 0.40, 0.13}, petals[i]);
            scatter({model}, {450, 0, 1, 0.6, 12, 0.5, 0.4, true});
        }
        const Branch blades = tuft(random_, 16, 1, 0.42, 0.8, Organ::blade, Organ::blade);
        scatter({grass("grass", blades, {0.36, 0.43, 0.14}, {})}, {15000, 0, 0.95, 0.45, 16, 0.6, 0.3, true});
        const Branch stems = tuft(random_, 18, 3, 0.5, 0.2, Organ::blade, Organ::cattail);
        Model reeds = grass("reeds", stems, {0.40, 0.47, 0.20}, {});
        reeds.casts = true;
        scatter({reeds}, {420, 0.4, 1, -0.55, 0.05, 9, 0.5});
    }

    World& world_;
    Random random_;
    std::uint64_t noise_;
    int fewer_;
};

inline std::vector<View> views_on(const Terrain& terrain) {
    return {{"shore", terrain.on(214, 104, 1.7), {160, 290, 22}},
            {"mountain", terrain.on(240, 172, 9), {202, 345, 42}},
            {"cabin", terrain.on(259, 157.5, 1.7), terrain.on(268, 168, 3.0)},
            {"trees", terrain.on(250, 118, 1.6), terrain.on(232, 150, 4)}};
}

inline World make_world(bool small, const dunlin::Run& run) {
    World world{Terrain(small ? 6 : 8, run.seed), Textures(run.seed)};
    world.terrain.level(Planter::cabin[0], Planter::cabin[1], 8);
    world.views = views_on(world.terrain);
    world.models.push_back(world.terrain.model());
    Planter(world, run.seed, small);

    Place place{world.terrain.on(Planter::cabin[0], Planter::cabin[1]), 1, -0.93};
    place.at = place.at - place.turn(Kind::plain, {0.5 * Cabin::wide, 0.5 * Cabin::deep, 0});
    world.models.push_back(Cabin(run.seed).model);
    world.models.back().places = {place};
    world.smoke = make_smoke(place.put(Kind::plain, Cabin::chimney_top), small ? 4 : 32, small ? 24 : 44, run);

    Random random(run.seed);
    for (const Wings& wings : butterfly_kinds) world.models.push_back(butterfly(wings));
    for (int i = 0; i < 36; ++i) {
        const View& view = world.views[static_cast<std::size_t>(i % 4)];
        const Vec corner = view.eye + 9.0 * unit(view.target - view.eye) - Vec{6, 6, 0};
        world.flights.push_back(pursuit(random, world.terrain, corner, 12, 500));
        Model& model = world.models[world.models.size() - 3 + world.flights.back().kind];
        model.places.push_back(place_of(world.flights.back(), 2.4 * i));
    }
    return world;
}

}  // namespace scene
