// How the time of a whole default layout grows with vertices and with edges, on a CPU.
//
//   bench_layout_growth [--commit NAME] [--threads N] [--runs N] [--most VERTICES]
//
// A CSV row per graph: seconds of the layout and seconds that its threads spent on a processor (medians of the runs;
// one run where it takes more than ten seconds), the most memory that the process has held, in MB with the graph's
// making, and the drawing's scaled stress, up to a million vertices. Road-like and power-law graphs are made by seed
// (made_graphs.hpp).

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/metrics.hpp>

#include "device/stopwatch.hpp"
#include "made_graphs.hpp"

namespace {

using namespace dunlin;

struct Settings {
    std::string commit = "unknown";
    int threads = 2, runs = 3;
    Index most = 10000000;
};

rusage usage_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage;
}

double processor_seconds() {
    const rusage usage = usage_now();
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(const char* kind, const Graph& graph, const Settings& settings) {
    const Run run{.device = Device::cpu, .threads = settings.threads};
    std::vector<double> seconds, processor;
    layout::Result result;
    while (std::ssize(seconds) < settings.runs && (seconds.empty() || seconds.front() < 10)) {
        const double before = processor_seconds();
        device::Stopwatch watch;
        result = layout::place(graph, {}, run);
        seconds.push_back(watch.lap());
        processor.push_back(processor_seconds() - before);
    }
    std::printf("%s,%s,%d,%lld,%d,%zu,%.4f,%.4f,%d,%ld,", settings.commit.c_str(), kind, graph.size(),
                static_cast<long long>(graph.edges() / 2), settings.threads, seconds.size(), median(seconds),
                median(processor), result.iterations, usage_now().ru_maxrss / 1000);
    if (graph.size() <= 1000000) std::printf("%.4f", metrics::scaled_stress(graph, result.map, {}, run).value);
    std::printf("\n");
    std::fflush(stdout);
}

Settings parse(int argc, char** argv) {
    Settings settings;
    for (int a = 1; a + 1 < argc; a += 2) {
        const std::string flag = argv[a], value = argv[a + 1];
        if (flag == "--commit") settings.commit = value;
        if (flag == "--threads") settings.threads = std::atoi(value.c_str());
        if (flag == "--runs") settings.runs = std::atoi(value.c_str());
        if (flag == "--most") settings.most = std::atoi(value.c_str());
    }
    return settings;
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = parse(argc, argv);
    std::puts("commit,kind,vertices,edges,threads,runs,seconds,processor_seconds,iterations,megabytes,scaled_stress");
    for (Index n = 1000; n <= std::min(settings.most, Index{100000000}); n *= 10) {
        measure("road", made::road_graph(n, Offset{n} * 14 / 10), settings);
        measure("power-law", made::power_law_graph(n, Offset{n} * 2), settings);
        if (n != 100000) continue;
        for (const Offset degree : {4, 8, 16, 32}) measure("power-law", made::power_law_graph(n, n * degree), settings);
    }
}
