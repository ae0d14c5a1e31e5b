// SPDX-License-Identifier: Apache-2.0
// UMAP or PaCMAP from host array to host map, by stages.
//
//   bench_umap [--method umap|pacmap] [--start pca|random|spectral] [--commit NAME] [--data DIR] [--runs N]
//              [--device cpu|cuda] CASE...
//
// CASE: mnist60k, or a number of points, structured and in 50 dimensions. Prints a CSV row per case and stage. The
// first call of a process, which loads libraries and makes a GPU's context, is made apart, on 3,000 points. `nearest`
// is the median distance of the nearest point in the map, whose ratio to the root of the softening says whether this
// suits.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/umap.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

struct Input {
    MatrixView<const float> view;
    Labels labels;
    io::Points read;  // owner of the values: one of these
    made::Points points;
};

Input input_of(const std::string& name, const std::string& data) {
    Input input;
    if (name == "mnist60k") {
        const std::string place = data + "/points/mnist";
        input.read =
            io::read_points(place + "/train-images-idx3-ubyte.gz", {.labels = place + "/train-labels-idx1-ubyte.gz"});
        input.labels = input.read.labels;
        input.view = input.read.values.view();
        return input;
    }
    input.points = made::structured(static_cast<Index>(std::stol(name)), 50);
    input.labels = input.points.labels;
    input.view = input.points.view();
    return input;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<Offset>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

double nearest_in(const Map& map, const Run& run) {
    const auto found = neighbors::search(map.view(), {.k = 1}, run);
    return median({found.graph.weights.begin(), found.graph.weights.end()});
}

struct Umap {
    using Options = umap::Options;
    static constexpr const char* cost = "cross_entropy";
    static constexpr auto short_options = [] { return Options{.iterations = 60}; };
    static umap::Result embed(MatrixView<const float> points, const Options& options, const Run& run) {
        return umap::embed(points, options, run);
    }
    static double cost_of(const umap::Result& result) { return result.cross_entropy; }
};

struct Pacmap {
    using Options = pacmap::Options;
    static constexpr const char* cost = "loss";
    static constexpr auto short_options = [] { return Options{.iterations = "20,20,20"}; };
    static pacmap::Result embed(MatrixView<const float> points, const Options& options, const Run& run) {
        return pacmap::embed(points, options, run);
    }
    static double cost_of(const pacmap::Result& result) { return result.loss; }
};

template <class Method>
void time_case(const std::string& name, const std::string& head, const bench::Arguments& given, descent::Start start,
               const Run& run) {
    const Input input = input_of(name, given.data);
    typename Method::Options options;
    options.start = start;
    if (input.view.rows >= 5000000) options.recall = 0.95;
    const int runs = input.view.rows > 2000000 ? 1 : given.runs;
    std::vector<decltype(Method::embed(input.view, options, run))> results;
    std::vector<double> whole;
    for (int r = 0; r < runs; ++r) {
        progress::Stopwatch watch;
        results.push_back(Method::embed(input.view, options, run));
        whole.push_back(watch.lap());
    }
    const auto& last = results.back();
    Run on_cpu;  // scores are computed there
    on_cpu.device = Device::cpu;
    const double accuracy =
        input.labels.of.empty() ? NAN : scores::label_accuracy(last.map, input.labels, 10, {}, on_cpu).value;
    const double nearest = nearest_in(last.map, run);
    const auto print = [&](std::string_view stage, const std::vector<double>& seconds) {
        const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
        std::printf("%s,%s,%d,%d,%d,%.*s,%.5g,%.5g,%.5g,%.5g,%.4f,%.4f,%.2f\n", head.c_str(), name.c_str(),
                    input.view.rows, input.view.cols, runs, static_cast<int>(stage.size()), stage.data(),
                    median(seconds), *least, *most, Method::cost_of(last), nearest, accuracy,
                    static_cast<double>(last.gpu_memory) / 1e9);
        std::fflush(stdout);
    };
    print("whole", whole);
    for (const auto& stage : last.seconds.stages()) {
        std::vector<double> seconds;
        for (const auto& result : results) seconds.push_back(result.seconds[stage.name]);
        print(stage.name, seconds);
    }
    for (const Engine& engine : last.engines)
        std::fprintf(stderr, "%s: %.*s %.*s from %d\n", name.c_str(), static_cast<int>(engine.part.size()),
                     engine.part.data(), static_cast<int>(engine.name.size()), engine.name.data(),
                     engine.first_iteration);
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    return day;
}

template <class Method>
void time_cases(const bench::Arguments& given, descent::Start start) {
    Run run;
    run.device = given.device;
    const made::Points warm = made::structured(3000, 50);
    Method::embed(warm.view(), Method::short_options(), run);
    const std::string device = run.device == Device::cuda ? gpus().front().name : "cpu";
    std::printf(
        "date,commit,device,case,rows,columns,runs,stage,median_s,min_s,max_s,%s,nearest,label_accuracy,gpu_gb\n",
        Method::cost);
    for (const std::string& name : given.cases)
        time_case<Method>(name, today() + "," + given.commit + "," + device, given, start, run);
}

}  // namespace

int bench_main(int count, char** words) {
    std::string method = "umap", start = "pca";
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--data", "--runs", "--device"}, 3,
                                                         {{"--method", [&](const std::string& name) { method = name; }},
                                                          {"--start", [&](const std::string& name) { start = name; }}});
    const auto chosen = value_named<descent::Start>(start);
    if (!chosen || (method != "umap" && method != "pacmap")) {
        std::fprintf(stderr, "--method is umap or pacmap, --start pca, random or spectral\n");
        return 2;
    }
    method == "umap" ? time_cases<Umap>(given, *chosen) : time_cases<Pacmap>(given, *chosen);
    return 0;
}
