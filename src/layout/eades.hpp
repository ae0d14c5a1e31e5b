// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/iterations.hpp"

/// Eades 1984 ("A heuristic for graph drawing", Congressus Numerantium 42) in time steps: every vertex has mass 1, is
/// repelled by all others by charge / d^2 and attracted by its neighbors by attraction * log(d / rest), under friction:
/// x'' = f(x) - b x'. The unit of length is the rest length of the springs.
namespace dunlin::layout {

/// Stiffness estimates from the last step, for linearly implicit steps.
struct Stiffness {
    float* of;      ///< n: stiffness of each vertex
    float* forces;  ///< n x D: forces in the last step
};

/// One time step of a vertex. Friction and stiffness K are taken at the end of the step, which makes it stable for any
/// length: v <- (v + dt f) / (1 + dt (b + dt K)), x <- x + dt v. A step is at most one rest length.
///
/// K is |f - f'| / |x - x'|, the change of the force over the last move, or 0.9 times the previous K if that is larger.
/// Inside a dense graph K is large, and explicit steps (stable for dt^2 K < 2 (2 + b dt)) would never converge. At rest
/// K has no effect, since f is zero.
template <int D>
struct EadesStep {
    Vertices<D> vertices;
    float charge, damping, time_step;
    Stiffness stiffness = {nullptr, nullptr};  ///< null: explicit steps
    DUNLIN_HD void operator()(Offset i) const {
        if (vertices.pinned[i] != 0) return;
        float force[D], speed2 = 0;
        vertices.force(i, charge, force);
        float* v = vertices.velocity + i * D;
        const float held = stiffness.of != nullptr ? stiffness_shown(i, force) : 0.0F;
        for (int c = 0; c < D; ++c) {
            v[c] = (v[c] + time_step * force[c]) / (1 + time_step * (damping + time_step * held));
            speed2 += v[c] * v[c];
        }
        const float shrink = step_limit_factor(speed2, 1 / time_step);
        for (int c = 0; c < D; ++c) {
            v[c] *= shrink;
            vertices.y[i * D + c] += time_step * v[c];
        }
    }

    /// Stiffness estimate. A vertex slower than a thousandth of a rest length gives none: changes of its force come
    /// from other vertices.
    DUNLIN_HD float stiffness_shown(Offset i, const float (&force)[D]) const {
        float change2 = 0, speed2 = 0;
        for (int c = 0; c < D; ++c) {
            const float change = force[c] - stiffness.forces[i * D + c], v = vertices.velocity[i * D + c];
            change2 += change * change;
            speed2 += v * v;
            stiffness.forces[i * D + c] = force[c];
        }
        const float shown = speed2 > 1e-6F ? sqrtf(change2 / speed2) / time_step : 0;
        const float before = 0.9F * stiffness.of[i];
        return stiffness.of[i] = shown > before ? shown : before;
    }
};

/// Options are resolved. The repeller's law is InversePower<2>.
template <class Exec, class Edges, class Repeller>
run::Ending eades(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller, const Options& o,
                  const Run& run) {
    Options now = o;
    typename Exec::template Buffer<float> stiffness, forces;
    exec.fill(stiffness, static_cast<std::size_t>(drawing.n), 0.0F);
    exec.fill(forces, drawing.y.size(), 0.0F);
    const auto iterate = [&](int) {
        exec.replay([&] {
            compute_forces(exec, drawing, edges, repeller, forces::LogSpring{*now.attraction, 1});
            const progress::Uncancellable whole;
            by_plane_or_space(drawing.dim, [&]<int D>() {
                exec.each(drawing.n, EadesStep<D>{vertices<D>(drawing),
                                                  *now.charge,
                                                  *now.damping,
                                                  *o.time_step,
                                                  {stiffness.data(), forces.data()}});
            });
            measure_kinetic_energy(exec, drawing);
        });
    };
    typename Exec::template Cell<double> pull;
    exec.set(pull, 0.0);
    // A stiff vertex creeps and is not at rest: forces must also be too small to accelerate it within one step
    const auto settled = [&] {
        const auto tolerance = static_cast<double>(*o.tolerance), dt = static_cast<double>(*o.time_step);
        if (kinetic_energy(exec, drawing) >= tolerance) return false;
        by_plane_or_space(drawing.dim, [&]<int D>() { exec.sum(drawing.n, SquaredSpeed<D>{forces.data()}, pull); });
        return dt * dt * exec.read(pull) < tolerance;
    };
    const auto reset = [&] {
        repeller.set_theta(now.theta.value_or(0));
        drawing.gravity = now.gravity.value_or(0);
    };
    const auto reheat = [](float) {};  // there is no temperature
    return run_iterations(exec, drawing, Steerable{now, reset, reheat}, run, iterate, settled, stiffness, forces);
}

}  // namespace dunlin::layout
