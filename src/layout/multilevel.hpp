// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "forces/law.hpp"
#include "forces/spring.hpp"
#include "layout/cooling.hpp"
#include "layout/iterations.hpp"

/// Refinement of the multilevel method: the initial layout (initial_layout.hpp) is refined by the bounded forces of
/// t-FDP (Zhong, Xue, Zhang, Chu, Zhang, Chen and Deussen 2023, "Force-directed graph layouts revisited: a new force
/// based on the t-distribution"): repulsion d / (1 + d^2)^2 between all pairs (forces::StudentT), attraction stiffness
/// (d + nearness d / (1 + d^2)) along edges. A regular mesh is in equilibrium when it is evenly spaced up to its
/// border; since the forces are bounded, vertices can pass each other.
namespace dunlin::layout {

/// The map is rescaled in the first iterations; stiffnesses are recomputed every tenth iteration.
constexpr int rescaled_iterations = 10, stiffness_interval = 10;
constexpr float momentum = 0.9F;

/// Scale factor before the final smoothing step; it shrinks edges from about 2.5 to 1.6. At this size the short-range
/// attraction outweighs the repulsion, and one step moves every vertex towards the mean of its neighbors, which smooths
/// what the momentum left uneven. More than one such step would collapse the map.
constexpr float smoothing_scale = 0.65F;

/// Gradient step with momentum, limited to the temperature. The preconditioner is 1 / (1 + the sum of a vertex's edge
/// stiffnesses (forces::sum_attractions)); the 1 stands for the repulsion.
template <int D>
struct RefinementStep {
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
        const float shrink = step_limit_factor(length2, temperature->now);
        for (int c = 0; c < D; ++c) {
            v[c] *= shrink;
            vertices.y[i * D + c] += v[c];
        }
    }
};

/// Virials of repulsion and attraction: sums of force . y and of - force . y.
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

/// Factor that scales the map towards equal virials, assuming that repulsion falls with the square of the size and
/// attraction grows with it. Steps of single vertices would need many iterations for that.
DUNLIN_HD inline float balancing_factor(const math::Vec<double, 2>& virial) {
    const double ratio = virial.at[1] > 0 ? virial.at[0] / virial.at[1] : 1;
    return sqrtf(sqrtf(static_cast<float>(ratio < 0.0625 ? 0.0625 : ratio > 16 ? 16 : ratio)));
}

template <int D>
struct RescaleByVirial {
    float* y;
    const math::Vec<double, 2>* virial;
    DUNLIN_HD void operator()(Offset i) const {
        const float factor = balancing_factor(*virial);
        for (int c = 0; c < D; ++c) y[i * D + c] *= factor;
    }
};

struct Scale {
    float* y;
    float factor;
    DUNLIN_HD void operator()(Offset i) const { y[i] *= factor; }
};

/// One iteration of the refinement: a step of all vertices, and rescaling.
template <class Exec>
class Refinement {
public:
    Refinement(Exec& exec, Drawing<Exec>& drawing, int iterations)
        : exec_(exec), drawing_(drawing), fall_(0.9F / static_cast<float>(iterations)) {
        exec.fill(pulls, static_cast<std::size_t>(drawing.n), 0.0F);
        reheat(1);
    }

