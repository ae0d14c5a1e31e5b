// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <dunlin/mds.hpp>

#include "checkpoint/remembered.hpp"
#include "checkpoint/session.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "device/ranks.hpp"
#include "live/loop.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "mds/steered.hpp"

/// De Leeuw's majorization: stress is bounded above by a parabola that touches it at the current map; the map moves to
/// its minimum. With equal weights this is the Guttman transform (Borg and Groenen 2005, eq. 8.29). With weights or
/// missing pairs the parabola is widened until items separate, each with its own step, so that no linear system is
/// solved. Steps up to twice as long do not increase stress either (de Leeuw and Heiser 1980).
namespace dunlin::mds {

/// Number of iterations and the reason for stopping.
struct Termination {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

/// A normalized_stress below this is zero in float32.
constexpr double least_stress = 1e-13;

/// Ends after `iterations`, or when the relative decrease of stress per iteration is below `tolerance`.
struct MajorizationLimits {
    int iterations;
    double tolerance;
    double total;           ///< sum of w delta^2 over pairs
    double relaxation = 1;  ///< of the steps that are given
    double step = 1;        ///< factor of these

    /// The factor that is used: steps longer than twice the Guttman transform's may raise stress.
    [[nodiscard]] float factor() const { return static_cast<float>(std::min(step, 2 / relaxation)); }
};

/// Sum of w delta^2 over pairs: the stress of a map with all points at the origin.
template <class Exec, class Pulling>
double total_of(Exec& exec, const Pulling& items, const Configuration<Exec>& like) {
    auto at_origin = empty_configuration(exec, like.n, like.dim);
    pull_all(exec, items, at_origin);
    return exec.read(at_origin.stress);
}

/// Convergence is checked at multiples of this iteration.
constexpr int check_every = 4;

struct GuttmanStep {
    float* y;
    const float *force, *step;
    float factor;
    int dim;
    DUNLIN_HD void operator()(Offset k) const { y[k] += factor * step[k / dim] * force[k]; }
};

template <class Exec>
using Steps = typename Exec::template Buffer<float>;

/// State of a majorization, which can be continued.
struct Descent {
    int iterations = 0;
    double stress = std::numeric_limits<double>::infinity();  ///< at the last check
    std::optional<Stopped> ended = {};
};

/// before_step of a descent that nothing pauses: always true.
constexpr auto always = [](const Descent&) { return true; };

template <class Archive>
void content(Archive& archive, Descent& at) {
    std::int32_t ended = at.ended ? static_cast<std::int32_t>(*at.ended) : -1;
    archive(at.iterations), archive(ended), archive(at.stress);
    if constexpr (requires { archive.end(); }) {
        archive.require(at.iterations >= 0 && ended >= -1 && ended <= 2 && at.stress >= 0, "iteration");
        at.ended.reset();
        if (ended >= 0) at.ended = static_cast<Stopped>(ended);
    }
}

/// Continues to iteration `until` or to convergence. step: step length of each item along its force. before(at) is
/// called before each iteration, and returns whether there is one; on_step(at) after it. After a cancellation
/// `configuration` and `at` are those of the last whole iteration.
template <class Exec, class Items, class Before, class OnStep>
void descend(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step,
             const MajorizationLimits& limits, int until, Descent& at, const Before& before_step,
             const OnStep& on_step) {
    while (at.iterations < until) {
        if (!before_step(at)) return;
        device::cancellation_point();
        pull_all(exec, items, configuration);
        if (at.iterations % check_every == 0) {
            const double before = at.stress;
            at.stress = exec.read(configuration.stress);
            const bool still = before - at.stress <= check_every * limits.tolerance * at.stress;
            if (still || at.stress <= least_stress * limits.total) {
                at.ended = Stopped::converged;
                return;
            }
        }
        {
            const device::Uncancellable whole;
            exec.each(Offset{configuration.n} * configuration.dim,
                      GuttmanStep{configuration.y.data(), configuration.force.data(), step.data(), limits.factor(),
                                  configuration.dim});
        }
        ++at.iterations;
        on_step(at);
    }
    if (until == limits.iterations) at.ended = Stopped::budget;
}

/// The disparities of non-metric scaling, which depend on earlier iterations where there are ties.
template <class Exec, class Items, class Archive>
void history_of(Exec& exec, const Items& items, Archive& archive) {
    if constexpr (requires { items.disparities->history(exec, archive); }) items.disparities->history(exec, archive);
}

/// Runs majorization from `configuration` to its end. limits: at first, by the resolved options o.
template <class Exec, class Items>
Termination smacof(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step,
                   MajorizationLimits limits, const Options& o, const Run& run) {
    device::ProgressReporter reporter(run, "optimize", limits.iterations);
    Descent at;
    const live::Loop live(configuration.n, configuration.dim);
    const auto positions = [&]() -> decltype(auto) { return exec.host(configuration.y); };
    // Acts come to one thread: several ranks are not steered
    const Index steerable = device::Rank::current() != nullptr ? -1 : configuration.n;
    SteeredMap<Exec> steered(
        exec, configuration.y, steerable, configuration.dim, o, run,
        [&] { return live.show(at.iterations, positions); }, {},
        [&] { at.stress = std::numeric_limits<double>::infinity(); });
    checkpoint::Loop loop("majorization");
    const checkpoint::Remembered state(exec, configuration.y);
    loop.resume([&](auto& archive) {
        content(archive, at), history_of(exec, items, archive);
        state.read(archive);
        const double stress = at.stress;
        steered.read(archive);
        at.stress = stress;
    });
    const auto write = [&](auto& archive) {
        content(archive, at), history_of(exec, items, archive);
        state.write(archive);
        steered.write(archive);
    };
    const auto before = [&](Descent& now) {
        const live::Course course = steered.before(now.iterations);
        if (course == live::Course::restart) now = {};
        if (course == live::Course::finish) now.ended = Stopped::budget;
        limits.tolerance = *steered.options().tolerance;
        limits.step = steered.options().step;
        return course == live::Course::go_on || course == live::Course::restart;
    };
    const bool done =
        at.ended || device::run_cancellable(run.stop, [&] {
            descend(exec, items, configuration, step, limits, limits.iterations, at, before, [&](const Descent& now) {
                steered.put_back();
                reporter.cost(now.stress / limits.total);
                reporter.tick(now.iterations, positions);
                live.show(now.iterations, positions);
                loop.offer(now.iterations, write);
            });
        });
    done&& at.ended ? loop.end(at.iterations, write) : loop.save(at.iterations, write);
    return {at.iterations, at.ended.value_or(Stopped::cancelled)};
}

}  // namespace dunlin::mds
