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

void drive_adaptive(PlainEngine& engine, const Problem& problem, const Given& given, const Run& run, Result& result) {
    const Options& o = problem.options;
    const double end = o.until.value_or(forever), tolerance = *o.tolerance;
    progress::ProgressReporter reporter(run, "optimize", o.steps);
    double t = 0, dt = *o.step, error_before = 1;
    Offset tries = 0;
    std::size_t shown = 0;
    RestWatch watch;
    checkpoint::Loop loop("waves");
    loop.resume([&](auto& archive) {
        for (double* number : {&t, &dt, &error_before}) archive.finite(*number);
        archive(tries), archive.finite(result.step), archive(result.rejected), archive(watch);
        read_snapshots(archive, problem, given.snapshots, result.snapshots);
        engine.read(archive);
        shown = result.snapshots.size();
        const bool is_counted = tries <= o.steps && result.rejected >= 0 && engine.completed() >= 0 &&
                                engine.completed() <= tries - result.rejected;
        archive.require(is_counted && t >= 0 && t <= end && dt > 0 && error_before >= 0 && watch.fits(), "step");
    });
    const auto write = [&](auto& archive) {
        archive(t), archive(dt), archive(error_before), archive(tries), archive(result.step), archive(result.rejected),
            archive(watch);
        write_snapshots(archive, result.snapshots);
        engine.write(archive, t);
    };
    result.stopped = Stopped::budget;
    const bool done = progress::run_cancellable(run.stop, [&] {
        for (;;) {
            for (; shown < given.snapshots.size() && given.snapshots[shown] <= t; ++shown)
                take_snapshot(engine, t, result);
            const bool looks = tries % steps_between_checks == 0;
            if (t >= end || (looks && is_over(engine, problem, t, watch))) {
                result.stopped = Stopped::converged;
                break;
            }
            if (tries >= o.steps) break;
            double stop = std::min(end, next_event(problem, t));
            if (shown < given.snapshots.size()) stop = std::min(stop, given.snapshots[shown]);
            const bool lands = t + dt >= stop;
            const TimeStep step{t, lands ? stop - t : dt, lands ? stop : t + dt, tries};
            require_progress(t, step.dt, tolerance);
            const double error = engine.attempt(step) / tolerance;
            if (error <= 1) {
                const progress::Uncancellable whole;
                engine.accept(step);
                t = step.end;
                result.step = step.dt;
            } else {
                ++result.rejected;
            }
            const double wanted = std::min(next_step(step.dt, error, error_before), 0.9 * problem.step_limit);
            dt = lands && error <= 1 ? std::max(dt, wanted) : wanted;  // a short last step says little
            if (error <= 1) error_before = error;
            engine.count();
            reporter.tick(++tries);
            loop.offer(tries, write);
        }
    });
    done ? loop.end(tries, write) : loop.save(tries, write);
    if (!done) result.stopped = Stopped::cancelled;
    result.iterations = static_cast<int>(engine.completed());
    result.time = t;
}

}  // namespace dunlin::waves
