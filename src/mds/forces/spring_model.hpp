// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/vec.hpp"
#include "mds/input/distance.hpp"

/// The steps of force-directed scaling over sets of partners (Chalmers 1996; the constants are those of Glimmer's
/// released program). No loops over items, no launches: g++ and nvcc compile the same text. An item's `slots` partners
/// are its near set, the nearest first, and then its random set; a slot of -1 is empty.
namespace dunlin::mds {

namespace spring {
constexpr float stiffness = 0.7F, damping = 0.3F, freeness = 0.85F, time = 0.3F;
}

/// What all steps look at. Items are in the order in which they were drawn, so that the first few are a level.
struct SpringView {
    const Index* item;  ///< n: which of the dissimilarities' items each one is
    Index* partner;     ///< n x slots
    float* delta;       ///< n x slots; infinity where the partner is nobody
    float *y, *velocity, *force;
    int dim, near, slots;
};

/// Glimmer's random sets: P[P[x] + iteration] and those behind it, for a shuffle P of the first `from` items.
struct DrawPartners {
    SpringView bonds;
    const Index* shuffle;
    const int* turn;
    Index first, from;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k, random = bonds.slots - bonds.near;
        const Offset start = shuffle[i % from] + random * *turn;
        for (Offset r = 0; r < random; ++r)
            bonds.partner[i * bonds.slots + bonds.near + r] = shuffle[(start + r) % from];
    }
};

/// Empties slots whose partner is the item itself, one it has already or one whose dissimilarity is missing, and sorts
/// the others by dissimilarity: the first are the near set from now on.
struct UpdateNearSet {
    SpringView bonds;
    Index first;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k;
        Index* partner = bonds.partner + i * bonds.slots;
        float* delta = bonds.delta + i * bonds.slots;
        for (int s = bonds.near; s < bonds.slots; ++s) {
            bool nobody = partner[s] == i || !(delta[s] >= 0);
            for (int before = 0; before < s && !nobody; ++before) nobody = partner[before] == partner[s];
            if (nobody) partner[s] = -1;
            const Index here = partner[s];
            const float d = nobody ? INFINITY : delta[s];
            int place = s;
            for (; place > 0 && delta[place - 1] > d; --place) {
                partner[place] = partner[place - 1];
                delta[place] = delta[place - 1];
            }
            partner[place] = here;
            delta[place] = d;
        }
    }
};

/// The distance of items i and j in the map.
DUNLIN_HD inline float distance_of(const SpringView& b, Offset i, Offset j) {
    return distance(b.y + i * b.dim, b.y + j * b.dim, b.dim);
}

/// force += (stiffness (d - delta) + damping closing speed) along the way from i to j. None at j's own place.
DUNLIN_HD inline void add_spring_force(const SpringView& b, Offset i, Offset j, float delta, float* force) {
    const float d = distance_of(b, i, j);
    if (!(d > 0)) return;
    float closing = 0;
    for (int c = 0; c < b.dim; ++c) {
        const float away = (b.y[j * b.dim + c] - b.y[i * b.dim + c]) / d;
        closing += away * (b.velocity[j * b.dim + c] - b.velocity[i * b.dim + c]);
    }
    const float strength = spring::stiffness * (d - delta) + spring::damping * closing;
    for (int c = 0; c < b.dim; ++c) force[c] += strength * (b.y[j * b.dim + c] - b.y[i * b.dim + c]) / d;
}

/// The slots in which an item is somebody's partner; null: nobody looks (Glimmer).
struct ReversePartners {
    const Offset* begin = nullptr;  ///< n + 1
    const Offset* slot = nullptr;
};

/// The mean pull of an item's partners, and where forces are symmetric of those whose partner it is.
struct SumSpringForces {
    SpringView bonds;
    ReversePartners reverse;
    Index first;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k;
        float* force = bonds.force + i * bonds.dim;
        for (int c = 0; c < bonds.dim; ++c) force[c] = 0;
        for (Offset s = i * bonds.slots; s < (i + 1) * bonds.slots; ++s) {
            if (bonds.partner[s] >= 0) add_spring_force(bonds, i, bonds.partner[s], bonds.delta[s], force);
        }
        Offset pulls = bonds.slots;
        if (reverse.begin != nullptr) {
            for (Offset at = reverse.begin[i]; at < reverse.begin[i + 1]; ++at)
                add_spring_force(bonds, i, reverse.slot[at] / bonds.slots, bonds.delta[reverse.slot[at]], force);
            pulls += reverse.begin[i + 1] - reverse.begin[i];
        }
        for (int c = 0; c < bonds.dim; ++c) force[c] /= static_cast<float>(pulls);
    }
};

/// Integrates forces into velocities, at most `fastest` along each axis, and these into places.
struct IntegrateMotion {
    SpringView bonds;
    float fastest;
    Index first;
    DUNLIN_HD void operator()(Offset k) const {
        for (Offset at = (first + k) * bonds.dim; at < (first + k + 1) * bonds.dim; ++at) {
            const float v = spring::freeness * (bonds.velocity[at] + spring::time * bonds.force[at]);
            bonds.velocity[at] = v > fastest ? fastest : v < -fastest ? -fastest : v;
            bonds.y[at] += spring::time * bonds.velocity[at];
        }
    }
};

/// Whose quotient of sums over moving items is listened to: above, below.
using Share = math::Vec<double, 2>;

/// The mean speed.
struct Speed {
    SpringView bonds;
    Index first;
    DUNLIN_HD Share operator()(Offset k) const {
        double square = 0;
        for (Offset at = (first + k) * bonds.dim; at < (first + k + 1) * bonds.dim; ++at)
            square += static_cast<double>(bonds.velocity[at]) * static_cast<double>(bonds.velocity[at]);
        return {{sqrt(square), 1.0}};
    }
};

/// Normalized stress over the pairs that an item just looked at.
struct SparseStress {
    SpringView bonds;
    Index first;
    DUNLIN_HD Share operator()(Offset k) const {
        const Offset i = first + k;
        Share share;
        for (Offset s = i * bonds.slots; s < (i + 1) * bonds.slots; ++s) {
            if (bonds.partner[s] < 0) continue;
            const auto delta = static_cast<double>(bonds.delta[s]);
            const double error = static_cast<double>(distance_of(bonds, i, bonds.partner[s])) - delta;
            share += Share{{error * error, delta * delta}};
        }
        return share;
    }
};

/// Writes down what was heard in this iteration; the next one begins.
struct RecordStatistic {
    const Share* share;
    double* heard;
    int* turn;
    int begin;
    DUNLIN_HD void operator()(Offset) const {
        heard[*turn - begin] = share->at[1] > 0 ? share->at[0] / share->at[1] : 0.0;
        ++*turn;
    }
};

}  // namespace dunlin::mds
