// SPDX-License-Identifier: Apache-2.0
// Density clusters of points in few columns on a GPU or a CPU: seconds by stages, from host arrays to host arrays.
//
//   bench_clusters_gpu [--commit NAME] [--runs N] [--device cpu|cuda] CASE...
//
// CASE: DIM:POINTS, default 2:1000000 2:10000000 3:1000000. The points are sixty discs of even density, in random
// order; min-samples 10, min-size 50. Prints a CSV row per case and stage, medians of the runs after a first one.
// `neighbors` are core distances with the tree of boxes, `spanning` the spanning tree, `tree` what follows to host
// arrays, `whole` all. `labels` is a hash of the labels, the same for both devices.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <dunlin/clusters.hpp>
#include <dunlin/gpus.hpp>

#include "arguments.hpp"
#include "cases/maps.hpp"
#include "math/hash.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

struct Case {
    int dim = 2;
    Index points = 0;
};

Case case_of(const std::string& text) {
    Case one;
    char colon = ':';
    std::istringstream words(text);
    if (words >> one.dim >> colon >> one.points && colon == ':') return one;
    std::fprintf(stderr, "'%s' is no case; give DIM:POINTS\n", text.c_str());
    std::exit(2);
}

void run_case(const std::string& name, const bench::Arguments& given, const std::string& date) {
    const Case one = case_of(name);
    const Map map = made::discs(one.points, one.dim, 100, made::sixty_discs);
    const clusters::Options options{.min_size = 50, .min_samples = 10};
    const bool on_gpu = given.device == Device::cuda;
    std::map<std::string, std::vector<double>> times;
    clusters::Result result;
    for (int i = on_gpu ? 0 : 1; i <= given.runs; ++i) {
        result = {};
        progress::Stopwatch watch;
        result = clusters::cluster(map.view(), options, {.device = given.device});
        const double whole = watch.lap();
        if (i == 0) continue;
        times["whole"].push_back(whole);
        for (const auto& [stage, seconds] : result.seconds.stages()) times[std::string(stage)].push_back(seconds);
    }
    const std::uint64_t hash = math::hash_of(0, std::as_bytes(std::span(result.labels)));
    for (const auto& [stage, all] : times) {
        std::printf("%s,%s,%s,%d,%d,%s,%.4f,%.4f,%d,%016llx\n", date.c_str(), given.commit.c_str(),
                    on_gpu ? gpus().front().name.c_str() : "cpu", one.dim, one.points, stage.c_str(),
                    bench::median(all), *std::min_element(all.begin(), all.end()), result.clusters,
                    static_cast<unsigned long long>(hash));
    }
    std::fflush(stdout);
}

}  // namespace

int bench_main(int count, char** words) {
    bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs", "--device"}, 5);
    if (given.cases.empty()) given.cases = {"2:1000000", "2:10000000", "3:1000000"};
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,dim,points,stage,seconds,seconds_least,clusters,labels\n");
    for (const std::string& name : given.cases) run_case(name, given, date);
    return 0;
}
