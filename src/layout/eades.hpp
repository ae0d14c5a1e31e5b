#pragma once

#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/drawing.hpp"

/// Eades 1984 ("A heuristic for graph drawing", Congressus Numerantium 42) in time steps: every vertex is a mass of 1
/// that all others repel by charge / d^2 and its neighbours attract by attraction * log(d / rest), under friction:
/// x'' = f(x) - b x'. The unit of length is the springs' rest length.
namespace dunlin::layout {

/// One time step of a vertex, the friction taken at its end, so that no b is too large:
/// v <- (v + dt f) / (1 + b dt), x <- x + dt v. A vertex moves at most a rest length at a time.
template <int D>
struct EadesStep {
    Vertices<D> vertices;
    float charge, damping, time_step;
    DUNLIN_HD void operator()(Offset i) const {
        if (vertices.pinned[i] != 0) return;
        float force[D], speed2 = 0;
        vertices.force(i, charge, force);
        float* v = vertices.velocity + i * D;
        for (int c = 0; c < D; ++c) {
            v[c] = (v[c] + time_step * force[c]) / (1 + damping * time_step);
            speed2 += v[c] * v[c];
        }
        const float shrink = shrinking(speed2, 1 / time_step);
        for (int c = 0; c < D; ++c) {
            v[c] *= shrink;
            vertices.y[i * D + c] += time_step * v[c];
        }
    }
};

/// Options are resolved. The repeller's law is InversePower<2>.
template <class Exec, class Edges, class Repeller>
Ending eades(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller, const Options& o,
             const Run& run) {
    const forces::LogSpring spring{*o.attraction, 1};
    const auto iterate = [&](int) {
        exec.replay([&] {
            push_and_pull(exec, drawing, edges, repeller, spring);
            by_dimension(drawing.dim, [&]<int D>() {
                exec.each(drawing.n, EadesStep<D>{vertices<D>(drawing), *o.charge, *o.damping, *o.time_step});
            });
            measure_kinetic_energy(exec, drawing);
        });
    };
    const auto settled = [&] { return kinetic_energy(exec, drawing) < static_cast<double>(*o.tolerance); };
    return repeat(exec, drawing, *o.iterations, run, iterate, settled);
}

}  // namespace dunlin::layout
