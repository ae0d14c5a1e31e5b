// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/iterations.hpp"

/// Fruchterman and Reingold 1991 ("Graph drawing by force-directed placement", Software: Practice and Experience 21):
/// repulsion k^2 / d between all pairs, attraction d^2 / k along edges. The unit of length is k.
namespace dunlin::layout {

/// Moves a vertex by its force, limited to the temperature.
template <int D>
struct CooledStep {
    Vertices<D> vertices;
    const Temperature* temperature;
    DUNLIN_HD void operator()(Offset i) const {
        if (vertices.pinned[i] != 0) return;
        float force[D], length2 = 0;
        vertices.force(i, 1, force);
        for (int c = 0; c < D; ++c) length2 += force[c] * force[c];
        const float shrink = step_limit_factor(length2, temperature->now);
        for (int c = 0; c < D; ++c) {
            vertices.velocity[i * D + c] = shrink * force[c];
            vertices.y[i * D + c] += shrink * force[c];
        }
    }
};

/// Options are resolved. The repeller's law is InversePower<1>.
template <class Exec, class Edges, class Repeller>
run::Ending fruchterman_reingold(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller,
                                 const Options& o, const Run& run) {
    typename Exec::template Cell<Temperature> temperature;
    Options now = o;
    const auto reheat = [&](float share) {
        const float first = share * *o.temperature;
        const float fall = o.cooling ? 0.0F : first / static_cast<float>(*o.iterations);
        exec.set(temperature, Temperature{first, o.cooling.value_or(1.0F), fall});
    };
    reheat(1);
    const auto iterate = [&](int) {
        exec.replay([&] {
            compute_forces(exec, drawing, edges, repeller, forces::QuadraticSpring{});
            const progress::Uncancellable whole;
            by_plane_or_space(drawing.dim, [&]<int D>() {
                exec.each(drawing.n, CooledStep<D>{vertices<D>(drawing), exec.address(temperature)});
            });
            exec.each(1, Cool{exec.address(temperature)});
            measure_kinetic_energy(exec, drawing);
        });
    };
    const auto settled = [&] {
        return root_mean_square(kinetic_energy(exec, drawing), drawing.n) < static_cast<double>(*o.tolerance);
    };
    const auto reset = [&] {
        repeller.set_theta(now.theta.value_or(0));
        drawing.gravity = now.gravity.value_or(0);
    };
    return run_iterations(exec, drawing, Steerable{now, reset, reheat}, run, iterate, settled, temperature);
}

}  // namespace dunlin::layout
