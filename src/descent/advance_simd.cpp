// SPDX-License-Identifier: Apache-2.0
#include "descent/advance.hpp"

#include "device/clones.hpp"
#include "forces/width.hpp"

namespace dunlin::descent {

namespace {

template <class Step, int D>
[[gnu::always_inline]] inline void advance_each(const MovingPoints& points, Offset begin, Offset end, float mass,
                                                const StepParameters& parameters) {
    const MovingPoints p = points;
    const StepParameters same = parameters;  // a copy: stores through p cannot change it
    DUNLIN_NO_OVERLAP
    for (Offset i = begin; i < end; ++i) {
        const Offset at = i * D;
        Step::template advance<D>(p.y + at, p.velocity + at, p.gain + at, p.attraction + at, p.repulsion + at, mass,
                                  same);
    }
}

}  // namespace

#define DUNLIN_ADVANCE(Step, D)                                                                                  \
    template <>                                                                                                  \
    DUNLIN_CLONES void advance_points<Step, D>(const MovingPoints& points, Offset begin, Offset end, float mass, \
                                               const StepParameters& parameters) {                               \
        advance_each<Step, D>(points, begin, end, mass, parameters);                                             \
    }
DUNLIN_ADVANCE(GainStep, 2)
DUNLIN_ADVANCE(GainStep, 3)
DUNLIN_ADVANCE(AdamStep, 2)
DUNLIN_ADVANCE(AdamStep, 3)
#define DUNLIN_ADVANCE_WIDE(D) DUNLIN_ADVANCE(GainStep, D) DUNLIN_ADVANCE(AdamStep, D)
DUNLIN_WIDTHS(DUNLIN_ADVANCE_WIDE)

}  // namespace dunlin::descent
