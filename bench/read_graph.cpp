// SPDX-License-Identifier: Apache-2.0
// Processor time of the stages of reading a graph for drawing, on one core, median of RUNS.
//   bench_read_graph FOLDER EDGES RUNS      writes its inputs to FOLDER, unless they are there
// Prints JSON, a line per input: edges per second from text to numbered pairs, and from pairs to the graph in rows; for
// DOT, of a hundredth of the edges, also those of libcgraph alone.
#include <ctime>

#include <cgraph.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "io/network/parsed_network.hpp"
#include "io/output.hpp"
#include "math/rng.hpp"
#include "timing.hpp"

using namespace dunlin;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t seed = 4;

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::uint64_t vertex(Offset edge, int end, Offset vertices) {
    return static_cast<std::uint64_t>(
        math::random_uniform(seed, static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(end)) *
        static_cast<double>(vertices));
}

struct Input {
    const char* name;
    const char *before, *between, *after;  ///< around the ids of an edge
    const char *head, *foot;               ///< of the file
    std::uint64_t step;                    ///< between ids
    const char* prefix;                    ///< of an id
};

/// A random graph with a tenth as many vertices as edges.
fs::path made(const fs::path& folder, const Input& input, Offset edges) {
    const fs::path path = folder / input.name;
    if (fs::exists(path)) return path;
    const Offset vertices = std::max<Offset>(2, edges / 10);
    io::Output out(path);
    out.text(input.head);
    for (Offset e = 0; e < edges; ++e) {
        out.text(input.before);
        for (int end = 0; end < 2; ++end) {
            out.text(input.prefix);
            out.number(vertex(e, end, vertices) * input.step);
            if (end == 0) out.text(input.between);
        }
        out.text(input.after);
    }
    out.text(input.foot);
    out.commit();
    return path;
}

template <class Work>
double median_seconds(int runs, const Work& work) {
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
        const double begin = cpu_seconds();
        work();
        seconds.push_back(cpu_seconds() - begin);
    }
    return bench::median(seconds);
}

/// libcgraph alone: parses and frees the graph.
double cgraph_seconds(const fs::path& path, int runs) {
    const io::Bytes bytes = io::load(path);
    return median_seconds(runs, [&] { agclose(agmemread(bytes.begin())); });
}

nlohmann::ordered_json measure(const fs::path& path, int runs) {
    io::ParsedNetwork draft;
    graph::SimpleGraph simple;
    device::Cpu cpu(1);
    const double parse = median_seconds(runs, [&] { draft = io::parse_network(io::load(path), {}); });
    const double build = median_seconds(runs, [&] {
        simple = {};
        simple = graph::simplify(cpu, draft.source->vertices, draft.source->edges.all(), {});
    });
    const auto edges = static_cast<double>(draft.source->edges.ends.size());
    return {{"input", path.filename().string()},
            {"bytes", fs::file_size(path)},
            {"edges", draft.source->edges.ends.size()},
            {"vertices", draft.source->vertices},
            {"parse_seconds", parse},
            {"parsed_edges_per_second", edges / parse},
            {"build_seconds", build},
            {"built_edges_per_second", edges / build}};
}

}  // namespace

int bench_main(int count, char** words) {
    if (count != 4) return std::fputs("usage: bench_read_graph FOLDER EDGES RUNS\n", stderr), 2;
    const Offset edges = std::atoll(words[2]);
    const Input inputs[] = {
        {"dense.txt", "", "\t", "\n", "# dense\n", "", 1, ""},      {"gaps.txt", "", "\t", "\n", "", "", 7, ""},
        {"wide.txt", "", " ", "\n", "", "", 999999999989, ""},      {"names.txt", "", " ", "\n", "", "", 1, "user"},
        {"edges.csv", "", ",", "\n", "source,target\n", "", 1, ""}, {"weights.txt", "", " ", " 0.25\n", "", "", 1, ""}};
    const int runs = std::atoi(words[3]);
    for (const Input& input : inputs) std::puts(measure(made(words[1], input, edges), runs).dump().c_str());
    const Offset dot_edges = std::max<Offset>(1, edges / 100);
    const Input dot{"edges.dot", "  n", " -- n", ";\n", "graph {\n", "}\n", 1, ""};
    const fs::path path = made(words[1], dot, dot_edges);
    nlohmann::ordered_json json = measure(path, runs);
    json["cgraph_edges_per_second"] = static_cast<double>(dot_edges) / cgraph_seconds(path, runs);
    std::puts(json.dump().c_str());
    return 0;
}
