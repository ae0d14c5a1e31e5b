// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/stopwatch.hpp"
#include "waves/adaptive_step.hpp"
#include "waves/drive.hpp"
#include "waves/implicit/engine.hpp"
#include "waves/simulate.hpp"
#include "waves/tiles.hpp"

namespace dunlin::waves {

namespace {

/// Takes the values and counts of an engine after its run.
template <class Engine>
void collect(const Engine& engine, Result& result) {
    State state;
    engine.read(state);
    result.field = {std::move(state.v), std::move(state.w)};
    result.activation = std::move(state.activation);
    for (double& time : result.activation) {
        if (time > result.time) time = never;  // of a step that was cancelled
    }
    result.skipped = engine.skipped();
    result.evaluations = engine.evaluations();
}

void run_on_cpu(device::Cpu& cpu, const Problem& problem, State start, const Given& given, const Run& run,
                Result& result) {
    if (is_implicit(problem.options.scheme)) {
        ImplicitEngine engine(cpu, problem, std::move(start));
        drive(engine, problem, given, run, result);
        collect(engine, result);
        result.newton = engine.newton();
        return;
    }
    const bool tiled = problem.domain.graph == nullptr && problem.options.scheme != Scheme::rkc;
    if (tiled && !problem.options.tolerance) {
        TiledEngine engine(cpu, problem, std::move(start));
        drive(engine, problem, given, run, result);
        collect(engine, result);
        return;
    }
    PlainEngine engine(cpu, problem, std::move(start));
    if (problem.options.tolerance) {
        drive_adaptive(engine, problem, given, run, result);
    } else {
        drive(engine, problem, given, run, result);
    }
    collect(engine, result);
}

/// A stable step of the linearized equation does not bound values far from 0 to 1.
void require_finite(const Result& result) {
    if (result.stopped == Stopped::cancelled) return;
    for (const auto* values : {&result.field.v, &result.field.w}) {
        const auto bad = std::find_if(values->begin(), values->end(), [](double x) { return !std::isfinite(x); });
        if (bad == values->end()) continue;
        refuse_unbounded(result.time, result.step, bad - values->begin());
    }
}

void describe(const Problem& problem, Result& result) {
    const Domain& domain = problem.domain;
    const auto [least, most] = std::minmax_element(result.field.v.begin(), result.field.v.end());
    if (least != result.field.v.end()) result.smallest = *least, result.largest = *most;
    const bool is_line = domain.graph == nullptr && domain.nodes[1] == 1 && domain.nodes[2] == 1;
    if (is_line) result.speed = front_speed(result.activation, domain.spacing);
    result.step_limit = problem.step_limit;
    result.options = problem.options;
}

}  // namespace

void refuse_unbounded(double time, double step, Offset node) {
    throw Error(
        Fault::bad_input,
        fmt::format("the values grew without bound by time {:.6g}{}; use a smaller step than {:.6g}, or a start, "
                    "current or noise of smaller magnitude",
                    time, node < 0 ? "" : fmt::format(" at node {}", node), step),
        {.option = "step", .row = node});
}

Result simulate_problem(device::Cpu& cpu, const Problem& problem, const Run& run, const Given& given) {
    Result result;
    State start = start_of(problem, given);
    if (problem.size() > 0) {
        run_on_cpu(cpu, problem, std::move(start), given, run, result);
    } else {
        result.stopped = Stopped::converged;
    }
    require_finite(result);
    describe(problem, result);
    return result;
}

Result simulate(const Domain& domain, const Options& options, const Run& run, const Given& given) {
    device::require_cpu(run, "waves are");
    device::Stopwatch watch;
    device::Cpu cpu(run);
    const Problem problem = problem_of(cpu, domain, options, run, given);
    const double start = watch.lap();
    Result result = simulate_problem(cpu, problem, run, given);
    result.seconds["start"] = start;
    result.seconds["optimize"] = watch.lap();
    result.threads = cpu.threads();
    device::complete(result, Device::cpu, run);
    return result;
}

std::optional<double> front_speed(std::span<const double> activation, double spacing) {
    // The longest run of strictly monotone times
    const auto rises = [&](std::size_t i) {
        if (activation[i] == never || activation[i + 1] == never || activation[i] == activation[i + 1]) return 0;
        return activation[i] < activation[i + 1] ? 1 : -1;
    };
    std::size_t first = 0, count = 0;
    for (std::size_t begin = 0; begin + 1 < activation.size();) {
        const int direction = rises(begin);
        std::size_t end = begin + 1;
        while (direction != 0 && end + 1 < activation.size() && rises(end) == direction) ++end;
        if (direction != 0 && end - begin > count) first = begin, count = end - begin;
        begin = end;
    }
    if (count < 4) return std::nullopt;
    const std::size_t from = first + count / 4, to = first + count - count / 4;
    return static_cast<double>(to - from) * spacing / std::abs(activation[to] - activation[from]);
}

}  // namespace dunlin::waves
