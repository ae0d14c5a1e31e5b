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

/// The descent, once, for every executor: an executor brings its graph, its overloads of forces::attract and
/// forces::attract_cost, reorders_at and reorder, and a Repeller.
namespace dunlin::tsne {

/// The cost is looked at, and a stop considered, at iterations that this divides, never by the clock.
constexpr int check_every = 50;

template <int D>
struct Advance {
    float *y, *velocity, *gain;
    const float *attraction, *repulsion;
    const double* mass;
    const Pace* pace;
    DUNLIN_HD void operator()(Offset i) const {
        const Offset at = i * D;
        advance<D>(y + at, velocity + at, gain + at, attraction + at, repulsion + at,
                   static_cast<float>(normaliser(*mass)), *pace);
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
struct Recentre {
    float* y;
    const math::Vec<double, 3>* sum;
    Index n;
    DUNLIN_HD void operator()(Offset i) const {
        for (int c = 0; c < D; ++c) y[i * D + c] -= static_cast<float>(sum->at[c] / n);
    }
};

/// Puts the map's centre back to the origin; forces do not feel where it is, float numbers do.
template <class Exec>
void recentre(Exec& exec, Flock<Exec>& flock) {
    const auto with = [&]<int D>() {
        exec.sum(flock.n, Position<D>{flock.y.data()}, flock.centre);
        exec.each(flock.n, Recentre<D>{flock.y.data(), exec.address(flock.centre), flock.n});
    };
    flock.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

/// y <- y + a step down the gradient, from forces at y; then the centre goes back to the origin.
template <class Exec>
void step(Exec& exec, Flock<Exec>& flock) {
    const auto with = [&]<int D>() {
        exec.each(flock.n, Advance<D>{flock.y.data(), flock.velocity.data(), flock.gain.data(), flock.attraction.data(),
                                      flock.repulsion.data(), exec.address(flock.mass), exec.address(flock.pace)});
    };
    flock.dim == 2 ? with.template operator()<2>() : with.template operator()<3>();
    recentre(exec, flock);
}

template <class Exec, class Affinities, class Repeller>
void push_and_pull(Exec& exec, Flock<Exec>& flock, const Affinities& affinities, Repeller& repeller) {
    const MatrixView<const float> y = flock.positions();
    repeller.repel(exec, y, {flock.repulsion.data(), flock.n, flock.dim}, flock.mass);
    forces::attract(exec, affinities, y, {flock.attraction.data(), flock.n, flock.dim});
}

/// KL(P, Q) of the map, from Z as push_and_pull left it; waits for the device.
template <class Exec, class Affinities>
double cost_now(Exec& exec, Flock<Exec>& flock, const Affinities& affinities, int iteration) {
    forces::attract_cost(exec, affinities, flock.positions(), flock.cost);
    const double cost = exec.read(flock.cost) + std::log(normaliser(exec.read(flock.mass)));
    if (std::isfinite(cost)) return cost;
    throw Error(Fault::bad_input, "the map diverged before iteration " + std::to_string(iteration) +
                                      "; lower learning-rate or set longest-step");
}

inline Pace pace_at(const Options& o, Index n, int iteration) {
    const bool early = iteration < o.exaggerated_iterations;
    const float exaggeration = early ? o.exaggeration : o.late_exaggeration;
    return {exaggeration, learning_rate(o, n, exaggeration), early ? o.first_momentum : o.momentum, o.least_gain,
            o.longest_step.value_or(std::numeric_limits<float>::infinity())};
}

/// What has to change before an iteration, if anything: the order of the points, the pace, the repulsion.
template <class Exec, class Affinities, class Repeller>
void prepare(Exec& exec, Flock<Exec>& flock, Affinities& affinities, Repeller& repeller, const Options& options,
             int iteration) {
    if (reorders_at(flock, iteration)) {
        reorder(exec, flock, affinities);
        exec.forget();
    }
    if (iteration == 0 || iteration == options.exaggerated_iterations) {
        exec.set(flock.pace, pace_at(options, flock.n, iteration));
    }
    if (repeller.looks_at(iteration) && repeller.choose(exec, flock.positions())) exec.forget();
}

/// Options must be resolved. Cost is computed at the checks; the descent stops when it falls by less than
/// options.tolerance of itself from one check to the next, the exaggeration being over.
template <class Exec, class Affinities, class Repeller>
Ending descend(Exec& exec, Flock<Exec>& flock, Affinities& affinities, Repeller& repeller, const Options& options,
               const Run& run) {
    device::Ticker ticker(run, "optimise", options.iterations);
    double last_cost = std::numeric_limits<double>::infinity();
    for (int t = 0; t < options.iterations; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        prepare(exec, flock, affinities, repeller, options, t);
        if (t % check_every != 0) {
            exec.replay([&] {
                push_and_pull(exec, flock, affinities, repeller);
                step(exec, flock);
            });
        } else {
            push_and_pull(exec, flock, affinities, repeller);
            if (t > 0) {
                const double cost = cost_now(exec, flock, affinities, t);
                ticker.cost(cost);
                const bool settled = last_cost - cost < options.tolerance * cost && t > options.exaggerated_iterations;
                if (options.tolerance > 0 && settled) return {t, Stopped::converged};
                if (t >= options.exaggerated_iterations) last_cost = cost;
            }
            step(exec, flock);
        }
        ticker.tick(t + 1, [&] { return in_original_order(exec.host(flock.y), exec.host(flock.original), flock.dim); });
    }
    return {options.iterations, Stopped::budget};
}

}  // namespace dunlin::tsne
