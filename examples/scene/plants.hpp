// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

/// Plants as stochastic L-systems: trees of branches, each with a place on its parent and angles relative to it.
namespace scene {

enum class Organ { none, leaves, needles, blade, cattail, flower };

struct Branch {
    double length, radius;
    Organ organ = Organ::none;
    double yaw = 0, pitch = 0, at = 1;  ///< around and from the parent's axis; share of the parent's length
    std::vector<Branch> branches = {};

    void bear(Branch branch, double its_yaw, double its_pitch, double its_at = 1) {
        branch.yaw = its_yaw, branch.pitch = its_pitch, branch.at = its_at;
        branches.push_back(std::move(branch));
    }
};

/// A branch becomes two to four of the next order, one of which leads on.
inline Branch cottonwood(Random& random, int order, double length, double radius) {
    Branch branch{length * random.uniform(0.8, 1.15), radius, order <= 1 ? Organ::leaves : Organ::none};
    const int count = order == 0 ? 0 : 2 + static_cast<int>(random.below(order > 3 ? 3 : 2));
    const double first = random.uniform(0, 2 * pi);
    for (int i = 0; i < count; ++i) {
        const double yaw = first + 2 * pi * (i + random.uniform(-0.2, 0.2)) / count;
        if (i == 0)
            branch.bear(cottonwood(random, order - 1, 0.84 * length, 0.72 * radius), yaw, random.uniform(0.1, 0.35));
        if (i == 0) continue;
        const double pitch = random.uniform(0.5, 0.95), at = random.uniform(0.7, 1);
        branch.bear(cottonwood(random, order - 1, 0.72 * length, 0.55 * radius), yaw, pitch, at);
    }
    return branch;
}

/// A factorial tree: n branches of order n - 1 at one pitch.
inline Branch bush(Random& random, int order, double length, double radius) {
    Branch branch{length * random.uniform(0.8, 1.2), radius, order <= 1 ? Organ::leaves : Organ::none};
    for (int i = 0; i < order; ++i) {
        const double yaw = 2 * pi * (i + random.uniform(-0.2, 0.2)) / order;
        branch.bear(bush(random, order - 1, 0.74 * length, 0.6 * radius), yaw, 0.6);
    }
    return branch;
}

/// A list of segments with whorls of needled branches, shorter to the top and hanging at the foot.
inline Branch spruce(Random& random, int left, int all, double length, double radius) {
    Branch branch{length, radius * left / all};
    const double share = static_cast<double>(left) / all, first = random.uniform(0, 2 * pi);
    for (int i = 0; i < 6 && left < all; ++i) {
        const double yaw = first + 2 * pi * (i + random.uniform(-0.2, 0.2)) / 6, at = random.uniform(0.3, 1);
        const double reach = (0.25 + 2.5 * std::pow(share, 0.85)) * random.uniform(0.8, 1.15);
        branch.bear({reach, 0.03, Organ::needles}, yaw, 1.2 + 0.75 * share, at);
    }
    if (left > 1) branch.bear(spruce(random, left - 1, all, length * 0.97, radius), 0, random.uniform(0, 0.02));
    return branch;
}

/// A list of segments that bend, with an organ at its end.
inline Branch stem(Random& random, int segments, double length, Organ organ) {
    Branch branch{length, organ == Organ::blade ? 0 : 0.006, segments == 1 ? organ : Organ::none};
    const double yaw = random.uniform(-0.3, 0.3), pitch = organ == Organ::blade ? 0.16 : 0.06;
    if (segments > 1) branch.bear(stem(random, segments - 1, 0.9 * length, organ), yaw, pitch);
    return branch;
}

/// Lists that share a foot: flowers, reeds, tufts of grass. Every third ends with the other organ.
inline Branch tuft(Random& random, int count, int segments, double length, double spread, Organ organ, Organ other) {
    Branch foot{0, 0};
    for (int i = 0; i < count; ++i) {
        const double yaw = 2.4 * i + random.uniform(-0.4, 0.4), pitch = spread * std::sqrt(random.uniform(0, 1));
        foot.bear(stem(random, segments, length * random.uniform(0.6, 1.15), i % 3 == 2 ? other : organ), yaw, pitch);
    }
    return foot;
}

struct Look {
    Vec wood, leaf, petal;
    double size;  ///< of leaves
    Kind kind = Kind::leaf;
};

/// Draws a plant into a model.
class Gardener {
public:
    Gardener(Model& model, const Look& look, std::uint64_t seed) : model_(model), look_(look), random_(seed) {}

