// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <dunlin/kmeans.hpp>
#include <dunlin/surface.hpp>

#include "build.hpp"

/// Plants, smoke and butterflies.
namespace scene {

/// A plant is a tree whose branches have a length, a radius and a direction relative to their parent; ends bear leaves.
struct Branch {
    double length, radius, yaw, pitch;
    std::vector<Branch> branches = {};
};

/// Rewrites "a branch" as "branches of the next order", at random: a stochastic L-system. A bush of order n has n
/// branches of order n - 1.
inline Branch bush(Random& random, int order, double length, double radius) {
    Branch plant{length * random.uniform(0.8, 1.2), radius, 0, 0};
    for (int i = 0; i < order; ++i) {
        plant.branches.push_back(bush(random, order - 1, 0.72 * length, 0.6 * radius));
        plant.branches.back().yaw = 6.283185307179586 * (i + random.uniform(-0.2, 0.2)) / order;
        plant.branches.back().pitch = random.uniform(0.35, 0.75);
    }
    return plant;
}

/// A palm is a list of segments, each a little bent; a flower is a short one.
inline Branch palm(Random& random, int segments, double length, double radius) {
    Branch plant{length, radius, random.uniform(0, 6.28), random.uniform(0.02, 0.14)};
    if (segments > 1) plant.branches = {palm(random, segments - 1, 0.95 * length, 0.93 * radius)};
    return plant;
}

/// Clusters of points as a plant: two branches for the two clusters of k-means, again in each; the thickness follows
/// the number of points (da Vinci's rule), the length the order.
inline Branch cluster_tree(const dunlin::Matrix& points, const std::vector<Index>& rows, int order, double length,
                           double radius, std::uint64_t seed) {
    Branch plant{length, radius, 0, 0};
    if (order == 0 || rows.size() < 8) return plant;
    const auto cols = static_cast<std::size_t>(points.cols());
    std::vector<float> values;
    for (const Index row : rows) values.insert(values.end(), points.row(row).begin(), points.row(row).end());
    const auto n = static_cast<Index>(rows.size());
    dunlin::kmeans::Options options;
    options.clusters = 2;
    dunlin::Run run;
    run.seed = seed;
    const auto split = dunlin::kmeans::cluster({values.data(), n, static_cast<Index>(cols)}, options, run);
    for (Index side = 0; side < 2; ++side) {
        std::vector<Index> part;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (split.labels[i] == side) part.push_back(rows[i]);
        }
        if (part.empty()) continue;
        const double share = std::sqrt(double(part.size()) / double(rows.size()));
        plant.branches.push_back(cluster_tree(points, part, order - 1, 0.8 * length, share * radius, seed));
        plant.branches.back().yaw = 3.141592653589793 * side + 1.1 * order;
        plant.branches.back().pitch = 0.25 + 0.35 * (1 - share);
    }
    return plant;
}

/// Draws branches (wood) or leaves of a plant.
class Gardener {
public:
    Gardener(Builder& builder, double leaf, bool wood) : builder_(builder), leaf_(leaf), wood_(wood) {}

    void draw(const Branch& branch, const Vec& base, const Vec& up, const Vec& side) {
        const Vec turned = std::cos(branch.yaw) * side + std::sin(branch.yaw) * cross(up, side);
        const Vec axis = unit(std::cos(branch.pitch) * up + std::sin(branch.pitch) * turned);
        const Vec end = base + branch.length * axis;
        const double end_radius = branch.branches.empty() ? 0.4 * branch.radius : branch.branches.front().radius;
        if (wood_) builder_.branch(base, end, branch.radius, std::min(branch.radius, end_radius));
        const Vec across = unit(cross(axis, std::abs(axis[0]) < 0.9 ? Vec{1, 0, 0} : Vec{0, 1, 0}));
        for (const Branch& each : branch.branches) draw(each, end, axis, across);
        if (wood_ || !branch.branches.empty()) return;
        for (int i = 0; i < 5; ++i) {
            const double turn = 1.2566370614359172 * i;
            const Vec out = std::cos(turn) * across + std::sin(turn) * cross(axis, across);
            builder_.leaf(end, leaf_ * unit(out + 0.4 * axis), 0.45 * leaf_ * cross(axis, out));
        }
    }

private:
    Builder& builder_;
    double leaf_;
    bool wood_;
};

