// SPDX-License-Identifier: Apache-2.0
// Reliability of the points of a map, by stages, beside the time of a t-SNE iteration on the same map.
//
//   bench_reliability [--commit NAME] [--data DIR] [--runs N] [--device cpu|cuda] CASE...
//
// CASE: mnist60k, mnist10k, or a number of points in 3 dimensions, whose neighbors are found fast. The map is t-SNE's,
// for MNIST of 750 iterations, else of 60. Prints a CSV row per case and stage; stage "iteration" is the mean time of
// 20 further iterations. On a GPU, MNIST is also timed with perturb and bootstrap 20. Of made points, home is found for
// 10,000.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/tsne.hpp>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

struct Input {
    MatrixView<const float> view;
    io::Points read;  // owner of the values: one of these
    std::vector<float> values;
};

Input input_of(const std::string& name, const std::string& data) {
    Input input;
    if (name.starts_with("mnist")) {
        input.read = io::read_points(data + "/points/mnist/train-images-idx3-ubyte.gz");
        input.view = input.read.values.view();
        if (name == "mnist10k") input.view.rows = 10000;
        return input;
    }
    const auto n = static_cast<Index>(std::stol(name));
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < 3; ++c) {
            const double scale = c == 2 ? 0.1 : 1;
            input.values.push_back(
                static_cast<float>(scale * made::uniform(i, c) + 3 * std::floor(4 * made::uniform(i, c, 1))));
        }
    }
    input.view = {input.values.data(), n, 3};
    return input;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<Offset>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void print(const std::string& head, const std::string& name, Index rows, const std::string& stage,
           std::vector<double> seconds) {
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    std::printf("%s,%s,%d,%s,%zu,%.5f,%.5f,%.5f\n", head.c_str(), name.c_str(), rows, stage.c_str(), seconds.size(),
                median(seconds), *least, *most);
    std::fflush(stdout);
}

/// Seconds of an iteration from this map: the difference of two runs, which both end with the map's cost.
double iteration_of(const Graph& affinities, const Map& map, const Run& run) {
    const auto seconds = [&](int iterations) {
        return tsne::embed(affinities, map, {.iterations = iterations, .exaggerated_iterations = 0}, run)
            .seconds["optimize"];
    };
    return (seconds(25) - seconds(5)) / 20;
}

void time_case(const std::string& name, const std::string& head, const bench::Arguments& given, const Run& run) {
    const Input input = input_of(name, given.data);
    const bool mnist = name.starts_with("mnist");
    const Graph nearest = neighbors::search(input.view, {.k = 90}, run).graph;
    const Map map = tsne::embed(input.view, {.iterations = mnist ? 750 : 60, .exaggerated_iterations = mnist ? 250 : 0},
                                run, {.neighbors = &nearest})
                        .map;
    const Graph affinities = tsne::affinities(nearest, 30, run);
    std::vector<double> iteration;
    std::vector<reliability::Result> results;
    for (int r = 0; r < given.runs; ++r) {
        iteration.push_back(iteration_of(affinities, map, run));
        reliability::Options options;
        if (!mnist) options.home_sample = std::min<Index>(input.view.rows, 10000);
        if (mnist && run.device == Device::cuda) options = {.perturb = true, .bootstrap = 20};
        results.push_back(reliability::evaluate(map, input.view, options, run, {&nearest}));
    }
    print(head, name, input.view.rows, "iteration", iteration);
    for (const auto& stage : results.front().seconds.stages()) {
        std::vector<double> seconds;
        for (const reliability::Result& result : results) {
            if (result.seconds[stage.name] > 0) seconds.push_back(result.seconds[stage.name]);
        }
        if (!seconds.empty()) print(head, name, input.view.rows, std::string(stage.name), seconds);
    }
    const reliability::Result& last = results.back();
    std::fprintf(stderr, "%s: elsewhere %.4f, torn %.4f, unheld %.4f, median step %.4f, nn %.4f\n", name.c_str(),
                 last.summary.points_elsewhere->value, last.summary.points_torn->value,
                 last.summary.points_unheld->value, *last.median_newton_step, last.summary.nn_distance);
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    return day;
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--data", "--runs", "--device"}, 3);
    Run run;
    run.device = given.device;
    const std::string device = run.device == Device::cuda ? gpus().front().name : "cpu";
    std::printf("date,commit,device,case,rows,stage,runs,median_s,min_s,max_s\n");
    for (const std::string& name : given.cases)
        time_case(name, today() + "," + given.commit + "," + device, given, run);
    return 0;
}