    void draw(const Branch& branch, const Vec& base, const Vec& axis, const Vec& side) {
        const Vec end = base + branch.length * axis;
        const double radius = branch.radius, taper = branch.branches.empty() ? 0.4 : 0.75;
        if (radius > 0.004) {
            model_.in(radius > 0.03 ? "wood" : "twigs", look_.wood, Kind::bark);
            model_.tube(base, end, radius, taper * radius, radius > 0.12 ? 8 : radius > 0.05 ? 5 : 3);
        }
        bear(branch, base, end, axis, side);
        for (const Branch& each : branch.branches) {
            const Vec next = unit(std::cos(each.pitch) * axis + std::sin(each.pitch) * turned(side, axis, each.yaw));
            draw(each, base + each.at * branch.length * axis, next, across(next));
        }
    }

    /// Gives the leaves of a crown normals that lean outward, and shade inside.
    void round(double lean) {
        Part& leaves = green().part();
        Vec center{};
        for (const Vec& p : leaves.positions) center = center + (1.0 / double(leaves.positions.size())) * p;
        double most = 0;
        for (const Vec& p : leaves.positions) most = std::max(most, length(p - center));
        for (std::size_t v = 0; v < leaves.positions.size(); ++v) {
            const Vec out = leaves.positions[v] - center;
            leaves.normals[v] = unit(leaves.normals[v] + lean * unit(out + Vec{0, 0, 0.3 * most}));
            leaves.shades[v] *= 0.45 + 0.65 * std::pow(length(out) / most, 1.3) + 0.12 * out[2] / most;
        }
    }

private:
    static constexpr Vec up{0, 0, 1};
    Model& green() { return model_.in("leaves", look_.leaf, look_.kind); }
    double tone() { return random_.uniform(0.75, 1.15); }

    void bear(const Branch& branch, const Vec& base, const Vec& end, const Vec& axis, const Vec& side) {
        const Vec whole = branch.length * axis;
        if (branch.organ == Organ::leaves) leaves(base, end, axis, side);
        if (branch.organ == Organ::needles) bough(branch.length, base, axis);
        if (branch.organ == Organ::blade) green().leaf(base, whole, 0.036 * branch.length * side, 2.5 * up, tone());
        if (branch.organ == Organ::cattail)
            model_.in("cattails", {0.30, 0.19, 0.10}).tube(end, end + 0.16 * axis, 0.022, 0.018, 6, 1, true);
        if (branch.organ == Organ::flower) flower(end, axis, side);
    }

    void leaves(const Vec& base, const Vec& end, const Vec& axis, const Vec& side) {
        for (int i = 0; i < 7; ++i) {
            const Vec out = turned(side, axis, 2.4 * i + random_.uniform(-0.3, 0.3));
            const Vec along = unit(out + random_.uniform(-0.2, 0.9) * axis - random_.uniform(0, 0.7) * up);
            const Vec wide = unit(cross(along, Vec{random_.normal(), random_.normal(), 2.5}));
            const double size = look_.size * random_.uniform(0.7, 1.2);
            green().leaf(mix(base, end, 0.25 + 0.12 * i), size * along, 0.36 * size * wide, {}, tone());
        }
    }

    /// A spray of needles: a middle and pairs of sides in one plane that hangs a little.
    void bough(double length, const Vec& base, const Vec& axis) {
        const Vec side = unit(cross(axis, up));
        green().leaf(base, length * axis, 0.13 * length * side, 0.5 * up, tone());
        for (int i = 0; i < 6; ++i) {
            const Vec along = unit(0.8 * axis + (i % 2 == 0 ? -1.0 : 1.0) * side - 0.25 * up),
                      wide = unit(cross(along, up));
            const double at = 0.1 + 0.26 * (i / 2), size = (0.55 - 0.11 * (i / 2)) * length;
            green().leaf(base + at * length * axis, size * along, 0.15 * length * wide, 0.5 * up, tone());
        }
    }

    void flower(const Vec& at, const Vec& axis, const Vec& side) {
        model_.in("petals", look_.petal, Kind::grass);
        for (int i = 0; i < 6; ++i) {
            const Vec out = turned(side, axis, pi * i / 3);
            model_.leaf(at, 0.05 * unit(out + 0.25 * axis), 0.02 * cross(axis, out), axis, tone());
        }
        model_.in("hearts", {0.85, 0.62, 0.10}, Kind::grass).tube(at, at + 0.012 * axis, 0.017, 0, 5);
    }

    Model& model_;
    Look look_;
    Random random_;
};

inline Model plant(const std::string& name, const Branch& branch, const Look& look, double lean, std::uint64_t seed) {
    Model model(name);
    Gardener gardener(model, look, seed);
    gardener.draw(branch, {0, 0, -0.1}, {0, 0, 1}, {1, 0, 0});
    if (lean > 0) gardener.round(lean);
    return model;
}

}  // namespace scene
