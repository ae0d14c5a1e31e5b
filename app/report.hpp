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

/// Seconds since construction, or since the last lap.
class Stopwatch {
public:
    double lap();
    [[nodiscard]] double total() const;

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point last_ = begin_;
};

/// First members of a report.
struct ReportHeader {
    std::string command, method;
    Json input;
};

/// Description of the input: {"path", "kind", "rows", "cols"} for points, {"path", "kind", "rows", "edges", ..} for a
/// graph.
Json input_of(const fs::path& path, const io::Points& points);
Json input_of(const fs::path& path, const io::Network& network);

/// Number of threads of a run, for commands without a result of the library.
int threads_of(const Run& run);

/// Adds what the input holds, with the reason if it was guessed; nothing if that was not determined.
void put_guess(Json& input, const io::Guess& guess);
void put_notes(Json& input, const std::vector<io::Note>& notes);
/// Adds the notes and the warnings of a network.
void put_notes(Json& input, const io::Network& network);

/// Seconds of the stages of a command.
struct StageSeconds {
    double read = 0, score = 0, write = 0, total = 0;
};

/// The outcome of any method, with its options as JSON.
Outcome<Json> outcome_as_json(const auto& result, const Files& files = {}) {
    Json options = fields_as_json(result.options, files);
    options["seed"] = result.seed;
    return {options,        result.device,     result.gpus,           result.threads,
            result.seed,    result.gpu_memory, result.iterations,     result.stopped,
            result.engines, result.seconds,    result.varies_because, result.checkpoint};
}

/// The report of a command: {"dunlin", "command", "method", "input", "device", "options", "engines", "seconds",
/// "iterations", "stopped", "deterministic", "checkpoint" if there is one, "quality", "peak_memory_bytes"}.
Json report_of(const ReportHeader& task, const Outcome<Json>& outcome, const StageSeconds& spent, const Json& quality);

/// Ends a command: writes the report if --report is given; unless --quiet, calls print_summary() and prints the files
/// written. Returns the exit code. Throws if an output could not be written (add_output).
int finish(const CommonOptions& common, const Json& report, const std::vector<fs::path>& written, Stopped stopped,
           const std::function<void()>& print_summary);

/// Peak resident memory of this process in bytes (on Linux without that of its parent, which getrusage includes).
std::uint64_t peak_memory();

/// Sets quality[key], and quality[key_se] if the score was sampled. NaN becomes null.
void put_score(Json& quality, const std::string& key, scores::Score score);

/// Sets the recall of a neighbor search, always with its standard error.
void put_recall(Json& quality, double recall, double se);

/// The scores that were computed, by their keys in the report.
Json scores_as_json(const scores::Scores& scores);

/// The scores that apply to a drawing of this graph.
Json evaluate_layout(const Graph& graph, const Map& map, const scores::LayoutOptions& options, const Run& run);

/// Prints one line per score: "trustworthiness 0.9871 +- 0.0003".
void print_quality(const Json& quality);

}  // namespace dunlin::app
