// SPDX-License-Identifier: Apache-2.0
// The figures of Lewellen (The Antimatroid, 2015-16) on FitzHugh-Nagumo waves, made again and checked.
//
//   bench_waves FOLDER [NODES]
//
// Writes figure-01.csv and .svg to figure-14 into the folder and prints CSV, one row per number: figure, quantity,
// published, expected, got, agrees. With NODES: only the times (figures 5, 6, 13, 14) of up to that many nodes.
// docs/lab/waves.md explains the differences to what was published.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/waves.hpp>

#include "cases/printed_newton.hpp"
#include "math/at.hpp"
#include "waves/limits.hpp"
#include "waves_figures.hpp"
#include "waves_times.hpp"

namespace {

using namespace dunlin;
using bench::error_of;
using bench::Figures;
using bench::logarithms;
using bench::Values;
using waves::Domain;
using waves::Model;
using waves::Options;
using waves::Scheme;

constexpr double length = 200;

Values gaussian(double dx, double center = 100) {
    Values v;
    for (int i = 0; i * dx <= length; ++i) v.push_back(std::exp(-(i * dx - center) * (i * dx - center) / 10));
    return v;
}
Domain line(double dx) { return Domain::line(static_cast<Index>(std::lround(length / dx)) + 1, dx); }

Values state_at(double t, Scheme scheme, double dt, double dx, double center = 100) {
    return waves::simulate(line(dx), {.scheme = scheme, .step = dt, .until = t}, {}, {.v = gaussian(dx, center)})
        .field.v;
}

double order(const Values& errors, std::size_t k) { return std::log2(errors[k] / errors[k + 1]); }

/// Figure 1: v = 1 held at the right end.
void trains(const Figures& figures) {
    const waves::Result result = waves::simulate(line(0.5), {.scheme = Scheme::euler, .step = 0.05, .until = 306.19},
                                                 {}, {.stimuli = {{.vertex = 400}}});
    const Values& v = result.field.v;
    Figures::Table table = figures.table(1, "x,v,w,activation");
    Values crests, heights;
    for (std::size_t i = 0; i < v.size(); ++i) {
        table.row(0.5 * static_cast<double>(i), v[i], result.field.w[i], result.activation[i]);
        if (i == 0 || i + 1 == v.size() || v[i] < 0.5 || v[i] <= v[i - 1] || v[i] < v[i + 1]) continue;
        crests.push_back(0.5 * static_cast<double>(i));
        heights.push_back(v[i]);
    }
    figures.plot(1, "v(200) = 1 is held: t = 306.19", {"x", 0, length}, "value", {"v", "w"}, {v, result.field.w});
    Figures::check(1, "crests", "a train right to left", 3, static_cast<double>(crests.size()), 0);
    const Values places{14.5, 80, 153.5}, tops{0.888, 0.896, 0.897};
    for (std::size_t k = 0; k < std::min(places.size(), crests.size()); ++k) {
        Figures::check(1, fmt::format("x of crest {}", k + 1), "", places[k], crests[k], 0.25);
        Figures::check(1, fmt::format("v of crest {}", k + 1), "", tops[k], heights[k], 1e-3);
    }
    Figures::check(1, "smallest v", "", -0.299, result.smallest, 1e-3);
    Figures::check(1, "first upstroke at x 100", "", 160.6, result.activation[200], 0.1);
}

/// Figure 2: a peak splits into two pulses, which leave the line.
void pulses(const Figures& figures) {
    Values times;
    for (double t = 0; t <= 242.95; t += 0.05) times.push_back(t);
    const waves::Result result = waves::simulate(line(0.5), {.scheme = Scheme::euler, .step = 0.05, .until = 242.98},
                                                 {}, {.v = gaussian(0.5), .snapshots = times});
    Figures::Table table = figures.table(2, "t,x,v");
    double leaves = -1, crosses = -1, falls = -1;
    std::vector<Values> curves;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < result.snapshots.size(); ++k) {
        const auto& [t, field] = result.snapshots[k];
        const auto top = std::max_element(field.v.begin(), field.v.end());
        if (leaves < 0 && *top > field.v[200]) leaves = t;
        if (crosses < 0 && field.v[200] < 0) crosses = t;
        if (*top >= 0.1) falls = t;
        if (k % 600 != 0 || k > 3600) continue;
        for (std::size_t i = 0; i < field.v.size(); ++i) table.row(t, 0.5 * static_cast<double>(i), field.v[i]);
        curves.push_back(field.v);
        names.push_back("t = " + std::to_string(std::lround(t)));
    }
    figures.plot(2, "A peak splits in two", {"x", 0, length}, "v", names, curves);
    Figures::check(2, "time at which the center is no longer the maximum", "", 9.8, leaves, 0.1);
    Figures::check(2, "time at which the center crosses 0", "37.85", 37.3, crosses, 0.1);
    Figures::check(2, "last time with v above .1", "", 181.1, falls, 0.1);  // ends that copy their neighbor: 180.75
    Figures::check(2, "largest magnitude at 242.98", "vanished", 0.0283, std::max(result.largest, -result.smallest),
                   2e-4);
}

