// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <dunlin/gpu_use.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/threads.hpp>

#include "exit_code.hpp"
#include "json_text.hpp"
#include "memory_at_start.hpp"
#include "streams.hpp"

namespace dunlin::app {

double Stopwatch::lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
}

double Stopwatch::total() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

int threads_of(const Run& run) { return usable_threads(run.threads); }

void put_guess(Json& input, const io::Guess& guess) {
    if (guess.holds == io::Holds::automatic) return;
    input["holds"] = std::string(name_of(guess.holds));
    input["guessed"] = guess.guessed;
    if (guess.guessed) input["reason"] = guess.reason;
}

void put_notes(Json& input, const std::vector<io::Note>& notes) {
    for (const io::Note& note : notes) input["notes"].push_back(note.what);
}

void put_notes(Json& input, const io::Network& network) {
    put_notes(input, network.notes);
    for (const std::string& warning : network.warnings) input["notes"].push_back(warning);
}

Json input_of(const fs::path& path, const io::Points& points) {
    Json input{
        {"path", path.string()}, {"kind", points.kind}, {"rows", points.values.rows()}, {"cols", points.values.cols()}};
    if (points.normalize != Normalize::none) input["normalize"] = std::string(name_of(points.normalize));
    put_guess(input, points.guess);
    put_notes(input, points.notes);
    return input;
}

Json input_of(const fs::path& path, const io::Network& network) {
    Json input{{"path", path.string()},
               {"kind", network.kind},
               {"rows", network.graph.size()},
               {"edges", network.graph.edges() / 2},
               {"self_loops", network.self_loops},
               {"multi_edges", network.multi_edges},
               {"directed", network.directed},
               {"warnings", network.warnings}};
    put_notes(input, network);
    return input;
}

namespace {

Json device_of(const Outcome<Json>& outcome) {
    const bool cuda = outcome.device == Device::cuda;
    const std::string name = cuda ? gpus().at(static_cast<std::size_t>(outcome.gpus.front())).name : "cpu";
    Json device{{"backend", name_of(outcome.device)}, {"name", name}, {"threads", outcome.threads}};
    if (cuda) device["gpus"] = outcome.gpus;
    for (const GpuUse& use : (outcome.gpus.size() > 1 ? last_gpu_use() : std::vector<GpuUse>{})) {
        device["gpu_use"].push_back(
            {{"gpu", use.gpu}, {"seconds", use.seconds}, {"waited", use.waited}, {"received_bytes", use.received}});
    }
    return device;
}

Json seconds_of(const Outcome<Json>& outcome, const StageSeconds& spent) {
    Json seconds{{"read", spent.read}};
    for (const auto& [name, taken] : outcome.seconds.stages()) seconds[std::string(name)] = taken;
    seconds["score"] = spent.score;
    seconds["write"] = spent.write;
    seconds["total"] = spent.total;
    return seconds;
}

Json engines_of(const Outcome<Json>& outcome) {
    Json engines = Json::array();
    for (const auto& [part, name, first] : outcome.engines)
        engines.push_back({{"part", part}, {"name", name}, {"first_iteration", first}});
    return engines;
}

Json checkpoint_of(const CheckpointUse& use) {
    Json json{{"file", use.file}, {"resumed_from", nullptr}};
    if (use.resumed) json["resumed_from"] = use.resumed_from;
    if (use.resumed) json["computed_again"] = use.computed_again;
    json["writes"] = use.writes;
    json["bytes"] = use.bytes;
    json["seconds"] = use.seconds;
    if (!use.failure.empty()) json["failure"] = use.failure;
    return json;
}

}  // namespace

