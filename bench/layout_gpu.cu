// Whole layouts on a GPU, from a graph in host memory to a map there, after a first call that makes the context.
//
//   bench_layout_gpu [--commit NAME] [--runs N] [--device cpu|cuda] [CASE...]
//
// A CSV row per case: seconds (median of the runs), of which until the first iteration, iterations, and the drawing's
// scaled stress.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/metrics.hpp>

#include "device/stopwatch.hpp"
#include "made_graphs.hpp"

namespace {

using namespace dunlin;
using layout::Method;
using layout::Options;

struct Case {
    std::string name;
    std::function<Graph()> graph;
    Options options = {};
};

/// 500 iterations, all of them made.
Options fixed(Method method) {
    Options o{.method = method};
    o.iterations = 500;
    o.tolerance = 0.0F;
    return o;
}

Case grown(Index n) {
    return {"road-" + std::to_string(n), [n] { return made::road_graph(n, Offset{n} * 14 / 10); }};
}

std::vector<Case> table() {
    const auto thousand = [] { return made::power_law_graph(1000, 3000); };
    const auto gowalla = [] { return made::power_law_graph(196591, 950327); };
    Options annealing{.method = Method::annealing};
    annealing.iterations = 20;
    annealing.moves = 5;
    Options few_moves{.method = Method::annealing};
    few_moves.iterations = 4;
    few_moves.moves = 1;
    std::vector<Case> cases{{"1000-fr", thousand, fixed(Method::fruchterman_reingold)},
                            {"1000-eades", thousand, fixed(Method::eades)},
                            {"1000-forceatlas2", thousand, fixed(Method::forceatlas2)},
                            {"1000-annealing", thousand, annealing},
                            {"10000-annealing", [] { return made::power_law_graph(10000, 30000); }, few_moves},
                            {"1000", thousand},
                            {"gowalla-counts", gowalla},
                            {"gowalla-forceatlas2", gowalla, fixed(Method::forceatlas2)},
                            {"texas-counts", [] { return made::road_graph(1379917, 1921660); }},
                            {"hyves-counts", [] { return made::power_law_graph(1402673, 2777419); }},
                            {"4M-35M", [] { return made::power_law_graph(4000000, 35000000); }}};
    for (const Index n : {1000, 10000, 100000, 1000000, 10000000}) cases.push_back(grown(n));
    return cases;
}

struct Settings {
    std::string commit = "unknown";
    int runs = 3;
    Device device = Device::cuda;
    std::vector<std::string> cases;
};

void measure(const Case& one, const Settings& settings) {
    const Graph graph = one.graph();
    const Run run{.device = settings.device};
    std::vector<double> seconds;
    layout::Result result;
    for (int r = 0; r < settings.runs; ++r) {
        device::Stopwatch watch;
        result = layout::place(graph, one.options, run);
        seconds.push_back(watch.lap());
    }
    std::sort(seconds.begin(), seconds.end());
    const double stress = metrics::scaled_stress(graph, result.map, {}, {.device = Device::cpu}).value;
    std::printf("%s,%s,%d,%lld,%s,%d,%.4f,%.4f,%.4f,%d,%s,%.4f,%.3f\n", settings.commit.c_str(), one.name.c_str(),
                graph.size(), static_cast<long long>(graph.edges() / 2),
                std::string(name_of(one.options.method)).c_str(), settings.runs, seconds[seconds.size() / 2],
                seconds.back(), result.seconds.start, result.iterations, std::string(name_of(result.stopped)).c_str(),
                stress, static_cast<double>(result.gpu_memory) / 1e9);
    std::fflush(stdout);
}

Settings settings_from(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--commit" && i + 1 < argc) {
            settings.commit = argv[++i];
        } else if (word == "--runs" && i + 1 < argc) {
            settings.runs = std::atoi(argv[++i]);
        } else if (word == "--device" && i + 1 < argc) {
            settings.device = std::string(argv[++i]) == "cpu" ? Device::cpu : Device::cuda;
        } else {
            settings.cases.push_back(word);
        }
    }
    return settings;
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = settings_from(argc, argv);
    layout::place(made::power_law_graph(3000, 9000), {}, {.device = settings.device});
    std::printf(
        "commit,case,vertices,edges,method,runs,median_s,max_s,start_s,iterations,stopped,scaled_stress,gpu_gb\n");
    for (const Case& one : table()) {
        const auto& wanted = settings.cases;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), one.name) == wanted.end()) continue;
        measure(one, settings);
    }
    return 0;
}
