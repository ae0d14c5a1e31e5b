// SPDX-License-Identifier: Apache-2.0
#include "waves/adaptive_step.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "waves/drive.hpp"

namespace dunlin::waves {

namespace {

/// The first of from, from + every, ... after t.
double next_of(double from, double every, double t) {
    if (from > t) return from;
    if (every <= 0) return forever;
    double next = from + every * std::floor((t - from) / every);
    while (next <= t && next + every > next) next += every;
    return next > t ? next : forever;  // periods below the digits of the time do not end
}

/// Throws if a step no longer moves the time.
void require_progress(double t, double dt, double tolerance) {
    if (t + dt > t) return;
    throw Error(
        Fault::bad_input,
        fmt::format("tolerance {} needs steps below {:.3g} at time {:.6g}; give a larger tolerance", tolerance, dt, t),
        {.option = "tolerance"});
}

}  // namespace

double next_event(const Problem& problem, double t) {
    double next = forever;
    for (const Stimulus& s : problem.stimuli) {
        next = std::min(next, next_of(s.from, s.every, t));
        if (s.to < forever) next = std::min(next, next_of(s.to, s.every, t));
    }
    return next;
}

bool awaits_stimulus(const Problem& problem, double t) { return next_event(problem, t) < forever; }

double next_step(double dt, double error, double error_before) {
    if (!std::isfinite(error)) return 0.2 * dt;
    constexpr double smallest = 1e-10;
    const double now = std::max(error, smallest), before = std::max(error_before, smallest);
    const double factor = 0.9 * std::pow(now, -0.35) * (error <= 1 ? std::pow(before, 0.2) : std::pow(now, -0.15));
    return dt * std::clamp(factor, 0.2, error <= 1 ? 5.0 : 0.9);
}

namespace {

/// A simulation with steps of adapted length as its loop sees it, whose iterations are tried steps.
class AdaptiveSteps : public run::LoopState {
public:
    double t = 0, dt, error_before = 1;
    RestWatch watch;

    /// Refers to all of these.
    AdaptiveSteps(PlainEngine& engine, const Problem& problem, const Given& given, Result& result)
        : dt(*problem.options.step),
          engine_(engine),
          problem_(problem),
          times_(given.snapshots),
          end_(problem.options.until.value_or(forever)),
          result_(result) {}

    [[nodiscard]] bool is_at_end() const { return t >= end_; }
    /// The time at which a step has to end: of the end, of a stimulus or of a snapshot.
    [[nodiscard]] double next_stop() const {
        const double stop = std::min(end_, next_event(problem_, t));
        return is_more() ? std::min(stop, times_[taken()]) : stop;
    }
    /// Takes the snapshots that are due.
    void take() {
        while (is_more() && times_[taken()] <= t) take_snapshot(engine_, t, result_);
    }

    void write(checkpoint::ArchiveWriter& archive, const run::Position& at) override {
        archive(t), archive(dt), archive(error_before), archive(at.iteration), archive(result_.step),
            archive(result_.rejected), archive(watch);
        write_snapshots(archive, result_.snapshots);
        engine_.write(archive, t);
    }
    run::Position read(checkpoint::ArchiveReader& archive) override {
        Offset tries = 0;
        for (double* number : {&t, &dt, &error_before}) archive.finite(*number);
        archive(tries), archive.finite(result_.step), archive(result_.rejected), archive(watch);
        read_snapshots(archive, problem_, times_, result_.snapshots);
        engine_.read(archive);
        const bool is_counted =
            result_.rejected >= 0 && engine_.completed() >= 0 && engine_.completed() <= tries - result_.rejected;
        archive.require(is_counted && t >= 0 && t <= end_ && dt > 0 && error_before >= 0 && watch.fits(), "step");
        return {tries};
    }

private:
    [[nodiscard]] std::size_t taken() const { return result_.snapshots.size(); }
    [[nodiscard]] bool is_more() const { return taken() < times_.size(); }

    PlainEngine& engine_;
    const Problem& problem_;
    std::span<const double> times_;
    double end_;
    Result& result_;
};

}  // namespace

void drive_adaptive(PlainEngine& engine, const Problem& problem, const Given& given, const Run& run, Result& result) {
    const Options& o = problem.options;
    const double tolerance = *o.tolerance;
    AdaptiveSteps state(engine, problem, given, result);
    run::Loop loop(run, {"optimize", "waves", o.steps}, state);
    state.take();
    while (loop.next()) {
        loop.step([&](Offset tries) {
            const bool looks = tries % steps_between_checks == 0;
            if (state.is_at_end() || (looks && is_over(engine, problem, state.t, state.watch))) return loop.settled();
            const double stop = state.next_stop();
            const bool lands = state.t + state.dt >= stop;
            const TimeStep step{state.t, lands ? stop - state.t : state.dt, lands ? stop : state.t + state.dt, tries};
            require_progress(state.t, step.dt, tolerance);
            const double error = engine.attempt(step) / tolerance;
            const progress::Uncancellable whole;
            if (error <= 1) {
                engine.accept(step);
                state.t = step.end;
                result.step = step.dt;
            } else {
                ++result.rejected;
            }
            const double wanted = std::min(next_step(step.dt, error, state.error_before), 0.9 * problem.step_limit);
            // a short last step says little
            state.dt = lands && error <= 1 ? std::max(state.dt, wanted) : wanted;
            if (error <= 1) state.error_before = error;
            engine.count();
            state.take();
            if (state.is_at_end()) loop.settled_after();
        });
    }
    result.stopped = loop.ending().stopped;
    result.iterations = static_cast<int>(engine.completed());
    result.time = state.t;
}

}  // namespace dunlin::waves
