// SPDX-License-Identifier: Apache-2.0
#include "map_report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>

namespace dunlin::app {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
    throw Error(Fault::bad_file, fmt::format("--map-report {}: {}", file.string(), why));
}

/// Sets a value from a member of the report's options, if it is there.
template <class T>
void take(const Json& options, const char* name, T& value, const fs::path& file) {
    const auto found = options.find(name);
    if (found == options.end()) return;
    if (!found->is_number()) refuse(file, fmt::format("options.{} is {}, not a number", name, found->dump()));
    value = found->get<ValueOf<T>>();
}

/// The same of a word; one that names no value, such as a file of neighbors, leaves the default.
template <Nameable E>
void take_word(const Json& options, const char* name, E& value) {
    const auto found = options.find(name);
    if (found == options.end() || !found->is_string()) return;
    value = value_named<E>(found->get<std::string>()).value_or(value);
}

void read_report(const fs::path& file, tsne::PlaceOptions& place) {
    std::ifstream stream(file);
    if (!stream) refuse(file, "it cannot be opened");
    Json report;
    try {
        report = Json::parse(stream);
    } catch (const Json::exception&) {
        refuse(file, "it is not valid JSON; give the file that dunlin tsne --report wrote");
    }
    if (!report.is_object() || report.value("method", Json()) != "tsne" || !report.contains("options")) {
        refuse(file, "it is not the report of a t-SNE map; give the file that dunlin tsne --report wrote");
    }
    const Json& options = report.at("options");
    take(options, "perplexity", place.perplexity, file);
    take(options, "k", place.k, file);
    take(options, "pca", place.pca, file);
    take(options, "recall", place.recall, file);
    take(options, "late-exaggeration", place.exaggeration, file);
    take_word(options, "metric", place.metric);
    take_word(options, "neighbors", place.search);
}

}  // namespace

void add_map_report_flag(CLI::App& app, fs::path& file, tsne::PlaceOptions& options) {
    app.add_option_function<std::string>(
           "--map-report",
           [&file, &options](const std::string& path) {
               file = path;
               read_report(file, options);
           },
           "report of the map, from which perplexity, k, pca, metric, neighbors, recall and exaggeration are read; "
           "other flags override it")
        ->type_name("FILE");
}

}  // namespace dunlin::app
