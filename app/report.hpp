#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include <dunlin/metrics.hpp>

#include "shared.hpp"

namespace dunlin::app {

using Json = nlohmann::ordered_json;

constexpr const char* version = "0.1.0";

/// Seconds since it was made, or since the last lap.
class Stopwatch {
public:
    double lap();
    [[nodiscard]] double total() const;

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point last_ = begin_;
};

/// Where a method ran.
struct Where {
    Device device = Device::cpu;
    int index = 0;    ///< of the GPU
    int threads = 1;  ///< 0: one per core, as in Run
};

/// {"dunlin", "command", "method", "input", "device"}: what every report begins with.
Json report_head(const std::string& command, const std::string& method, const fs::path& input, const io::Points& points,
                 const Where& where);

/// Seconds of a command's own stages.
struct Spent {
    double read = 0, score = 0, write = 0, total = 0;
};

/// How a method ran: its stages' seconds by name, between reading and scoring, and how it ended.
struct Course {
    Json stages;
    int iterations = 0;
    Stopped stopped = Stopped::budget;
    std::uint64_t gpu_memory = 0;
};

/// "seconds", "iterations", "stopped", "deterministic", "quality", "peak_memory_bytes": what the report of a map ends
/// with.
void put_course(Json& report, const Course& course, const Spent& spent, const Json& quality);

/// The end of a command: writes the report where it was asked for, and unless told to be quiet says what tell() says
/// and which files were written. Returns the exit code.
int finish(const Shared& shared, const Json& report, const std::vector<fs::path>& written, Stopped stopped,
           const std::function<void()>& tell);

/// The most bytes of memory this process has held, not counting what started it (Linux; else as getrusage counts).
std::uint64_t peak_memory();

/// quality[key], and quality[key_se] where the score was sampled. NaN becomes null.
void put_score(Json& quality, const std::string& key, metrics::Score score);

/// That of a search for neighbours, with its standard error even where that is 0.
void put_recall(Json& quality, double recall, double se);

/// The scores that apply to a map of these points; kl where `affinities` has vertices.
Json judge_map(const io::Points& points, const Map& map, const Graph& affinities, const metrics::Options& options,
               const Run& run);

/// The scores that apply to a drawing of this graph.
Json judge_layout(const Graph& graph, const Map& map, const metrics::LayoutOptions& options, const Run& run);

/// "trustworthiness 0.9871 +- 0.0003" a line, for people.
void print_quality(const Json& quality);

}  // namespace dunlin::app
