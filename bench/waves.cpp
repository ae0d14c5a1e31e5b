// SPDX-License-Identifier: Apache-2.0
// The figures of Lewellen (The Antimatroid, 2015-16) on FitzHugh-Nagumo waves, made again and checked.
//
//   bench_waves FOLDER
//
// Writes figure-01.csv to figure-14.csv into the folder and prints CSV, one row per checked number: figure, quantity,
// published, expected, got, agrees. Exits with 1 if one does not agree. Times (figures 5, 6, 13, 14) are written, not
// checked. docs/lab/waves.md explains the differences to what was published.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/waves.hpp>

#include "cases/printed_newton.hpp"
#include "math/at.hpp"
#include "waves/implicit/line.hpp"
#include "waves/limits.hpp"
#include "waves_adaptive.hpp"

namespace {

using namespace dunlin;
using waves::Domain;
using waves::Model;
using waves::Options;
using waves::Scheme;
using waves::Solver;
using Values = std::vector<double>;

std::string folder;
bool all_agree = true;

void check(int figure, const char* quantity, const char* published, double expected, double got, double tolerance) {
    const bool agrees = std::abs(got - expected) <= tolerance;
    all_agree = all_agree && agrees;
    std::printf("%d,%s,%s,%.6g,%.6g,%s\n", figure, quantity, published, expected, got, agrees ? "yes" : "NO");
}

/// A CSV file of a figure.
class Table {
public:
    Table(int figure, const char* header)
        : out_(folder + "/figure-" + (figure < 10 ? "0" : "") + std::to_string(figure) + ".csv") {
        out_.precision(12);
        out_ << header << '\n';
    }
    template <class First, class... Rest>
    void row(const First& first, const Rest&... rest) {
        out_ << first;
        ((out_ << ',' << rest), ...);
        out_ << '\n';
    }

private:
    std::ofstream out_;
};

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

/// RMS difference to a reference on a line whose nodes contain those of v.
double error_of(const Values& v, const Values& reference) {
    const std::size_t every = (reference.size() - 1) / (v.size() - 1);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += std::pow(v[i] - reference[i * every], 2);
    return std::sqrt(sum / static_cast<double>(v.size()));
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void trains() {
    const waves::Result result = waves::simulate(line(0.5), {.scheme = Scheme::euler, .step = 0.05, .until = 306.19},
                                                 {}, {.stimuli = {{.vertex = 400}}});
    const Values& v = result.field.v;
    Table table(1, "x,v,w,activation");
    Values crests;
    for (std::size_t i = 0; i < v.size(); ++i) {
        table.row(0.5 * static_cast<double>(i), v[i], result.field.w[i], result.activation[i]);
        if (i > 0 && i + 1 < v.size() && v[i] > 0.5 && v[i] > v[i - 1] && v[i] >= v[i + 1])
            crests.push_back(0.5 * static_cast<double>(i));
    }
    check(1, "crests", "a train right to left", 3, static_cast<double>(crests.size()), 0);
    const Values expected{14.5, 80, 153.5};
    for (std::size_t k = 0; k < std::min<std::size_t>(3, crests.size()); ++k)
        check(1, "x of a crest", "-", expected[k], crests[k], 0.5);
    check(1, "smallest v", "-", -0.299, result.smallest, 1e-3);
    check(1, "first activation at x 100", "-", 160.6, result.activation[200], 0.5);
}

void pulses() {
    const Values times{9.8, 36.8, 37.8, 153.1, 180.8, 242.98};
    const waves::Result result = waves::simulate(line(0.5), {.scheme = Scheme::euler, .step = 0.05, .until = 242.98},
                                                 {}, {.v = gaussian(0.5), .snapshots = times});
    Table table(2, "t,x,v");
    for (const waves::Snapshot& s : result.snapshots)
        for (std::size_t i = 0; i < s.field.v.size(); ++i)
            table.row(s.time, 0.5 * static_cast<double>(i), s.field.v[i]);
    const double before = result.snapshots[1].field.v[200], after = result.snapshots[2].field.v[200];
    check(2, "time at which the center crosses 0", "37.85", 37.3, 36.8 + before / (before - after), 0.2);
    double largest = 0;
    for (const double v : result.field.v) largest = std::max(largest, std::abs(v));
    check(2, "largest |v| at 242.98", "vanished", 0.028, largest, 0.003);
}

void explicit_in_space() {
    const double dt = 2.5e-4;
    const Values reference = state_at(1, Scheme::euler, dt, 1.0 / 32);
    Table table(3, "dx,rmse");
    Values errors;
    for (const double dx : {1.0, 0.5, 0.25, 0.125}) {
        errors.push_back(error_of(state_at(1, Scheme::euler, dt, dx), reference));
        table.row(dx, errors.back());
    }
    check(3, "rmse at dx 1", "-", 5.7e-4, errors[0], 3e-5);
    check(3, "order", "2", 2.01, std::log2(errors[0] / errors[1]), 0.05);
    check(3, "order", "2", 2.03, std::log2(errors[1] / errors[2]), 0.05);
}

void explicit_in_time() {
    Table table(4, "t,dt,rmse");
    const Values expected{4.95e-4, 2.46e-4, 2.43e-3, 1.22e-3};
    std::size_t k = 0;
    for (const double t : {5.0, 20.0}) {
        const Values reference = state_at(t, Scheme::heun, 0.002, 0.5);
        for (const double dt : {0.1, 0.05}) {
            const double error = error_of(state_at(t, Scheme::euler, dt, 0.5), reference);
            table.row(t, dt, error);
            check(4, "rmse (order 1)", "order 1", expected[k], error, 0.03 * expected[k]);
            ++k;
        }
    }
}

void explicit_times() {
    Table whole(5, "nodes,seconds_per_step"), rate(6, "nodes,node_steps_per_second");
    for (int bits = 10; bits <= 20; bits += 2) {
        const Index n = Index{1} << bits;
        Values v(at(n), 0.0);
        v[at(n / 2)] = 1;
        const int steps = 30;
        const double seconds = seconds_of([&] {
            waves::simulate(Domain::line(n, 0.5), {.scheme = Scheme::euler, .step = 0.1, .until = 0.1 * steps}, {},
                            {.v = v, .current = Values(at(n), 1e-3)});
        });
        whole.row(n, seconds / steps);
        rate.row(n, n * static_cast<double>(steps) / seconds);
    }
}

/// Largest difference of a node to the mean of its neighbors, halved, on the plateau around the center.
double sawtooth(const Values& v) {
    double largest = 0;
    for (std::size_t i = 190; i < 210; ++i) largest = std::max(largest, std::abs(v[i + 1] - 2 * v[i] + v[i - 1]) / 4);
    return largest;
}

/// Euler's method without a check of the step.
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

void oscillation() {
    Table table(7, "r,t,x,v");
    for (const double r : {0.47, 0.48}) {
        for (const double t : {60.11, 90.12, 120.11}) {
            const Values v = unchecked_euler(t, r);
            for (std::size_t i = 0; i < v.size(); ++i) table.row(r, t, 0.5 * static_cast<double>(i), v[i]);
            if (r > 0.475 && t > 100) check(7, "sawtooth at r .48", "oscillates", 0.44, sawtooth(v), 0.1);
            if (r < 0.475) check(7, "sawtooth at r .47", "none with the adaptive grid", 0, sawtooth(v), 1e-4);
        }
    }
}

void adaptive_grid() {
    const double dt = 0.05;
    Table table(8, "slope,radius,t,saving,rmse");
    const std::vector<bench::Refinement> refinements{{0.002, 6}, {0.005, 4}, {0.01, 3}};
    for (const bench::Refinement& refinement : refinements) {
        bench::AdaptiveLine adaptive(gaussian(0.5), 0.5, refinement);
        double worst = 0;
        int done = 0;
        for (const double t : {15.05, 30.1, 45.05, 60.1, 75.05, 90.1}) {
            for (; done < std::lround(t / dt); ++done) adaptive.step(dt);
            const double error = error_of(adaptive.values(), state_at(t, Scheme::euler, dt, 0.5));
            worst = std::max(worst, error);
            table.row(refinement.slope, refinement.radius, t, adaptive.saving(), error);
        }
        check(8, "nodes saved", "2-3x fewer", 2.5, adaptive.saving(), 0.6);
        check(8, "largest rmse (order of magnitude)", "without loss", 0.01, worst, 0.01);
    }
}

void implicit_in_space() {
    const double t = 0.512, dt = 0.002;
    const int steps = 256;
    const Values reference = state_at(t, Scheme::crank_nicolson, dt, 1.0 / 32, 0);
    Table table(9, "dx,rmse_ghost,rmse_copy");
    Values ghost, copy;
    for (const double dx : {1.0, 0.5, 0.25, 0.125}) {
        ghost.push_back(error_of(state_at(t, Scheme::crank_nicolson, dt, dx, 0), reference));
        Values v = gaussian(dx, 0);
        cases::copied_ends(v, dt, dx, -1, steps);
        copy.push_back(error_of(v, reference));
        table.row(dx, ghost.back(), copy.back());
    }
    for (std::size_t k = 0; k < 3; ++k) {
        check(9, "order with a ghost node", "1", 2, std::log2(ghost[k] / ghost[k + 1]), 0.12);
        check(9, "order with a copied end", "1", 1.45, std::log2(copy[k] / copy[k + 1]), 0.45);
    }
}

void implicit_in_time() {
    Table table(10, "t,dt,rmse");
    for (const double t : {5.0, 100.0}) {
        const Values reference = state_at(t, Scheme::heun, 0.002, 0.5);
        Values errors;
        for (const double dt : {0.5, 0.25, 0.125}) {
            errors.push_back(error_of(state_at(t, Scheme::crank_nicolson, dt, 0.5), reference));
            table.row(t, dt, errors.back());
        }
        if (t > 50) check(10, "rmse at t 100 dt .25", "-", 1.9e-4, errors[1], 1e-5);
        check(10, "order", "2; Thomas aberrant", 2, std::log2(errors[1] / errors[2]), 0.15);
    }
}

void stability() {
    Table table(11, "scheme,r,largest");
    for (const double r : {0.4, 0.47}) {
        const Values v = state_at(60, Scheme::euler, 0.25 * r, 0.5);
        table.row("euler", r, *std::max_element(v.begin(), v.end()));
    }
    const double limit = waves::simulate(line(0.5), {.scheme = Scheme::euler, .until = 1}).step_limit;
    check(11, "explicit limit of r", "0.5", 0.4709, limit * 4, 2e-4);
    for (const double r : {0.9, 1.05, 4.0, 10.0}) {
        const waves::Result result = waves::simulate(
            line(0.5), {.scheme = Scheme::crank_nicolson, .step = 0.25 * r, .until = 240}, {}, {.v = gaussian(0.5)});
        const double largest = std::max(result.largest, -result.smallest);
        table.row("crank-nicolson", r, largest);
        check(11, "largest |v| at t 240 (bounded)", "stable to .9 and 1.05", 0.5, largest, 0.5);
    }
}

void newton() {
    Table table(12, "rows,r,iteration,norm");
    for (const double r : {0.0392, 1.0}) {
        for (const double end : {1.0, -1.0}) {
            Values v = gaussian(0.5, 0);
            const Values norms = cases::copied_ends(v, 0.25 * r, 0.5, end, 3);
            for (std::size_t k = 0; k < norms.size(); ++k)
                table.row(end > 0 ? "printed" : "derivative", r, k, norms[k]);
            if (end < 0) {
                check(12, "iterations with the derivative", "quadratic only by cyclic reduction", 4,
                      static_cast<double>(norms.size()), 2);
            } else if (r < 1) {
                check(12, "factor with rows (1;1)", "0.037 by Thomas", 0.0370, norms[4] / norms[3], 2e-4);
            } else {
                const double factor = cases::printed_factor(r, 0.25 * r, waves::cubic_slope(0.01, v[0]));
                check(12, "factor with rows (1;1) at r 1", "-", factor, norms[4] / norms[3], 0.01 * factor);
            }
        }
    }
}

void solvers() {
    Table whole(13, "solver,nodes,seconds_per_step"), solve(14, "solver,nodes,seconds_per_solve");
    const double dx = 0.5, dt = 0.25;
    device::Cpu cpu(0);
    const waves::Coefficients c{.diffusion = 1 / (dx * dx)};
    const auto constants = waves::implicit_constants(Model::fitzhugh_nagumo, c, c.diffusion, dt);
    for (const Offset n : {4096, 65536, 262144}) {
        Values first;
        for (const Solver solver : {Solver::thomas, Solver::cyclic_reduction, Solver::parallel_reduction,
                                    Solver::hybrid, Solver::partition, Solver::tiles}) {
            waves::CrankNicolson stepper(cpu, constants, n, false, solver);
            Values v(at(n), 0.0), w = v, v_next = v, w_next = v;
            for (Offset i = 0; i < n; ++i) v[at(i)] = 0.5 + 0.5 * std::cos(0.01 * static_cast<double>(i));
            int iterations = 0;
            const double seconds = seconds_of([&] { iterations = stepper.step(v, w, {}, {}, v_next, w_next); });
            whole.row(name_of(solver), n, seconds);
            solve.row(name_of(solver), n, seconds / iterations);
            if (first.empty()) first = v_next;
            check(13, "solvers differ by", "Thomas = cyclic reduction", 0, error_of(v_next, first), 1e-14);
        }
    }
}

}  // namespace

int bench_main(int count, char** words) {
    if (count != 2) throw Error(Fault::bad_input, "give the folder of the figures");
    folder = words[1];
    std::puts("figure,quantity,published,expected,got,agrees");
    trains();
    pulses();
    explicit_in_space();
    explicit_in_time();
    explicit_times();
    oscillation();
    adaptive_grid();
    implicit_in_space();
    implicit_in_time();
    stability();
    newton();
    solvers();
    return all_agree ? 0 : 1;
}