    void step() {
        const progress::Uncancellable whole;
        move();
        exec_.each(1, Cool{exec_.address(temperature_)});
        measure_kinetic_energy(exec_, drawing_);
    }
    void rescale() {
        const progress::Uncancellable whole;
        by_plane_or_space(drawing_.dim, [&]<int D>() {
            exec_.sum(drawing_.n, Virial<D>{vertices<D>(drawing_)}, virial_);
            exec_.each(drawing_.n, RescaleByVirial<D>{drawing_.y.data(), exec_.address(virial_)});
        });
    }
    /// Scales y until the virials are equal, and drawing.scale with it.
    template <class FindForces>
    void balance(const FindForces& find_forces) {
        constexpr int most_rounds = 20;
        float factor = 0;
        for (int round = 0; round < most_rounds && std::abs(factor - 1) > 1e-3F; ++round) {
            find_forces();
            const progress::Uncancellable whole;
            by_plane_or_space(drawing_.dim,
                              [&]<int D>() { exec_.sum(drawing_.n, Virial<D>{vertices<D>(drawing_)}, virial_); });
            factor = balancing_factor(exec_.read(virial_));
            exec_.each(static_cast<Offset>(drawing_.y.size()), Scale{drawing_.y.data(), factor});
            drawing_.scale *= factor;
        }
    }
    /// Limits steps to this share of those at the begin.
    void reheat(float share) { exec_.set(temperature_, Temperature{share, 1, share * fall_}); }
    /// Shrinks the map before the forces of the final smoothing step are computed.
    void shrink_before_smoothing() {
        exec_.fill(drawing_.velocity, drawing_.y.size(), 0.0F);
        exec_.set(temperature_, Temperature{1, 1, 0});
        exec_.each(static_cast<Offset>(drawing_.y.size()), Scale{drawing_.y.data(), smoothing_scale});
    }
    void move() {
        by_plane_or_space(drawing_.dim, [&]<int D>() {
            exec_.each(drawing_.n, RefinementStep<D>{vertices<D>(drawing_), pulls.data(), exec_.address(temperature_)});
        });
    }

    /// The limit of steps.
    [[nodiscard]] typename Exec::template Cell<Temperature>& temperature() { return temperature_; }

    typename Exec::template Buffer<float> pulls;  ///< sum of the stiffnesses of a vertex's edges

private:
    Exec& exec_;
    Drawing<Exec>& drawing_;
    float fall_;
    typename Exec::template Cell<math::Vec<double, 2>> virial_;
    typename Exec::template Cell<Temperature> temperature_;
};

/// Refines an initial layout. `is_free_size`: the size may change, and a final smoothing step follows. Options are
/// resolved. The repeller's law is StudentT.
template <class Exec, class Edges, class Repeller>
run::Ending refine(Exec& exec, Drawing<Exec>& drawing, const Edges& edges, Repeller& repeller, const Options& o,
                   bool is_free_size, const Run& run) {
    Options now = o;
    bool has_pinned = false;
    const auto spring = [&] { return forces::BoundedSpring{*now.stiffness, *now.nearness}; };
    Refinement<Exec> refinement(exec, drawing, *o.iterations);
    const auto measure_pulls = [&] {
        sum_attractions(exec, edges, drawing.positions(), refinement.pulls.data(), spring());
    };
    const auto find_forces = [&] { compute_forces(exec, drawing, edges, repeller, spring()); };
    const auto iterate = [&](int t) {
        if (t % stiffness_interval == 0) measure_pulls();
        if (is_free_size && !has_pinned && t < rescaled_iterations) {
            find_forces();
            refinement.rescale();
            return refinement.step();
        }
        exec.replay([&] {
            find_forces();
            refinement.step();
        });
    };
    const auto settled = [&] {
        return root_mean_square(kinetic_energy(exec, drawing), drawing.n) < static_cast<double>(*o.tolerance);
    };
    const auto reset = [&] {
        repeller.set_theta(now.theta.value_or(0));
        drawing.gravity = now.gravity.value_or(0);
        has_pinned = has_pins(exec, drawing);
    };
    const auto reheat = [&](float share) { refinement.reheat(share); };
    if (!is_free_size && live::begins_at_rest(drawing.n)) {
        // The map of the method was scaled to the lengths of edges
        progress::run_cancellable(run.stop, [&] { refinement.balance(find_forces); });
    }
    const run::Ending ending = run_iterations(exec, drawing, Steerable{now, reset, reheat}, run, iterate, settled,
                                              refinement.pulls, refinement.temperature());
    if (is_free_size && !has_pinned && ending.iterations > 0 && ending.stopped != Stopped::cancelled) {
        refinement.shrink_before_smoothing();
        measure_pulls();
        find_forces();
        refinement.move();
    }
    return ending;
}

}  // namespace dunlin::layout
