// SPDX-License-Identifier: Apache-2.0
// Data of Glimmer's figures 3, 4 and 5 for gpu-sf on a CPU: prints CSV.
//     bench_mds_forces signal POINTS [LABELS]    iteration, mean speed, the same filtered, normalized_stress
//     bench_mds_forces stages POINTS [LABELS]    stage, seconds an iteration, share
// POINTS are scaled to [0, 1] per column; LABELS names a column that is not a coordinate.
#include <fmt/format.h>

#include <map>

#include <dunlin/io.hpp>
#include <dunlin/mds.hpp>

#include "mds/forces/partners.hpp"
#include "mds/order.hpp"
#include "mds/start.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;
using namespace dunlin::mds;

constexpr std::uint64_t seed = 1;

/// A CPU executor that times each kind of step.
struct Watched : device::Cpu {
    std::map<std::string, double> seconds;

    template <class Work>
    void time(const std::string& stage, const Work& work) {
        progress::Stopwatch watch;
        work();
        seconds[stage] += watch.lap();
    }
    template <class Step>
    void each(Offset n, const Step& step) {
        time(name_of_step<Step>(), [&] { Cpu::each(n, step); });
    }
    template <class Term, class T>
    void sum(Offset n, const Term& term, Cell<T>& total) {
        time("8 termination check", [&] { Cpu::sum(n, term, total); });
    }
    template <class Step>
    static std::string name_of_step() {
        if (std::is_same_v<Step, DrawPartners>) return "1 random update";
        if (std::is_same_v<Step, UpdateNearSet>) return "4 near sort";
        if (std::is_same_v<Step, SumSpringForces>) return "3 and 5 low-D distance and force";
        if (std::is_same_v<Step, IntegrateMotion>) return "6 and 7 velocity and position";
        return "8 termination check";
    }
};

void measure(Watched& watched, const Source& source, const SpringView& view, Index first, Index size) {
    watched.time("2 high-D distance",
                 [&] { mds::measure(static_cast<device::Cpu&>(watched), source, view, first, size); });
}

ReversePartners reverse_of(Watched&, SpringState<Watched>&, Index) { return {}; }

template <class Exec>
SpringState<Exec> springs_of(Exec& exec, const Dissimilarities& items, const Source& source) {
    const Map map = initial_map(exec, items, source, 2, Start::random, seed);
    return springs_at(exec, map, random_order(items.size(), seed), 4, 4);
}

void print_signal(const Dissimilarities& items) {
    device::Cpu cpu;
    const Source source(cpu, items);
    auto springs = springs_of(cpu, items, source);
    std::vector<double> stresses;
    Run run{.seed = seed, .snapshot_every = 1};
    run.on_progress = [&](const Progress& progress) {
        if (progress.coordinates.empty()) return;
        const Map map{2, {progress.coordinates.begin(), progress.coordinates.end()}};
        stresses.push_back(mds::stress(items, map, {.exact_rows = 1000, .sample = 500}).normalized_stress.value);
    };
    const run::Ending ending =
        run_stage(cpu, source, springs, {0, springs.n, springs.n, 1e-3}, {Until::velocity, 20000, false}, {}, run);
    fmt::print("iteration,velocity,filtered,normalized_stress\n");
    FilteredStoppingRule rule(Until::velocity);
    for (std::size_t t = 0; t < static_cast<std::size_t>(ending.iterations); ++t) {
        rule.add(springs.speeds[t]);
        const std::string filtered =
            rule.filtered().empty() ? std::string() : fmt::format("{:.6g}", rule.filtered().back());
        fmt::print("{},{:.6g},{},{:.6g}\n", t + 1, springs.speeds[t], filtered, stresses[t]);
    }
}

void print_stages(const Dissimilarities& items) {
    Watched watched;
    const Source source(watched, items);
    auto springs = springs_of(watched, items, source);
    constexpr int iterations = 100;
    run_stage(watched, source, springs, {0, springs.n, springs.n, 0}, {Until::count, iterations, false}, {},
              {.seed = seed});
    double total = 0;
    for (const auto& [stage, seconds] : watched.seconds) total += seconds;
    fmt::print("stage,seconds,share\n");
    for (const auto& [stage, seconds] : watched.seconds)
        fmt::print("{},{:.4g},{:.3f}\n", stage, seconds / iterations, seconds / total);
}

}  // namespace

int bench_main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: bench_mds_forces signal|stages POINTS [LABELS]\n");
        return 2;
    }
    const auto points = io::read_points(argv[2], {.labels = argc > 3 ? argv[3] : ""});
    const auto items = Dissimilarities::of_points(points.values, {.normalize = Normalize::minmax});
    std::string(argv[1]) == "signal" ? print_signal(items) : print_stages(items);
    return 0;
}
