// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/vec.hpp"
#include "mds/input/distance.hpp"

/// Formulas of force-directed scaling over partner sets (Chalmers 1996; constants of Glimmer's released program), for
/// both devices. An item has `slots` partners: its near set, nearest first, then its random set. Partner -1 marks an
/// empty slot.
namespace dunlin::mds {

namespace spring {
constexpr float stiffness = 0.7F, damping = 0.3F, freeness = 0.85F, time = 0.3F;
}

/// State as the steps see it. Items are in a random order, so that a prefix is a random subset (a level).
struct SpringView {
    const Index* item;  ///< n: index of each item in the dissimilarities
    Index* partner;     ///< n x slots
    float* delta;       ///< n x slots; infinity in empty slots
    float *y, *velocity, *force;
    int dim, near, slots;
};

/// Glimmer's random sets: P[P[x] + iteration * random] and the entries after it, P a shuffle of the first `from` items.
struct DrawPartners {
    SpringView view;
    const Index* shuffle;
    const int* iteration;
    Index first, from;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k, random = view.slots - view.near;
        const Offset start = shuffle[i % from] + random * *iteration;
        for (Offset r = 0; r < random; ++r) view.partner[i * view.slots + view.near + r] = shuffle[(start + r) % from];
    }
};

/// Empties slots that hold the item itself, a duplicate, or a partner with missing dissimilarity; sorts the others by
/// dissimilarity. The first ones are the new near set.
struct UpdateNearSet {
    SpringView view;
    Index first;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k;
        Index* partner = view.partner + i * view.slots;
        float* delta = view.delta + i * view.slots;
        for (int s = view.near; s < view.slots; ++s) {
            bool empty = partner[s] == i || !(delta[s] >= 0);
            for (int before = 0; before < s && !empty; ++before) empty = partner[before] == partner[s];
            if (empty) partner[s] = -1;
            const Index here = partner[s];
            const float d = empty ? INFINITY : delta[s];
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

/// Distance of items i and j in the map.
DUNLIN_HD inline float distance_of(const SpringView& b, Offset i, Offset j) {
    return distance(b.y + i * b.dim, b.y + j * b.dim, b.dim);
}

/// force += (stiffness (d - delta) + damping * relative speed) along the direction from i to j; zero for coincident
/// points.
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

/// For each item, the slots that hold it as partner; null: forces are not symmetric (Glimmer).
struct ReversePartners {
    const Offset* begin = nullptr;  ///< n + 1
    const Offset* slot = nullptr;
};

/// Mean spring force from an item's partners and, if forces are symmetric, from the items whose partner it is.
struct SumSpringForces {
    SpringView view;
    ReversePartners reverse;
    Index first;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = first + k;
        float* force = view.force + i * view.dim;
        for (int c = 0; c < view.dim; ++c) force[c] = 0;
        for (Offset s = i * view.slots; s < (i + 1) * view.slots; ++s) {
            if (view.partner[s] >= 0) add_spring_force(view, i, view.partner[s], view.delta[s], force);
        }
        Offset pulls = view.slots;
        if (reverse.begin != nullptr) {
            for (Offset at = reverse.begin[i]; at < reverse.begin[i + 1]; ++at)
                add_spring_force(view, i, reverse.slot[at] / view.slots, view.delta[reverse.slot[at]], force);
            pulls += reverse.begin[i + 1] - reverse.begin[i];
        }
        for (int c = 0; c < view.dim; ++c) force[c] /= static_cast<float>(pulls);
    }
};

/// Integrates forces into velocities, clamped to max_velocity along each axis, and velocities into positions. time:
/// spring::time, or a multiple of it.
struct IntegrateMotion {
    SpringView view;
    float max_velocity;
    Index first;
    float time = spring::time;
    DUNLIN_HD void operator()(Offset k) const {
        for (Offset at = (first + k) * view.dim; at < (first + k + 1) * view.dim; ++at) {
            const float v = spring::freeness * (view.velocity[at] + time * view.force[at]);
            view.velocity[at] = v > max_velocity ? max_velocity : v < -max_velocity ? -max_velocity : v;
            view.y[at] += time * view.velocity[at];
        }
    }
};

/// Sums over moving items: speeds and how many; squared errors and squared dissimilarities of the pairs of an
/// iteration.
using Statistic = math::Vec<double, 4>;

/// How often the stress of an iteration's pairs is summed where speeds are followed, which costs a tenth of an
/// iteration.
constexpr int stress_interval = 4;

struct Observe {
    SpringView view;
    Index first;
    const int* iteration;
    int begin, interval;

    DUNLIN_HD Statistic operator()(Offset k) const {
        const Offset i = first + k;
        double square = 0, errors = 0, deltas = 0;
        for (Offset at = i * view.dim; at < (i + 1) * view.dim; ++at)
            square += static_cast<double>(view.velocity[at]) * static_cast<double>(view.velocity[at]);
        if ((*iteration - begin) % interval == 0) {
            for (Offset s = i * view.slots; s < (i + 1) * view.slots; ++s) {
                if (view.partner[s] < 0) continue;
                const auto delta = static_cast<double>(view.delta[s]);
                const double error = static_cast<double>(distance_of(view, i, view.partner[s])) - delta;
                errors += error * error;
                deltas += delta * delta;
            }
        }
        return {{sqrt(square), 1.0, errors, deltas}};
    }
};

/// Appends mean speed and normalized stress to their series and advances the iteration counter.
struct RecordStatistic {
    const Statistic* sums;
    double *speeds, *stresses;
    int* iteration;
    int begin;
    DUNLIN_HD void operator()(Offset) const {
        const int t = *iteration - begin;
        speeds[t] = sums->at[1] > 0 ? sums->at[0] / sums->at[1] : 0.0;
        stresses[t] = sums->at[3] > 0 ? sums->at[2] / sums->at[3] : 0.0;
        ++*iteration;
    }
};

}  // namespace dunlin::mds
