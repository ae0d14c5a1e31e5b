// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/descent.hpp>

#include "descent/advance.hpp"
#include "descent/divergence.hpp"
#include "descent/moving_descent.hpp"
#include "descent/state.hpp"
#include "descent/status.hpp"
#include "descent/steps.hpp"
#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "progress/cancel.hpp"
#include "run/loop.hpp"

/// Gradient descent with momentum of neighbor embeddings, once for all executors and objectives. Each executor provides
/// a graph type, overloads of forces::attract, forces::attract_cost, reorders_at and reorder, and a Repeller.
namespace dunlin::descent {

/// Cost and convergence are checked at iterations divisible by this, never by the clock.
constexpr int check_every = 50;

template <class Step, int D>
struct Advance {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion;
    const double* mass;
    const StepParameters* parameters;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset at = i * D;
        Step::template advance<D>(y + at, velocity + at, gain + at, attraction + at, repulsion + at,
                                  static_cast<float>(normalizer(*mass)), *parameters);
    }
};

/// Squared length of a point's gradient.
struct SquaredGradient {
    const float *attraction, *repulsion;
    const double* mass;
    const StepParameters* parameters;
    int width;
    DUNLIN_HD double operator()(Offset i) const {
        const auto z = static_cast<float>(normalizer(*mass));
        double sum = 0;
        for (int c = 0; c < width; ++c) {
            const Offset at = i * width + c;
            const auto gradient =
                static_cast<double>(gradient_of(attraction[at], repulsion[at], parameters->exaggeration, z));
            sum += gradient * gradient;
        }
        return sum;
    }
};

/// D axes of a row of `width`.
template <int D>
struct Position {
    const float* y;
    int width = D;
    DUNLIN_HD math::Vec<double, 3> operator()(Offset i) const {
        math::Vec<double, 3> position;
        for (int c = 0; c < D; ++c) position.at[c] = static_cast<double>(y[i * width + c]);
        return position;
    }
};

template <int D>
struct Recenter {
    float* y;
    const math::Vec<double, 3>* sum;
    Index n;
    int width = D;
    DUNLIN_HD void operator()(Offset i) const {
        for (int c = 0; c < D; ++c) y[i * width + c] -= static_cast<float>(sum->at[c] / n);
    }
};

/// Moves the map's center to the origin. Forces do not depend on it, but float precision does.
template <class Exec>
void recenter(Exec& exec, DescentState<Exec>& state) {
    const auto with = [&]<int D>(int first, int width) {
        exec.sum(state.n, Position<D>{state.y.data() + first, width}, state.center);
        exec.each(state.n, Recenter<D>{state.y.data() + first, exec.address(state.center), state.n, width});
    };
    if (state.dim == 2) return with.template operator()<2>(0, 2);
    if (state.dim == 3) return with.template operator()<3>(0, 3);
    for (int axis = 0; axis < state.map_dim; axis += 2) with.template operator()<2>(axis, state.dim);
}

/// Moves the points, of several ranks those of the share, along the forces at y, by a rule of steps.hpp.
template <class Step, class Exec>
void advance_own(Exec& exec, DescentState<Exec>& state) {
    const device::Slice own = state.share.rows;
    const Offset at = own.begin * state.dim;
    const auto with = [&]<int D>() {
        exec.each(own.size(), Advance<Step, D>{state.y.data() + at, state.velocity.data() + at, state.gain.data() + at,
                                               state.attraction.data() + at, state.repulsion.data() + at,
                                               exec.address(state.mass), exec.address(state.parameters)});
    };
    if (state.dim > 3) return forces::with_wide(state.dim, with);
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}
template <class Step>
void advance_own(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    const MovingPoints points{state.y.data(), state.velocity.data(), state.gain.data(), state.attraction.data(),
                              state.repulsion.data()};
    const auto mass = static_cast<float>(normalizer(state.mass.value));
    auto advance_block = state.dim == 2 ? advance_points<Step, 2> : advance_points<Step, 3>;
    if (state.dim > 3) forces::with_wide(state.dim, [&]<int W>() { advance_block = advance_points<Step, W>; });
    const Offset first = state.share.rows.begin;
    cpu.blocks(state.share.rows.size(), 4096, [&](Offset begin, Offset end, int) {
        advance_block(points, first + begin, first + end, mass, state.parameters.value);
    });
}

struct ReturnHome {
    float *y, *velocity;
    const float* home;
    const std::uint8_t* fixed;
    const Index* original;
    int width;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset from = original[i];
        if (fixed[from] == 0) return;
        for (int c = 0; c < width; ++c) {
            y[i * width + c] = home[from * width + c];
            velocity[i * width + c] = 0;
        }
    }
};

/// Moves the fixed points back.
template <class Exec>
void return_home(Exec& exec, DescentState<Exec>& state) {
    exec.each(state.n, ReturnHome{state.y.data(), state.velocity.data(), state.home.data(), state.fixed.data(),
                                  state.original.data(), state.dim});
}

/// One step of gradient descent from the forces at y, then recentering, unless points are fixed.
template <class Step = GainStep, class Exec>
void step(Exec& exec, DescentState<Exec>& state) {
    const progress::Uncancellable whole;
    advance_own<Step>(exec, state);
    state.gather(exec, state.y);
    if (state.home.size() > 0) {
        return_home(exec, state);
    } else {
        recenter(exec, state);
    }
}

