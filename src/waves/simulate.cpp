// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

#include <dunlin/error.hpp>

#include "checkpoint/key.hpp"
#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/ranks.hpp"
#include "progress/stopwatch.hpp"
#include "waves/adaptive_grid.hpp"
#include "waves/adaptive_step.hpp"
#include "waves/cuda.hpp"
#include "waves/drive.hpp"
#include "waves/implicit/engine.hpp"
#include "waves/implicit/reach.hpp"
#include "waves/rank_engine.hpp"
#include "waves/simulate.hpp"
#include "waves/tiles.hpp"

namespace dunlin::waves {

namespace {

template <class Engine>
void run_engine(device::Cpu& cpu, const Problem& problem, State start, const Given& given, const Run& run,
                Result& result) {
    Engine engine(cpu, problem, std::move(start));
    if constexpr (std::is_same_v<Engine, PlainEngine>) {
        problem.options.tolerance ? drive_adaptive(engine, problem, given, run, result)
                                  : drive(engine, problem, given, run, result);
    } else {
        drive(engine, problem, given, run, result);
    }
    if constexpr (std::is_same_v<Engine, ImplicitEngine>) result.newton = engine.newton();
    collect(std::move(engine), result);
}

/// Whether the engine of tiles runs this problem, given that the scheme is explicit.
bool is_tiled(const Problem& problem) {
    return problem.domain.graph == nullptr && problem.options.scheme != Scheme::rkc && !problem.options.tolerance;
}

void run_on_cpu(device::Cpu& cpu, const Problem& problem, State start, const Given& given, const Run& run,
                Result& result) {
    const Options& o = problem.options;
    const auto run_with = is_implicit(o.scheme)          ? run_engine<ImplicitEngine>
                          : o.scheme == Scheme::adaptive ? run_engine<AdaptiveEngine>
                          : is_tiled(problem)            ? run_engine<TiledEngine>
                                                         : run_engine<PlainEngine>;
    run_with(cpu, problem, std::move(start), given, run, result);
}

void run_rank_on_cpu(const Problem& problem, State& values, const Given& given, const Run& run, Result& result) {
    device::Cpu cpu(run);
    is_tiled(problem) ? run_rank<TiledEngine>(cpu, problem, values, given, run, result)
                      : run_rank<PlainEngine>(cpu, problem, values, given, run, result);
}

/// On several GPUs, or for tests on as many CPU ranks.
void run_on_ranks(const Problem& problem, State start, const Given& given, const Run& run, Device device,
                  Result& result) {
    device::run_on_ranks(run, [&](const Run& own) {
        Result of_another;
        Result& of_rank = device::Rank::current()->index() == 0 ? result : of_another;
        device == Device::cuda ? run_rank_on_cuda(problem, start, given, own, of_rank)
                               : run_rank_on_cpu(problem, start, given, own, of_rank);
    });
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

/// The explicit schemes with fixed steps have a GPU version, whose bytes are those of the CPU, and crank-nicolson has.
Device device_of(const Domain& domain, const Options& options, const Run& run) {
    constexpr std::array on_gpu{Scheme::automatic, Scheme::euler, Scheme::heun, Scheme::rkc, Scheme::crank_nicolson};
    if (options.tolerance || std::find(on_gpu.begin(), on_gpu.end(), options.scheme) == on_gpu.end()) {
        device::require_cpu(run, options.tolerance ? "waves with a tolerance are"
                                                   : fmt::format("scheme {} is", name_of(options.scheme)));
        return Device::cpu;
    }
    if (options.solver != Solver::automatic) {
        device::require_cpu(run, fmt::format("solver {} is", name_of(options.solver)));
        return Device::cpu;
    }
    constexpr Offset large = 100'000;
    const bool is_divided = options.scheme != Scheme::crank_nicolson;
    return device::choose(run, domain.size() >= large, {is_divided, "scheme crank-nicolson runs"});
}

/// Crank-Nicolson on a GPU solves overlapping tiles: the CPU if their halos were longer than the tiles.
Device device_of_tiles(const Problem& problem, Device device, const Run& run) {
    if (device == Device::cpu || problem.options.scheme != Scheme::crank_nicolson || problem.size() == 0) return device;
    constexpr Offset most = Offset{1} << 30;  // positions beyond the ends are 32-bit numbers
    if (problem.size() >= most) {
        device::require_cpu(run, "scheme crank-nicolson of 2^30 nodes and more is");
        return Device::cpu;
    }
    const Coefficients& c = problem.coefficients;
    const double dt = *problem.options.step;
    const ImplicitReach reach(implicit_constants(problem.options.model, c, c.diffusion, dt), gpu_shape);
    if (reach.suits(gpu_shape)) return device;
    if (run.device != Device::cuda) return Device::cpu;
    throw Error(
        Fault::no_device,
        fmt::format("device cuda: scheme crank-nicolson with step {:.6g} and spacing {:.6g} couples more than {} "
                    "nodes; use a smaller step or larger spacing, or device cpu",
                    dt, problem.domain.spacing, 3 * gpu_shape.threads / 8 * gpu_shape.nodes),
        {.option = "device"});
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

void refuse_newton(double time, double step) {
    throw Error(Fault::bad_input,
                fmt::format("Newton's method does not converge at time {:.6g} with step {:.6g}; use a smaller step",
                            time, step),
                {.option = "step"});
}

Result simulate_problem(device::Cpu& cpu, const Problem& problem, const Run& run, const Given& given, Device device,
                        bool on_ranks) {
    Result result;
    State start = start_of(problem, given);
    if (problem.size() > 0 && on_ranks) {
        run_on_ranks(problem, std::move(start), given, run, device, result);
    } else if (problem.size() > 0 && device == Device::cuda) {
        run_on_cuda(problem, std::move(start), given, run, result);
    } else if (problem.size() > 0) {
        run_on_cpu(cpu, problem, std::move(start), given, run, result);
    } else {
        result.stopped = Stopped::converged;
    }
    require_finite(result);
    describe(problem, result);
    return result;
}

void add_to(checkpoint::Key& key, const Problem& problem, Device device, const Given& given) {
    const Domain& domain = problem.domain;
    key.add("device", std::string(name_of(device)));
    key.add_options(problem.options);
    key.add("nodes", fmt::format("{}", fmt::join(domain.nodes, " x ")));
    key.add("periodic axes", fmt::format("{}", fmt::join(domain.periodic, " ")));
    key.add("spacing", text_of(domain.spacing));
    if (domain.graph != nullptr) key.add_input("graph", *domain.graph);
    key.add_input("start", given.v);
    key.add_input("start of w", given.w);
    key.add_input("current", problem.current);
    key.add_input("snapshots", given.snapshots);
    std::vector<double> stimuli;
    for (const Stimulus& s : problem.stimuli)
        stimuli.insert(stimuli.end(), {static_cast<double>(s.vertex), s.value, s.from, s.to, s.every});
    key.add_input("stimuli", stimuli);
}

Result simulate(const Domain& domain, const Options& options, const Run& given_run, const Given& given) {
    const Run run = checkpoint::without_checkpoint(given_run);
    device::refuse_checkpoint_of_several(given_run);
    const Device device = device_of(domain, options, run);
    progress::Stopwatch watch;
    if (device == Device::cuda) device::reset_cuda_peak_memory();
    device::Cpu cpu(run);
    const Problem problem = problem_of(cpu, domain, options, run, given, device);
    const Device used = device_of_tiles(problem, device, run);
    checkpoint::Session session(given_run, "waves", [&](checkpoint::Key& key) { add_to(key, problem, used, given); });
    const double start = watch.lap();
    const bool on_ranks = used == Device::cuda && device::names_several(run);
    Result result = simulate_problem(cpu, problem, run, given, used, on_ranks);
    result.seconds["start"] = start;
    result.seconds["optimize"] = watch.lap();
    result.threads = cpu.threads();
    device::complete(result, used, run);
    session.complete(result);
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
