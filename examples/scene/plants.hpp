// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

/// Plants as stochastic L-systems: a rule rewrites a branch as branches of lower order on it, down to order 0.
namespace scene {

struct Branch {
    int order;
    double length, radius;
    double yaw = 0, pitch = 0, at = 1;  ///< around and from the parent's axis; share of the parent's length
};
using Branches = std::vector<Branch>;

/// Two to four branches, one of which leads on: cottonwoods and bushes.
inline Branches fork(Random& random, const Branch& b) {
    Branches next;
    const int count = 2 + static_cast<int>(random.below(b.order > 3 ? 3 : 2));
    const double first = random.uniform(0, 2 * pi);
    for (int i = 0; i < count; ++i) {
        const bool leads = i == 0;
        const double yaw = first + random.around(i, count), at = leads ? 1 : random.uniform(0.7, 1);
        const double pitch = leads ? random.uniform(0.1, 0.35) : random.uniform(0.5, 0.95);
        const double length = (leads ? 0.84 : 0.72) * b.length * random.uniform(0.8, 1.15);
        next.push_back({b.order - 1, length, (leads ? 0.72 : 0.55) * b.radius, yaw, pitch, at});
    }
    return next;
}

/// A list of segments with whorls of boughs, shorter to the top and hanging at the foot.
inline Branches spruce(Random& random, const Branch& b) {
    Branches next{{b.order - 1, 0.97 * b.length, b.radius * (b.order - 1) / b.order, 0, random.uniform(0, 0.02)}};
    const double share = b.order / 14.0, first = random.uniform(0, 2 * pi);
    for (int i = 0; i < 6 && share < 1; ++i) {
        const double yaw = first + random.around(i, 6), at = random.uniform(0.3, 1);
        const double reach = (0.25 + 2.5 * pow(share, 0.85)) * random.uniform(0.8, 1.15);
        next.push_back({0, reach, 0, yaw, 1.2 + 0.75 * share, at});
    }
    return next;
}

/// Blades, and stems that are lists of segments, share a foot.
inline Branches tuft(Random& random, const Branch& b, int leaves, int stems, double spread) {
    if (b.radius > 0) return {{b.order - 1, 0.9 * b.length, b.radius, random.uniform(-0.3, 0.3), 0.06}};
    Branches next;
    for (int i = 0; i < leaves + stems; ++i) {
        const double yaw = 2.4 * i + random.uniform(-0.4, 0.4), pitch = spread * std::sqrt(random.uniform(0, 1));
        const double length = b.length * random.uniform(0.6, 1.15);
        next.push_back({i < leaves ? 0 : 2, i < leaves ? length : length / 2, i < leaves ? 0 : 0.006, yaw, pitch, 0});
    }
    return next;
}
inline Branches reed(Random& random, const Branch& b) { return tuft(random, b, 12, 6, 0.25); }
inline Branches blades(Random& random, const Branch& b) { return tuft(random, b, 16, 0, 0.8); }

struct Species {
    const char* name;
    Branch first;
    Branches (*rule)(Random&, const Branch&);
    Vec green;
    double leaf, wide;     ///< length of leaves, of that of a branch of order 0, and half their width, of theirs
    double middle, reach;  ///< height and radius of the crown, which is dark inside; none for grass
};
constexpr Species cottonwoods{"cottonwood", {6, 3.1, 0.36}, fork, {0.36, 0.47, 0.15}, 0.75, 0.36, 8.5, 6.5};
constexpr Species spruces{"spruce", {14, 0.88, 0.2}, spruce, {0.15, 0.25, 0.13}, 0.5, 0.24, 4.5, 5.5};
constexpr Species bushes{"bush", {4, 0.32, 0.03}, fork, {0.27, 0.38, 0.13}, 0.8, 0.36, 0.6, 0.6};
constexpr Species reeds{"reeds", {3, 0.9, 0}, reed, {0.40, 0.47, 0.20}, 1, 0.036, 0, 0};
constexpr Species grass{"grass", {1, 0.42, 0}, blades, {0.36, 0.43, 0.14}, 1, 0.036, 0, 0};

/// Draws a plant into a model.
class Gardener {
public:
    Model model;

    Gardener(const Species& species, const std::string& number, Random& random)
        : model(species.name + number), species_(species), random_(random) {
        draw(species.first, {0, 0, -0.1}, up);
    }

private:
    static constexpr Vec up{0, 0, 1};

    void draw(const Branch& b, const Vec& base, const Vec& axis) {
        const Vec end = base + b.length * axis, side = across(axis);
        const double radius = b.radius, taper = b.order > 0 ? 0.75 : 0.4;
        model.in("wood", {0.35, 0.30, 0.23}, BARK);
        if (radius > 0.005) model.tube(base, end, radius, taper * radius, radius > 0.12 ? 8 : radius > 0.05 ? 5 : 3);
        if (b.order == 0) return bear(b, base, end, axis);
        for (const Branch& next : species_.rule(random_, b)) {
            const Vec out = turned(side, axis, next.yaw);
            draw(next, base + next.at * b.length * axis, std::cos(next.pitch) * axis + std::sin(next.pitch) * out);
        }
    }

    /// Leaves around a branch with normals that lean out of the crown, a blade of grass, or a cattail.
    void bear(const Branch& b, const Vec& base, const Vec& end, const Vec& axis) {
        if (species_.reach == 0 && b.radius == 0) return leaf(base, end - base, across(axis), up, 1);
        if (species_.reach == 0)
            return model.in("cattails", {0.30, 0.19, 0.10}).tube(end, end + 0.16 * axis, 0.022, 0.018, 6, 1, true);
        if (species_.rule == spruce) leaf(base, end - base, cross(axis, up), up, 0.8);
        for (int i = 0; i < 5; ++i) {
            const Vec side = turned(across(axis), axis, 2.4 * i + random_.uniform(-0.3, 0.3));
            const double ahead = random_.uniform(-0.2, 0.9), hang = random_.uniform(0, 0.7);
            const double size = species_.leaf * b.length * random_.uniform(0.7, 1.2);
            const Vec along = size * normalize(side + ahead * axis - hang * up), foot = mix(base, end, 0.25 + 0.18 * i);
            const Vec out = (foot + 0.5 * along - species_.middle * up) / species_.reach;
            const double open = 0.45 + 0.65 * pow(min(length(out), 1.0), 1.3) + 0.12 * out[2];
            leaf(foot, along, cross(along, Vec{random_.normal(), random_.normal(), 2.5}), out + 0.3 * up, open);
        }
    }

    void leaf(const Vec& base, const Vec& along, const Vec& side, const Vec& facing, double open) {
        const Vec wide = species_.wide * length(along) * normalize(side);
        model.in("leaves", species_.green, species_.reach == 0 ? GRASS : LEAF)
            .leaf(base, along, wide, normalize(facing), open * random_.uniform(0.75, 1.15));
    }

    const Species& species_;
    Random& random_;
};

}  // namespace scene
