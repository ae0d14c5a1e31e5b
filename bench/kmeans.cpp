// SPDX-License-Identifier: Apache-2.0
// k-means by each variant of Dunlin from the same centroids, with a fixed number of iterations.
//   bench_kmeans POINTS.npy CENTROIDS.npy ITERATIONS RUNS THREADS
// Prints JSON: for each variant the seconds of every run (iterations only, points in memory) and the inertia. A variant
// is repeated until three runs and three seconds are reached.
#include <dunlin/io.hpp>
#include <dunlin/kmeans.hpp>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "device/gpus.hpp"
#include "progress/stopwatch.hpp"

using namespace dunlin;

namespace {

std::vector<float> values_of(const io::Points& points) {
    std::vector<float> values;
    for (Index r = 0; r < points.values.rows(); ++r) {
        for (Index c = 0; c < points.values.cols(); ++c) {
            const double shift = points.shift.empty() ? 0 : points.shift[static_cast<std::size_t>(c)];
            values.push_back(static_cast<float>(static_cast<double>(points.values.view()(r, c)) + shift));
        }
    }
    return values;
}

constexpr int fewest_runs = 3;
constexpr double enough_seconds = 3;

nlohmann::ordered_json measure(MatrixView<const float> points, const kmeans::Given& given,
                               const kmeans::Options& options, const Run& run, int runs) {
    nlohmann::ordered_json json;
    progress::Stopwatch watch;
    double passed = 0;
    for (int i = 0; i < runs && (i < fewest_runs || passed < enough_seconds); ++i, passed += watch.lap()) {
        const kmeans::Result result = kmeans::cluster(points, options, run, given);
        json["seconds"].push_back(result.seconds["optimize"]);
        json["inertia"] = result.inertia;
    }
    return json;
}

}  // namespace

int bench_main(int count, char** words) {
    if (count != 6) return std::fputs("usage: bench_kmeans POINTS CENTROIDS ITERATIONS RUNS THREADS\n", stderr), 2;
    const std::vector<float> points = values_of(io::read_points(words[1]));
    const io::Points start = io::read_points(words[2]);
    const std::vector<float> centroids = values_of(start);
    const Index cols = start.values.cols(), clusters = start.values.rows();
    const MatrixView<const float> view{points.data(), static_cast<Index>(points.size()) / cols, cols};
    const kmeans::Given given{.centroids = {centroids.data(), clusters, cols}};
    const int runs = std::atoi(words[4]);
    kmeans::Options options{.clusters = clusters, .iterations = std::atoi(words[3]), .stop = kmeans::Rule::never};
    const Run run{.device = Device::cpu, .threads = std::atoi(words[5])};
    nlohmann::ordered_json json;
    json["dunlin"] = measure(view, given, options, run, runs);
    if (device::cuda_devices() > 0) json["cuda"] = measure(view, given, options, {.device = Device::cuda}, runs);
    options.method = kmeans::Method::sequential;
    const bool affordable = static_cast<double>(view.size()) * clusters < 2e9;
    if (affordable) json["sequential"] = measure(view, given, options, run, runs);
    std::puts(json.dump().c_str());
    return 0;
}
