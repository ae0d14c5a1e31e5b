// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "device/cancel.hpp"
#include "device/cpu.hpp"
#include "device/progress.hpp"
#include "forces/attraction/attraction.hpp"
#include "math/hd.hpp"
#include "tsne/advance.hpp"
#include "tsne/backend.hpp"
#include "tsne/convergence.hpp"
#include "tsne/descent_state.hpp"
#include "tsne/resolve.hpp"
#include "tsne/steps.hpp"

/// Gradient descent with momentum, once for all executors. Each executor provides a graph type, overloads of
/// forces::attract, forces::attract_cost, reorders_at and reorder, and a Repeller.
namespace dunlin::tsne {

/// The cost and convergence are checked at iterations divisible by this, never by the clock.
constexpr int check_every = 50;

template <int D>
struct Advance {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion;
    const double* mass;
    const StepParameters* parameters;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset at = i * D;
        advance<D>(y + at, velocity + at, gain + at, attraction + at, repulsion + at,
                   static_cast<float>(normalizer(*mass)), *parameters);
    }
};

/// Squared length of a point's gradient.
template <int D>
struct SquaredGradient {
    const float *attraction, *repulsion;
    const double* mass;
    const StepParameters* parameters;
    DUNLIN_HD double operator()(Offset i) const {
        const auto z = static_cast<float>(normalizer(*mass));
        double sum = 0;
        for (int c = 0; c < D; ++c) {
            const Offset at = i * D + c;
            const auto gradient =
                static_cast<double>(gradient_of(attraction[at], repulsion[at], parameters->exaggeration, z));
            sum += gradient * gradient;
        }
        return sum;
    }
};

template <int D>
struct Position {
    const float* y;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset i) const {
        math::Vec<double, 3> position;
        for (int c = 0; c < D; ++c) position.at[c] = static_cast<double>(y[i * D + c]);
        return position;
    }
};

template <int D>
struct Recenter {
    float* y;
    const math::Vec<double, 3>* sum;
    Index n;
    DUNLIN_HD void operator()(Offset i) const {
        for (int c = 0; c < D; ++c) y[i * D + c] -= static_cast<float>(sum->at[c] / n);
    }
};

