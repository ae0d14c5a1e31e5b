// SPDX-License-Identifier: Apache-2.0
#include "reliability/curvature.hpp"

#include <cmath>
#include <limits>

#include "math/at.hpp"
#include "math/symmetric.hpp"
#include "placement/loss.hpp"

namespace dunlin::reliability {

namespace {

using math::Expansion;

constexpr Offset points_per_block = 128;

template <int D>
void read_point(const Map& map, Index i, double (&y)[D]) {
    for (int c = 0; c < D; ++c) y[c] = static_cast<double>(map.coordinates[at(Offset{i} * D + c)]);
}

/// The edges of a point, with weights n p_ij.
placement::Edges edges_of(const Graph& affinities, const Map& map, Index i) {
    const Offset begin = affinities.offsets[at(i)], end = affinities.offsets[at(i) + 1];
    return {map.coordinates.data(), affinities.targets.data() + begin, affinities.weights.data() + begin,
            static_cast<Index>(end - begin), static_cast<double>(map.size())};
}

/// kl of a point with these edges, given sum_j n p_ij log(1 / q'_ij) and the sum of q'_ij over all j, q' without the
/// normalizer; 0 for a point without affinities.
double kl_from(const placement::Edges& edges, double attraction, double potential) {
    double entropy = 0, total = 0;
    for (Index e = 0; e < edges.count; ++e) {
        const double p = edges.scale * static_cast<double>(edges.weights[e]);
        if (p > 0) entropy += p * std::log(p);
        total += p;
    }
    return total > 0 ? (entropy + attraction) / total + std::log(potential / total) : 0;
}

/// The terms of point i at its position.
template <int D>
struct PointTerms {
    placement::Edges edges;
    Expansion<D> attraction, potential;  ///< sum_j n p_ij log(1 / q'_ij); sum_j q'_ij without the point itself

    PointTerms(const placement::Field<D, Law>& field, const Graph& affinities, const Map& map, Index i)
        : edges(edges_of(affinities, map, i)) {
        double y[D];
        read_point<D>(map, i, y);
        placement::add_attraction<D>(field.law, edges, y, attraction);
        potential = field.at(y);
        placement::add_potential<D>(field.law, -1, map.coordinates.data() + Offset{i} * D, y, potential);
    }

    /// The grid may miss the potential of points that are far from all others.
    [[nodiscard]] float kl() const {
        return static_cast<float>(kl_from(edges, attraction.value, std::fmax(potential.value, least_potential)));
    }

    static constexpr double least_potential = 1e-12;
};

template <int D>
void find_curvatures(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& whole,
                     Curvature& found) {
    const placement::Field<D, Law> field = whole.view<D>();
    const double n = map.size();
    cpu.each(
        map.size(),
        [&](Offset i) {
            const PointTerms<D> terms(field, affinities, map, static_cast<Index>(i));
            found.kl[at(i)] = terms.kl();
            Expansion<D> loss = terms.attraction;  // n / 2 times KL(P, Q), up to a constant
            const double rest = std::fmax(0.0, whole.normalizer() - 2 * terms.potential.value);
            placement::NormalizedRepulsion{n, rest}.template add<D>(terms.potential, loss);
            const double least = 2 / n * math::smallest_eigenvalue<D>(loss.hessian);
            found.singularity[at(i)] =
                least > 0 ? static_cast<float>(1 / least) : std::numeric_limits<float>::infinity();
            double step[D], square = 0;
            math::solve_shifted<D>(loss.hessian, 0, loss.gradient, step);
            for (const double s : step) square += s * s;
            found.newton_step[at(i)] = least > 0 && std::isfinite(square) ? static_cast<float>(std::sqrt(square))
                                                                          : std::numeric_limits<float>::infinity();
        },
        points_per_block);
}

template <int D>
void find_kl(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& whole, std::vector<float>& kl) {
    const placement::Field<D, Law> field = whole.view<D>();
    cpu.each(
        map.size(), [&](Offset i) { kl[at(i)] = PointTerms<D>(field, affinities, map, static_cast<Index>(i)).kl(); },
        points_per_block);
}

}  // namespace

Curvature curvature_of(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field) {
    const auto n = at(map.size());
    Curvature found{std::vector<float>(n), std::vector<float>(n), std::vector<float>(n)};
    if (map.dim == 1) find_curvatures<1>(cpu, affinities, map, field, found);
    if (map.dim == 2) find_curvatures<2>(cpu, affinities, map, field, found);
    if (map.dim == 3) find_curvatures<3>(cpu, affinities, map, field, found);
    return found;
}

std::vector<float> kl_of_points(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field) {
    std::vector<float> kl(at(map.size()));
    if (map.dim == 1) find_kl<1>(cpu, affinities, map, field, kl);
    if (map.dim == 2) find_kl<2>(cpu, affinities, map, field, kl);
    if (map.dim == 3) find_kl<3>(cpu, affinities, map, field, kl);
    return kl;
}

}  // namespace dunlin::reliability