/// Smoke: batches of particles at fixed intervals, in a random field of velocities in x and y with a constant rise, by
/// forward Euler; those outside the unit cube are dropped. Their surface is a level of metaballs.
inline void add_smoke(Builder& builder, Random& random, const Vec& chimney) {
    constexpr int cells = 8, steps = 60, batch = 6;
    std::vector<std::array<double, 2>> wind(cells * cells * cells);
    for (auto& each : wind) each = {0.02 * random.normal() + 0.008, 0.02 * random.normal()};
    std::vector<Vec> particles;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < batch && step % 3 == 0; ++i)
            particles.push_back({0.5 + random.uniform(-0.03, 0.03), 0.5 + random.uniform(-0.03, 0.03), 0});
        for (Vec& p : particles) {
            std::size_t cell = 0;
            for (const double c : p) cell = cell * cells + static_cast<std::size_t>(std::clamp(c, 0.0, 0.999) * cells);
            p = p + Vec{wind[cell][0], wind[cell][1], 0.017};
        }
        std::erase_if(particles, [](const Vec& p) {
            return std::any_of(p.begin(), p.end(), [](double c) { return c < 0 || c > 1; });
        });
    }
    dunlin::Map map{3, {}};
    for (const Vec& p : particles) {
        const Vec at = chimney + 0.36 * (p - Vec{0.5, 0.5, 0});
        for (const double c : at) map.coordinates.push_back(static_cast<float>(c));
    }
    const dunlin::surface::FieldArray field = dunlin::surface::metaballs(map, 0.032, 64);
    builder.begin("smoke", {205, 205, 212, 120});
    builder.append(dunlin::surface::extract(field.grid(), {.level = 0.35}).mesh);
}

/// Pursuit curves: each butterfly steps towards where its target, a random walk, will be next, and gets a new one when
/// it has caught it.
inline void add_butterflies(Builder& builder, Random& random, int count) {
    constexpr std::array<Color, 3> looks{{{214, 94, 30, 255}, {40, 110, 190, 255}, {236, 200, 60, 255}}};
    std::array<std::vector<std::pair<Vec, Vec>>, 3> by_look;
    for (int i = 0; i < count; ++i) {
        const auto anywhere = [&] {
            return Vec{random.uniform(0.1, 0.9), random.uniform(0.1, 0.9), random.uniform(0.2, 0.5)};
        };
        Vec position = anywhere(), heading{1, 0, 0}, target = anywhere();
        for (int step = 0; step < 80; ++step) {
            const Vec walk{0.02 * random.normal(), 0.02 * random.normal(), 0.01 * random.normal()};
            heading = unit(target + walk - position);
            position = position + 0.012 * heading;
            target = target + walk;
            const bool is_outside = std::any_of(target.begin(), target.end(), [](double c) { return c < 0 || c > 1; });
            const Vec apart = target - position;
            if (is_outside || dot(apart, apart) < 0.0004) target = anywhere();
        }
        by_look[static_cast<std::size_t>(random.below(3))].emplace_back(position, heading);
    }
    for (std::size_t look = 0; look < 3; ++look) {
        builder.begin("butterflies " + std::to_string(look), looks[look]);
        for (const auto& [position, heading] : by_look[look]) {
            const Vec side = unit(cross(heading, {0, 0, 1}));
            for (const double wing : {-1.0, 1.0})
                builder.leaf(position, 0.02 * unit(wing * side + Vec{0, 0, 0.7}), 0.022 * heading);
        }
    }
}

}  // namespace scene
