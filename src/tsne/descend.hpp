#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "device/hd.hpp"
#include "device/ticker.hpp"
#include "forces/attraction.hpp"
#include "tsne/backend.hpp"
#include "tsne/flock.hpp"
#include "tsne/resolve.hpp"
#include "tsne/steps.hpp"

/// The descent, once, for every executor: an executor brings its overloads of forces::attract and forces::attract_cost
/// and a Repeller, reorders_at and reorder of its own.
namespace dunlin::tsne {

/// Checks, changes of engine and the cost come at iterations that this divides, never by the clock.
constexpr int check_every = 50;

template <int D>
struct Advance {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion;
    const double* mass;
    Pace pace;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset at = i * D;
        advance<D>(y + at, velocity + at, gain + at, attraction + at, repulsion + at,
                   static_cast<float>(normaliser(*mass)), pace);
    }
};

struct Coordinate {
    const float* y;
    int dim, c;
    DUNLIN_HD float operator()(Offset i) const { return y[i * dim + c]; }
};

struct Recentre {
    float* y;
    int dim, c;
    const double* sum;
    Index n;
    DUNLIN_HD void operator()(Offset i) const { y[i * dim + c] -= static_cast<float>(*sum / n); }
};

template <class Exec>
void recentre(Exec& exec, Flock<Exec>& flock) {
    for (int c = 0; c < flock.dim; ++c) {
        auto& sum = flock.centre[static_cast<std::size_t>(c)];
        exec.sum(flock.n, Coordinate{flock.y.data(), flock.dim, c}, sum);
        exec.each(flock.n, Recentre{flock.y.data(), flock.dim, c, exec.address(sum), flock.n});
    }
}

/// y <- y + a step down the gradient, from forces at y.
template <class Exec>
void step(Exec& exec, Flock<Exec>& flock, const Pace& pace) {
    const auto advance_all = [&]<int D>() {
        exec.each(flock.n, Advance<D>{flock.y.data(), flock.velocity.data(), flock.gain.data(), flock.attraction.data(),
                                      flock.repulsion.data(), exec.address(flock.mass), pace});
    };
    flock.dim == 2 ? advance_all.template operator()<2>() : advance_all.template operator()<3>();
    recentre(exec, flock);
}

inline Pace pace_at(const Options& o, Index n, int iteration) {
    const bool early = iteration < o.exaggerated_iterations;
    const float exaggeration = early ? o.exaggeration : o.late_exaggeration;
    return {exaggeration, learning_rate(o, n, exaggeration), early ? o.first_momentum : o.momentum, o.least_gain,
            o.longest_step.value_or(std::numeric_limits<float>::infinity())};
}

/// Options must be resolved. Cost is computed at the checks; the descent stops when it falls by less than
/// options.tolerance of itself from one check to the next, the exaggeration being over.
template <class Exec, class Repeller>
Ending descend(Exec& exec, Flock<Exec>& flock, Graph& affinities, Repeller& repeller, const Options& options,
               const Run& run) {
    device::Ticker ticker(run, "optimise", options.iterations);
    double last_cost = std::numeric_limits<double>::infinity();
    for (int t = 0; t < options.iterations; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        const bool check = t % check_every == 0;
        if (reorders_at(flock, t)) reorder(exec, flock, affinities);
        if (check) repeller.choose(flock.positions());

        forces::attract(exec, affinities, flock.positions(),
                        MatrixView<float>{flock.attraction.data(), flock.n, flock.dim});
        repeller.repel(exec, flock.positions(), {flock.repulsion.data(), flock.n, flock.dim}, flock.mass);
        if (check && t > 0) {
            forces::attract_cost(exec, affinities, flock.positions(), flock.cost);
            const double cost = exec.read(flock.cost) + std::log(normaliser(exec.read(flock.mass)));
            if (!std::isfinite(cost)) {
                throw Error(Fault::bad_input, "the map diverged before iteration " + std::to_string(t) +
                                                  "; lower learning-rate or set longest-step");
            }
            ticker.cost(cost);
            const bool settled = last_cost - cost < options.tolerance * cost && t > options.exaggerated_iterations;
            if (options.tolerance > 0 && settled) return {t, Stopped::converged};
            if (t >= options.exaggerated_iterations) last_cost = cost;
        }
        step(exec, flock, pace_at(options, flock.n, t));
        ticker.tick(t + 1, [&] { return in_original_order(exec.host(flock.y), flock.original, flock.dim); });
    }
    return {options.iterations, Stopped::budget};
}

}  // namespace dunlin::tsne
