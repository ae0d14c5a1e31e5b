// SPDX-License-Identifier: Apache-2.0
// One GPU beside several of this machine, on the same input: neighbors, t-SNE, UMAP, k-means, mixtures,
// scaling and waves.
//
//   bench_several_gpus [--commit NAME] [--runs N] [--gpus 0 --gpus 0,1 ...] [--perplexity P] [--precision single|half]
//                      [--points FOLDER] [--maps FOLDER] [CASE...]
//
// CASE: WORK-KIND-ROWSxCOLUMNS, WORK exact, cells, tsne, umap, kmeans, smacof, or diagonal or full (10 iterations of a
// mixture of 100 such Gaussians), KIND gaussians (four) or blobs (1,000); or WORK euler or heun, KIND ring, grid or
// graph (ROWS vertices with COLUMNS neighbors at each side), 2,560 steps of waves from pulses; default: cells, exact
// and tsne of both kinds of points, 10,000,000 x 50. The systems alternate. Prints a CSV row per run, stage and GPU
// list: seconds; stage "each" is milliseconds of an iteration, "memory" the peak of the GPUs in GB. Then what each GPU
// did: seconds, waited, received bytes. Fails if the bytes differ. --perplexity and --precision (of affinities) are of
// t-SNE. --points keeps the points as FOLDER/CASE.npy,
// --maps the maps of t-SNE and UMAP.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <dunlin/gpu_use.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>
#include <dunlin/waves.hpp>

#include "arguments.hpp"
#include "blobs.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

struct Case {
    std::string name, work = {};
    Index rows = 0, cols = 0;
    std::vector<float> points = {};
    waves::Domain domain = {};
    Graph graph = {};

    [[nodiscard]] bool is_of_waves() const { return work == "euler" || work == "heun"; }
    [[nodiscard]] MatrixView<const float> view() const { return {points.data(), rows, cols}; }
};

