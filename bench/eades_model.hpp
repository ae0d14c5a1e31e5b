// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"
#include "layout/eades.hpp"

/// Eades' model in 2-D, as the programs of the ladder compute it, with the formulas and constants of dunlin::layout.
namespace dunlin::bench {

/// f = attraction * log(d) along edges, charge / d^2 between all, - damping * v. With less damping or longer steps
/// rand256, whose vertices are close together, never converges.
struct Eades {
    float attraction = 2, charge = 1, damping = 4, time_step = 0.05F;
};

/// Sums of the repulsion and attraction of a vertex, without their constants.
struct Forces {
    float2 apart{0, 0}, together{0, 0};
};

DUNLIN_HD inline void add(float2& sum, float2 term) {
    sum.x += term.x;
    sum.y += term.y;
}

/// Adds the forces of another vertex on a vertex at `here`.
DUNLIN_HD inline void meet(float2 here, float2 other, bool linked, Forces& forces) {
    const float x = here.x - other.x, y = here.y - other.y, r2 = x * x + y * y;
    const float apart = forces::InversePower<2>::strength(r2);
    add(forces.apart, {apart * x, apart * y});
    if (!linked) return;
    const float together = -forces::LogSpring{1, 1}.attraction(1.0F, r2);
    add(forces.together, {together * x, together * y});
}

/// The same as one force, with the constants applied to each term.
DUNLIN_HD inline float2 force_between(const Eades& eades, float2 here, float2 other, bool linked) {
    Forces forces;
    meet(here, other, linked, forces);
    return {eades.charge * forces.apart.x + eades.attraction * forces.together.x,
            eades.charge * forces.apart.y + eades.attraction * forces.together.y};
}

/// Moves a vertex by `repulsion`, which lacks its constant, and `attraction`.
DUNLIN_HD inline void step(const Eades& eades, float charge, float2 repulsion, float2 attraction, float2& at,
                           float2& velocity) {
    const std::uint8_t free = 0;
    const layout::Vertices<2> one{&at.x, &velocity.x, &repulsion.x, &attraction.x, &free, 0};
    layout::EadesStep<2>{one, charge, eades.damping, eades.time_step}(0);
}
DUNLIN_HD inline void move(const Eades& eades, float2 force, float2& at, float2& velocity) {
    step(eades, 1, force, {0, 0}, at, velocity);
}
DUNLIN_HD inline void move(const Eades& eades, const Forces& forces, float2& at, float2& velocity) {
    const float2 attraction{eades.attraction * forces.together.x, eades.attraction * forces.together.y};
    step(eades, eades.charge, forces.apart, attraction, at, velocity);
}

/// Kinetic energy as the source counts it: the sum of squared velocities.
DUNLIN_HD inline float energy_of(float2 velocity) { return velocity.x * velocity.x + velocity.y * velocity.y; }

}  // namespace dunlin::bench
