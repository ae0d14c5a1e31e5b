// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "progress/cancel.hpp"
#include "run/loop.hpp"
#include "waves/problem.hpp"
#include "waves/rest.hpp"
#include "waves/saved_state.hpp"

/// The time loop, for engines of every device. An engine integrates:
///     advance(first, steps, dt)   the steps first, first + 1, ..., each of length dt
///     completed()                 steps done, also after a cancelled advance()
///     fastest(t)                  largest rate of a value that no stimulus holds at time t
///     state()                     the values; of an engine that is not used again, without a copy
///     activation()                times so far, or a copy of them; not needed by problems without until_all_active
///     write(archive, t), read(archive)   its state for a checkpoint (saved_state.hpp); an engine without has none
namespace dunlin::waves {

constexpr Offset steps_between_checks = 64;

/// True if a stimulus begins or ends after time t.
bool awaits_stimulus(const Problem& problem, double t);

/// Throws Error{bad_input}: the values grew without bound. node -1: unknown.
[[noreturn]] void refuse_unbounded(double time, double step, Offset node = -1);

/// Throws Error{bad_input}: Newton's method does not converge in the step that begins at this time.
[[noreturn]] void refuse_newton(double time, double step);

/// Steps until time t.
inline Offset steps_until(double t, double dt) {
    constexpr double most = 1e15;  // whatever the budget; a cast of more could overflow
    return static_cast<Offset>(std::min(std::ceil(t / dt * (1 - 1e-12)), most));
}

template <class Engine>
bool is_over(Engine& engine, const Problem& problem, double t, RestWatch& watch) {
    if constexpr (requires { engine.activation(); }) {
        if (problem.until_all_active) {
            const auto& times = engine.activation();
            if (std::none_of(times.begin(), times.end(), [](double time) { return time == never; })) return true;
        }
    }
    if (problem.options.until || awaits_stimulus(problem, t)) return false;
    const double rate = engine.fastest(t);
    if (!std::isfinite(rate)) refuse_unbounded(t, *problem.options.step);
    // A part of a domain (RankEngine) does not know the values of others
    constexpr bool is_whole = !requires { Engine::is_part; };
    Size size{problem.scale, problem.magnitude};
    if constexpr (is_whole) {
        if (problem.options.model == Model::diffusion && !problem.current.empty())
            size = size_of(problem, engine.state().v);
    }
    const RestPace pace = watch.look(problem, size, t, *problem.options.step, rate);
    if constexpr (is_whole) {
        if (pace == RestPace::rests && evens_out(problem, t))
            return spread_of(problem, engine.state().v) <= problem.options.rest * size.scale;
    }
    return pace != RestPace::moves;
}

template <class Engine>
void take_snapshot(Engine& engine, double t, Result& result) {
    State state = engine.state();
    result.snapshots.push_back({t, {std::move(state.v), std::move(state.w)}});
}

/// A simulation with fixed steps as its loop sees it: its state in a checkpoint, and its snapshots.
template <class Engine>
class FixedSteps : public run::LoopState {
public:
    static constexpr bool is_saved =
        requires(Engine& engine, checkpoint::ArchiveWriter& archive) { engine.write(archive, 0.0); };

    RestWatch watch;

    /// last: the last step. Refers to the others.
    FixedSteps(Engine& engine, const Problem& problem, const Given& given, Offset last, Result& result)
        : engine_(engine),
          problem_(problem),
          times_(given.snapshots),
          dt_(*problem.options.step),
          last_(last),
          result_(result) {}

    /// The step of the next snapshot; the last step if there is none.
    [[nodiscard]] Offset due() const { return is_more() ? steps_until(times_[taken()], dt_) : last_; }
    /// Takes the snapshots of this step.
    void take(Offset step) {
        while (is_more() && due() == step) take_snapshot(engine_, time_of(dt_, step), result_);
    }

    void write(checkpoint::ArchiveWriter& archive, const run::Position&) override {
        if constexpr (is_saved) {
            archive(engine_.completed()), archive(watch);
            write_snapshots(archive, result_.snapshots);
            engine_.write(archive, time_of(dt_, engine_.completed()));
        }
    }
    run::Position read(checkpoint::ArchiveReader& archive) override {
        Offset step = 0;
        if constexpr (is_saved) {
            archive(step), archive(watch);
            read_snapshots(archive, problem_, times_, result_.snapshots);
            engine_.read(archive);
            archive.require(step == engine_.completed() && watch.fits(), "step");
        }
        return {step};
    }
    [[nodiscard]] Offset reached(Offset) override { return engine_.completed(); }

private:
    [[nodiscard]] std::size_t taken() const { return result_.snapshots.size(); }
    [[nodiscard]] bool is_more() const { return taken() < times_.size(); }

    Engine& engine_;
    const Problem& problem_;
    std::span<const double> times_;
    double dt_;
    Offset last_;
    Result& result_;
};

/// Fixed steps, in pieces that end where something is to be looked at.
template <class Engine>
void drive(Engine& engine, const Problem& problem, const Given& given, const Run& run, Result& result) {
    const double dt = *problem.options.step;
    const Offset budget = problem.options.steps;
    const Offset wanted = problem.options.until ? steps_until(*problem.options.until, dt) : budget + 1;
    const Offset last = std::min(wanted, budget);
    FixedSteps<Engine> state(engine, problem, given, last, result);
    const std::string_view name = FixedSteps<Engine>::is_saved ? "waves" : "";
    run::Loop loop(run, {"optimize", name, last, wanted <= budget ? Stopped::converged : Stopped::budget}, state);
    state.take(loop.iteration());
    while (loop.next()) {
        loop.step([&](Offset step) {
            const bool looks = step % steps_between_checks == 0;
            if (looks && is_over(engine, problem, time_of(dt, step), state.watch)) return loop.settled();
            const Offset check = (step / steps_between_checks + 1) * steps_between_checks;
            const Offset next = std::min({last, check, std::max(state.due(), step + 1)});
            engine.advance(step, next - step, dt);
            const progress::Uncancellable whole;
            state.take(next);
            loop.advances(next - step);
        });
    }
    result.stopped = loop.ending().stopped;
    result.iterations = static_cast<int>(engine.completed());
    result.time = time_of(dt, engine.completed());
    result.step = dt;
}

/// Takes the values and counts of an engine after its run.
template <class Engine>
void collect(Engine&& engine, Result& result) {
    result.skipped = engine.skipped();
    result.evaluations = engine.evaluations();
    State state = std::forward<Engine>(engine).state();
    result.field = {std::move(state.v), std::move(state.w)};
    result.activation = std::move(state.activation);
    for (double& time : result.activation) {
        if (time > result.time) time = never;  // of a step that was cancelled
    }
}

}  // namespace dunlin::waves
