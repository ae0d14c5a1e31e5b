// SPDX-License-Identifier: Apache-2.0
// Time of a whole default layout over the numbers of vertices and edges, on a CPU.
//
//   bench_layout_growth [--commit NAME] [--threads N] [--runs N] [--most VERTICES] [road] [power-law]
//
// A CSV row per graph: seconds of the layout and seconds that its threads spent on a processor (medians of the runs;
// one run where it takes more than ten seconds), the most memory that the process has held, in MB with the graph's
// making, and the drawing's scaled stress, up to a million vertices. Road-like and power-law graphs are made by seed
// (tests/cases/graphs.hpp).

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/scores.hpp>

#include "arguments.hpp"
#include "cases/graphs.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

rusage usage_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

void measure(const char* kind, const Graph& graph, const bench::Arguments& given, int threads) {
    const Run run{.device = Device::cpu, .threads = threads};
    std::vector<double> seconds, processor;
    layout::Result result;
    while (std::ssize(seconds) < given.runs && (seconds.empty() || seconds.front() < 10)) {
        const double before = bench::processor_seconds();
        progress::Stopwatch watch;
        result = layout::place(graph, {}, run);
        seconds.push_back(watch.lap());
        processor.push_back(bench::processor_seconds() - before);
    }
    std::printf("%s,%s,%d,%lld,%d,%zu,%.4f,%.4f,%d,%ld,", given.commit.c_str(), kind, graph.size(),
                static_cast<long long>(graph.edges() / 2), threads, seconds.size(), bench::median(seconds),
                bench::median(processor), result.iterations, usage_now().ru_maxrss / 1000);
    if (graph.size() <= 1000000) std::printf("%.4f", scores::scaled_stress(graph, result.map, {}, run).value);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int bench_main(int argc, char** argv) {
    int threads = 2;
    Index most = 10000000;
    const bench::Arguments given =
        bench::arguments_from(argc, argv, {"--commit", "--runs"}, 3,
                              {{"--threads", [&](const std::string& number) { threads = std::atoi(number.c_str()); }},
                               {"--most", [&](const std::string& vertices) { most = std::atoi(vertices.c_str()); }}});
    const auto row = [&](const char* kind, const Graph& graph) {
        if (given.wants(kind)) measure(kind, graph, given, threads);
    };
    std::puts("commit,kind,vertices,edges,threads,runs,seconds,processor_seconds,iterations,megabytes,scaled_stress");
    for (Index n = 1000; n <= std::min(most, Index{100000000}); n *= 10) {
        row("road", made::road_graph(n, Offset{n} * 14 / 10));
        row("power-law", made::power_law_graph(n, Offset{n} * 2));
        if (n != 100000) continue;
        for (const Offset degree : {4, 8, 16, 32}) row("power-law", made::power_law_graph(n, n * degree));
    }
    return 0;
}
