// SPDX-License-Identifier: Apache-2.0
#include "reliability/curvature.hpp"

#include "math/at.hpp"
#include "reliability/point_terms.hpp"

namespace dunlin::reliability {

namespace {

constexpr Offset points_per_block = 128;

/// The edges of a point, with weights n p_ij.
placement::Edges edges_of(const Graph& affinities, const Map& map, Index i) {
    const Offset begin = affinities.offsets[at(i)], end = affinities.offsets[at(i) + 1];
    return {map.coordinates.data(), affinities.targets.data() + begin, affinities.weights.data() + begin,
            static_cast<Index>(end - begin), static_cast<double>(map.size())};
}

template <int D>
void find_curvatures(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& whole,
                     Curvature& found) {
    const placement::Field<D, Law> field = whole.view<D>();
    cpu.each(
        map.size(),
        [&](Offset i) {
            const auto point = static_cast<Index>(i);
            const PointCurvature of =
                curvature_at<D>(field, whole.normalizer(), edges_of(affinities, map, point), point);
            found.kl[at(i)] = of.kl;
            found.singularity[at(i)] = of.singularity;
            found.newton_step[at(i)] = of.newton_step;
        },
        points_per_block);
}

template <int D>
void find_kl(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& whole, std::vector<float>& kl) {
    const placement::Field<D, Law> field = whole.view<D>();
    cpu.each(
        map.size(),
        [&](Offset i) {
            const auto point = static_cast<Index>(i);
            kl[at(i)] = PointTerms<D>(field, edges_of(affinities, map, point), point).kl();
        },
        points_per_block);
}

}  // namespace

Curvature curvature_on_cpu(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field) {
    Curvature found(map.size());
    if (map.dim == 1) find_curvatures<1>(cpu, affinities, map, field, found);
    if (map.dim == 2) find_curvatures<2>(cpu, affinities, map, field, found);
    if (map.dim == 3) find_curvatures<3>(cpu, affinities, map, field, found);
    return found;
}

std::vector<float> kl_on_cpu(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field) {
    std::vector<float> kl(at(map.size()));
    if (map.dim == 1) find_kl<1>(cpu, affinities, map, field, kl);
    if (map.dim == 2) find_kl<2>(cpu, affinities, map, field, kl);
    if (map.dim == 3) find_kl<3>(cpu, affinities, map, field, kl);
    return kl;
}

Curvature curvature_of(const Where& where, const Graph& affinities, const Map& map, const MapField& field) {
    return where.gpu != nullptr ? curvature_on_cuda(affinities, map, field, *where.gpu)
                                : curvature_on_cpu(where.cpu, affinities, map, field);
}

std::vector<float> kl_of_points(const Where& where, const Graph& affinities, const Map& map, const MapField& field) {
    if (where.gpu != nullptr) return curvature_on_cuda(affinities, map, field, *where.gpu).kl;
    return kl_on_cpu(where.cpu, affinities, map, field);
}

}  // namespace dunlin::reliability