/// Norm of the gradient of all points, without its factor 4, from the last find_forces; waits for the device.
template <class Exec>
double gradient_norm(Exec& exec, DescentState<Exec>& state) {
    state.gather(exec, state.attraction);
    state.gather(exec, state.repulsion);
    typename Exec::template Cell<double> sum;
    exec.sum(state.n,
             SquaredGradient{state.attraction.data(), state.repulsion.data(), exec.address(state.mass),
                             exec.address(state.parameters), state.dim},
             sum);
    return std::sqrt(exec.read(sum));
}

/// Updates before an iteration, where due: the order of the points, the step parameters, the repulsion engine.
template <class Exec, class Edges, class Repeller, class Objective>
void prepare(Exec& exec, DescentState<Exec>& state, Edges& edges, Repeller& repeller, Objective& objective,
             int iteration) {
    require_inside(exec, state, iteration);
    if (reorders_at(state, iteration)) {
        state.gather(exec, state.velocity);
        state.gather(exec, state.gain);
        reorder(exec, state, edges);
        objective.follow(exec, edges);
        exec.forget();
    }
    if (objective.prepare(exec, iteration)) exec.forget();
    if (objective.changes_at(iteration)) exec.set(state.parameters, objective.parameters_at(iteration));
    if (repeller.checks_at(iteration) && repeller.choose(exec, state.positions())) exec.forget();
    repeller.begin(exec, iteration);
}

/// Appends the engine of this iteration if it differs from the last one.
inline void record_engine(std::vector<Engine>& engines, Repulsion engine, int iteration) {
    if (engines.empty() || engines.back().name != name_of(engine))
        engines.push_back({"repulsion", name_of(engine), iteration});
}

/// Takes a step: by objective.step() if the objective has one, otherwise by its rule Objective::Step.
template <class Exec, class Objective>
void step_of(Exec& exec, DescentState<Exec>& state, Objective& objective) {
    if constexpr (requires { objective.step(exec, state); }) {
        objective.step(exec, state);
    } else {
        step<typename Objective::Step>(exec, state);
    }
}

/// Finds the forces and takes a step, by recorded launches. With several ranks only the forces are recorded: exchanges
/// between ranks cannot be.
template <class Exec, class Edges, class Repeller, class Objective>
void find_forces_and_step(Exec& exec, DescentState<Exec>& state, Edges& edges, Repeller& repeller,
                          Objective& objective) {
    if (state.share.rank == nullptr) {
        return exec.replay([&] {
            objective.find_forces(exec, state, edges, repeller);
            step_of(exec, state, objective);
        });
    }
    exec.replay([&] { objective.find_forces(exec, state, edges, repeller); });
    repeller.join(exec);
    step_of(exec, state, objective);
}

/// Runs the descent along the gradient of an objective, which provides
///   Step                                               a rule of steps.hpp
///   step(exec, state)                                  if it has one, in place of step() by that rule
///   iterations()                                       the limit
///   prepare(exec, t)                                   before the forces of t; returns whether they enqueue other work
///   changes_at(t), parameters_at(t)                    whether the step parameters change at t, and their values
///   find_forces(exec, state, edges, repeller)          sets attraction, repulsion and mass of the state
///   is_reached(exec, state, edges, t, reporter)        at checks: throws for a map that diverged; whether to stop
///   follow(exec, edges)                                adapts to renumbered points
///   options(), set(exec, edges, act)                   the options now; an act that sets one (live/steered_loop.hpp)
///   initial_gain                                       gain of all points at the start
///   Memory, memory(), recall(memory)                   for a checkpoint: what is_reached remembers of earlier
///                                                      iterations
template <class Exec, class Edges, class Repeller, class Objective>
DescentStatus descend(Exec& exec, DescentState<Exec>& state, Edges& edges, Repeller& repeller, Objective& objective,
                      const Run& run) {
    MovingDescent moving(exec, state, edges, repeller, objective);
    const run::LoopNames names{
        .stage = "optimize", .checkpoint = "descent", .limit = objective.iterations(), .rank = state.share.rank};
    run::Loop loop(run, names, moving, &moving);
    bool has_buffers = false;  // an iteration that is not recorded allocates them, also in a resumed run
    while (loop.next()) {
        loop.step([&](Offset at) {
            const int t = static_cast<int>(at);
            prepare(exec, state, edges, repeller, objective, t);
            record_engine(moving.engines, repeller.engine(), t);
            if (has_buffers && t % check_every != 0)
                return find_forces_and_step(exec, state, edges, repeller, objective);
            has_buffers = true;
            objective.find_forces(exec, state, edges, repeller);
            repeller.join(exec);
            const bool is_checked = t > 0 && t % check_every == 0;
            if (is_checked && objective.is_reached(exec, state, edges, t, loop.progress())) return loop.settled();
            step_of(exec, state, objective);
        });
    }
    const run::Ending ending = loop.ending();
    return {ending.iterations, ending.stopped, std::move(moving.engines)};
}

}  // namespace dunlin::descent