/// A ring of vertices, each with edges to the next `reach` at both sides.
Graph circulant(Index n, Index reach) {
    Graph graph{{0}, {}, {}};
    for (Index i = 0; i < n; ++i) {
        std::vector<Index> row;
        for (Index k = 1; k <= reach; ++k) row.insert(row.end(), {(i + k) % n, (i + n - k) % n});
        std::sort(row.begin(), row.end());
        graph.targets.insert(graph.targets.end(), row.begin(), row.end());
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    graph.weights.assign(graph.targets.size(), 1.0F);
    return graph;
}

bool is_domain(Case& made, const std::string& kind) {
    if (kind == "ring") made.domain = waves::Domain::ring(made.rows, 0.5);
    if (kind == "grid") made.domain = waves::Domain::grid({made.cols, made.rows, 1}, 0.5, true);
    if (kind == "graph") made.graph = circulant(made.rows, made.cols);
    return kind == "ring" || kind == "grid" || kind == "graph";
}

Case case_of(const std::string& name) {
    Case made{name};
    char work[16] = {}, kind[16] = {};
    if (std::sscanf(name.c_str(), "%15[a-z]-%15[a-z]-%dx%d", work, kind, &made.rows, &made.cols) != 4)
        throw std::runtime_error(name + " is no case; it is WORK-KIND-ROWSxCOLUMNS");
    made.work = work;
    if (made.is_of_waves()) {
        if (!is_domain(made, kind)) throw std::runtime_error(name + ": KIND is ring, grid or graph, not " + kind);
        return made;
    }
    const bool is_many = std::string(kind) == "blobs";
    if (!is_many && std::string(kind) != "gaussians")
        throw std::runtime_error(name + ": KIND is gaussians or blobs, not " + kind);
    made.points = blobs(made.rows, made.cols, is_many ? 1000 : 4);
    return made;
}

/// The bytes of a result that are compared, and its times.
struct Outcome {
    std::vector<Index> ids;
    std::vector<float> values;
    Seconds seconds;
    int iterations = 0;
    std::vector<double> field = {}, times = {};
    std::string measures = ",";  ///< recall,KL, where the work has them
    std::uint64_t memory = 0;    ///< of the GPUs together, bytes at most; of maps
};

Outcome outcome_of(neighbors::Result found) {
    const std::string measures = fmt::format("{:.4f},", found.recall);
    return {std::move(found.graph.targets), std::move(found.graph.weights), found.seconds, 0, {}, {}, measures};
}
Outcome outcome_of(kmeans::Result found) {
    const MatrixView<const float> centroids = found.centroids.view();
    return {
        std::move(found.labels), {centroids.data, centroids.data + centroids.size()}, found.seconds, found.iterations};
}
Outcome outcome_of(mixture::Result found) {
    std::vector<double> numbers = std::move(found.shares);
    numbers.push_back(found.log_likelihood);
    numbers.insert(numbers.end(), found.variances.begin(), found.variances.end());
    return {std::move(found.labels), {}, found.seconds, found.iterations, std::move(numbers), {}};
}
Outcome outcome_of_map(auto found) {
    return {{}, std::move(found.map.coordinates), found.seconds, found.iterations, {}, {}, ",", found.gpu_memory};
}

Outcome waves_of(const Case& made, const Run& run) {
    const bool is_graph = made.graph.size() > 0;
    const waves::Domain domain = is_graph ? waves::Domain::on(made.graph) : made.domain;
    std::vector<double> start(static_cast<std::size_t>(domain.size()));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = i % 4096 < 64 ? 1 : 0;
    waves::Result found = waves::simulate(
        domain,
        {.scheme = made.work == "heun" ? waves::Scheme::heun : waves::Scheme::euler, .until = 1e9, .steps = 2560}, run,
        {.v = start});
    return {{}, {}, found.seconds, found.iterations, std::move(found.field.v), std::move(found.activation)};
}

Outcome result_of(const Case& made, const tsne::Options& of_tsne, const Run& run) {
    using neighbors::Method;
    if (made.work == "exact")
        return outcome_of(neighbors::search(made.view(), {.k = 90, .method = Method::exact}, run));
    if (made.work == "cells")
        return outcome_of(neighbors::search(made.view(), {.k = 90, .method = Method::approximate}, run));
    if (made.work == "kmeans")
        return outcome_of(kmeans::cluster(made.view(), {.clusters = 256, .iterations = 20}, run,
                                          {.centroids = {made.points.data(), 256, made.cols}}));
    if (made.work == "diagonal" || made.work == "full") {
        const auto form = made.work == "full" ? mixture::Covariance::full : mixture::Covariance::diagonal;
        return outcome_of(
            mixture::fit(made.view(), {.components = 100, .covariance = form, .iterations = 10, .tolerance = 0}, run));
    }
    if (made.work == "tsne") {
        auto found = tsne::embed(made.view(), of_tsne, run);
        const std::string measures = fmt::format("{:.4f},{:.4f}", found.search_recall, found.kl);
        Outcome outcome = outcome_of_map(std::move(found));
        outcome.measures = measures;
        return outcome;
    }
    if (made.work == "smacof") {
        const mds::Dissimilarities items = mds::Dissimilarities::of_points(Matrix(made.rows, made.cols, made.points));
        return outcome_of_map(
            mds::place(items, {.method = mds::Method::smacof, .iterations = 50, .tolerance = 0}, run));
    }
    if (made.work == "umap") return outcome_of_map(umap::embed(made.view(), {}, run));
    if (made.is_of_waves()) return waves_of(made, run);
    throw std::runtime_error(made.work + " is no work of a case");
}

/// What the cases run on: the lists of GPUs, which alternate.
struct Systems {
    std::vector<std::vector<int>> gpus;
    tsne::Options tsne;
    std::filesystem::path points, maps;  ///< folders where they are kept; empty: nowhere
};

/// The name of a case with the options of t-SNE that are given.
std::string name_with(const std::string& name, const Case& made, const tsne::Options& options) {
    if (made.work != "tsne") return name;
    std::string full = name;
    if (options.perplexity) full += fmt::format("-perplexity{:g}", *options.perplexity);
    if (options.affinity_precision != tsne::Precision::automatic)
        full += fmt::format("-{}", name_of(options.affinity_precision));
    return full;
}

void keep(const std::filesystem::path& file, Index rows, const std::vector<float>& values) {
    io::Points points;
    points.values = Matrix(rows, static_cast<Index>(std::ssize(values) / rows), values);
    io::write_points(file, points);
}

void time_case(const std::string& name, const std::string& head, int runs, const Systems& systems) {
    const Case made = case_of(name);
    const std::string case_name = name_with(name, made, systems.tsne);
    if (!systems.points.empty() && !made.points.empty()) keep(systems.points / (name + ".npy"), made.rows, made.points);
    Outcome first;
    for (std::size_t turn = 0; turn < systems.gpus.size() * static_cast<std::size_t>(runs); ++turn) {
        const std::vector<int>& used = systems.gpus[turn % systems.gpus.size()];
        progress::Stopwatch watch;
        Outcome now = result_of(made, systems.tsne, {.device = Device::cuda, .gpus = used});
        const std::string system = fmt::format("{},{},{}", head, case_name, used.size());
        std::printf("%s,whole,%.6f,,,%s\n", system.c_str(), watch.lap(), now.measures.c_str());
        for (const auto& [stage, spent] : now.seconds.stages())
            std::printf("%s,%s,%.6f,,,,\n", system.c_str(), std::string(stage).c_str(), spent);
        if (now.iterations > 0)
            std::printf("%s,each,%.6f,,,,\n", system.c_str(), 1e3 * now.seconds["optimize"] / now.iterations);
        if (now.memory > 0) std::printf("%s,memory,%.6f,,,,\n", system.c_str(), 1e-9 * static_cast<double>(now.memory));
        for (const GpuUse& use : used.size() > 1 ? last_gpu_use() : std::vector<GpuUse>{})
            std::printf("%s,gpu %d,%.6f,%.6f,%llu,,\n", system.c_str(), use.gpu, use.seconds, use.waited,
                        static_cast<unsigned long long>(use.received));
        std::fflush(stdout);
        if (turn == 0 && !systems.maps.empty() && (made.work == "tsne" || made.work == "umap")) {
            keep(systems.maps / (case_name + ".npy"), made.rows, now.values);
        }
        if (turn == 0)
            first = std::move(now);
        else if (now.ids != first.ids || now.values != first.values || now.field != first.field ||
                 now.times != first.times)
            throw std::runtime_error(name + ": the bytes differ");
    }
}

std::vector<int> numbers_of(const std::string& text) {
    std::vector<int> numbers;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* end = nullptr;
        numbers.push_back(static_cast<int>(std::strtol(at, &end, 10)));
        at = *end == ',' ? end + 1 : end;
        if (end == at && *end != '\0') throw std::runtime_error("--gpus has numbers and commas");
    }
    return numbers;
}

}  // namespace

