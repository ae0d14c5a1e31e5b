#include "device/clones.hpp"
#include "forces/exact_tile.hpp"
#include "forces/law.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

using math::unrolled;

/// `Rows` points, from `first` on, against the columns from `begin` on: one load and store of a column's force
/// serves all of them.
template <class Law, int D, int Rows>
[[gnu::always_inline]] inline double repel_rows(const TileSide<D>& rows, Index first, const TileSide<D>& columns,
                                                Index begin) {
    float at[Rows][D], push[Rows][D] = {}, mass[Rows] = {};
    unrolled<Rows * D>([&](std::size_t i) { at[i / D][i % D] = rows.at[i % D][first + static_cast<Index>(i / D)]; });
    const std::array<const float*, D> column = columns.at;
    const std::array<float*, D> column_force = columns.force;
    DUNLIN_NO_OVERLAP
    for (Index j = begin; j < columns.size; ++j) {
        float to[D], back[D];
        unrolled<D>([&](std::size_t d) { to[d] = column[d][j]; });
        unrolled<D>([&](std::size_t d) { back[d] = column_force[d][j]; });
        unrolled<Rows>([&](std::size_t r) {
            float delta[D], r2 = 0;
            unrolled<D>([&](std::size_t d) { delta[d] = at[r][d] - to[d]; });
            unrolled<D>([&](std::size_t d) { r2 += delta[d] * delta[d]; });
            const float strength = Law::strength(r2);
            unrolled<D>([&](std::size_t d) { push[r][d] += strength * delta[d]; });
            unrolled<D>([&](std::size_t d) { back[d] -= strength * delta[d]; });
            mass[r] += Law::mass(r2);
        });
        unrolled<D>([&](std::size_t d) { column_force[d][j] = back[d]; });
    }
    unrolled<Rows * D>(
        [&](std::size_t i) { rows.force[i % D][first + static_cast<Index>(i / D)] += push[i / D][i % D]; });
    double total = 0;
    for (const float m : mass) total += static_cast<double>(m);
    return total;
}

template <class Law, int D>
[[gnu::always_inline]] inline double tile(const TileSide<D>& rows, const TileSide<D>& columns) {
    constexpr int at_once = 4;
    double mass = 0;
    Index i = 0;
    for (; i + at_once <= rows.size; i += at_once) mass += repel_rows<Law, D, at_once>(rows, i, columns, 0);
    for (; i < rows.size; ++i) mass += repel_rows<Law, D, 1>(rows, i, columns, 0);
    return mass;
}

template <class Law, int D>
[[gnu::always_inline]] inline double within(const TileSide<D>& points) {
    double mass = 0;
    for (Index i = 0; i < points.size; ++i) mass += repel_rows<Law, D, 1>(points, i, points, i + 1);
    return mass;
}

}  // namespace

template <>
DUNLIN_CLONES double repel_tile<StudentT, 2>(const TileSide<2>& rows, const TileSide<2>& columns) {
    return tile<StudentT, 2>(rows, columns);
}
template <>
DUNLIN_CLONES double repel_tile<StudentT, 3>(const TileSide<3>& rows, const TileSide<3>& columns) {
    return tile<StudentT, 3>(rows, columns);
}
template <>
DUNLIN_CLONES double repel_within<StudentT, 2>(const TileSide<2>& points) {
    return within<StudentT, 2>(points);
}
template <>
DUNLIN_CLONES double repel_within<StudentT, 3>(const TileSide<3>& points) {
    return within<StudentT, 3>(points);
}

}  // namespace dunlin::forces