/// Figure 3: error of Euler's method by spacing.
void explicit_in_space(const Figures& figures) {
    const double dt = 2.5e-4;
    const Values reference = state_at(1, Scheme::euler, dt, 1.0 / 32);
    Figures::Table table = figures.table(3, "dx,rmse");
    Values errors;
    for (const double dx : {1.0, 0.5, 0.25}) {
        errors.push_back(error_of(state_at(1, Scheme::euler, dt, dx), reference));
        table.row(dx, errors.back());
    }
    figures.plot(3, "Euler: error at t = 1", {"halvings of dx = 1", 0, 2}, "log10 RMSE", {}, {logarithms(errors)});
    const Values expected{5.7e-4, 1.4e-4, 3.4e-5};
    for (std::size_t k = 0; k < 3; ++k)
        Figures::check(3, fmt::format("rmse after halving {}", k), "", expected[k], errors[k], 0.03 * expected[k]);
    for (const std::size_t k : {0, 1})
        Figures::check(3, fmt::format("order from halving {}", k), "2", 2, order(errors, k), 0.03);
}

/// Figure 4: error of Euler's method by step.
void explicit_in_time(const Figures& figures) {
    Figures::Table table = figures.table(4, "t,dt,rmse");
    const std::vector<Values> expected{{4.95e-4, 2.46e-4}, {2.43e-3, 1.22e-3}};
    std::vector<Values> curves;
    for (const double t : {5.0, 20.0}) {
        const Values reference = state_at(t, Scheme::heun, 0.002, 0.5);
        Values errors;
        for (const double dt : {0.1, 0.05, 0.025}) {
            errors.push_back(error_of(state_at(t, Scheme::euler, dt, 0.5), reference));
            table.row(t, dt, errors.back());
        }
        const Values& known = expected[curves.size()];
        for (std::size_t k = 0; k < 2; ++k)
            Figures::check(4, fmt::format("rmse at t {}, halving {}", t, k), "", known[k], errors[k], 0.015 * known[k]);
        Figures::check(4, fmt::format("order at t {}", t), "1", 1, order(errors, 0), 0.03);
        curves.push_back(logarithms(errors));
    }
    figures.plot(4, "Euler: error by step", {"halvings of dt = 0.1", 0, 2}, "log10 RMSE", {"t = 5", "t = 20"}, curves);
}

/// Largest difference of a node to its neighbors' mean on the plateau around the center: of a sawtooth, its height.
double sawtooth(const Values& v) {
    double largest = 0;
    for (std::size_t i = 190; i < 210; ++i) largest = std::max(largest, std::abs(v[i + 1] - 2 * v[i] + v[i - 1]) / 2);
    return largest;
}

