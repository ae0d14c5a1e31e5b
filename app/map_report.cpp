// SPDX-License-Identifier: Apache-2.0
#include "map_report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>
#include <dunlin/json_depth.hpp>

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

/// Takes an option whose value is a word. A word that names no value of E (such as a file of neighbors) changes
/// nothing.
template <Nameable E>
void take_word(const Json& options, const char* name, E& value) {
    const auto found = options.find(name);
    if (found == options.end() || !found->is_string()) return;
    value = value_named<E>(found->get<std::string>()).value_or(value);
}

/// Throws for a densMAP (placement::require_placeable).
void refuse_densities(const fs::path& file, const Json& options) {
    if (options.value("densmap", Json(false)) == Json(true))
        refuse(file,
               "the map was made with densmap; new points are placed, and rows are found, only in maps without "
               "densities");
}

/// Throws for a t-SNE map whose loss placing does not have (placement::require_placeable).
void refuse_other_losses(const fs::path& file, const Json& options) {
    const std::pair<const char*, Json> plain[] = {
        {"perplexities", Json()}, {"affinities", "gaussian"}, {"anchor", "none"}, {"point-weights", Json()}};
    for (const auto& [name, value] : plain) {
        const auto found = options.find(name);
        if (found == options.end() || *found == value) continue;
        refuse(file, fmt::format("the map was made with {} {}, but new points are placed only in maps of one "
                                 "perplexity and Gaussian affinities of the points, without anchors",
                                 name, found->dump()));
    }
}

void read_report(const fs::path& file, placement::Options& place, Normalize& normalize) {
    std::ifstream stream(file);
    if (!stream) refuse(file, "it cannot be opened");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const Json report = nests_too_deeply(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
    if (report.is_discarded()) refuse(file, "it is not valid JSON; give the file that --report wrote");
    const Json method = report.is_object() ? report.value("method", Json()) : Json();
    const auto made = method.is_string() ? value_named<placement::Method>(method.get<std::string>()) : std::nullopt;
    if (!made || !report.contains("options")) {
        refuse(file, "it is not the report of a map of dunlin tsne, umap or pacmap; give the file that --report wrote");
    }
    place.method = *made;
    const Json& options = report.at("options");
    if (*made == placement::Method::tsne) refuse_other_losses(file, options);
    if (*made == placement::Method::umap) refuse_densities(file, options);
    take(options, "perplexity", place.perplexity, file);
    take(options, "k", place.k, file);
    take(options, "pca", place.pca, file);
    take(options, "recall", place.recall, file);
    take(options, "late-exaggeration", place.exaggeration, file);
    take(options, "freedom", place.freedom, file);
    take(options, "min-dist", place.min_dist, file);
    take(options, "spread", place.spread, file);
    take(options, "a", place.a, file);
    take(options, "b", place.b, file);
    take(options, "local-connectivity", place.local_connectivity, file);
    take(options, "mix", place.mix, file);
    take(options, "negatives", place.negatives, file);
    take(options, "repulsion-strength", place.repulsion_strength, file);
    take(options, "softening", place.softening, file);
    take(options, "further", place.further, file);
    take_word(options, "metric", place.metric);
    take_word(options, "neighbors", place.search);
    take_word(report.value("input", Json::object()), "normalize", normalize);
}

}  // namespace

void add_map_report_flag(CLI::App& app, fs::path& file, std::optional<placement::Method>& made,
                         placement::Options& options, Normalize& normalize) {
    app.add_option_function<std::string>(
           "--map-report",
           [&file, &made, &options, &normalize](const std::string& path) {
               file = path;
               read_report(file, options, normalize);
               made = options.method;
           },
           "report of the map, from which the method and its options are read; other flags override them")
        ->type_name("FILE");
}

}  // namespace dunlin::app
