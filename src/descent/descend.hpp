// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <dunlin/descent.hpp>

#include "checkpoint/session.hpp"
#include "descent/advance.hpp"
#include "descent/divergence.hpp"
#include "descent/move_points.hpp"
#include "descent/saved_state.hpp"
#include "descent/state.hpp"
#include "descent/status.hpp"
#include "descent/steps.hpp"
#include "descent/watched_map.hpp"
#include "device/cancel.hpp"
#include "device/cpu.hpp"
#include "device/progress.hpp"
#include "live/steered_loop.hpp"
#include "math/hd.hpp"

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
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}
template <class Step>
void advance_own(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    const MovingPoints points{state.y.data(), state.velocity.data(), state.gain.data(), state.attraction.data(),
                              state.repulsion.data()};
    const auto mass = static_cast<float>(normalizer(state.mass.value));
    const auto advance_block = state.dim == 2 ? advance_points<Step, 2> : advance_points<Step, 3>;
    const Offset first = state.share.rows.begin;
    cpu.blocks(state.share.rows.size(), 4096, [&](Offset begin, Offset end, int) {
        advance_block(points, first + begin, first + end, mass, state.parameters.value);
    });
}

template <int D>
struct ReturnHome {
    float *y, *velocity;
    const float* home;
    const std::uint8_t* fixed;
    const Index* original;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset from = original[i];
        if (fixed[from] == 0) return;
        for (int c = 0; c < D; ++c) {
            y[i * D + c] = home[from * D + c];
            velocity[i * D + c] = 0;
        }
    }
};

/// Moves the fixed points back.
template <class Exec>
void return_home(Exec& exec, DescentState<Exec>& state) {
    const auto with = [&]<int D>() {
        exec.each(state.n, ReturnHome<D>{state.y.data(), state.velocity.data(), state.home.data(), state.fixed.data(),
                                         state.original.data()});
    };
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

/// One step of gradient descent from the forces at y, then recentering, unless points are fixed.
template <class Step = GainStep, class Exec>
void step(Exec& exec, DescentState<Exec>& state) {
    const device::Uncancellable whole;
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
    const auto with = [&]<int D>() {
        exec.sum(state.n,
                 SquaredGradient<D>{state.attraction.data(), state.repulsion.data(), exec.address(state.mass),
                                    exec.address(state.parameters)},
                 sum);
    };
    state.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
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
}

/// Appends the engine of this iteration if it differs from the last one.
inline void record_engine(std::vector<Engine>& engines, Repulsion engine, int iteration) {
    if (engines.empty() || engines.back().name != name_of(engine))
        engines.push_back({"repulsion", name_of(engine), iteration});
}

/// Restores the state of a resumed descent before its next iteration, and the edges and step parameters that follow
/// from it.
template <class Exec, class Edges, class Repeller, class Objective>
DescentPosition resumed_descent(checkpoint::ArchiveReader& archive, Exec& exec, DescentState<Exec>& state, Edges& edges,
                                Repeller& repeller, Objective& objective) {
    DescentPosition position = read_descent(archive, exec, state, repeller, objective);
    if (state.n > 0) renumber(exec, state, edges);
    objective.follow(exec, edges);
    exec.set(state.parameters, objective.parameters_at(position.iteration));
    return position;
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
    device::ProgressReporter reporter(run, "optimize", objective.iterations());
    checkpoint::Loop loop("descent");
    WatchedMap<Exec> live(exec, state);
    const auto positions = [&] { return map_coordinates(exec, state); };
    DescentPosition at;
    const auto apply = [&](const live::Act& act) {
        const device::Uncancellable whole;
        if (act.verb == live::Verb::set) {
            objective.set(exec, edges, act);
            repeller.set_theta(objective.options().theta.value_or(0));
            exec.set(state.parameters, objective.parameters_at(at.iteration));
        } else {
            move_points(exec, state, act);
        }
        exec.forget();
    };
    // Acts come to one thread: several ranks are not steered
    const Index steerable = state.share.rank != nullptr ? -1 : state.n;
    live::SteeredLoop steered(
        steerable, state.map_dim, live::steerable_fields(objective.options()), run.stop, apply,
        [&] { return live.show_now(at.iteration); }, forces::farthest_place);
    loop.resume([&](auto& archive) {
        at = resumed_descent(archive, exec, state, edges, repeller, objective);
        steered.read(archive);
    });
    std::vector<Engine>& engines = at.engines;
    const auto write = [&](const typename Objective::Memory& memory) {
        return [&](auto& archive) {
            write_descent(archive, exec, state, repeller, at, memory);
            steered.write(archive);
        };
    };
    const auto begin_again = [&] {
        const device::Uncancellable whole;
        exec.fill(state.velocity, state.y.size(), 0.0F);
        exec.fill(state.gain, state.y.size(), Objective::initial_gain);
        objective.recall({});
        exec.forget();
        at.iteration = 0;
    };
    const auto ended = [&](int iterations, Stopped why) {
        at.iteration = iterations, at.stopped = why, at.has_ended = 1;
        loop.end(iterations, write(objective.memory()));
        return DescentStatus{iterations, why, engines};
    };
    if (at.has_ended != 0) return {at.iteration, at.stopped, engines};
    reporter.tick(at.iteration);
    live.show(at.iteration);
    bool has_buffers = false;  // an iteration that is not recorded allocates them, also in a resumed run
    for (int& t = at.iteration; t < objective.iterations();) {
        switch (steered.before(t)) {
            case live::Course::go_on:
                break;
            case live::Course::restart:
                begin_again();
                continue;
            case live::Course::finish:
                return ended(t, Stopped::budget);
            case live::Course::stop:
                loop.save(t, write(objective.memory()));
                return {t, Stopped::cancelled, engines};
        }
        bool settled = false;
        const typename Objective::Memory before = objective.memory();
        // Ranks notice a stop at different times: they agree before each iteration, which none then leaves
        const bool stopped = state.share.rank != nullptr && device::stops(run);
        const std::stop_token token = state.share.rank != nullptr ? std::stop_token() : run.stop;
        const bool done = !stopped && device::run_cancellable(token, [&] {
            prepare(exec, state, edges, repeller, objective, t);
            record_engine(engines, repeller.engine(), t);
            if (has_buffers && t % check_every != 0) {
                find_forces_and_step(exec, state, edges, repeller, objective);
                return;
            }
            has_buffers = true;
            objective.find_forces(exec, state, edges, repeller);
            repeller.join(exec);
            settled = t > 0 && t % check_every == 0 && objective.is_reached(exec, state, edges, t, reporter);
            if (!settled) step_of(exec, state, objective);
        });
        if (!done) {
            loop.save(t, write(before));
            return {t, Stopped::cancelled, engines};
        }
        if (settled) return ended(t, Stopped::converged);
        reporter.tick(++t, positions);
        live.show(t);
        loop.offer(t, write(objective.memory()));
    }
    return ended(objective.iterations(), Stopped::budget);
}

}  // namespace dunlin::descent
