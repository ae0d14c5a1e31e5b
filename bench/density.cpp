// SPDX-License-Identifier: Apache-2.0
// Density of a map on a grid, by stages. On a GPU the map is in its memory and the field stays there.
//
//   bench_density [--commit NAME] [--runs N] [--device cpu|cuda] CASE...
//
// CASE: DIM:POINTS:NODES, default 2:10000000:1024. The points are sixty discs of even density, in random order. Prints
// a CSV row per case and stage, medians of the runs after a first one; `auto` is a default bandwidth, `given` that
// bandwidth as an option, without which the quartiles of the coordinates need not be found.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <dunlin/density.hpp>
#include <dunlin/device.hpp>
#include <dunlin/gpus.hpp>

#include "arguments.hpp"
#include "cases/maps.hpp"
#include "device/resident.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;

struct Case {
    int dim = 2;
    Index points = 10'000'000, nodes = 1024;
};

Case case_of(const std::string& text) {
    Case one;
    char colon = ':', other = ':';
    std::istringstream words(text);
    if (words >> one.dim >> colon >> one.points >> other >> one.nodes && colon == ':' && other == ':') return one;
    std::fprintf(stderr, "'%s' is no case; give DIM:POINTS:NODES\n", text.c_str());
    std::exit(2);
}

/// Milliseconds of each stage, and in all, of one run; sets `bandwidth`.
std::map<std::string, double> timed(const auto& points, const density::Options& options, const Run& run,
                                    double& bandwidth) {
    progress::Stopwatch watch;
    const auto result = density::estimate(points, options, run);
    std::map<std::string, double> stages{{"total", 1e3 * watch.lap()}};
    for (const auto& [name, seconds] : result.seconds.stages()) stages[std::string(name)] = 1e3 * seconds;
    bandwidth = *result.options.bandwidth;
    return stages;
}

void run_case(const std::string& name, const bench::Arguments& given, const std::string& date) {
    const Case one = case_of(name);
    const Map map = made::discs(one.points, one.dim, 100, made::sixty_discs);
    const Run run{.device = given.device};
    const bool on_gpu = given.device == Device::cuda;
    const DeviceMatrix<float> resident =
        on_gpu ? device::matrix_on_gpu(std::span<const float>(map.coordinates), one.points, one.dim, 0)
               : DeviceMatrix<float>();
    density::Options options{.nodes = one.nodes};
    for (const char* rule : {"auto", "given"}) {
        std::map<std::string, std::vector<double>> times;
        double bandwidth = 0;
        for (int i = 0; i <= given.runs; ++i) {
            const auto stages =
                on_gpu ? timed(resident.view(), options, run, bandwidth) : timed(map, options, run, bandwidth);
            if (i == 0) continue;
            for (const auto& [stage, time] : stages) times[stage].push_back(time);
        }
        for (const auto& [stage, all] : times) {
            std::printf("%s,%s,%s,%d,%d,%d,%s,%s,%.3f,%.3f\n", date.c_str(), given.commit.c_str(),
                        on_gpu ? gpus().front().name.c_str() : "cpu", one.dim, one.points, one.nodes, rule,
                        stage.c_str(), bench::median(all), *std::min_element(all.begin(), all.end()));
        }
        std::fflush(stdout);
        options.bandwidth = bandwidth;
    }
}

}  // namespace

int bench_main(int count, char** words) {
    bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs", "--device"}, 9);
    if (given.cases.empty()) given.cases = {"2:10000000:1024"};
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,dim,points,nodes,bandwidth,stage,ms,ms_least\n");
    for (const std::string& name : given.cases) run_case(name, given, date);
    return 0;
}
