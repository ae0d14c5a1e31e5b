// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include <dunlin/mds.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"

/// De Leeuw's majorization: stress lies below a parabola that touches it at the map; the map moves to its bottom. With
/// equal weights that is the Guttman transform (Borg and Groenen 2005, eq. 8.29). With weights or missing pairs the
/// parabola is widened until it falls apart into items, each with a step of its own, so that no system is solved.
/// Steps up to twice as long do not raise stress either (de Leeuw and Heiser 1980).
namespace dunlin::mds {

/// How a method ended.
struct Termination {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

/// normalized_stress below this is zero for float32.
constexpr double least_stress = 1e-13;

/// When it ends: after so many moves, or when stress falls by less than `tolerance` of itself in a move.
struct MajorizationLimits {
    int iterations;
    double tolerance;
    double total;  ///< sum of w delta^2 over pairs
};

/// Sum of w delta^2 over pairs: the stress of a map in one place.
template <class Exec, class Pulling>
double total_of(Exec& exec, const Pulling& items, const Configuration<Exec>& like) {
    auto nowhere = empty_configuration(exec, like.n, like.dim);
    pull_all(exec, items, nowhere);
    return exec.read(nowhere.stress);
}

/// A stop is considered at iterations that this divides.
constexpr int check_every = 4;

struct GuttmanStep {
    float* y;
    const float *force, *step;
    int dim;
    DUNLIN_HD void operator()(Offset k) const { y[k] += step[k / dim] * force[k]; }
};

template <class Exec>
using Steps = typename Exec::template Buffer<float>;

/// Where a majorization stands: it can be continued.
struct Descent {
    int iterations = 0;
    double stress = std::numeric_limits<double>::infinity();  ///< when it was last computed
    std::optional<Stopped> ended = {};
};

/// Continues to iteration `until`, or to its end. step: how far each item moves along its force. tell(at) is called
/// after each move. Cancelled, `shape` and `at` are those of the last whole move.
template <class Exec, class Items, class Tell>
void descend(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step, const MajorizationLimits& patience,
             int until, Descent& at, const Tell& tell) {
    while (at.iterations < until) {
        device::cancellation_point();
        pull_all(exec, items, configuration);
        if (at.iterations % check_every == 0) {
            const double before = at.stress;
            at.stress = exec.read(configuration.stress);
            const bool still = before - at.stress <= check_every * patience.tolerance * at.stress;
            if (still || at.stress <= least_stress * patience.total) {
                at.ended = Stopped::converged;
                return;
            }
        }
        {
            const device::Uncancellable whole;
            exec.each(Offset{configuration.n} * configuration.dim,
                      GuttmanStep{configuration.y.data(), configuration.force.data(), step.data(), configuration.dim});
        }
        ++at.iterations;
        tell(at);
    }
    if (until == patience.iterations) at.ended = Stopped::budget;
}

/// From the shape to the end.
template <class Exec, class Items>
Termination smacof(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step, const MajorizationLimits& patience,
              const Run& run) {
    device::ProgressReporter reporter(run, "optimize", patience.iterations);
    Descent at;
    device::run_cancellable(run.stop, [&] {
        descend(exec, items, configuration, step, patience, patience.iterations, at, [&](const Descent& now) {
            reporter.cost(now.stress / patience.total);
            reporter.tick(now.iterations, [&] { return exec.host(configuration.y); });
        });
    });
    return {at.iterations, at.ended.value_or(Stopped::cancelled)};
}

}  // namespace dunlin::mds