/// Euler's method without a check of the step and without recovery.
Values unchecked_euler(double t, double r) {
    using Law = waves::Law<Model::nagumo, false, false>;
    const double dt = 0.25 * r;
    const waves::Coefficients c{.diffusion = 4};
    Values v = gaussian(0.5), next = v;
    const auto n = static_cast<Index>(v.size());
    for (int k = 0; k < t / dt; ++k) {
        for (Index i = 0; i < n; ++i) {
            const double left = v[at(waves::node_before(i, n, false))], right = v[at(waves::node_after(i, n, false))];
            const waves::Node rate =
                waves::rates<Law>(c, {v[at(i)], 0}, {waves::laplacian_1d(v[at(i)], left, right), 0}, 0);
            next[at(i)] = waves::euler(dt, rate.v, v[at(i)]);
        }
        std::swap(v, next);
    }
    return v;
}

/// Figure 7: oscillation by a step between the limit with the reaction and that without.
void oscillation(const Figures& figures) {
    Figures::Table table = figures.table(7, "r,t,x,v");
    const Values times{60.11, 90.12, 120.11};
    std::vector<Values> curves;
    for (const double r : {0.47, 0.48}) {
        for (const double t : times) {
            const Values v = unchecked_euler(t, r);
            for (std::size_t i = 0; i < v.size(); ++i) table.row(r, t, 0.5 * static_cast<double>(i), v[i]);
            if (t == times.back()) curves.push_back({v.begin() + 170, v.begin() + 231});
            if (r < 0.475)
                Figures::check(7, fmt::format("sawtooth at r .47, t {}", t), "none with the adaptive grid", 0,
                               sawtooth(v), 1e-6);
            if (r > 0.475 && t == times.front())
                Figures::check(7, fmt::format("sawtooth at r .48, t {}", t), "", 0.06, sawtooth(v), 0.01);
            if (r > 0.475 && t == times.back())
                Figures::check(7, fmt::format("sawtooth at r .48, t {}", t), "oscillates", 0.44, sawtooth(v), 0.01);
        }
    }
    figures.plot(7, "Euler without recovery, t = 120.11", {"x", 85, 115}, "v", {"dt = .47 dx²", "dt = .48 dx²"},
                 curves);
}

/// Figure 8: nodes and error of the adaptive grid.
void adaptive_grid(const Figures& figures) {
    Figures::Table table = figures.table(8, "slope,radius,t,rmse");
    const Values times{15.05, 30.1, 45.05, 60.1, 75.05, 90.1};
    const auto states = [&](Options options) {
        options.step = 0.05;
        options.until = times.back();
        return waves::simulate(line(0.5), options, {}, {.v = gaussian(0.5), .snapshots = times});
    };
    const waves::Result uniform = states({.scheme = Scheme::euler});
    struct Case {
        double slope, radius, saving, error;
    };
    std::vector<Values> curves;
    for (const Case& c : {Case{0.002, 6, 2.05, 2.5e-4}, Case{0.005, 4, 2.13, 7.7e-4}, Case{0.01, 3, 2.7, 1.6e-3}}) {
        const waves::Result adaptive = states({.scheme = Scheme::adaptive, .slope = c.slope, .radius = c.radius});
        Values errors;
        for (std::size_t k = 0; k < times.size(); ++k) {
            errors.push_back(error_of(adaptive.snapshots[k].field.v, uniform.snapshots[k].field.v));
            table.row(c.slope, c.radius, times[k], errors.back());
        }
        const double all = 401.0 * adaptive.iterations;
        Figures::check(8, fmt::format("nodes of a uniform grid per node, slope {}", c.slope), "2-3", c.saving,
                       all / (all - static_cast<double>(adaptive.skipped)), 0.05);
        Figures::check(8, fmt::format("rmse at t 90, slope {}", c.slope), "without loss", c.error, errors.back(),
                       0.1 * c.error);
        curves.push_back(logarithms(errors));
    }
    figures.plot(8, "Adaptive grid: difference to the uniform one", {"t", 15, 90}, "log10 RMSE",
                 {"slope .002", "slope .005", "slope .01"}, curves);
}

