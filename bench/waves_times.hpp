// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <dunlin/waves.hpp>

#include "math/at.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"
#include "waves/implicit/line.hpp"
#include "waves_figures.hpp"

/// Figures 5, 6, 13 and 14 of bench_waves: times.
namespace dunlin::bench {

/// Values between 0 and 1, nowhere at rest.
inline Values ripples(Offset n) {
    Values v(at(n));
    for (Offset i = 0; i < n; ++i) v[at(i)] = 0.5 + 0.5 * std::cos(0.01 * static_cast<double>(i));
    return v;
}

/// Figures 5 and 6: time of a run of one step, and of a step in a long run.
inline void explicit_times(const Figures& figures, Offset most) {
    Figures::Table whole = figures.table(5, "nodes,seconds"), loop = figures.table(6, "nodes,seconds_per_step");
    constexpr int steps = 30, runs = 5;
    const auto seconds_of = [](const Values& v, int count) {
        const waves::Options options{.scheme = waves::Scheme::euler, .step = 0.1, .until = 0.1 * count};
        progress::Stopwatch watch;
        waves::simulate(waves::Domain::line(static_cast<Index>(v.size()), 0.5), options, {}, {.v = v});
        return watch.lap();
    };
    std::vector<Values> curves(2);
    int bits = 10;
    for (; Offset{1} << bits <= most; bits += 2) {
        const auto n = static_cast<Index>(1) << bits;
        const Values v = ripples(n);
        Values of_run, of_step;
        for (int run = 0; run < runs; ++run) {
            of_run.push_back(seconds_of(v, 1));
            of_step.push_back((seconds_of(v, 1 + steps) - of_run.back()) / steps);
        }
        whole.row(n, median(of_run));
        loop.row(n, median(of_step));
        Figures::time(5, fmt::format("run of one step of 2^{} nodes", bits), median(of_run));
        Figures::time(6, fmt::format("step of 2^{} nodes", bits), median(of_step));
        curves[0].push_back(median(of_run));
        curves[1].push_back(median(of_step));
    }
    const picture::Axis nodes{"log2 nodes", 10, static_cast<double>(bits - 2)};
    figures.plot(5, "A run of one step", nodes, "log10 seconds", {}, {logarithms(curves[0])});
    figures.plot(6, "A step in a run of 30", nodes, "log10 seconds", {}, {logarithms(curves[1])});
}

constexpr std::array<waves::Solver, 6> all_solvers{
    waves::Solver::thomas, waves::Solver::cyclic_reduction, waves::Solver::parallel_reduction,
    waves::Solver::hybrid, waves::Solver::partition,        waves::Solver::tiles};
inline std::string name_of(waves::Solver solver) {
    return std::string(waves::names(solver)[static_cast<std::size_t>(solver)]);
}

/// A step of Crank-Nicolson from a rippled line.
struct ImplicitStep {
    device::Cpu cpu{0};
    waves::CrankNicolson stepper;
    Values v, w, v_next, w_next;

    ImplicitStep(Offset n, waves::Solver solver)
        : stepper(cpu, waves::implicit_constants(waves::Model::fitzhugh_nagumo, {}, 4, 0.25), n, false, solver),
          v(ripples(n)),
          w(at(n), 0.0),
          v_next(v),
          w_next(w) {}
    int take() { return stepper.step(v, w, {}, {}, v_next, w_next); }
};

/// Figure 13: all solvers give one result.
inline void solvers() {
    for (const Offset n : {1000, 65536}) {
        ImplicitStep first(n, waves::Solver::thomas);
        first.take();
        for (const waves::Solver solver : all_solvers) {
            ImplicitStep step(n, solver);
            step.take();
            const char* published = solver == waves::Solver::cyclic_reduction ? "no difference" : "";
            Figures::check(13, fmt::format("{} differs from thomas by, {} nodes", name_of(solver), n), published, 0,
                           error_of(step.v_next, first.v_next), 1e-15);
        }
    }
}

/// Figures 13 and 14: time of a step and of one of its Newton iterations, by solver.
inline void solver_times(const Figures& figures, Offset most) {
    Figures::Table whole = figures.table(13, "solver,nodes,seconds_per_step"),
                   iteration = figures.table(14, "solver,nodes,seconds_per_iteration");
    std::vector<std::string> names;
    std::vector<Values> of_step(all_solvers.size()), of_iteration(all_solvers.size());
    int bits = 10;
    for (; Offset{1} << bits <= std::min<Offset>(most, 1 << 20); bits += 2) {
        for (std::size_t s = 0; s < all_solvers.size(); ++s) {
            ImplicitStep step(Offset{1} << bits, all_solvers[s]);
            Values seconds;
            int iterations = 0;
            for (int run = 0; run < 5; ++run) {
                progress::Stopwatch watch;
                iterations = step.take();
                seconds.push_back(watch.lap());
            }
            const std::string name = name_of(all_solvers[s]);
            const double each = median(seconds);
            whole.row(name, Offset{1} << bits, each);
            iteration.row(name, Offset{1} << bits, each / iterations);
            Figures::time(13, fmt::format("{}, step of 2^{} nodes", name, bits), each);
            Figures::time(14, fmt::format("{}, iteration of 2^{} nodes", name, bits), each / iterations);
            if (names.size() < all_solvers.size()) names.push_back(name);
            of_step[s].push_back(std::log10(each));
            of_iteration[s].push_back(std::log10(each / iterations));
        }
    }
    const picture::Axis nodes{"log2 nodes", 10, static_cast<double>(bits - 2)};
    figures.plot(13, "A step of Crank-Nicolson", nodes, "log10 seconds", names, of_step);
    figures.plot(14, "An iteration of Newton's method", nodes, "log10 seconds", names, of_iteration);
}

}  // namespace dunlin::bench
