// SPDX-License-Identifier: Apache-2.0
#include "device/clones.hpp"
#include "forces/borders.hpp"
#include "forces/exact/tile.hpp"
#include "forces/laws.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

using math::unrolled;

/// Interactions of `Rows` points, from `first` on, with the columns from `begin` on. One load and store of a column's
/// force serves all these rows.
template <class Law, int D, int Rows>
[[gnu::always_inline]] inline double repel_rows(const TileSide<D>& rows, Index first, const TileSide<D>& columns,
                                                Index begin, Law law) {
    float at[Rows][D], repulsion[Rows][D] = {}, mass[Rows] = {};
    unrolled<Rows * D>([&](std::size_t i)
                           DUNLIN_INLINE { at[i / D][i % D] = rows.at[i % D][first + static_cast<Index>(i / D)]; });
    [[maybe_unused]] float own[Rows] = {};
    if constexpr (Law::charged) {
        unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE { own[r] = rows.charge[first + static_cast<Index>(r)]; });
    }
    [[maybe_unused]] float radius[Rows] = {};
    if constexpr (is_sized<Law>) {
        unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE { radius[r] = rows.radius[first + static_cast<Index>(r)]; });
    }
    const std::array<const float*, D> column = columns.at;
    const std::array<float*, D> column_force = columns.force;
    DUNLIN_NO_OVERLAP
    for (Index j = begin; j < columns.size; ++j) {
        float to[D], back[D], charge = 1;
        if constexpr (Law::charged) charge = columns.charge[j];
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE { to[d] = column[d][j]; });
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE { back[d] = column_force[d][j]; });
        unrolled<Rows>([&](std::size_t r) DUNLIN_INLINE {
            float delta[D], r2 = 0, strength = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { delta[d] = at[r][d] - to[d]; });
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { r2 += delta[d] * delta[d]; });
            if constexpr (is_sized<Law>) {
                strength = law.strength(r2, radius[r] + columns.radius[j]);
            } else {
                strength = law.strength(r2);
            }
            const float on_row = Law::charged ? charge * strength : strength;
            const float on_column = Law::charged ? own[r] * strength : strength;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { repulsion[r][d] += on_row * delta[d]; });
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE { back[d] -= on_column * delta[d]; });
            mass[r] += law.mass(r2);
        });
        unrolled<D>([&](std::size_t d) DUNLIN_INLINE { column_force[d][j] = back[d]; });
    }
    unrolled<Rows * D>([&](std::size_t i) DUNLIN_INLINE {
        rows.force[i % D][first + static_cast<Index>(i / D)] += repulsion[i / D][i % D];
    });
    double total = 0;
    for (const float m : mass) total += static_cast<double>(m);
    return total;
}

template <class Law, int D>
[[gnu::always_inline]] inline double tile(const TileSide<D>& rows, const TileSide<D>& columns, Law law) {
    constexpr int at_once = 4;
    double mass = 0;
    Index i = 0;
    for (; i + at_once <= rows.size; i += at_once) mass += repel_rows<Law, D, at_once>(rows, i, columns, 0, law);
    for (; i < rows.size; ++i) mass += repel_rows<Law, D, 1>(rows, i, columns, 0, law);
    return mass;
}

template <class Law, int D>
[[gnu::always_inline]] inline double within(const TileSide<D>& points, Law law) {
    double mass = 0;
    for (Index i = 0; i < points.size; ++i) mass += repel_rows<Law, D, 1>(points, i, points, i + 1, law);
    return mass;
}

}  // namespace

#define DUNLIN_REPEL(Law, D)                                                                                \
    template <>                                                                                             \
    DUNLIN_CLONES double repel_tile<Law, D>(const TileSide<D>& rows, const TileSide<D>& columns, Law law) { \
        return tile<Law, D>(rows, columns, law);                                                            \
    }                                                                                                       \
    template <>                                                                                             \
    DUNLIN_CLONES double repel_within<Law, D>(const TileSide<D>& points, Law law) {                         \
        return within<Law, D>(points, law);                                                                 \
    }

#define DUNLIN_REPEL_OF(Law) DUNLIN_REPEL(Law, 2) DUNLIN_REPEL(Law, 3)
DUNLIN_LAWS(DUNLIN_REPEL_OF)
DUNLIN_REPEL_OF(BetweenBorders)

}  // namespace dunlin::forces