/// Figure 9: error of Crank-Nicolson by spacing, with ghost nodes and with ends that copy their neighbor.
void implicit_in_space(const Figures& figures) {
    const double t = 0.512, dt = 0.002;
    const int steps = 256;
    Figures::Table table = figures.table(9, "center,dx,rmse_ghost,rmse_copy");
    std::vector<Values> curves;
    const std::vector<Values> copied{{1.46, 1.32}, {1.23, 1.21}};
    for (const double center : {0.0, 3.0}) {
        const Values reference = state_at(t, Scheme::crank_nicolson, dt, 1.0 / 64, center);
        Values ghost, copy;
        for (const double dx : {0.5, 0.25, 0.125}) {
            ghost.push_back(error_of(state_at(t, Scheme::crank_nicolson, dt, dx, center), reference));
            Values v = gaussian(dx, center);
            cases::copied_ends(v, dt, dx, -1, steps);
            copy.push_back(error_of(v, reference));
            table.row(center, dx, ghost.back(), copy.back());
        }
        for (std::size_t k = 0; k < 2; ++k) {
            Figures::check(9, fmt::format("order with ghost nodes, pulse at {}, halving {}", center, k), "1", 2,
                           order(ghost, k), 0.15);
            Figures::check(9, fmt::format("order with copied ends, pulse at {}, halving {}", center, k), "1",
                           copied[curves.size() / 2][k], order(copy, k), 0.1);
        }
        curves.push_back(logarithms(ghost));
        curves.push_back(logarithms(copy));
    }
    figures.plot(9, "Crank-Nicolson: error at t = 0.512", {"halvings of dx = 0.5", 0, 2}, "log10 RMSE",
                 {"ghost, pulse at 0", "copy, pulse at 0", "ghost, pulse at 3", "copy, pulse at 3"}, curves);
}

/// Growth of the parasitic mode of the leapfrog w'' = w - 2 dt epsilon gamma w' in 50 units of time.
double growth_of_leapfrog() {
    const waves::Coefficients c;
    const double dt = 0.25;
    double before = 1, now = -1;  // the mode alternates
    const auto advance = [&](double t) {
        for (int k = 0; k < std::lround(t / dt); ++k)
            before = std::exchange(now, before - 2 * dt * c.epsilon * c.gamma * now);
        return now;
    };
    const double begin = advance(50);
    return std::abs(advance(50) / begin);
}

/// Figure 10: error of Crank-Nicolson by step.
void implicit_in_time(const Figures& figures) {
    Figures::Table table = figures.table(10, "t,dt,rmse");
    std::vector<Values> curves;
    for (const double t : {5.0, 100.0}) {
        const Values reference = state_at(t, Scheme::heun, 0.002, 0.5);
        Values errors;
        for (const double dt : {0.5, 0.25, 0.125}) {
            errors.push_back(error_of(state_at(t, Scheme::crank_nicolson, dt, 0.5), reference));
            table.row(t, dt, errors.back());
        }
        const double expected = t > 50 ? 1.94e-4 : 1.546e-5;
        Figures::check(10, fmt::format("rmse at t {}, dt .25", t), "", expected, errors[1], 0.03 * expected);
        Figures::check(10, fmt::format("order at t {}", t), "2; Thomas aberrant", 2, order(errors, 1), 0.05);
        curves.push_back(logarithms(errors));
    }
    Figures::check(10, "growth of leapfrog's parasitic mode in 50 units of time", "", std::exp(1), growth_of_leapfrog(),
                   0.01);
    figures.plot(10, "Crank-Nicolson: error by step", {"halvings of dt = 0.5", 0, 2}, "log10 RMSE",
                 {"t = 5", "t = 100"}, curves);
}

