#include "device/clones.hpp"
#include "forces/law.hpp"
#include "forces/tree_swarm.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

namespace {

using math::unrolled;

/// `Rows` members, from `first` on, against the swarm: its loads serve all of them. Among: the swarm are the members
/// themselves, with weight 1.
template <class Law, int D, int Rows, bool Among>
[[gnu::always_inline]] inline double repel_rows(const Members<D>& members, Index first, const Swarm<D>& swarm) {
    float at[Rows][D], push[Rows][D] = {}, mass[Rows] = {};
    unrolled<Rows * D>([&](std::size_t i) { at[i / D][i % D] = members.at[i % D][first + static_cast<Index>(i / D)]; });
    const std::array<const float*, D> columns = swarm.at;
    const float* weights = swarm.weight;
    for (Index j = 0; j < swarm.size; ++j) {
        float to[D];
        unrolled<D>([&](std::size_t d) { to[d] = columns[d][j]; });
        const float weight = Among ? 1 : weights[j];
        unrolled<Rows>([&](std::size_t r) {
            float delta[D], r2 = 0;
            unrolled<D>([&](std::size_t d) { delta[d] = at[r][d] - to[d]; });
            unrolled<D>([&](std::size_t d) { r2 += delta[d] * delta[d]; });
            const float strength = weight * Law::strength(r2);
            unrolled<D>([&](std::size_t d) { push[r][d] += strength * delta[d]; });
            const bool itself = Among && j == first + static_cast<Index>(r);
            mass[r] += itself ? 0 : weight * Law::mass(r2);
        });
    }
    double total = 0;
    for (const float m : mass) total += static_cast<double>(m);
    unrolled<Rows * D>([&](std::size_t i) {
        members.force[i % D][first + static_cast<Index>(i / D)] += static_cast<double>(push[i / D][i % D]);
    });
    return total;
}

template <class Law, int D, bool Among>
[[gnu::always_inline]] inline double repel(const Members<D>& members, const Swarm<D>& swarm) {
    constexpr int at_once = 4;
    double mass = 0;
    Index i = 0;
    for (; i + at_once <= members.size; i += at_once) mass += repel_rows<Law, D, at_once, Among>(members, i, swarm);
    for (; i < members.size; ++i) mass += repel_rows<Law, D, 1, Among>(members, i, swarm);
    return mass;
}

}  // namespace

template <>
DUNLIN_CLONES double repel_members<StudentT, 2>(const Members<2>& members, const Swarm<2>& swarm) {
    return repel<StudentT, 2, false>(members, swarm);
}
template <>
DUNLIN_CLONES double repel_members<StudentT, 3>(const Members<3>& members, const Swarm<3>& swarm) {
    return repel<StudentT, 3, false>(members, swarm);
}
template <>
DUNLIN_CLONES double repel_among<StudentT, 2>(const Members<2>& members) {
    return repel<StudentT, 2, true>(members, {members.at, nullptr, members.size});
}
template <>
DUNLIN_CLONES double repel_among<StudentT, 3>(const Members<3>& members) {
    return repel<StudentT, 3, true>(members, {members.at, nullptr, members.size});
}

}  // namespace dunlin::forces
