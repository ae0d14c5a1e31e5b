#include "report.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include <dunlin/gpus.hpp>

#include "exit_code.hpp"
#include "flags.hpp"

namespace dunlin::app {

double Stopwatch::lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
}

double Stopwatch::total() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

Json report_head(const std::string& command, const std::string& method, const fs::path& input, const io::Points& points,
                 const Where& where) {
    const bool cuda = where.device == Device::cuda;
    const int threads = where.threads > 0 ? where.threads : static_cast<int>(std::thread::hardware_concurrency());
    const std::string name = cuda ? gpus().at(static_cast<std::size_t>(where.index)).name : "cpu";
    return {{"dunlin", version},
            {"command", command},
            {"method", method},
            {"input",
             {{"path", input.string()},
              {"kind", points.kind},
              {"rows", points.values.rows()},
              {"cols", points.values.cols()},
              {"edges", nullptr}}},
            {"device", {{"backend", cuda ? "cuda" : "cpu"}, {"name", name}, {"threads", std::max(1, threads)}}}};
}

void put_course(Json& report, const Course& course, const Spent& spent, const Json& quality) {
    Json seconds{{"read", spent.read}};
    seconds.update(course.stages);
    seconds.update({{"score", spent.score}, {"write", spent.write}, {"total", spent.total}});
    report["seconds"] = seconds;
    report["iterations"] = course.iterations;
    report["stopped"] = std::string(name_of(course.stopped));
    report["deterministic"] = true;
    report["quality"] = quality;
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", course.gpu_memory}};
}

int finish(const Shared& shared, const Json& report, const std::vector<fs::path>& written, Stopped stopped,
           const std::function<void()>& tell) {
    if (!shared.report.empty()) io::write_text(shared.report, report.dump(2) + "\n");
    if (!shared.quiet) {
        tell();
        for (const fs::path& path : written) fmt::print("wrote {}\n", path.string());
    }
    return stopped == Stopped::cancelled || shared.run.stop.stop_requested() ? interrupted : done;
}

std::uint64_t peak_memory() {
    // What getrusage counts begins with the memory of the process that started this one: exec carries it over
    std::ifstream status("/proc/self/status");
    std::string key, rest;
    for (std::uint64_t kib = 0; status >> key; std::getline(status, rest)) {
        if (key == "VmHWM:" && status >> kib) return kib * 1024;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void put_score(Json& quality, const std::string& key, metrics::Score score) {
    quality[key] = std::isfinite(score.value) ? Json(score.value) : Json(nullptr);
    if (score.se > 0) quality[key + "_se"] = score.se;
}

void put_recall(Json& quality, double recall, double se) {
    quality["search_recall"] = recall;
    quality["search_recall_se"] = se;
}

namespace {

/// Those that were computed, by their keys in the report.
Json scores_as_json(std::initializer_list<std::pair<const char*, std::optional<metrics::Score>>> scores) {
    auto quality = Json::object();
    for (const auto& [key, score] : scores) {
        if (score) put_score(quality, key, *score);
    }
    return quality;
}

}  // namespace

Json judge_map(const io::Points& points, const Map& map, const Graph& affinities, const metrics::Options& options,
               const Run& run) {
    const metrics::Scores scores = metrics::judge(map, points.values.view(), affinities, points.labels, options, run);
    return scores_as_json({{"kl", scores.kl},
                           {"trustworthiness", scores.trustworthiness},
                           {"preservation_10", scores.preservation_10},
                           {"preservation_15", scores.preservation_15},
                           {"label_accuracy", scores.label_accuracy}});
}

Json judge_layout(const Graph& graph, const Map& map, const metrics::LayoutOptions& options, const Run& run) {
    const metrics::LayoutScores scores = metrics::judge(graph, map, options, run);
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
        fmt::print("{:<27}{:.4f}{}\n", key, rounded, se);
    }
}

}  // namespace dunlin::app
