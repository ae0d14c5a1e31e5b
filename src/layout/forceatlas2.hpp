// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/iterations.hpp"

/// ForceAtlas2 (Jacomy, Venturini, Heymann and Bastian 2014, "ForceAtlas2, a continuous graph layout algorithm for
/// handy network visualization designed for the Gephi software", PLoS ONE 9): vertices of mass m = 1 + degree repel
/// each other by scaling m_i m_j / d, neighbors attract by d (LinLog: log(1 + d)), gravity is gravity m (strong: times
/// d). Speeds as in Gephi 0.9: a vertex that oscillates is slowed down, and the global speed adapts to the total
/// swinging. Masses may also be given. With overlap prevention distances are between borders (forces/borders.hpp,
/// layout/borders.hpp).
namespace dunlin::layout {

/// Total force on a vertex; Drawing::gravity is not used.
template <int D>
struct AtlasForce {
    Vertices<D> vertices;
    const float* masses;
    float scaling, gravity;
    bool strong;
    DUNLIN_HD void operator()(Offset i, float (&force)[D]) const {
        vertices.force(i, scaling * masses[i], force);
        float r2 = 1e-6F;
        for (int c = 0; c < D; ++c) r2 += vertices.y[i * D + c] * vertices.y[i * D + c];
        const float inwards = gravity * masses[i] / (strong ? 1.0F : sqrtf(r2));
        for (int c = 0; c < D; ++c) force[c] -= inwards * vertices.y[i * D + c];
    }
};

/// Swinging and traction of a vertex: |F - F'| and |F + F'| / 2 for the forces of two consecutive iterations.
struct Swing {
    float swing, traction;
};
template <int D>
DUNLIN_HD Swing swing_of(const float (&force)[D], const float* before) {
    float apart = 0, together = 0;
    for (int c = 0; c < D; ++c) {
        apart += (force[c] - before[c]) * (force[c] - before[c]);
        together += (force[c] + before[c]) * (force[c] + before[c]);
    }
    return {sqrtf(apart), 0.5F * sqrtf(together)};
}

/// Sums of swinging and traction over all vertices, weighted by mass.
template <int D>
struct SwingSum {
    AtlasForce<D> force;
    const float* before;
    DUNLIN_HD math::Vec<double, 2> operator()(Offset i) const {
        float f[D];
        force(i, f);
        const Swing one = swing_of<D>(f, before + i * D);
        math::Vec<double, 2> sum;
        sum.at[0] = static_cast<double>(force.masses[i] * one.swing);
        sum.at[1] = static_cast<double>(force.masses[i] * one.traction);
        return sum;
    }
};

/// Global speed and its efficiency factor.
struct AtlasSpeed {
    double speed = 1, efficiency = 1;

