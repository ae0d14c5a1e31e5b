// SPDX-License-Identifier: Apache-2.0
#include <dunlin/distinct.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/mixture.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// Options of the command beyond those of the library.
struct MixtureExtras {
    std::optional<Index> up_to;
    std::optional<mixture::Criterion> criterion;
};

template <class Visit>
void fields(Visit&& visit, MixtureExtras& o) {
    visit(field("up-to", o.up_to,
                "try all numbers of components from --components to this, and keep the best by --criterion")
              .at_least(1));
    visit(field("criterion", o.criterion, "with --up-to: criterion that selects the best number")
              .otherwise(mixture::Criterion::bic));
}

struct MixtureCommand {
    fs::path input;
    CommonOptions common;
    mixture::Options options;
    MixtureExtras extras;
    std::string means, variances, responsibilities;
    std::vector<mixture::Choice::Tried> curve;  ///< empty: --components is a single number
};

mixture::Result fit(MixtureCommand& command, const io::Points& points) {
    const mixture::Wanted wanted{.responsibilities = !command.responsibilities.empty()};
    MixtureExtras& extras = command.extras;
    if (!extras.up_to) return mixture::fit(points.values.view(), command.options, command.common.run, wanted);
    if (!extras.criterion) extras.criterion = mixture::Criterion::bic;
    mixture::Choice choice = mixture::choose(points.values.view(), *extras.up_to, *extras.criterion, command.options,
                                             command.common.run, wanted);
    const std::string last = mixture::sentence_of_choice(choice, *extras.up_to);
    if (!last.empty()) say(command.common, fmt::format("{}: {}", command.input.string(), last));
    command.curve = std::move(choice.curve);
    return std::move(choice.best);
}

Json report_on(const MixtureCommand& command, const io::Points& points, const mixture::Result& result,
               const StageSeconds& spent) {
    const std::string method(name_of(result.options.covariance));
    Outcome<Json> outcome = outcome_as_json(result);
    outcome.options.update(fields_as_json(command.extras));
    Json report = report_of({"mixture", method, input_of(command.input, points)}, outcome, spent,
                            {{"log_likelihood", result.log_likelihood}, {"bic", result.bic}, {"aic", result.aic}});
    report["shares"] = result.shares;
    for (const auto& tried : command.curve) {
        report["curve"].push_back({{"components", tried.components},
                                   {"log_likelihood", tried.log_likelihood},
                                   {"parameters", tried.parameters},
                                   {"bic", tried.bic},
                                   {"aic", tried.aic}});
    }
    return report;
}

/// Writes one row of variances per component, in the units that the points had; full: the rows of each covariance
/// matrix; tied: those of the only one; spherical: one number per component, unless the columns were scaled.
void write_variances(const fs::path& path, const io::Points& points, const mixture::Result& result) {
    const bool has_one = result.options.covariance == mixture::Covariance::spherical && points.scale.empty();
    const Index cols = has_one ? 1 : points.values.cols();
    const std::vector<double> exact = mixture::unscaled_variances(result, {points.shift, points.scale});
    std::vector<float> variances(exact.begin(), exact.end());
    const auto rows = static_cast<Index>(variances.size() / static_cast<std::size_t>(cols));
    const std::vector<std::string> names = has_one ? std::vector<std::string>{"variance"} : points.columns;
    io::write_points(path, {Matrix(rows, cols, std::move(variances)), {}, {}, names, {}, {}});
}

int write_mixture(MixtureCommand& command) {
    prepare(command.common);
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.input) + ".components.csv"};
    if (command.means.empty()) command.means = stem_of(command.input) + ".means.csv";
    for (const std::string& output : outputs) require_table("--output", output);
    require_table("--means", command.means);
    if (!command.variances.empty()) require_table("--variances", command.variances);
    if (!command.responsibilities.empty()) require_table("--responsibilities", command.responsibilities);
    std::vector<Output> all = as_outputs(outputs);
    all.push_back({"--means", command.means});
    all.push_back({"--variances", command.variances});
    all.push_back({"--responsibilities", command.responsibilities});
    require_apart({command.input}, command.common, all);
    Stopwatch watch;
    const io::Points points = read_input(command.input, command.common);
    StageSeconds spent{.read = watch.lap()};
    const mixture::Result result =
        blame_file(command.input, points, kmeans::largest_number, [&] { return fit(command, points); });
    const double seconds = watch.lap();
    if (result.shares.empty()) return interrupted;  // stopped before there was a mixture
    const Index components = result.options.components;
    say_if_few_distinct(command.common, command.input, distinct_rows(points.values.view(), components), components,
                        "components");
    const std::string floored = mixture::sentence_of_floor(result, [&](Index column) {
        const auto c = static_cast<std::size_t>(column);
        return c < points.columns.size() ? fmt::format("column '{}'", points.columns[c])
                                         : fmt::format("column {}", column + 1);
    });
    if (!floored.empty()) say(command.common, fmt::format("{}: {}", command.input.string(), floored));
    std::vector<fs::path> written;
    for (const std::string& output : outputs)
        add_output(command.common, written, output, [&] { io::write_clusters(output, result.labels, points.ids); });
    add_output(command.common, written, command.means,
               [&] { io::write_points(command.means, in_units_of(points, result.means)); });
    if (!command.variances.empty())
        add_output(command.common, written, command.variances,
                   [&] { write_variances(command.variances, points, result); });
    const bool has_responsibilities = result.responsibilities.rows() > 0;
    if (has_responsibilities) {
        add_output(command.common, written, command.responsibilities, [&] {
            io::write_points(command.responsibilities, {result.responsibilities, {}, points.ids, {}, {}, {}});
        });
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, points, result, spent), written, result.stopped, [&] {
        for (const auto& tried : command.curve) {
            put("{:6} components, log likelihood {:.6g} a row, {} parameters, bic {:.6g}, aic {:.6g}\n",
                tried.components, tried.log_likelihood, tried.parameters, tried.bic, tried.aic);
        }
        put("{} components of {} points, log likelihood {:.6g} a row, bic {:.6g}, {} after {} iterations, "
            "{:.2f} s\n",
            components, points.values.rows(), result.log_likelihood, result.bic, name_of(result.stopped),
            result.iterations, seconds);
    });
}

}  // namespace

void add_mixture(CLI::App& app, Action& action) {
    auto command = std::make_shared<MixtureCommand>();
    command->common.refuses_dissimilarities = true;
    CLI::App* sub = app.add_subcommand("mixture", "a mixture of Gaussians: soft clustering of points");
    add_points(*sub, "POINTS", command->input, command->common);
    add_flags(*sub, command->options);
    sub->add_option("--means", command->means, "output file of the means (default: POINTS' stem .means.csv)")
        ->type_name("FILE");
    sub->add_option("--variances", command->variances, "output file of the variances or covariances")
        ->type_name("FILE");
    sub->add_option("--responsibilities", command->responsibilities,
                    "output file of the responsibilities: the probability of each component, a row per point and a "
                    "column per component (default: not written)")
        ->type_name("FILE");
    add_flags(*sub, command->extras);
    sub->get_option("--criterion")->needs(sub->get_option("--up-to"));
    sub->callback([&action, command] { action = [command] { return write_mixture(*command); }; });
}

}  // namespace dunlin::app
