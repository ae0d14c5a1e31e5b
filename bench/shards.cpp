// SPDX-License-Identifier: Apache-2.0
// k-means over shards of this process, on the CPU, on a GPU and on both, beside one process.
//
//   bench_shards [--commit NAME] [--runs N] [--device cpu|cuda] [CASE...]
//
// CASE: 10000000x2x4 or 1000000x96x256 (both by default), rows x columns x clusters; the rows are around 32 normal
// centers. Prints a CSV row per case and system: seconds of a run of 20 iterations from given centroids, and
// milliseconds of an iteration, that is, of the iterations and the pass for the inertia over 21. Shards keep their rows
// from run to run, one process copies them to the GPU in each. Device cpu leaves the GPU out. Checks that all systems
// give the same bytes.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>
#include <dunlin/shards.hpp>

#include "arguments.hpp"
#include "blobs.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

constexpr int iterations = 20;

struct Case {
    std::string name;
    Index rows = 0, cols = 0, clusters = 0;
    std::vector<float> points = {};

    [[nodiscard]] MatrixView<const float> view() const { return {points.data(), rows, cols}; }
    [[nodiscard]] kmeans::Options options() const {
        return {.clusters = clusters, .iterations = iterations, .stop = kmeans::Rule::never};
    }
    [[nodiscard]] kmeans::Given given() const { return {.centroids = {points.data(), clusters, cols}}; }
};

Case case_of(const std::string& name) {
    Case made{name};
    const char* at = name.c_str();
    for (Index* const number : {&made.rows, &made.cols, &made.clusters}) {
        char* end = nullptr;
        *number = static_cast<Index>(std::strtol(at, &end, 10));
        const bool is_last = number == &made.clusters;
        if (*number < 1 || *end != (is_last ? '\0' : 'x'))
            throw std::runtime_error(name + " is no case; it is ROWSxCOLUMNSxCLUSTERS");
        at = is_last ? end : end + 1;
    }
    made.points = blobs(made.rows, made.cols, 32);
    return made;
}

/// Some of a case's chunks on each of two shards: the first on the CPU, every eighth; the second on the GPU.
class CpuAndGpu final : public kmeans::ShardSet {
public:
    explicit CpuAndGpu(const Case& rows)
        : on_cpu_(kmeans::Metric::euclidean, {.device = Device::cpu}),
          on_gpu_(kmeans::Metric::euclidean, {.device = Device::cuda}) {
        const Offset step = kmeans::chunk_rows(rows.cols);
        for (Offset first = 0; first < rows.rows; first += step) {
            const auto count = static_cast<Index>(std::min<Offset>(step, rows.rows - first));
            kmeans::Shard& shard = first / step % 8 == 7 ? on_cpu_ : on_gpu_;
            shard.add(first, {rows.points.data() + first * rows.cols, count, rows.cols});
        }
    }
    std::vector<kmeans::Message> ask(const kmeans::Message& request) override {
        auto by_cpu = std::async(std::launch::async, [&] { return on_cpu_.answer(request); });
        std::vector<kmeans::Message> all = on_gpu_.answer(request);
        for (kmeans::Message& response : by_cpu.get()) all.push_back(std::move(response));
        return all;
    }

private:
    kmeans::Shard on_cpu_, on_gpu_;
};

struct Times {
    std::vector<double> whole, each;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print(const std::string& head, const Case& rows, const std::string& system, const Times& times) {
    const auto [least, most] = std::minmax_element(times.whole.begin(), times.whole.end());
    std::printf("%s,%s,%d,%d,%d,%d,%s,%zu,%.6f,%.6f,%.6f,%.3f\n", head.c_str(), rows.name.c_str(), rows.rows, rows.cols,
                rows.clusters, iterations, system.c_str(), times.whole.size(), median(times.whole), *least, *most,
                1e3 * median(times.each));
    std::fflush(stdout);
}

/// The result of the last of several runs of a system. Shards keep their rows from one to the next.
kmeans::Result time_system(const std::string& head, const Case& rows, const std::string& system, int runs,
                           const auto& run_once) {
    Times times;
    kmeans::Result result;
    for (int run = 0; run < runs + 1; ++run) {  // the first is not counted
        progress::Stopwatch watch;
        result = run_once();
        const double spent = watch.lap();
        if (run == 0) continue;
        times.whole.push_back(spent);
        times.each.push_back(result.seconds["optimize"] / (iterations + 1));  // and the pass for the inertia
    }
    print(head, rows, system, times);
    return result;
}

void require_same(const kmeans::Result& a, const kmeans::Result& b, const std::string& system) {
    const MatrixView<const float> x = a.centroids.view(), y = b.centroids.view();
    if (a.labels == b.labels && a.inertia == b.inertia && x.size() == y.size() &&
        std::memcmp(x.data, y.data, static_cast<std::size_t>(x.size()) * sizeof(float)) == 0) {
        return;
    }
    throw std::runtime_error(system + " has other bytes");
}

void time_case(const std::string& name, const std::string& head, int runs, bool gpu) {
    const Case rows = case_of(name);
    const auto whole = [&](Device device) {
        return kmeans::cluster(rows.view(), rows.options(), {.device = device}, rows.given());
    };
    const auto over = [&](kmeans::ShardSet& set) {
        return kmeans::cluster(set, {.rows = rows.rows, .cols = rows.cols}, rows.options(), {}, rows.given());
    };
    const auto expected = time_system(head, rows, "one process cpu", runs, [&] { return whole(Device::cpu); });
    const auto check = [&](const std::string& system, kmeans::ShardSet& set) {
        require_same(time_system(head, rows, system, runs, [&] { return over(set); }), expected, system);
    };
    const auto in_process = [&](int shards, Device device) {
        return kmeans::in_process(rows.view(), {}, kmeans::Metric::euclidean, shards, 0, {.device = device});
    };
    check("2 shards cpu", *in_process(2, Device::cpu));
    if (!gpu) return;
    require_same(time_system(head, rows, "one process cuda", runs, [&] { return whole(Device::cuda); }), expected,
                 "cuda");
    check("1 shard cuda", *in_process(1, Device::cuda));
    check("2 shards cuda", *in_process(2, Device::cuda));
    CpuAndGpu mixed(rows);
    check("7 of 8 chunks cuda", mixed);
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs", "--device"}, 5);
    const bool gpu = given.device != Device::cpu && why_no_gpu().empty();
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    const std::string head = std::string(date) + "," + given.commit + "," + (gpu ? gpus().front().name : "cpu");
    std::printf(
        "date,commit,device,case,rows,columns,clusters,iterations,system,runs,median_s,min_s,max_s,iteration_ms\n");
    std::vector<std::string> cases = given.cases;
    if (cases.empty()) cases = {"10000000x2x4", "1000000x96x256"};
    for (const std::string& name : cases) time_case(name, head, given.runs, gpu);
    return 0;
}
