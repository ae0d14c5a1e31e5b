// SPDX-License-Identifier: Apache-2.0
#include <dunlin/distinct.hpp>
#include <dunlin/kmedoids.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.hpp"
#include "dissimilarities.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct KmedoidsCommand {
    fs::path input;
    CommonOptions common;
    InputOptions reading;
    kmedoids::Options options;
};

Json report_on(const KmedoidsCommand& command, const Input& input, const kmedoids::Result& result,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    put_input_options(outcome.options, command.reading, input);
    Json about = input_of(command.input, input.about);
    about["rows"] = input.items.size();
    if (input.network) about["edges"] = input.network->graph.edges() / 2;
    put_guess(about, command.common.guess);
    Json quality{{"inertia", result.inertia}};
    put_score(quality, "silhouette", {result.silhouette, 0});
    Json report = report_of({"kmedoids", "fasterpam", about}, outcome, spent, quality);
    report["counts"] = result.counts;
    report["medoids"] = result.medoids;
    if (!input.about.ids.empty()) {
        for (const Index medoid : result.medoids)
            report["medoid_ids"].push_back(input.about.ids[static_cast<std::size_t>(medoid)]);
    }
    report["swaps"] = result.swaps;
    if (input.items.on_demand() != nullptr) report["distances"] = {{"computed", input.items.usage().computed}};
    put_device_of_distances(report, input);
    return report;
}

/// The medoid of a cluster as the summary shows it.
std::string name_of_medoid(const Input& input, Index medoid) {
    const auto& ids = input.about.ids;
    return ids.empty() ? fmt::format("item {}", medoid) : ids[static_cast<std::size_t>(medoid)];
}

void print_summary(const Input& input, const kmedoids::Result& result) {
    constexpr std::size_t most_lines = 20;
    for (std::size_t k = 0; k < std::min(most_lines, result.medoids.size()); ++k)
        put("{:6} items around {}\n", result.counts[k], name_of_medoid(input, result.medoids[k]));
    if (result.medoids.size() > most_lines) put("and {} more\n", result.medoids.size() - most_lines);
    const std::string silhouette =
        std::isnan(result.silhouette) ? "" : fmt::format(", silhouette {:.3f}", result.silhouette);
    put("{} clusters of {} items, inertia {:.6g}{}, {} after {} passes\n", result.medoids.size(), result.labels.size(),
        result.inertia, silhouette, name_of(result.stopped), result.iterations);
}

int run_kmedoids(KmedoidsCommand& command) {
    prepare(command.common);
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.input) + ".clusters.csv"};
    for (const std::string& output : outputs) require_table("--output", output);
    require_apart({command.input}, command.common, as_outputs(outputs));
    Stopwatch watch;
    const Input input = read_dissimilarities(command.input, command.reading, command.common);
    StageSeconds spent{.read = watch.lap()};
    const kmedoids::Result result = kmedoids::cluster(input.items, command.options, command.common.run);
    watch.lap();
    if (result.labels.empty()) return interrupted;
    const auto clusters = static_cast<Index>(result.medoids.size());
    say_if_few_distinct(command.common, command.input, distinct_items(input.items, clusters), clusters, "clusters");
    std::vector<fs::path> written;
    for (const std::string& output : outputs)
        add_output(command.common, written, output,
                   [&] { io::write_clusters(output, result.labels, input.about.ids); });
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, input, result, spent), written, result.stopped,
                  [&] { print_summary(input, result); });
}

}  // namespace

void add_kmedoids(CLI::App& app, Action& action) {
    auto command = std::make_shared<KmedoidsCommand>();
    CLI::App* sub = app.add_subcommand("kmedoids", "k-medoids clustering of items with any dissimilarities");
    sub->add_option("INPUT", command->input, dissimilarities_help())->required();
    add_common_flags(*sub, command->common);
    add_read_flags(*sub, command->common);
    add_input_flags(*sub, command->reading);
    add_flags(*sub, command->options);
    sub->callback([&action, command] { action = [command] { return run_kmedoids(*command); }; });
}

}  // namespace dunlin::app