/// Moves the map's center to the origin. Forces do not depend on it, but float precision does.
template <class Exec>
void recenter(Exec& exec, DescentState<Exec>& state) {
    const auto with = [&]<int D>() {
        exec.sum(state.n, Position<D>{state.y.data()}, state.center);
        exec.each(state.n, Recenter<D>{state.y.data(), exec.address(state.center), state.n});
    };
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

/// Moves all points along the forces at y.
template <class Exec>
void advance_all(Exec& exec, DescentState<Exec>& state) {
    const auto with = [&]<int D>() {
        exec.each(state.n,
                  Advance<D>{state.y.data(), state.velocity.data(), state.gain.data(), state.attraction.data(),
                             state.repulsion.data(), exec.address(state.mass), exec.address(state.parameters)});
    };
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}
inline void advance_all(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    const MovingPoints points{state.y.data(), state.velocity.data(), state.gain.data(), state.attraction.data(),
                              state.repulsion.data()};
    const auto mass = static_cast<float>(normalizer(state.mass.value));
    const auto advance_block = state.dim == 2 ? advance_points<2> : advance_points<3>;
    cpu.blocks(state.n, 4096,
               [&](Offset begin, Offset end, int) { advance_block(points, begin, end, mass, state.parameters.value); });
}

/// One step of gradient descent from the forces at y, then recentering.
template <class Exec>
void step(Exec& exec, DescentState<Exec>& state) {
    const device::Uncancellable whole;
    advance_all(exec, state);
    recenter(exec, state);
}

template <class Exec, class Affinities, class Repeller>
void find_forces(Exec& exec, DescentState<Exec>& state, const Affinities& affinities, Repeller& repeller) {
    const MatrixView<const float> y = state.positions();
    repeller.repel(exec, y, {state.repulsion.data(), state.n, state.dim}, state.mass);
    forces::attract(exec, affinities, y, {state.attraction.data(), state.n, state.dim});
}

/// KL(P, Q) of the map, with Z from the last find_forces; waits for the device.
template <class Exec, class Affinities>
double cost_now(Exec& exec, DescentState<Exec>& state, const Affinities& affinities, int iteration) {
    forces::attract_cost(exec, affinities, state.positions(), state.cost);
    const double cost = exec.read(state.cost) + std::log(normalizer(exec.read(state.mass)));
    if (std::isfinite(cost)) return cost;
    throw Error(Fault::bad_input, "the map diverged before iteration " + std::to_string(iteration) +
                                      "; lower learning-rate or longest-step");
}

/// Norm of the gradient of all points, without its factor 4, from the last find_forces; waits for the device.
template <class Exec>
double gradient_norm(Exec& exec, DescentState<Exec>& state) {
    typename Exec::template Cell<double> sum;
    const auto with = [&]<int D>() {
        exec.sum(state.n,
                 SquaredGradient<D>{state.attraction.data(), state.repulsion.data(), exec.address(state.mass),
                                    exec.address(state.parameters)},
                 sum);
    };
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
    return std::sqrt(exec.read(sum));
}

inline StepParameters step_parameters_at(const Options& o, int iteration) {
    const float limit = o.longest_step > 0 ? o.longest_step : std::numeric_limits<float>::infinity();
    if (iteration < o.exaggerated_iterations)
        return {o.exaggeration, *o.learning_rate, o.first_momentum, o.least_gain, limit};
    return {o.late_exaggeration, *o.late_learning_rate, o.momentum, o.least_gain, limit};
}

/// Updates before an iteration, where due: the order of the points, the step parameters, the repulsion engine.
template <class Exec, class Affinities, class Repeller>
void prepare(Exec& exec, DescentState<Exec>& state, Affinities& affinities, Repeller& repeller, const Options& options,
             int iteration) {
    if (reorders_at(state, iteration)) {
        reorder(exec, state, affinities);
        exec.forget();
    }
    if (iteration == 0 || iteration == options.exaggerated_iterations) {
        exec.set(state.parameters, step_parameters_at(options, iteration));
    }
    if (repeller.checks_at(iteration) && repeller.choose(exec, state.positions())) exec.forget();
}

/// Appends the engine of this iteration if it differs from the last one.
inline void record_engine(std::vector<Engine>& engines, Repulsion engine, int iteration) {
    if (engines.empty() || engines.back().name != name_of(engine))
        engines.push_back({"repulsion", name_of(engine), iteration});
}

/// Runs the descent; options are resolved. After early exaggeration it stops at the first check at which a rule holds:
/// those of Convergence, or a gradient of at most options.min_gradient.
template <class Exec, class Affinities, class Repeller>
DescentStatus descend(Exec& exec, DescentState<Exec>& state, Affinities& affinities, Repeller& repeller,
                      const Options& options, const Run& run) {
    device::ProgressReporter reporter(run, "optimize", options.iterations);
    Convergence convergence(options);
    const auto gradient_vanishes = [&](int t) {
        return options.min_gradient > 0 && t >= options.exaggerated_iterations &&
               gradient_norm(exec, state) <= static_cast<double>(options.min_gradient);
    };
    std::vector<Engine> engines;
    for (int t = 0; t < options.iterations; ++t) {
        bool settled = false;
        const bool done = device::run_cancellable(run.stop, [&] {
            prepare(exec, state, affinities, repeller, options, t);
            record_engine(engines, repeller.engine(), t);
            if (t % check_every != 0) {
                exec.replay([&] {
                    find_forces(exec, state, affinities, repeller);
                    step(exec, state);
                });
                return;
            }
            find_forces(exec, state, affinities, repeller);
            if (t > 0) {
                const double cost = cost_now(exec, state, affinities, t);
                reporter.cost(cost);
                settled = convergence.is_reached(t, cost) || gradient_vanishes(t);
            }
            if (!settled) step(exec, state);
        });
        if (!done) return {t, Stopped::cancelled, engines};
        if (settled) return {t, Stopped::converged, engines};
        reporter.tick(t + 1,
                      [&] { return in_original_order(exec.host(state.y), exec.host(state.original), state.map_dim); });
    }
    return {options.iterations, Stopped::budget, engines};
}

}  // namespace dunlin::tsne
