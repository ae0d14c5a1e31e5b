// SPDX-License-Identifier: Apache-2.0
// Which annealing schedules escape local minima: every rule and cooling with the same moves, on small graphs whose
// energy has local minima, compared with eades, which descends the same energy by forces.
//
//   bench_annealing [--seeds N]
//
// For every graph and schedule: the fraction of seeds that end within 1% of the best cost of all runs, the mean final
// cost over the best cost, mean crossings, and seconds per run.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <dunlin/layout.hpp>

#include "cases/graphs.hpp"
#include "layout/annealing.hpp"

namespace {

using namespace dunlin;
using layout::Acceptance;
using layout::Cost;
using layout::Method;
using layout::Options;

struct Case {
    std::string name;
    Graph graph;
};

using made::graph_of;

/// Cliques of four along a path, one edge between neighbors.
Graph beads(Index count) {
    std::vector<made::Edge> edges;
    for (Index b = 0; b < count; ++b) {
        for (Index i = 0; i < 4; ++i) {
            for (Index j = 0; j < i; ++j) edges.push_back({4 * b + i, 4 * b + j});
        }
        if (b > 0) edges.push_back({4 * b - 1, 4 * b});
    }
    return graph_of(4 * count, edges);
}

struct Schedule {
    std::string name;
    Options options;
};

Options annealed(Acceptance acceptance, float cooling, float crossing) {
    Options o{.method = Method::annealing};
    o.acceptance = acceptance;
    o.cooling = cooling;
    o.crossing = crossing;
    return o;
}

std::vector<Schedule> schedules() {
    std::vector<Schedule> all{{"eades", {.method = Method::eades}}};
    Options quench = annealed(Acceptance::threshold, 0.9F, 0);
    quench.temperature = 1e-9F;
    all.push_back({"downhill only", quench});
    for (const float cooling : {0.6F, 0.7F, 0.8F, 0.9F}) {
        char digits[8];
        std::snprintf(digits, sizeof digits, "%.2f", double(cooling));
        for (const Acceptance rule : {Acceptance::threshold, Acceptance::metropolis}) {
            all.push_back({std::string(name_of(rule)) + " " + digits, annealed(rule, cooling, 0)});
        }
    }
    all.push_back({"threshold 0.80 with crossings at 1", annealed(Acceptance::threshold, 0.8F, 1)});
    all.push_back({"metropolis 0.80 with crossings at 1", annealed(Acceptance::metropolis, 0.8F, 1)});
    return all;
}

/// Energy and crossings of a map.
struct Judged {
    double energy, crossings, seconds;
};

Judged judge(const Graph& graph, const Map& map) {
    device::Cpu cpu(1);
    std::vector<float> y = map.coordinates;
    const std::vector<std::uint8_t> free(static_cast<std::size_t>(graph.size()), 0);
    const layout::EdgeArrays<device::Cpu> arrays = layout::edge_arrays(cpu, graph);
    const auto cost = [&](float crossing) {
        const layout::AnnealingProblem<2> problem{{Cost::energy, 1, 2, crossing},
                                                  {},
                                                  graph.size(),
                                                  graph.edges(),
                                                  y.data(),
                                                  free.data(),
                                                  arrays.offsets.data(),
                                                  arrays.sources.data(),
                                                  arrays.targets.data(),
                                                  arrays.weights.data()};
        return layout::whole_cost<2>(cpu, problem);
    };
    const double energy = cost(0);
    return {energy, std::round(cost(1) - energy), 0};
}

Judged run(const Graph& graph, const Options& options, std::uint64_t seed) {
    const auto begin = std::chrono::steady_clock::now();
    const Map map = layout::place(graph, options, {.device = Device::cpu, .threads = 1, .seed = seed}).map;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Judged judged = judge(graph, map);
    judged.seconds = seconds;
    return judged;
}

void study(const Case& one, int seeds) {
    const std::vector<Schedule> all = schedules();
    std::vector<std::vector<Judged>> found(all.size());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < all.size(); ++s) {
        for (int seed = 1; seed <= seeds; ++seed) {
            found[s].push_back(run(one.graph, all[s].options, static_cast<std::uint64_t>(seed)));
            least = std::min(least, found[s].back().energy);
        }
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
        double within = 0, over = 0, crossings = 0, seconds = 0;
        for (const Judged& j : found[s]) {
            within += j.energy <= 1.01 * least ? 1.0 / seeds : 0;
            over += j.energy / least / seeds;
            crossings += j.crossings / seeds;
            seconds += j.seconds / seeds;
        }
        std::printf("%s,%d,%lld,%s,%.2f,%.3f,%.1f,%.3f\n", one.name.c_str(), one.graph.size(),
                    static_cast<long long>(one.graph.edges() / 2), all[s].name.c_str(), within, over, crossings,
                    seconds);
        std::fflush(stdout);
    }
}

}  // namespace

int bench_main(int argc, char** argv) {
    int seeds = 20;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::atoi(argv[i + 1]);
    }
    std::printf("graph,vertices,edges,schedule,within_1_percent,cost_over_least,crossings,seconds\n");
    study({"ring", made::ring(24)}, seeds);
    study({"grid", made::lattice(6, 6)}, seeds);
    study({"ladder", made::lattice(12, 2)}, seeds);
    study({"binary-tree", made::binary_tree(31)}, seeds);
    study({"beads", beads(6)}, seeds);
    study({"random", made::random_graph(30, 45)}, seeds);
    return 0;
}
