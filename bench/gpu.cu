// SPDX-License-Identifier: Apache-2.0
// t-SNE on a GPU from host array to host map, and the parts of an iteration.
//
//   bench_gpu [--commit NAME] [--data DIR] [--runs N] [--iterations N] CASE...      CASE: a name of the table below, or
//   `all`
//
// Prints a CSV row per case and stage. The first call of a process, which loads libraries and makes the context, is
// timed apart, on 3,000 points. MNIST is looked for in DIR. Every row carries the map's true KL (its standard error
// where it was sampled) and the error of the engine's forces at the final map, against all pairs in double.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "cases/repulsion.hpp"
#include "descent/cuda_repeller.cuh"
#include "descent/reorder.cuh"
#include "device/points.cuh"
#include "device_timer.cuh"
#include "forces/attraction/attraction.cuh"
#include "neighbors/cuda/search.cuh"
#include "progress/stopwatch.hpp"
#include "scores/kl.cuh"
#include "tsne/affinities.cuh"
#include "tsne/descend.hpp"

namespace {

using namespace dunlin;
using tsne::Repulsion;

struct Settings {
    bench::Arguments given;
    std::string date;
    int iterations = 1000;
};

struct Input {
    MatrixView<const float> view;
    Labels labels;
    io::Points read;  // owner of the values: one of these
    made::Points points;
};

struct Case {
    std::string name;
    std::function<Input()> input;
    Repulsion repulsion = Repulsion::grid;
    int runs = 0;                       // 0: as given by --runs
    std::optional<double> recall = {};  // neighbors by an approximate search, kl of the map by exact ones
};

Input from(made::Points points) {
    Input input;
    input.points = std::move(points);
    input.view = input.points.view();
    input.labels = input.points.labels;
    return input;
}

Input mnist(const std::string& place) {
    Input input;
    input.read =
        io::read_points(place + "/train-images-idx3-ubyte.gz", {.labels = place + "/train-labels-idx1-ubyte.gz"});
    input.labels = input.read.labels;
    input.view = input.read.values.view();
    return input;
}

Case blobs(Index rows, Index columns, int classes, int runs = 0) {
    return {"gaussians-" + std::to_string(rows) + "x" + std::to_string(columns) + "-" + std::to_string(classes),
            [=] { return from(made::gaussians(rows, columns, classes)); }, Repulsion::grid, runs};
}

Case structured(Index rows, Repulsion repulsion = Repulsion::automatic, int runs = 0) {
    return {"structured-" + std::to_string(rows) + "x50", [=] { return from(made::structured(rows, 50)); }, repulsion,
            runs};
}

Case by_recall(Index rows, int percent) {
    Case one = structured(rows, Repulsion::automatic, 1);
    one.name += "-recall" + std::to_string(percent);
    one.recall = percent / 100.0;
    return one;
}

std::vector<Case> table(const std::string& data) {
    const auto mnist60k = [place = data + "/points/mnist"] { return mnist(place); };
    std::vector<Case> cases = {{"mnist60k", mnist60k}, {"mnist60k-tree", mnist60k, Repulsion::tree}};
    cases.push_back(blobs(1000000, 50, 4));
    cases.push_back(blobs(10000000, 50, 4, 1));
    for (const Index rows : {500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 500000, 5000000})
        cases.push_back(blobs(rows, 50, 4, rows > 1000000 ? 1 : 0));
    for (const Index rows : {500, 1000}) cases.push_back(structured(rows, Repulsion::automatic, 11));
    for (const Index rows : {2000, 4000, 10000, 32000, 100000, 500000, 1000000}) cases.push_back(structured(rows));
    for (const Index rows : {5000000, 10000000}) cases.push_back(structured(rows, Repulsion::automatic, 1));
    for (const Index rows : {500000, 1000000, 5000000}) {
        for (const int percent : {90, 95, 99, 100}) cases.push_back(by_recall(rows, percent));
    }
    // By shape, the data of the t-SNE-CUDA paper
    cases.push_back(blobs(50000, 1024, 10));
    cases.push_back(blobs(50000, 3072, 10));
    cases.push_back(blobs(1200000, 2048, 1000, 1));
    cases.push_back(blobs(1200000, 4096, 1000, 1));
    cases.push_back(blobs(2200000, 300, 1000, 1));
    return cases;
}

struct Range {
    double median, least, most;
};

Range range_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {values[values.size() / 2], values.front(), values.back()};
}

