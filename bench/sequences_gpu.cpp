// SPDX-License-Identifier: Apache-2.0
// Distances of all pairs of strings and tracks on a GPU and on all cores, from host arrays to a matrix in host memory.
//
//   bench_sequences_gpu [--commit NAME] [--runs N] [CASE]...
//
// Prints a CSV row per case: the median seconds of the GPU after a first call, those of one call on the CPU, their
// ratio, and the largest relative difference of the two. A case without a CPU beside it has none of the latter.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/sequences.hpp>
#include <dunlin/threads.hpp>

#include "arguments.hpp"
#include "cases/sequences.hpp"
#include "math/at.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;
using sequences::Metric, sequences::Options, sequences::WarpingCost;

/// `count` lengths from `least` to `most`.
template <class Length>
std::vector<Length> lengths(Index count, Offset least, Offset most) {
    std::vector<Length> all;
    for (Index i = 0; i < count; ++i) {
        const auto above = static_cast<Offset>(
            made::drawn(static_cast<std::uint64_t>(most - least + 1), static_cast<std::uint64_t>(i), 5));
        all.push_back(static_cast<Length>(least + above));
    }
    return all;
}

struct Times {
    std::vector<double> gpu;
    double cpu = 0, difference = 0;
};

/// Cells of the dynamic programs of all pairs, or pairs of positions.
double cells_of(const std::vector<Offset>& offsets) {
    double sum = 0, squares = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i) {
        const auto length = static_cast<double>(offsets[i] - offsets[i - 1]);
        sum += length;
        squares += length * length;
    }
    return (sum * sum - squares) / 2;
}

template <class Items>
void time_items(const std::string& name, const std::string& head, const Items& items, const Options& options, int runs,
                bool by_cpu) {
    Times times;
    Matrix found;
    for (int r = 0; r <= runs; ++r) {
        progress::Stopwatch watch;
        found = sequences::distances(items, options, {.device = Device::cuda});
        if (r > 0) times.gpu.push_back(watch.lap());
    }
    std::string beside = ",,";
    const double median = bench::median(times.gpu);
    if (by_cpu) {
        progress::Stopwatch watch;
        const Matrix wanted = sequences::distances(items, options, {.device = Device::cpu});
        times.cpu = watch.lap();
        for (Offset i = 0; i < wanted.view().size(); ++i) {
            const auto a = static_cast<double>(found.view().data[i]), b = static_cast<double>(wanted.view().data[i]);
            if (a != b) times.difference = std::max(times.difference, std::abs(a - b) / std::max(std::abs(b), 1e-300));
        }
        char numbers[80];
        std::snprintf(numbers, sizeof numbers, "%.5g,%.4g,%.3g", times.cpu, times.cpu / median, times.difference);
        beside = numbers;
    }
    const auto [least, most] = std::minmax_element(times.gpu.begin(), times.gpu.end());
    const double cells = cells_of(items.offsets);
    std::printf("%s,%s,%d,%lld,%d,%d,%.5g,%.5g,%.5g,%.4g,%s\n", head.c_str(), name.c_str(), items.size(),
                static_cast<long long>(items.offsets.back()), usable_threads(0), runs, median, *least, *most,
                cells / median, beside.c_str());
    std::fflush(stdout);
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    char day[16];
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    return day;
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs"}, 5);
    if (gpus().empty()) {
        std::fprintf(stderr, "bench_sequences_gpu: there is no GPU\n");
        return 4;
    }
    const std::string head = today() + "," + given.commit + "," + gpus().front().name;
    std::printf(
        "date,commit,device,case,items,positions,cpu_threads,runs,gpu_median_s,gpu_min_s,gpu_max_s,gpu_cells_per_s,"
        "cpu_s,ratio,largest_relative_difference\n");
    const auto strings = [&](const std::string& name, Index items, Offset least, Offset most, std::uint64_t alphabet,
                             bool by_cpu = true) {
        if (!given.wants(name)) return;
        const auto made = made::random_strings(lengths<std::size_t>(items, least, most), alphabet);
        time_items(name, head, made, {}, given.runs, by_cpu);
    };
    const auto tracks = [&](const std::string& name, Index items, Offset least, Offset most, int dim, bool geographic,
                            const Options& options, bool by_cpu = true) {
        if (!given.wants(name)) return;
        const auto made = made::random_tracks(lengths<Index>(items, least, most), dim, geographic);
        time_items(name, head, made, options, given.runs, by_cpu);
    };
    strings("names", 10000, 5, 30, 26);
    strings("strings", 5000, 50, 200, 26);
    strings("texts of words", 5000, 100, 300, 50000);
    strings("genomes", 150, 5000, 20000, 4);
    strings("strings at size", 30000, 50, 200, 26, false);
    tracks("frechet", 2000, 200, 200, 2, false, {Metric::frechet});
    tracks("dtw", 2000, 200, 200, 2, false, {Metric::dtw});
    tracks("dtw of squares", 2000, 200, 200, 2, false, {.metric = Metric::dtw, .cost = WarpingCost::square});
    tracks("dtw with a band of 10", 2000, 200, 200, 2, false, {.metric = Metric::dtw, .band = 10});
    tracks("dtw of series", 2000, 200, 200, 1, false, {Metric::dtw});
    tracks("dtw on the sphere", 2000, 200, 200, 2, true, {Metric::dtw});
    tracks("hausdorff", 2000, 200, 200, 2, false, {Metric::hausdorff});
    tracks("frechet of other lengths", 2000, 20, 400, 2, false, {Metric::frechet});
    tracks("dtw of long tracks", 150, 2000, 2000, 2, false, {Metric::dtw});
    tracks("great-circle", 10000, 1, 1, 2, true, {Metric::great_circle});
    tracks("frechet at size", 10000, 200, 200, 2, false, {Metric::frechet}, false);
    return 0;
}
