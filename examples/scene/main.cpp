// SPDX-License-Identifier: Apache-2.0
// A procedurally generated scene on Dunlin's public interface: terrain in bands, water, plants, smoke and butterflies.
//   scene POINTS [uniform|fractional] [SEED]     writes scene.glb and scene.html
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include <dunlin/io.hpp>

#include "life.hpp"
#include "page.hpp"
#include "terrain.hpp"

namespace {

using namespace scene;

struct Plant {
    Branch branch;
    Vec base;
    double leaf;
};

/// Places on land of moderate height, apart from each other.
Vec place_on(const Terrain& terrain, Random& random) {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
        const Index x = 4 + random.below(terrain.side() - 8), y = 4 + random.below(terrain.side() - 8);
        if (terrain.at(x, y) > 0.02 && terrain.at(x, y) < 0.2) return terrain.position(x, y);
    }
    return terrain.position(terrain.side() / 2, terrain.side() / 2);
}

std::vector<Plant> plants_on(const Terrain& terrain, Random& random, const dunlin::Matrix& points) {
    std::vector<Plant> plants;
    for (int i = 0; i < 14; ++i) plants.push_back({bush(random, 4, 0.02, 0.0028), place_on(terrain, random), 0.010});
    for (int i = 0; i < 10; ++i) plants.push_back({palm(random, 6, 0.014, 0.0028), place_on(terrain, random), 0.035});
    for (int i = 0; i < 30; ++i) plants.push_back({palm(random, 2, 0.008, 0.0007), place_on(terrain, random), 0.007});
    std::vector<Index> rows(static_cast<std::size_t>(points.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    plants.push_back({cluster_tree(points, rows, 5, 0.06, 0.009, 1), {0.55, 0.62, 0}, 0.018});
    const auto side = static_cast<double>(terrain.side() - 1);
    Vec& base = plants.back().base;
    base[2] = terrain.at(static_cast<Index>(base[0] * side), static_cast<Index>(base[1] * side));
    return plants;
}

void add_plants(Builder& builder, const std::vector<Plant>& plants) {
    for (const bool wood : {true, false}) {
        builder.begin(wood ? "wood" : "leaves", wood ? Color{104, 76, 50, 255} : Color{58, 128, 52, 255});
        for (const Plant& plant : plants)
            Gardener(builder, plant.leaf, wood).draw(plant.branch, plant.base, {0, 0, 1}, {1, 0, 0});
    }
}

void add_water(Builder& builder) {
    builder.begin("water", {40, 98, 140, 170});
    const Vec up{0, 0, 1};
    const Index a = builder.vertex({0, 0, 0}, up), b = builder.vertex({1, 0, 0}, up), c = builder.vertex({1, 1, 0}, up),
                d = builder.vertex({0, 1, 0}, up);
    builder.square(a, b, c, d);
}

int make(int count, char** words) {
    const std::string rule = count > 2 ? words[2] : "fractional";
    if (count < 2 || (rule != "uniform" && rule != "fractional")) {
        std::fprintf(stderr, "scene POINTS [uniform|fractional] [SEED]\n");
        return 2;
    }
    const std::uint64_t seed = count > 3 ? std::strtoull(words[3], nullptr, 10) : 4;
    const dunlin::io::Points points = dunlin::io::read_points(words[1]);
    Random random(seed);
    const Terrain terrain(7, rule == "uniform" ? Rule::uniform : Rule::fractional, seed);
    Builder builder;
    terrain.add_to(builder);
    const std::vector<Plant> plants = plants_on(terrain, random, points.values);
    add_plants(builder, plants);
    add_butterflies(builder, random, 40);
    add_water(builder);
    add_smoke(builder, random, place_on(terrain, random));
    dunlin::io::write_mesh("scene.glb", builder.mesh());
    dunlin::io::write_text("scene.html", page_of(builder.mesh()));
    std::printf("%lld triangles in %zu parts\nwrote scene.glb\nwrote scene.html\n",
                static_cast<long long>(builder.mesh().faces()), builder.mesh().parts.size());
    return 0;
}

}  // namespace

int main(int count, char** words) {
    try {
        return make(count, words);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "scene: %s\n", error.what());
        return 1;
    }
}