const char* const header =
    "date,commit,device,case,rows,columns,k,iterations,repulsion,runs,stage,median_s,min_s,max_s,kl,kl_se,"
    "label_accuracy,force_error_median,force_error_p99,gpu_gb";

/// A case's name, shape and scores, as they stand at either end of its rows.
struct Row {
    std::string head, tail;
    void print(const char* stage, const std::vector<double>& seconds) const {
        const Range range = range_of(seconds);
        std::printf("%s,%zu,%s,%.6g,%.6g,%.6g,%s\n", head.c_str(), seconds.size(), stage, range.median, range.least,
                    range.most, tail.c_str());
        std::fflush(stdout);
    }
};

std::string text(const char* format, auto... values) {
    char line[400];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

/// Median and 99th percentile of the engine's relative force error at a map.
std::pair<double, double> force_errors(const tsne::Options& options, const Map& map) {
    device::Cuda cuda{Run{}};
    device::CudaBuffer<float> y, force;
    cuda.upload(y, map.coordinates);
    cuda.resize(force, map.coordinates.size());
    device::CudaCell<double> mass;
    descent::CudaRepeller<forces::StudentT> repeller(tsne::repulsion_of(options));
    const MatrixView<const float> at{y.data(), map.size(), map.dim};
    repeller.choose(cuda, at);
    repeller.repel(cuda, at, {force.data(), map.size(), map.dim}, mass);
    device::Cpu cpu;
    const std::vector<double> errors = repulsion::sampled_errors(cpu, map.view(), cuda.host(force));
    return {repulsion::quantile(errors, 0.5), repulsion::quantile(errors, 0.99)};
}

/// Milliseconds of one call, by events, after a first one.
double milliseconds(device::Cuda& cuda, const std::function<void()>& call) {
    constexpr int calls = 20;
    call();
    bench::DeviceTimer timer(cuda);
    for (int i = 0; i < calls; ++i) call();
    return timer.lap() / calls;
}

graph::DeviceGraph exact_affinities(device::Cuda& cuda, const Input& input, const tsne::Options& options) {
    return tsne::affinities_on_device(
        cuda,
        neighbors::search_on_device(cuda, device::hold_points(cuda, input.view), *options.k, options.metric).graph,
        *options.perplexity);
}

/// KL of the map by exact neighbors, also for maps made from approximate ones.
scores::Score true_cost(const Input& input, const tsne::Options& options, const Map& map) {
    device::Cuda cuda{Run{}};
    const graph::DeviceGraph p = exact_affinities(cuda, input, options);
    device::CudaBuffer<float> y;
    cuda.upload(y, map.coordinates);
    return scores::kl_on_device(cuda, forces::StudentT(), p, {y.data(), map.size(), map.dim});
}

/// Parts of an iteration, at the final map and in the final order of points.
void time_parts(const Row& row, const Input& input, const tsne::Options& options, const Map& map) {
    device::Cuda cuda{Run{}};
    graph::DeviceGraph p = exact_affinities(cuda, input, options);
    device::CudaBuffer<float> y;
    cuda.upload(y, map.coordinates);
    auto state = descent::descent_state_at(cuda, std::move(y), map.dim);
    descent::reorder(cuda, state, p);
    descent::StepParameters parameters = tsne::step_parameters_at(options, options.iterations);
    parameters.learning_rate = 0;  // so that the map stays
    cuda.set(state.parameters, parameters);
    descent::CudaRepeller<forces::StudentT> repeller(tsne::repulsion_of(options));
    repeller.choose(cuda, state.positions());

    const auto attract = [&] {
        forces::attract(cuda, forces::StudentT(), p, state.positions(), {state.attraction.data(), state.n, state.dim});
    };
    const auto repel = [&] {
        repeller.repel(cuda, state.positions(), {state.repulsion.data(), state.n, state.dim}, state.mass);
    };
    row.print("iteration: attraction", {1e-3 * milliseconds(cuda, attract)});
    row.print("iteration: repulsion", {1e-3 * milliseconds(cuda, repel)});
    row.print("iteration: step", {1e-3 * milliseconds(cuda, [&] { descent::step(cuda, state); })});
    row.print("iteration: recorded", {1e-3 * milliseconds(cuda, [&] {
                                          cuda.replay([&] {
                                              tsne::find_forces(cuda, forces::StudentT(), state, p, repeller);
                                              descent::step(cuda, state);
                                          });
                                      })});
    const double bytes = 8.0 * static_cast<double>(p.edges()) + 16.0 * state.n;
    std::fprintf(stderr, "%s: %lld edges, %.3f GB streamed by attraction\n", row.head.c_str(),
                 static_cast<long long>(p.edges()), 1e-9 * bytes);
}

tsne::Options options_of(const Case& each, int iterations) {
    tsne::Options options;
    options.perplexity = 30;
    options.k = 90;
    options.iterations = iterations;
    options.repulsion = each.repulsion;
    if (each.recall == 1) options.search = neighbors::Method::exact;
    if (each.recall && each.recall < 1) options.search = neighbors::Method::approximate, options.recall = each.recall;
    return options;
}

/// A case's name and shape, and the scores of its map.
Row row_of(const Case& each, const Settings& settings, const Input& input, const tsne::Options& options,
           const tsne::Result& result) {
    const auto [median, p99] = force_errors(options, result.map);
    const double votes = input.labels.empty() ? 0 : scores::label_accuracy(result.map, input.labels).value;
    return {text("%s,%s,%s,%s,%d,%d,%d,%d,%s", settings.date.c_str(), settings.given.commit.c_str(),
                 gpus().front().name.c_str(), each.name.c_str(), input.view.rows, input.view.cols, *options.k,
                 options.iterations, std::string(name_of(options.repulsion)).c_str()),
            text("%.4f,%.4f,%.4f,%.3g,%.3g,%.2f", result.kl, result.kl_se, votes, median, p99,
                 static_cast<double>(result.gpu_memory) * 1e-9)};
}

void run(const Case& each, const Settings& settings) {
    const Input input = each.input();
    const tsne::Options options = options_of(each, settings.iterations);
    const Run where{.device = Device::cuda};
    std::vector<double> total, start, search, affinities, loop;
    tsne::Result result;
    for (int round = 0; round < (each.runs > 0 ? each.runs : settings.given.runs); ++round) {
        progress::Stopwatch watch;
        result = tsne::embed(input.view, options, where);
        total.push_back(watch.lap());
        start.push_back(result.seconds["start"]);
        search.push_back(result.seconds["neighbors"]);
        affinities.push_back(result.seconds["affinities"]);
        loop.push_back(result.seconds["optimize"]);
    }
    if (each.recall) {
        const scores::Score cost = true_cost(input, options, result.map);
        result.kl = cost.value, result.kl_se = cost.se;
    }
    const Row row = row_of(each, settings, input, result.options, result);
    row.print("whole", total);
    row.print("start", start);
    row.print("neighbors", search);
    row.print("affinities", affinities);
    row.print("loop", loop);
    const bool many_values = input.view.size() > 1'000'000'000;  // the search takes too long to repeat
    if (!many_values && !each.recall) time_parts(row, input, result.options, result.map);
}

/// Loads CUDA and its libraries, creates the context and runs every engine once.
void first_call(const Settings& settings) {
    const made::Points points = made::structured(3000, 50);
    tsne::Options options;
    options.repulsion = Repulsion::grid;
    Run where;
    where.device = Device::cuda;
    progress::Stopwatch watch;
    tsne::embed(points.view(), options, where);
    std::printf("%s,%s,%s,first call,3000,50,90,750,grid,1,whole,%.3f,,,,,,,,\n", settings.date.c_str(),
                settings.given.commit.c_str(), gpus().front().name.c_str(), watch.lap());
}

int run_all(int count, char** words) {
    Settings settings;
    const std::time_t now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    settings.date = day;
    settings.given = bench::arguments_from(
        count, words, {"--commit", "--data", "--runs"}, 5,
        {{"--iterations", [&](const std::string& number) { settings.iterations = std::atoi(number.c_str()); }}});
    const std::vector<std::string>& wanted = settings.given.cases;
    const std::vector<Case> cases = table(settings.given.data);
    for (const std::string& name : wanted) {
        const bool known =
            name == "all" || std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return c.name == name; });
        if (known) continue;
        std::fprintf(stderr, "bench_gpu: there is no case '%s'; there are:\n", name.c_str());
        for (const Case& c : cases) std::fprintf(stderr, "  %s\n", c.name.c_str());
        return 2;
    }
    std::printf("%s\n", header);
    first_call(settings);
    for (const Case& each : cases) {
        const bool asked = std::find(wanted.begin(), wanted.end(), each.name) != wanted.end();
        if (asked || std::find(wanted.begin(), wanted.end(), "all") != wanted.end()) run(each, settings);
    }
    return 0;
}

}  // namespace

int bench_main(int count, char** words) { return run_all(count, words); }
