// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/laws.hpp"
#include "forces/tree/cell.hpp"
#include "forces/tree/sources.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

using math::unrolled;

template <int D, int Rows>
[[gnu::always_inline]] inline void place_rows(const TargetPoints<D>& targets, Index first, float (&at)[Rows][D]) {
    unrolled<Rows * D>([&](std::size_t i)
                           DUNLIN_INLINE { at[i / D][i % D] = targets.at[i % D][first + static_cast<Index>(i / D)]; });
}

template <int D, int Rows>
[[gnu::always_inline]] inline double add_forces(const TargetPoints<D>& targets, Index first,
                                                const float (&repulsion)[Rows][D], const float (&mass)[Rows]) {
    unrolled<Rows * D>([&](std::size_t i) DUNLIN_INLINE {
        targets.force[i % D][first + static_cast<Index>(i / D)] += static_cast<double>(repulsion[i / D][i % D]);
    });
    double total = 0;
    unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE { total += static_cast<double>(mass[r]); });
    return total;
}

Index padded(Index size) { return (size + source_lanes - 1) / source_lanes * source_lanes; }

/// Interactions with source points; one load of a source serves all rows. Among: the sources are the targets
/// themselves.
template <class Law, int D, bool Among>
struct ByPoints {
    const SourcePoints<D>& sources;
    Law law;

    template <int Rows>
    [[gnu::always_inline]] double repel(const TargetPoints<D>& targets, Index first) const {
        float at[Rows][D], repulsion[Rows][D] = {}, mass[Rows] = {};
        place_rows<D, Rows>(targets, first, at);
        const std::array<const float*, D> columns = sources.at;
        [[maybe_unused]] const float* charge = sources.charge;
        const Law force = law;
        const Index size = padded(sources.size);
        for (Index j = 0; j < size; ++j) {
            float to[D];
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { to[d] = columns[d][j]; });
            unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE {
                float delta[D], r2 = 0;
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { delta[d] = at[r][d] - to[d]; });
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { r2 += delta[d] * delta[d]; });
                float strength = force.strength(r2);
                if constexpr (Law::charged) strength *= charge[j];
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { repulsion[r][d] += strength * delta[d]; });
                const bool itself = Among && j == first + static_cast<Index>(r);
                mass[r] += itself ? 0 : force.mass(r2);
            });
        }
        return add_forces<D, Rows>(targets, first, repulsion, mass);
    }
};

template <class Law, int D>
struct ByCells {
    const SourceCells<D>& cells;
    Law law;

    template <int Rows>
    [[gnu::always_inline]] double repel(const TargetPoints<D>& targets, Index first) const {
        float at[Rows][D], repulsion[Rows][D] = {}, mass[Rows] = {};
        place_rows<D, Rows>(targets, first, at);
        const SourceCells<D> columns = cells;
        const Law force = law;
        const Index size = padded(cells.size);
        for (Index j = 0; j < size; ++j) {
            float to[D], doubled[moment_count<D>], trace = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { to[d] = columns.at[d][j]; });
            unrolled<moment_count<D>>([&](std::size_t m) DUNLIN_INLINE { doubled[m] = 2 * columns.moments[m][j]; });
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { trace += columns.moments[d][j]; });
            const float count = columns.count[j];
            unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE {
                float delta[D], r2 = 0;
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { delta[d] = at[r][d] - to[d]; });
                unrolled<D>([&](std::size_t d) DUNLIN_INLINE { r2 += delta[d] * delta[d]; });
                repel_by_multipole<Law, D>(force, delta, force.origin + r2, count, trace, doubled, repulsion[r],
                                           mass[r]);
            });
        }
        return add_forces<D, Rows>(targets, first, repulsion, mass);
    }
};

template <int D, class Sources>
[[gnu::always_inline]] inline double repel(const TargetPoints<D>& targets, const Sources& sources) {
    double mass = 0;
    Index i = 0;
    for (; i + 4 <= targets.size; i += 4) mass += sources.template repel<4>(targets, i);
    switch (targets.size - i) {
        case 3:
            return mass + sources.template repel<3>(targets, i);
        case 2:
            return mass + sources.template repel<2>(targets, i);
        case 1:
            return mass + sources.template repel<1>(targets, i);
        default:
            return mass;
    }
}

}  // namespace

#define DUNLIN_REPEL(Law, D)                                                                                     \
    template <>                                                                                                  \
    DUNLIN_CLONES double repel_by_points<Law, D>(const TargetPoints<D>& targets, const SourcePoints<D>& sources, \
                                                 Law law) {                                                      \
        return repel<D>(targets, ByPoints<Law, D, false>{sources, law});                                         \
    }                                                                                                            \
    template <>                                                                                                  \
    DUNLIN_CLONES double repel_by_cells<Law, D>(const TargetPoints<D>& targets, const SourceCells<D>& cells,     \
                                                Law law) {                                                       \
        return repel<D>(targets, ByCells<Law, D>{cells, law});                                                   \
    }                                                                                                            \
    template <>                                                                                                  \
    DUNLIN_CLONES double repel_among<Law, D>(const TargetPoints<D>& targets, const SourcePoints<D>& sources,     \
                                             Law law) {                                                          \
        return repel<D>(targets, ByPoints<Law, D, true>{sources, law});                                          \
    }

#define DUNLIN_REPEL_OF(Law) DUNLIN_REPEL(Law, 2) DUNLIN_REPEL(Law, 3)
DUNLIN_LAWS(DUNLIN_REPEL_OF)

}  // namespace dunlin::forces