int bench_main(int count, char** words) {
    Systems systems;
    const bench::Arguments given = bench::arguments_from(
        count, words, {"--commit", "--runs"}, 1,
        {{"--gpus", [&](const std::string& text) { systems.gpus.push_back(numbers_of(text)); }},
         {"--points", [&](const std::string& folder) { systems.points = folder; }},
         {"--maps", [&](const std::string& folder) { systems.maps = folder; }},
         {"--perplexity", [&](const std::string& text) { systems.tsne.perplexity = std::stof(text); }},
         {"--precision", [&](const std::string& text) {
              systems.tsne.affinity_precision = text == "half" ? tsne::Precision::half : tsne::Precision::single;
          }}});
    if (gpus().empty()) throw std::runtime_error("no GPU: " + why_no_gpu());
    if (systems.gpus.empty()) {
        std::vector<int> all(gpus().size());
        std::iota(all.begin(), all.end(), 0);
        systems.gpus = {{0}, all};
    }
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    const std::string head = std::string(date) + "," + given.commit + "," + gpus().front().name;
    std::printf("date,commit,device,case,gpus,stage,seconds,waited_s,received_bytes,recall,kl\n");
    std::vector<std::string> cases = given.cases;
    if (cases.empty()) {
        for (const char* work : {"cells", "exact", "tsne"}) {
            for (const char* kind : {"gaussians", "blobs"})
                cases.push_back(std::string(work) + "-" + kind + "-10000000x50");
        }
    }
    for (const std::string& name : cases) time_case(name, head, given.runs, systems);
    return 0;
}
