// SPDX-License-Identifier: Apache-2.0
// Eades' model on a GPU, rung by rung: the programs that "Force Directed Placement: GPU implementation" (Chan, So and
// Teper 2009) develops step by step, and two newer ones. Every rung starts from the same positions, is compared with
// the sequential program after ten steps, and then runs until the kinetic energy is below the threshold, which all but
// the last read after every step.
//
//   bench_eades_ladder_gpu [--runs N] [--commit NAME] [--data DIR] [GRAPH...]     a CSV row for every graph and rung
//
// As in the paper, edges are a matrix of n x n bytes and the force of a pair is stored in memory. The last rung keeps
// everything in the shared memory of one cluster and needs a single launch.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include <dunlin/network.hpp>
#include <dunlin/run.hpp>

#include "arguments.hpp"
#include "cases/graphs.hpp"
#include "eades_apart.cuh"
#include "eades_cluster.cuh"
#include "eades_rungs.cuh"
#include "timing.hpp"

namespace {

using namespace dunlin;
using namespace dunlin::bench::eades;

constexpr int most_steps = 20000;

struct Outcome {
    double seconds = 0, energy = 0, difference = 0;
    int steps = 0;
};

/// Runs a rung for at most `steps` steps; returns the number of steps and stores the energy.
template <class Rung>
int settle(Rung& rung, int most, double threshold, double& energy) {
    if constexpr (std::is_same_v<Rung, OneCluster>) {
        energy = rung.settle(most, threshold);
        return rung.steps;
    } else {
        for (int step = 1;; ++step) {
            energy = rung.step();
            if (energy < threshold || step == most) return step;
        }
    }
}

/// The largest distance between two drawings' vertices.
double distance(const std::vector<float2>& a, const std::vector<float2>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double apart = std::hypot(double(a[i].x) - double(b[i].x), double(a[i].y) - double(b[i].y));
        most = std::isfinite(apart) ? std::max(most, apart) : INFINITY;
    }
    return most;
}

template <class Rung>
std::vector<float2> after_ten_steps(device::Cuda& cuda, const Input& input) {
    Rung rung(cuda, input);
    double energy = 0;
    settle(rung, 10, 0, energy);
    return rung.positions();
}

template <class Rung>
Outcome measure(device::Cuda& cuda, const Input& input, int runs) {
    Outcome outcome;
    outcome.difference = distance(after_ten_steps<Rung>(cuda, input), after_ten_steps<Sequential>(cuda, input));
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
        Rung rung(cuda, input);
        cuda.wait();
        const auto begin = std::chrono::steady_clock::now();
        outcome.steps = settle(rung, most_steps, input.threshold(), outcome.energy);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    outcome.seconds = bench::median(seconds);
    return outcome;
}

bool all_agree = true;

template <class... Rungs>
void climb(device::Cuda& cuda, const Input& input, int runs, const std::string& head) {
    double sequential = 0;
    const auto row = [&](const char* name, const Outcome& o) {
        if (sequential == 0) sequential = o.seconds;
        const bool agrees = o.difference < 1e-3 && o.energy < input.threshold();
        all_agree = all_agree && agrees;
        std::printf("%s,%s,%d,%lld,%s,%d,%d,%.6f,%.2f,%.1f,%.4g,%.1e,%s\n", head.c_str(), input.name.c_str(),
                    input.size(), static_cast<long long>(input.graph.edges() / 2), name, runs, o.steps, o.seconds,
                    1e6 * o.seconds / o.steps, sequential / o.seconds, o.energy, o.difference, agrees ? "yes" : "no");
        std::fflush(stdout);
    };
    (row(Rungs::name, measure<Rungs>(cuda, input, runs)), ...);
}

}  // namespace

int bench_main(int argc, char** argv) {
    const bench::Arguments given = bench::arguments_from(argc, argv, {"--commit", "--runs", "--data"}, 5);
    std::vector<Input> inputs;
    const char* const names[] = {"rand32", "actors", "actors2", "rand256"};
    for (std::size_t g = 0; g < std::size(cases::eades_graphs); ++g) {
        const auto& [vertices, edges] = cases::eades_graphs[g];
        inputs.emplace_back(names[g], made::random_graph(vertices, edges));
    }
    if (const std::string isp = given.data + "/graphs/rocketfuel/1755.weights.intra"; std::filesystem::exists(isp)) {
        Graph graph = io::read_network(isp).graph;
        graph.weights.assign(graph.weights.size(), 1.0F);
        inputs.emplace_back("rocketfuel-1755", std::move(graph));
    }
    device::Cuda cuda{Run{}};
    std::printf(
        "commit,graph,vertices,edges,rung,runs,steps,seconds,us_per_step,speed_up,kinetic_energy,difference,"
        "agrees\n");
    for (const Input& input : inputs) {
        if (!given.wants(input.name)) continue;
        climb<Sequential, ArraysOfTheirOwn, ThreadPerVertex, ThreadPerPair, SumsInMemory, Hoisted, EdgesAsIntegers,
              Tiles, Transposed, Reduction, VectorLoads, Fused, OneCluster>(cuda, input, given.runs, given.commit);
    }
    return all_agree ? 0 : 1;
}