Json report_of(const ReportHeader& task, const Outcome<Json>& outcome, const StageSeconds& spent, const Json& quality) {
    Json report{{"dunlin", version},
                {"command", task.command},
                {"method", task.method},
                {"input", task.input},
                {"device", device_of(outcome)},
                {"options", outcome.options},
                {"engines", engines_of(outcome)},
                {"seconds", seconds_of(outcome, spent)},
                {"iterations", outcome.iterations},
                {"stopped", name_of(outcome.stopped)},
                {"deterministic", outcome.varies_because.empty()}};
    if (!outcome.varies_because.empty()) report["varies_because"] = outcome.varies_because;
    if (!outcome.checkpoint.file.empty()) report["checkpoint"] = checkpoint_of(outcome.checkpoint);
    report["quality"] = quality;
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", outcome.gpu_memory}};
    return report;
}

int finish(const CommonOptions& common, const Json& report, const std::vector<fs::path>& written, Stopped stopped,
           const std::function<void()>& print_summary) {
    if (!common.report.empty()) {
        Json whole = report;
        const MemoryLimit limit = memory_at_start();
        whole["memory_limit"] = {{"bytes", limit.bytes}, {"by", limit.by}};
        if (common.color != CommonOptions().color)
            whole["color"] = common.color.size() == 1 ? Json(common.color.front()) : Json(common.color);
        if (!common.said->empty()) whole["notes"] = *common.said;
        std::vector<fs::path> reports;  // which are not listed
        add_output(common, reports, common.report, [&] { io::write_text(common.report, json_text(whole, 2) + "\n"); });
    }
    if (!common.quiet) {
        print_summary();
        for (const fs::path& path : written) put("wrote {}\n", path.string());
    }
    throw_failure(common);
    return stopped == Stopped::cancelled || common.run.stop.stop_requested() ? interrupted : done;
}

std::uint64_t peak_memory() {
    // getrusage includes the peak of the parent process, which exec inherits
    std::ifstream status("/proc/self/status");
    std::string key, rest;
    for (std::uint64_t kib = 0; status >> key; std::getline(status, rest)) {
        if (key == "VmHWM:" && status >> kib) return kib * 1024;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void put_score(Json& quality, const std::string& key, scores::Score score) {
    quality[key] = std::isfinite(score.value) ? Json(score.value) : Json(nullptr);
    if (score.se > 0) quality[key + "_se"] = score.se;
}

void put_recall(Json& quality, double recall, double se) {
    quality["search_recall"] = recall;
    quality["search_recall_se"] = se;
}

namespace {

/// The scores that were computed, by their keys in the report.
Json scores_as_json(std::initializer_list<std::pair<const char*, std::optional<scores::Score>>> scores) {
    auto quality = Json::object();
    for (const auto& [key, score] : scores) {
        if (score) put_score(quality, key, *score);
    }
    return quality;
}

}  // namespace

Json scores_as_json(const scores::Scores& scores) {
    auto quality = Json::object();
    scores::each_score(scores, [&](const char* key, const std::optional<scores::Score>& score) {
        if (score) put_score(quality, key, *score);
    });
    return quality;
}

Json evaluate_layout(const Graph& graph, const Map& map, const scores::LayoutOptions& options, const Run& run) {
    const scores::LayoutScores scores = scores::evaluate(graph, map, options, run);
    return scores_as_json({{"scaled_stress", scores.scaled_stress},
                           {"neighborhood_preservation", scores.neighborhood_preservation},
                           {"edge_length_cv", scores.edge_length_cv},
                           {"crossings", scores.crossings},
                           {"min_angle", scores.min_angle}});
}

void print_quality(const Json& quality) {
    for (const auto& [key, value] : quality.items()) {
        if (key.ends_with("_se") || !value.is_number()) continue;
        const std::string se =
            quality.contains(key + "_se") ? fmt::format(" +- {:.4f}", quality[key + "_se"].get<double>()) : "";
        const double rounded = std::round(value.get<double>() * 1e4) / 1e4 + 0.0;  // never -0
        put("{:<27}{:.4f}{}\n", key, rounded, se);
    }
}

}  // namespace dunlin::app
