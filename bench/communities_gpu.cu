// SPDX-License-Identifier: Apache-2.0
// Communities by Leiden's method on a GPU or a CPU: seconds by stages, and of the phases of the GPU.
//
//   bench_communities_gpu [--commit NAME] [--runs N] [--device cpu|cuda] CASE...
//
// CASE: VERTICES:DRAWN, default 1000000:15 11400000:15. Vertices in groups of 5 to 4,000, in random order; each draws
// that many others, a fifth of them from anywhere, with random weights; an edge and its reverse are one. Prints a CSV
// row per case and stage: `graph` is the check of the graph in host memory and, on a GPU, its way there; `optimize` all
// that follows, with the labels of all levels in host memory; `whole` both. Rows named after a phase of the method are
// of one run with the graph in GPU memory, each phase awaited; `resident` is the sum. `labels` is a hash of the
// communities, the same for both devices.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <dunlin/communities.hpp>
#include <dunlin/gpus.hpp>

#include "arguments.hpp"
#include "communities/cuda/engine.cuh"
#include "communities/optimize.hpp"
#include "graph/symmetrize.hpp"
#include "math/at.hpp"
#include "math/hash.hpp"
#include "math/rng.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

struct Case {
    Index vertices = 0, drawn = 0;
};

Case case_of(const std::string& text) {
    Case one;
    char colon = ':';
    std::istringstream words(text);
    if (words >> one.vertices >> colon >> one.drawn && colon == ':') return one;
    std::fprintf(stderr, "'%s' is no case; give VERTICES:DRAWN\n", text.c_str());
    std::exit(2);
}

/// Groups of vertices: begin of each, in an order of the vertices in which groups are consecutive.
std::vector<Index> groups_of(Index n) {
    std::vector<Index> begins{0};
    for (std::uint64_t g = 0; begins.back() < n; ++g) {
        const double share = math::random_uniform(7, g);
        const auto size = static_cast<Index>(5 / (1 - share * (1 - 5.0 / 4000)));  // as 1 / size^2
        begins.push_back(n - begins.back() > size ? begins.back() + size : n);
    }
    return begins;
}

Graph graph_of(device::Cpu& cpu, const Case& one) {
    const Index n = one.vertices;
    const std::vector<Index> begins = groups_of(n);
    std::vector<Index> group(at(n));
    for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
        for (Index i = begins[g]; i < begins[g + 1]; ++i) group[at(i)] = static_cast<Index>(g);
    }
    // Place i in the order of groups is the vertex (i * step) mod n, step without a common divisor with n
    Offset step = n / 3 * 2 + 1;
    while (std::gcd(step, Offset{n}) != 1) ++step;
    const auto vertex_at = [&](Index i) { return static_cast<Index>(Offset{i} * step % n); };

    Graph drawn;
    drawn.offsets.resize(at(n) + 1);
    for (std::size_t v = 0; v < drawn.offsets.size(); ++v) drawn.offsets[v] = static_cast<Offset>(v) * one.drawn;
    drawn.targets.resize(at(drawn.edges()));
    drawn.weights.resize(at(drawn.edges()));
    cpu.each(n, [&](Offset i) {
        const Index begin = begins[at(group[at(i)])], size = begins[at(group[at(i)]) + 1] - begin;
        const Index v = vertex_at(static_cast<Index>(i));
        std::vector<Index> others;
        for (std::uint64_t draw = 0; std::ssize(others) < one.drawn; ++draw) {
            const bool anywhere = draw % 5 == 0 || size <= 2 * one.drawn;
            const auto among = static_cast<std::uint64_t>(anywhere ? n : size);
            const auto place = static_cast<Index>(math::random_below(among, 8, static_cast<std::uint64_t>(i), draw));
            const Index u = vertex_at(anywhere ? place : begin + place);
            if (u != v && std::find(others.begin(), others.end(), u) == others.end()) others.push_back(u);
        }
        std::sort(others.begin(), others.end());
        for (Index e = 0; e < one.drawn; ++e) {
            const auto to = at(Offset{v} * one.drawn + e);
            drawn.targets[to] = others[at(e)];
            drawn.weights[to] = static_cast<float>(math::random_uniform(9, to));
        }
    });
    return graph::symmetrize(cpu, drawn, drawn.weights, graph::Larger{});
}

/// Adds up the time of phases, which it awaits.
class TimedEngine : public communities::CudaCommunityEngine {
public:
    TimedEngine(device::Cuda& cuda, const communities::UndirectedGraph& graph, const communities::Options& options)
        : CudaCommunityEngine(cuda, graph, options), cuda_(cuda) {}

