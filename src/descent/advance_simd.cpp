// SPDX-License-Identifier: Apache-2.0
#include "descent/advance.hpp"

#include "device/clones.hpp"

namespace dunlin::descent {

namespace {

template <int D>
[[gnu::always_inline]] inline void advance_each(const MovingPoints& points, Offset begin, Offset end, float mass,
                                                const StepParameters& parameters) {
    const MovingPoints p = points;
    const StepParameters same = parameters;  // a copy: stores through p cannot change it
    DUNLIN_NO_OVERLAP
    for (Offset i = begin; i < end; ++i) {
        const Offset at = i * D;
        advance<D>(p.y + at, p.velocity + at, p.gain + at, p.attraction + at, p.repulsion + at, mass, same);
    }
}

}  // namespace

template <>
DUNLIN_CLONES void advance_points<2>(const MovingPoints& points, Offset begin, Offset end, float mass,
                                     const StepParameters& parameters) {
    advance_each<2>(points, begin, end, mass, parameters);
}
template <>
DUNLIN_CLONES void advance_points<3>(const MovingPoints& points, Offset begin, Offset end, float mass,
                                     const StepParameters& parameters) {
    advance_each<3>(points, begin, end, mass, parameters);
}

}  // namespace dunlin::descent