/// Figure 11: largest stable steps.
void stability(const Figures& figures) {
    Figures::Table table = figures.table(11, "scheme,r,largest");
    const double limit = waves::simulate(line(0.5), {.scheme = Scheme::euler, .until = 1}).step_limit;
    Figures::check(11, "limit of r of Euler", "0.5", 0.4709, limit * 4, 1e-4);
    const auto largest = [&](Scheme scheme, double r) {
        const waves::Result result =
            waves::simulate(line(0.5), {.scheme = scheme, .step = 0.25 * r, .until = 240}, {}, {.v = gaussian(0.5)});
        const double found = std::max(result.largest, -result.smallest);
        table.row(name_of(scheme), r, found);
        return found;
    };
    const double truth = largest(Scheme::heun, 0.4);
    Values of_implicit;
    for (const double r : {0.9, 1.05, 4.0, 10.0}) {
        of_implicit.push_back(largest(Scheme::crank_nicolson, r));
        Figures::check(11, fmt::format("largest magnitude at t 240, r {}", r), "stable to .9 or 1.05", truth,
                       of_implicit.back(), 0.1 * truth);
    }
    figures.plot(11, "Crank-Nicolson: largest |v| at t = 240", {"r = .9, 1.05, 4, 10", 0, 3}, "|v|", {}, {of_implicit});
}

/// Figure 12: convergence of Newton's method with the end rows that were printed and with the derivative.
void newton(const Figures& figures) {
    Figures::Table table = figures.table(12, "rows,r,iteration,norm");
    std::vector<Values> curves;
    for (const double r : {0.0392, 1.0}) {
        for (const double end : {1.0, -1.0}) {
            Values v = gaussian(0.5, 0);
            Values norms = cases::copied_ends(v, 0.25 * r, 0.5, end, 3);
            for (std::size_t k = 0; k < norms.size(); ++k) table.row(end > 0 ? "(1 1)" : "(1 -1)", r, k, norms[k]);
            if (end < 0) {
                const double steps = static_cast<double>(norms.size());
                Figures::check(12, fmt::format("iterations with rows (1 -1), r {}", r), "quadratic by cyclic reduction",
                               r < 1 ? 3 : 4, steps, 0);
            } else {
                const double factor =
                    r < 1 ? 0.037 : cases::printed_factor(r, 0.25 * r, waves::cubic_slope(0.01, v[0]));
                Figures::check(12, fmt::format("factor with rows (1 1), r {}", r), r < 1 ? "0.037 by Thomas" : "",
                               factor, norms[4] / norms[3], 5e-3 * factor);
            }
            norms.resize(6, 1e-16);
            for (double& norm : norms) norm = std::max(norm, 1e-16);
            curves.push_back(logarithms(norms));
        }
    }
    figures.plot(12, "Newton's method, pulse at the wall", {"iteration", 0, 5}, "log10 |dv|",
                 {"r .0392, rows (1, 1)", "r .0392, rows (1, -1)", "r 1, rows (1, 1)", "r 1, rows (1, -1)"}, curves);
}

}  // namespace

int bench_main(int count, char** words) {
    if (count < 2 || count > 3) throw Error(Fault::bad_input, "give the folder of the figures, for times also nodes");
    const Figures figures(words[1]);
    if (count == 3) {
        bench::explicit_times(figures, std::atoll(words[2]));
        bench::solver_times(figures, std::atoll(words[2]));
        return 0;
    }
    trains(figures);
    pulses(figures);
    explicit_in_space(figures);
    explicit_in_time(figures);
    oscillation(figures);
    adaptive_grid(figures);
    implicit_in_space(figures);
    implicit_in_time(figures);
    stability(figures);
    newton(figures);
    bench::solvers();
    return 0;
}