    void move(const Level& level, std::uint64_t seed, Labels& community) {
        timed(&level == &base() ? "move base" : "move", [&] { CudaCommunityEngine::move(level, seed, community); });
    }
    void refine(const Level& level, std::uint64_t seed, const Labels& community, Labels& part) {
        timed(&level == &base() ? "refine base" : "refine",
              [&] { CudaCommunityEngine::refine(level, seed, community, part); });
    }
    const Level& aggregate(const Level& level, const Labels& part, Index parts) {
        const Level* next = nullptr;
        timed("aggregate", [&] { next = &CudaCommunityEngine::aggregate(level, part, parts); });
        return *next;
    }
    void divide_into_components(Labels& labels) {
        timed("components", [&] { CudaCommunityEngine::divide_into_components(labels); });
    }
    communities::Terms terms(const Labels& labels, communities::MassKind kind) {
        communities::Terms result;
        timed("terms", [&] { result = CudaCommunityEngine::terms(labels, kind); });
        return result;
    }
    std::vector<std::vector<Index>> to_host(const std::vector<Labels>& all) {
        std::vector<std::vector<Index>> result;
        timed("labels to the host", [&] { result = CudaCommunityEngine::to_host(all); });
        return result;
    }
    Labels from_host(const std::vector<Index>& labels) {
        Labels result;
        timed("labels from the host", [&] { result = CudaCommunityEngine::from_host(labels); });
        return result;
    }
    Index number_by_first(Labels& labels) {
        Index count = 0;
        timed("number by first", [&] { count = CudaCommunityEngine::number_by_first(labels); });
        return count;
    }
    void number_by_size(Labels& labels) {
        timed("number by size", [&] { CudaCommunityEngine::number_by_size(labels); });
    }
    void divide_along(const Labels& labels, Labels& parts) {
        timed("divide along", [&] { CudaCommunityEngine::divide_along(labels, parts); });
    }
    Labels of_parts(Labels& community, const Labels& part, Index parts) {
        Labels result;
        timed("of parts", [&] { result = CudaCommunityEngine::of_parts(community, part, parts); });
        return result;
    }

    std::map<std::string, double> seconds;

private:
    template <class Work>
    void timed(const char* phase, const Work& work) {
        cuda_.wait();
        progress::Stopwatch watch;
        work();
        cuda_.wait();
        seconds[phase] += watch.lap();
    }

    device::Cuda& cuda_;
};

std::map<std::string, double> phases_of(const Graph& graph) {
    const Run run{.device = Device::cuda};
    device::Cuda cuda(run);
    communities::UndirectedGraph whole;
    whole.given = &graph;
    std::map<std::string, double> seconds;
    for (int turn = 0; turn < 2; ++turn) {
        communities::Result result;
        TimedEngine engine(cuda, whole, result.options);
        std::vector<Index> from(at(graph.size()));
        for (std::size_t v = 0; v < from.size(); ++v) from[v] = static_cast<Index>(v);
        cuda.wait();
        progress::Stopwatch watch;
        communities::optimize(engine, std::move(from), run, result);
        const double all = watch.lap();
        seconds = engine.seconds;
        seconds["resident"] = all;
    }
    return seconds;
}

void run_case(const std::string& name, const bench::Arguments& given, const std::string& date) {
    const Case one = case_of(name);
    device::Cpu cpu;
    const Graph graph = graph_of(cpu, one);
    const bool on_gpu = given.device == Device::cuda;
    std::map<std::string, std::vector<double>> times;
    communities::Result result;
    for (int i = 0; i <= given.runs; ++i) {
        progress::Stopwatch watch;
        result = communities::find(graph, {}, {.device = given.device});
        if (i == 0 && on_gpu) continue;
        times["whole"].push_back(watch.lap());
        for (const auto& [stage, seconds] : result.seconds.stages()) times[std::string(stage)].push_back(seconds);
        if (!on_gpu && i + 1 == given.runs) break;
    }
    if (on_gpu) {
        for (const auto& [phase, seconds] : phases_of(graph)) times[phase].push_back(seconds);
    }
    const std::uint64_t hash = math::hash_of(0, std::as_bytes(std::span(result.labels)));
    for (const auto& [stage, all] : times) {
        std::printf("%s,%s,%s,%d,%lld,%s,%.4f,%.4f,%d,%zu,%.6f,%016llx\n", date.c_str(), given.commit.c_str(),
                    on_gpu ? gpus().front().name.c_str() : "cpu", one.vertices,
                    static_cast<long long>(graph.edges() / 2), stage.c_str(), bench::median(all),
                    *std::min_element(all.begin(), all.end()), result.count, result.levels.size(), result.modularity,
                    static_cast<unsigned long long>(hash));
    }
    std::fflush(stdout);
}

}  // namespace

int bench_main(int count, char** words) {
    bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs", "--device"}, 5);
    if (given.cases.empty()) given.cases = {"1000000:15", "11400000:15"};
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,vertices,edges,stage,seconds,seconds_least,communities,levels,modularity,labels\n");
    for (const std::string& name : given.cases) run_case(name, given, date);
    return 0;
}
