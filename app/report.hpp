// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include <dunlin/outcome.hpp>
#include <dunlin/scores.hpp>

#include "common.hpp"
#include "flags.hpp"

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

/// What a command was asked to do, for its report.
struct ReportHeader {
    std::string command, method;
    Json input;
};

/// {"path", "kind", "rows", "cols"} of points, {"path", "kind", "rows", "edges", ..} of a graph.
Json input_of(const fs::path& path, const io::Points& points);
Json input_of(const fs::path& path, const io::Network& network);

/// The threads that a run without a result of its own used.
int threads_of(const Run& run);

/// Puts what the input holds, and why if that was guessed, among what a report says of it; nothing if it was not asked.
void put_guess(Json& input, const io::Guess& guess);
void put_notes(Json& input, const std::vector<io::Note>& notes);

/// Seconds of a command's own stages.
struct StageSeconds {
    double read = 0, score = 0, write = 0, total = 0;
};

/// An outcome of any method, its options as JSON.
Outcome<Json> outcome_as_json(const auto& result, const Files& files = {}) {
    Json options = fields_as_json(result.options, files);
    options["seed"] = result.seed;
    return {options,           result.device,  result.gpus,    result.threads, result.seed,          result.gpu_memory,
            result.iterations, result.stopped, result.engines, result.seconds, result.varies_because};
}

/// The report of any command: {"dunlin", "command", "method", "input", "device", "options", "engines", "seconds",
/// "iterations", "stopped", "deterministic", "quality", "peak_memory_bytes"}.
Json report_of(const ReportHeader& task, const Outcome<Json>& outcome, const StageSeconds& spent, const Json& quality);

/// The end of a command: writes the report where it was asked for, and unless told to be quiet says what tell() says
/// and which files were written. Returns the exit code.
int finish(const CommonOptions& common, const Json& report, const std::vector<fs::path>& written, Stopped stopped,
           const std::function<void()>& print_summary);

/// The most bytes of memory this process has held, not counting what started it (Linux; else as getrusage counts).
std::uint64_t peak_memory();

/// quality[key], and quality[key_se] where the score was sampled. NaN becomes null.
void put_score(Json& quality, const std::string& key, scores::Score score);

/// That of a search for neighbors, with its standard error even where that is 0.
void put_recall(Json& quality, double recall, double se);

/// The scores that apply to a map of these points; kl where `affinities` has vertices.
Json evaluate_map(const io::Points& points, const Map& map, const Graph& affinities, const scores::Options& options,
                  const Run& run);

/// The scores that apply to a drawing of this graph.
Json evaluate_layout(const Graph& graph, const Map& map, const scores::LayoutOptions& options, const Run& run);

/// "trustworthiness 0.9871 +- 0.0003" a line, for people.
void print_quality(const Json& quality);

}  // namespace dunlin::app