    [[nodiscard]] bool fits() const { return speed >= 0 && efficiency >= 0 && std::isfinite(speed + efficiency); }
};

/// Gephi's update of the global speed from the sums of swinging and traction.
DUNLIN_HD inline void change_speed(AtlasSpeed& s, double swing, double traction, double n, double tolerance) {
    if (!(swing > 0) || !(traction > 0)) return;
    const double usual = 0.05 * sqrt(n), by_traction = usual * traction / (n * n);
    const double held = by_traction < 10 ? by_traction : 10;
    double jitter = tolerance * (sqrt(usual) > held ? sqrt(usual) : held);
    constexpr double min_efficiency = 0.05;
    if (swing / traction > 2) {
        if (s.efficiency > min_efficiency) s.efficiency *= 0.5;
        jitter = jitter > tolerance ? jitter : tolerance;
    }
    const double target = jitter * s.efficiency * traction / swing;
    if (swing > jitter * traction) {
        if (s.efficiency > min_efficiency) s.efficiency *= 0.7;
    } else if (s.speed < 1000) {
        s.efficiency *= 1.3;
    }
    const double rise = target - s.speed, most = 0.5 * s.speed;
    s.speed += rise < most ? rise : most;
}

struct ChangeSpeed {
    AtlasSpeed* speed;
    const math::Vec<double, 2>* sums;
    double n, tolerance;
    DUNLIN_HD void operator()(Offset) const { change_speed(*speed, sums->at[0], sums->at[1], n, tolerance); }
};

/// Gephi's local speed limits. With overlap prevention: a tenth of the speed, and no step longer than the largest
/// radius (Gephi: 10, its default radius), so that vertices do not jump over each other.
struct SpeedLimits {
    float speed_factor, max_step;
};
inline SpeedLimits speed_limits_of(std::span<const float> radii) {
    if (radii.empty()) return {1, std::numeric_limits<float>::max()};
    return {0.1F, std::max(1e-3F, *std::max_element(radii.begin(), radii.end()))};
}

template <int D>
struct AtlasStep {
    AtlasForce<D> force;
    SpeedLimits limits;
    float* before;
    const AtlasSpeed* speed;
    DUNLIN_HD void operator()(Offset i) const {
        float f[D];
        force(i, f);
        const float swing = force.masses[i] * swing_of<D>(f, before + i * D).swing;
        const auto now = static_cast<float>(speed->speed);
        float factor = force.vertices.pinned[i] != 0 ? 0.0F : limits.speed_factor * now / (1 + sqrtf(now * swing));
        float length2 = 0;
        for (int c = 0; c < D; ++c) length2 += factor * f[c] * factor * f[c];
        factor *= step_limit_factor(length2, limits.max_step);
        for (int c = 0; c < D; ++c) {
            before[i * D + c] = f[c];
            force.vertices.velocity[i * D + c] = factor * f[c];
            force.vertices.y[i * D + c] += factor * f[c];
        }
    }
};

/// Distributed action ("dissuade hubs"): the attraction of a vertex is divided by its mass.
template <int D>
struct DivideByMass {
    const float* masses;
    float* attraction;
    DUNLIN_HD void operator()(Offset i) const {
        for (int c = 0; c < D; ++c) attraction[i * D + c] /= masses[i];
    }
};

/// Mass of a vertex: 1 + degree.
struct WeighByDegree {
    const Offset* offsets;
    float* masses;
    DUNLIN_HD void operator()(Offset i) const { masses[i] = static_cast<float>(1 + offsets[i + 1] - offsets[i]); }
};

/// Options are resolved; drawing.charges are the masses. The repeller's law is InversePower<1>, or BetweenBorders.
template <class Exec, class Edges, class Repeller, class Spring>
run::Ending forceatlas2(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller,
                        const Spring& spring, const SpeedLimits& limits, const Options& o, const Run& run) {
    typename Exec::template Buffer<float> before;
    typename Exec::template Cell<AtlasSpeed> speed;
    typename Exec::template Cell<math::Vec<double, 2>> sums;
    exec.fill(before, static_cast<std::size_t>(Offset{drawing.n} * drawing.dim), 0.0F);
    exec.set(speed, AtlasSpeed{});
    exec.set(sums, math::Vec<double, 2>{});  // allocated here, outside of what replay records
    drawing.gravity = 0;
    Options now = o;
    const auto iterate = [&](int) {
        exec.replay([&] {
            compute_forces(exec, drawing, edges, repeller, spring);
            const progress::Uncancellable whole;
            by_plane_or_space(drawing.dim, [&]<int D>() {
                if (o.distributed_action)
                    exec.each(drawing.n, DivideByMass<D>{drawing.charges.data(), drawing.attraction.data()});
                const AtlasForce<D> force{vertices<D>(drawing), drawing.charges.data(), *now.scaling, *now.gravity,
                                          o.strong_gravity};
                exec.sum(drawing.n, SwingSum<D>{force, before.data()}, sums);
                exec.each(1, ChangeSpeed{exec.address(speed), exec.address(sums), static_cast<double>(drawing.n),
                                         static_cast<double>(*now.jitter_tolerance)});
                exec.each(drawing.n, AtlasStep<D>{force, limits, before.data(), exec.address(speed)});
            });
            measure_kinetic_energy(exec, drawing);
        });
    };
    const auto settled = [&] {
        return root_mean_square(kinetic_energy(exec, drawing), drawing.n) < static_cast<double>(*o.tolerance);
    };
    const auto reset = [&] { repeller.set_theta(now.theta.value_or(0)); };
    const auto reheat = [](float) {};  // there is no temperature
    return run_iterations(exec, drawing, Steerable{now, reset, reheat}, run, iterate, settled, before, speed);
}

/// Selects the spring by the options.
template <class Exec, class Edges, class Repeller>
run::Ending forceatlas2(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller,
                        const SpeedLimits& limits, const Options& o, const Run& run) {
    if (o.linlog) return forceatlas2(exec, drawing, edges, repeller, forces::LinLogSpring{}, limits, o, run);
    return forceatlas2(exec, drawing, edges, repeller, forces::LinearSpring{}, limits, o, run);
}

/// Half of the iterations with points, or until these converge, and the rest with discs. Discs cannot pass each other,
/// so a random start would stay entangled. points, discs: run forceatlas2 with given options.
template <class Exec, class Points, class Discs>
run::Ending points_then_discs(Exec& exec, const Points& points, const Discs& discs, const Options& o) {
    Options part = o;
    part.iterations = *o.iterations / 2;
    const run::Ending first = points(part);
    if (first.stopped == Stopped::cancelled) return first;
    exec.forget();
    part.iterations = *o.iterations - first.iterations;
    run::Ending ending = discs(part);
    ending.iterations += first.iterations;
    return ending;
}

/// drawing.charges = masses: those given, on the host, or by degree. The graph's arrays are in the executor's memory.
template <class Exec, class AnyGraph>
void set_masses(Exec& exec, Drawing<Exec>& drawing, const AnyGraph& graph, std::span<const float> given) {
    if (given.empty()) {
        exec.each(drawing.n, WeighByDegree{graph.offsets.data(), drawing.charges.data()});
    } else {
        exec.upload(drawing.charges, given);
    }
}

}  // namespace dunlin::layout
