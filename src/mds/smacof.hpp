#pragma once

#include <limits>

#include <dunlin/mds.hpp>

#include "device/hd.hpp"
#include "device/ticker.hpp"
#include "mds/shape.hpp"

/// De Leeuw's majorisation: stress lies below a parabola that touches it at the map; the map moves to its bottom. With
/// equal weights that is the Guttman transform (Borg and Groenen 2005, eq. 8.29). With weights or missing pairs the
/// parabola is widened until it falls apart into items, each with a step of its own, so that no system is solved.
/// Steps up to twice as long do not raise stress either (de Leeuw and Heiser 1980).
namespace dunlin::mds {

/// How a method ended.
struct Ending {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

/// normalized_stress below this is nought for float32.
constexpr double least_stress = 1e-13;

/// When it ends: after so many moves, or when stress falls by less than `tolerance` of itself in a move.
struct Patience {
    int iterations;
    double tolerance;
    double total;  ///< sum of w delta^2 over pairs
};

/// Sum of w delta^2 over pairs: the stress of a map in one place.
template <class Exec, class Pulling>
double total_of(Exec& exec, const Pulling& items, const Shape<Exec>& like) {
    auto nowhere = empty_shape(exec, like.n, like.dim);
    pull_all(exec, items, nowhere);
    return exec.read(nowhere.stress);
}

/// A stop is considered at iterations that this divides.
constexpr int check_every = 4;

struct Majorised {
    float* y;
    const float *force, *step;
    int dim;
    DUNLIN_HD void operator()(Offset k) const { y[k] += step[k / dim] * force[k]; }
};

/// step: how far each item moves along its force.
template <class Exec, class Items>
Ending smacof(Exec& exec, const Items& items, Shape<Exec>& shape, const typename Exec::template Buffer<float>& step,
              const Patience& patience, const Run& run) {
    device::Ticker ticker(run, "optimise", patience.iterations);
    double before = std::numeric_limits<double>::infinity();
    for (int t = 0; t < patience.iterations; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        pull_all(exec, items, shape);
        if (t % check_every == 0) {
            const double stress = exec.read(shape.stress);
            const bool still = before - stress <= check_every * patience.tolerance * stress;
            if (still || stress <= least_stress * patience.total) return {t, Stopped::converged};
            before = stress;
            ticker.cost(stress / patience.total);
        }
        exec.each(Offset{shape.n} * shape.dim, Majorised{shape.y.data(), shape.force.data(), step.data(), shape.dim});
        ticker.tick(t + 1, [&] { return exec.host(shape.y); });
    }
    return {patience.iterations, Stopped::budget};
}

}  // namespace dunlin::mds
