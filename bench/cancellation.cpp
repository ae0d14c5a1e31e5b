// SPDX-License-Identifier: Apache-2.0
// Latency of a stop in every stage, and the largest gap between progress reports.
//   bench_cancellation [--runs N] [--device cpu|cuda] [CASE...]
// Each case (tests/cases/cancellable_stages.hpp) is run once to its end (or its time limit), measuring the gaps between
// calls of on_progress, the first one from the start and the last one to the end; then N times (default 5) with a stop
// requested at evenly spaced times. Prints CSV: case, seconds of the whole run, largest gap, and the largest and the
// median time from the request to the return. DUNLIN_DEVICE=cuda is --device cuda.
#include <dunlin/error.hpp>
#include <dunlin/picture.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "arguments.hpp"
#include "cases/cancellable_stages.hpp"

using namespace dunlin;
using namespace dunlin::cancellable;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Measuring

struct Whole {
    double seconds = 0, gap = 0;
};

/// Requests a stop after `after` seconds from another thread, unless the work ends before.
class Alarm {
public:
    Alarm(std::stop_source& source, double after)
        : thread_([this, &source, after] {
              std::unique_lock lock(mutex_);
              if (ended_.wait_for(lock, std::chrono::duration<double>(after), [this] { return over_; })) return;
              requested_ = Clock::now();
              source.request_stop();
          }) {}
    ~Alarm() { end(); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    /// When the stop was requested; the epoch: never.
    Clock::time_point end() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ended_.notify_all();
        if (thread_.joinable()) thread_.join();
        return requested_;
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    Clock::time_point requested_{};
    std::thread thread_;
};

constexpr double longest = 6;  ///< most seconds of a whole run

Whole run_whole(const Work& work, Run run) {
    std::stop_source source;
    run.stop = source.get_token();
    Clock::time_point last = Clock::now();
    Whole whole;
    run.on_progress = [&](const Progress&) {
        whole.gap = std::max(whole.gap, seconds_since(last));
        last = Clock::now();
    };
    const Clock::time_point begin = last;
    Alarm alarm(source, longest);
    work(run);
    whole.seconds = seconds_since(begin);
    whole.gap = std::max(whole.gap, seconds_since(last));
    return whole;
}

/// Seconds from the request to the return; 0 if the work was done before.
double latency(const Work& work, Run run, double after) {
    std::stop_source source;
    run.stop = source.get_token();
    Alarm alarm(source, after);
    work(run);
    const Clock::time_point now = Clock::now(), requested = alarm.end();
    return requested == Clock::time_point{} ? 0 : std::chrono::duration<double>(now - requested).count();
}

// Cases

void add_pictures(StageCases& cases) {
    for (const std::string format : {"png", "svg", "html"}) {
        const auto path = std::filesystem::temp_directory_path() / ("bench_cancellation." + format);
        const Index n = format == "png" ? 4000000 : 500000;
        cases.push_back({"picture " + format, [=]() -> Work {
                             return [map = map_of(n), path](const Run& run) {
                                 picture::draw(path, map, {}, {}, {}, run);
                                 std::filesystem::remove(path);
                                 return std::string();
                             };
                         }});
    }
    cases.push_back({"picture of a graph", []() -> Work {
                         const auto path = std::filesystem::temp_directory_path() / "bench_cancellation.graph.png";
                         return [graph = lattice(700), map = map_of(700 * 700), path](const Run& run) {
                             picture::draw(path, graph, map, {}, {}, {}, run);
                             std::filesystem::remove(path);
                             return std::string();
                         };
                     }});
}

}  // namespace

int bench_main(int count, char** words) {
    bench::Arguments given = bench::arguments_from(count, words, {"--runs", "--device"}, 5);
    const char* device = std::getenv("DUNLIN_DEVICE");
    bool named = false;
    for (int i = 1; i < count; ++i) named = named || std::string(words[i]) == "--device";
    const bool cuda = named ? given.device == Device::cuda : device != nullptr && std::string(device) == "cuda";
    const Run run{.device = cuda ? Device::cuda : Device::cpu};
    StageCases cases;
    for (const auto& list : {searches, tsne_stages, clusterings, layouts, scalings, trainings, score_stages}) {
        const StageCases more = list(InputSize::bench);
        cases.insert(cases.end(), more.begin(), more.end());
    }
    add_pictures(cases);
    std::puts("case,seconds,largest_gap,largest_latency,median_latency");
    for (const StageCase& one : cases) {
        if (!given.wants(one.name)) continue;
        try {
            const Work work = one.prepare();
            const Whole whole = run_whole(work, run);
            std::vector<double> latencies;
            for (int r = 0; r < given.runs; ++r) {
                latencies.push_back(latency(work, run, std::min(whole.seconds, longest) * (r + 0.5) / given.runs));
            }
            std::sort(latencies.begin(), latencies.end());
            std::printf("%s,%.2f,%.3f,%.3f,%.3f\n", one.name.c_str(), whole.seconds, whole.gap, latencies.back(),
                        latencies[latencies.size() / 2]);
        } catch (const Error& error) {
            std::printf("%s,,,,%s\n", one.name.c_str(), error.what());
        }
        std::fflush(stdout);
    }
    return 0;
}
