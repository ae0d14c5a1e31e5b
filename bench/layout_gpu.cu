// SPDX-License-Identifier: Apache-2.0
// Whole layouts on a GPU, from a graph in host memory to a map there, after a first call that makes the context.
//
//   bench_layout_gpu [--commit NAME] [--runs N] [--device cpu|cuda] [CASE...]
//
// A CSV row per case: seconds (median of the runs), of which until the first iteration, iterations, and the drawing's
// scaled stress.

#include <algorithm>
#include <cstdio>
#include <functional>
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
using layout::Method;
using layout::Options;

struct Case {
    std::string name;
    std::function<Graph()> graph;
    Options options = {};
};

/// 500 iterations without early stop.
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
    for (const Index n : {500, 1000, 2000, 5000, 12000, 100000, 1000000}) {
        cases.push_back({std::to_string(n) + "-stress",
                         [n] { return made::road_graph(n, Offset{n} * 14 / 10); },
                         {.method = Method::stress}});
    }
    Options eades = fixed(Method::eades);
    eades.iterations = 100;
    for (int power = 6; power <= 20; ++power) {
        const Index n = 1 << power;
        cases.push_back({"eades-" + std::to_string(n), [n] { return made::random_graph(n, Offset{n} * 2); }, eades});
    }
    return cases;
}

void measure(const Case& one, const bench::Arguments& given) {
    const Graph graph = one.graph();
    const Run run{.device = given.device};
    std::vector<double> seconds;
    layout::Result result;
    for (int r = 0; r < given.runs; ++r) {
        progress::Stopwatch watch;
        result = layout::place(graph, one.options, run);
        seconds.push_back(watch.lap());
    }
    const double stress = scores::scaled_stress(graph, result.map, {}, {.device = Device::cpu}).value;
    std::printf("%s,%s,%d,%lld,%s,%d,%.4f,%.4f,%.4f,%d,%s,%.4f,%.3f\n", given.commit.c_str(), one.name.c_str(),
                graph.size(), static_cast<long long>(graph.edges() / 2),
                std::string(name_of(one.options.method)).c_str(), given.runs, bench::median(seconds),
                *std::max_element(seconds.begin(), seconds.end()), result.seconds["start"], result.iterations,
                std::string(name_of(result.stopped)).c_str(), stress, static_cast<double>(result.gpu_memory) / 1e9);
    std::fflush(stdout);
}

}  // namespace

int bench_main(int argc, char** argv) {
    const bench::Arguments given = bench::arguments_from(argc, argv, {"--commit", "--runs", "--device"}, 3);
    layout::place(made::power_law_graph(3000, 9000), {}, {.device = given.device});
    std::printf(
        "commit,case,vertices,edges,method,runs,median_s,max_s,start_s,iterations,stopped,scaled_stress,gpu_gb\n");
    for (const Case& one : table()) {
        if (given.wants(one.name)) measure(one, given);
    }
    return 0;
}
