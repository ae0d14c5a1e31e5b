// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <dunlin/mds.hpp>

#include "checkpoint/remembered.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "progress/cancel.hpp"
#include "run/buffer_map.hpp"
#include "run/loop.hpp"

/// De Leeuw's majorization: stress is bounded above by a parabola that touches it at the current map; the map moves to
/// its minimum. With equal weights this is the Guttman transform (Borg and Groenen 2005, eq. 8.29). With weights or
/// missing pairs the parabola is widened until items separate, each with its own step, so that no linear system is
/// solved. Steps up to twice as long do not increase stress either (de Leeuw and Heiser 1980).
namespace dunlin::mds {

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

/// One iteration. stress: that of the last check. Returns whether the descent has converged, and then has not moved.
template <class Exec, class Items>
bool majorize_once(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step,
                   const MajorizationLimits& limits, int iteration, double& stress) {
    progress::cancellation_point();
    pull_all(exec, items, configuration);
    if (iteration % check_every == 0) {
        const double before = stress;
        stress = exec.read(configuration.stress);
        const bool still = before - stress <= check_every * limits.tolerance * stress;
        if (still || stress <= least_stress * limits.total) return true;
    }
    const progress::Uncancellable whole;
    exec.each(Offset{configuration.n} * configuration.dim,
              GuttmanStep{configuration.y.data(), configuration.force.data(), step.data(), limits.factor(),
                          configuration.dim});
    return false;
}

/// Continues one of several descents to iteration `until` or to convergence. step: step length of each item along its
/// force. on_step(at) is called after each iteration. After a cancellation `configuration` and `at` are those of the
/// last whole iteration.
template <class Exec, class Items, class OnStep>
void descend(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step,
             const MajorizationLimits& limits, int until, Descent& at, const OnStep& on_step) {
    while (at.iterations < until) {
        if (majorize_once(exec, items, configuration, step, limits, at.iterations, at.stress)) {
            at.ended = Stopped::converged;
            return;
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

/// A majorization as its loop sees it.
template <class Exec, class Items>
class MovingMajorization : public run::LoopState, public run::SteeredBufferMap<Exec, Options> {
public:
    double stress = std::numeric_limits<double>::infinity();  ///< at the last check

    /// o: resolved. Refers to the others.
    MovingMajorization(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Options& o)
        : run::SteeredBufferMap<Exec, Options>(exec, configuration.y, configuration.n, configuration.dim, o),
          items_(items),
          state_(exec, configuration.y) {}

    void write(checkpoint::ArchiveWriter& archive, const run::Position& at) override {
        Descent descent{static_cast<int>(at.iteration), stress, at.ended};
        content(archive, descent), history_of(this->exec_, items_, archive);
        state_.write(archive);
    }
    run::Position read(checkpoint::ArchiveReader& archive) override {
        Descent descent;
        content(archive, descent), history_of(this->exec_, items_, archive);
        state_.read(archive);
        stress_read_ = descent.stress;
        return {descent.iterations, descent.ended};
    }
    /// Acts that are done again forget the stress.
    void resumed() override { stress = stress_read_; }
    Offset begin_again(Offset) override {
        moved();
        return 0;
    }

protected:
    void moved() override { stress = std::numeric_limits<double>::infinity(); }

private:
    const Items& items_;
    checkpoint::Remembered<Exec, typename Exec::template Buffer<float>&> state_;
    double stress_read_ = 0;
};

/// Runs majorization from `configuration` to its end. limits: at first, by the resolved options o.
template <class Exec, class Items>
run::Ending smacof(Exec& exec, const Items& items, Configuration<Exec>& configuration, const Steps<Exec>& step,
                   MajorizationLimits limits, const Options& o, const Run& run) {
    MovingMajorization moving(exec, items, configuration, o);
    run::Loop loop(run, {"optimize", "majorization", limits.iterations}, moving, &moving);
    while (loop.next()) {
        loop.step([&](Offset t) {
            limits.tolerance = *moving.options().tolerance;
            limits.step = moving.options().step;
            if (majorize_once(exec, items, configuration, step, limits, static_cast<int>(t), moving.stress))
                return loop.settled();
            loop.cost(moving.stress / limits.total);
        });
    }
    return loop.ending();
}

}  // namespace dunlin::mds
