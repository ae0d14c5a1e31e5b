// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "forces/law.hpp"
#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/drawing.hpp"

/// How the multilevel method ends: its outline (outline.hpp) settles under the bounded forces of t-FDP (Zhong, Xue,
/// Zhang, Chu, Zhang, Chen and Deussen 2023, "Force-directed graph layouts revisited: a new force based on the
/// t-distribution"): d / (1 + d^2)^2 between all (forces::StudentT), stiffness (d + nearness d / (1 + d^2)) along
/// edges. An even mesh is at rest under them when it is evenly spread, to its border; and since they stay finite
/// vertices can pass each other.
namespace dunlin::layout {

/// The size of the map is settled in the first iterations, stiffnesses before every tenth.
constexpr int dilations = 10, measured_every = 10;
constexpr float momentum = 0.9F;

/// Before the last step the map shrinks to this, from edges of about 2.5 to 1.6. There the pulls, which hold on to what
/// is near, outweigh the pushes, and one step draws every vertex towards the middle of its neighbors: what the
/// momentum left uneven is evened out. More than one would crumple the map.
constexpr float evening = 0.65F;

/// A step down the gradient with momentum, no longer than the temperature. A vertex gives way by one over its
/// stiffness: what its edges pull by (forces::sum_attractions), and about 1 for the pushes.
template <int D>
struct GlideStep {
    Vertices<D> vertices;
    const float* pulls;
    const Temperature* temperature;
    DUNLIN_HD void operator()(Offset i) const {
        if (vertices.pinned[i] != 0) return;
        float force[D], length2 = 0;
        vertices.force(i, 1, force);
        float* v = vertices.velocity + i * D;
        for (int c = 0; c < D; ++c) {
            v[c] = momentum * v[c] + force[c] / (1 + pulls[i]);
            length2 += v[c] * v[c];
        }
        const float shrink = shrinking(length2, temperature->now);
        for (int c = 0; c < D; ++c) {
            v[c] *= shrink;
            vertices.y[i * D + c] += v[c];
        }
    }
};

/// What pushes a map apart and what draws it together: the sums of push . y and of - pull . y.
template <int D>
struct Virial {
    Vertices<D> vertices;
    DUNLIN_HD math::Vec<double, 2> operator()(Offset i) const {
        math::Vec<double, 2> sum;
        for (int c = 0; c < D; ++c) {
            const auto y = static_cast<double>(vertices.y[i * D + c]);
            sum.at[0] += static_cast<double>(vertices.repulsion[i * D + c]) * y;
            sum.at[1] -= static_cast<double>(vertices.attraction[i * D + c]) * y;
        }
        return sum;
    }
};

/// Scales the whole map towards the size at which the two would be equal, if the pushes fell with the square of the
/// size and the pulls grew with it: steps of single vertices would take long to agree on that.
template <int D>
struct Dilate {
    float* y;
    const math::Vec<double, 2>* virial;
    DUNLIN_HD void operator()(Offset i) const {
        const double ratio = virial->at[1] > 0 ? virial->at[0] / virial->at[1] : 1;
        const float factor = sqrtf(sqrtf(static_cast<float>(ratio < 0.0625 ? 0.0625 : ratio > 16 ? 16 : ratio)));
        for (int c = 0; c < D; ++c) y[i * D + c] *= factor;
    }
};

struct Scale {
    float* y;
    float factor;
    DUNLIN_HD void operator()(Offset i) const { y[i] *= factor; }
};

/// How an outline moves: a step of all vertices, by their forces and the pulls of their edges, and its size.
template <class Exec>
class Glider {
public:
    Glider(Exec& exec, Drawing<Exec>& drawing, int iterations) : exec_(exec), drawing_(drawing) {
        exec.fill(pulls, static_cast<std::size_t>(drawing.n), 0.0F);
        exec.set(temperature_, Temperature{1, 1, 0.9F / static_cast<float>(iterations)});
    }

    void step() {
        const device::Uncancellable whole;
        move();
        exec_.each(1, Cool{exec_.address(temperature_)});
        measure_kinetic_energy(exec_, drawing_);
    }
    void dilate() {
        const device::Uncancellable whole;
        by_dimension(drawing_.dim, [&]<int D>() {
            exec_.sum(drawing_.n, Virial<D>{vertices<D>(drawing_)}, virial_);
            exec_.each(drawing_.n, Dilate<D>{drawing_.y.data(), exec_.address(virial_)});
        });
    }
    /// Before the forces of the last step are known.
    void even_out() {
        exec_.fill(drawing_.velocity, drawing_.y.size(), 0.0F);
        exec_.set(temperature_, Temperature{1, 1, 0});
        exec_.each(static_cast<Offset>(drawing_.y.size()), Scale{drawing_.y.data(), evening});
    }
    void move() {
        by_dimension(drawing_.dim, [&]<int D>() {
            exec_.each(drawing_.n, GlideStep<D>{vertices<D>(drawing_), pulls.data(), exec_.address(temperature_)});
        });
    }

    typename Exec::template Buffer<float> pulls;  ///< of a vertex's edges, all together

private:
    Exec& exec_;
    Drawing<Exec>& drawing_;
    typename Exec::template Cell<math::Vec<double, 2>> virial_;
    typename Exec::template Cell<Temperature> temperature_;
};

/// Lets an outline settle; `dilates`: its size is free, and in the end it is evened out. Options are resolved. The
/// repeller's law is StudentT.
template <class Exec, class Edges, class Repeller>
Ending glide(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller, const Options& o, bool dilates,
             const Run& run) {
    const forces::BoundedSpring spring{*o.stiffness, *o.nearness};
    Glider<Exec> glider(exec, drawing, *o.iterations);
    const auto measure_pulls = [&] { sum_attractions(exec, edges, drawing.positions(), glider.pulls.data(), spring); };
    const auto find_forces = [&] { push_and_pull(exec, drawing, edges, repeller, spring); };
    const auto iterate = [&](int t) {
        if (t % measured_every == 0) measure_pulls();
        if (dilates && t < dilations) {
            find_forces();
            glider.dilate();
            return glider.step();
        }
        exec.replay([&] {
            find_forces();
            glider.step();
        });
    };
    const auto settled = [&] {
        return root_mean_square(kinetic_energy(exec, drawing), drawing.n) < static_cast<double>(*o.tolerance);
    };
    const Ending ending = repeat(exec, drawing, *o.iterations, run, iterate, settled);
    if (dilates && ending.iterations > 0 && ending.stopped != Stopped::cancelled) {
        glider.even_out();
        measure_pulls();
        find_forces();
        glider.move();
    }
    return ending;
}

}  // namespace dunlin::layout
