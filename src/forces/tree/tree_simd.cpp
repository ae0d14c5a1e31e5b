// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/law.hpp"
#include "forces/tree/cell.hpp"
#include "forces/tree/swarm.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

using math::unrolled;

template <int D, int Rows>
[[gnu::always_inline]] inline void place_rows(const Members<D>& members, Index first, float (&at)[Rows][D]) {
    unrolled<Rows * D>([&](std::size_t i)
                           DUNLIN_INLINE { at[i / D][i % D] = members.at[i % D][first + static_cast<Index>(i / D)]; });
}

template <int D, int Rows>
[[gnu::always_inline]] inline double push_rows(const Members<D>& members, Index first, const float (&push)[Rows][D],
                                               const float (&mass)[Rows]) {
    unrolled<Rows * D>([&](std::size_t i) DUNLIN_INLINE {
        members.force[i % D][first + static_cast<Index>(i / D)] += static_cast<double>(push[i / D][i % D]);
    });
    double total = 0;
    unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE { total += static_cast<double>(mass[r]); });
    return total;
}

Index padded(Index size) { return (size + swarm_lanes - 1) / swarm_lanes * swarm_lanes; }

/// One load of a swarm's point serves all rows. Among: the swarm are the members themselves.
template <class Law, int D, bool Among>
struct ByPoints {
    const Swarm<D>& swarm;
    Law law;

    template <int Rows>
    [[gnu::always_inline]] double repel(const Members<D>& members, Index first) const {
        float at[Rows][D], push[Rows][D] = {}, mass[Rows] = {};
        place_rows<D, Rows>(members, first, at);
        const std::array<const float*, D> columns = swarm.at;
        [[maybe_unused]] const float* charge = swarm.charge;
        const Law force = law;
        const Index size = padded(swarm.size);
        for (Index j = 0; j < size; ++j) {
            float to[D];
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { to[d] = columns[d][j]; });
            unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE {
                float delta[D], r2 = 0;
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { delta[d] = at[r][d] - to[d]; });
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { r2 += delta[d] * delta[d]; });
                float strength = force.strength(r2);
                if constexpr (Law::charged) strength *= charge[j];
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { push[r][d] += strength * delta[d]; });
                const bool itself = Among && j == first + static_cast<Index>(r);
                mass[r] += itself ? 0 : force.mass(r2);
            });
        }
        return push_rows<D, Rows>(members, first, push, mass);
    }
};

template <class Law, int D>
struct ByCells {
    const Cells<D>& cells;
    Law law;

    template <int Rows>
    [[gnu::always_inline]] double repel(const Members<D>& members, Index first) const {
        float at[Rows][D], push[Rows][D] = {}, mass[Rows] = {};
        place_rows<D, Rows>(members, first, at);
        const Cells<D> columns = cells;
        const Law force = law;
        const Index size = padded(cells.size);
        for (Index j = 0; j < size; ++j) {
            float to[D], doubled[moments_of<D>], trace = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { to[d] = columns.at[d][j]; });
            unrolled<moments_of<D>>([&](std::size_t m) DUNLIN_INLINE { doubled[m] = 2 * columns.moments[m][j]; });
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { trace += columns.moments[d][j]; });
            const float count = columns.count[j];
            unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE {
                float delta[D], r2 = 0;
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { delta[d] = at[r][d] - to[d]; });
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { r2 += delta[d] * delta[d]; });
                push_by_cell<Law, D>(force, delta, force.origin + r2, count, trace, doubled, push[r], mass[r]);
            });
        }
        return push_rows<D, Rows>(members, first, push, mass);
    }
};

template <int D, class Pushers>
[[gnu::always_inline]] inline double repel(const Members<D>& members, const Pushers& pushers) {
    double mass = 0;
    Index i = 0;
    for (; i + 4 <= members.size; i += 4) mass += pushers.template repel<4>(members, i);
    switch (members.size - i) {
        case 3:
            return mass + pushers.template repel<3>(members, i);
        case 2:
            return mass + pushers.template repel<2>(members, i);
        case 1:
            return mass + pushers.template repel<1>(members, i);
        default:
            return mass;
    }
}

}  // namespace

#define DUNLIN_REPEL(Law, D)                                                                                  \
    template <>                                                                                               \
    DUNLIN_CLONES double repel_by_points<Law, D>(const Members<D>& members, const Swarm<D>& swarm, Law law) { \
        return repel<D>(members, ByPoints<Law, D, false>{swarm, law});                                        \
    }                                                                                                         \
    template <>                                                                                               \
    DUNLIN_CLONES double repel_by_cells<Law, D>(const Members<D>& members, const Cells<D>& cells, Law law) {  \
        return repel<D>(members, ByCells<Law, D>{cells, law});                                                \
    }                                                                                                         \
    template <>                                                                                               \
    DUNLIN_CLONES double repel_among<Law, D>(const Members<D>& members, const Swarm<D>& swarm, Law law) {     \
        return repel<D>(members, ByPoints<Law, D, true>{swarm, law});                                         \
    }

DUNLIN_REPEL(StudentT, 2)
DUNLIN_REPEL(StudentT, 3)
DUNLIN_REPEL(GeneralStudentT, 2)
DUNLIN_REPEL(GeneralStudentT, 3)
DUNLIN_REPEL(InversePower<1>, 2)
DUNLIN_REPEL(InversePower<1>, 3)
DUNLIN_REPEL(InversePower<2>, 2)
DUNLIN_REPEL(InversePower<2>, 3)
DUNLIN_REPEL(InversePower<3>, 2)
DUNLIN_REPEL(InversePower<3>, 3)

}  // namespace dunlin::forces
