// SPDX-License-Identifier: Apache-2.0
#include <dunlin/kmeans.hpp>
#include <dunlin/mixture.hpp>

#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path input;
    Shared shared;
    mixture::Options options;
    std::string means, variances;
};

Json report_on(const Job& job, const io::Points& points, const mixture::Result& result, const Spent& spent) {
    const std::string method(name_of(result.options.covariance));
    Json report = report_of({"mixture", method, input_of(job.input, points)}, outcome_as_json(result), spent,
                            {{"log_likelihood", result.log_likelihood}, {"bic", result.bic}});
    report["shares"] = result.shares;
    return report;
}

/// A component's variances are a row; with full covariance its matrix is as many rows as there are columns.
void write_variances(const fs::path& path, const io::Points& points, const mixture::Result& result) {
    const Index cols = points.values.cols();
    const auto rows = static_cast<Index>(result.variances.size() / static_cast<std::size_t>(cols));
    io::write_points(path, {Matrix(rows, cols, result.variances), {}, {}, points.columns, {}, {}});
}

int write_mixture(Job& job) {
    prepare(job.shared);
    std::vector<std::string> outputs = job.shared.outputs;
    if (outputs.empty()) outputs = {stem_of(job.input) + ".components.csv"};
    if (job.means.empty()) job.means = stem_of(job.input) + ".means.csv";
    for (const std::string& output : outputs) require_table("--output", output);
    require_table("--means", job.means);
    if (!job.variances.empty()) require_table("--variances", job.variances);
    std::vector<Output> all = as_outputs(outputs);
    all.push_back({"--means", job.means});
    all.push_back({"--variances", job.variances});
    require_apart({job.input}, job.shared, all);
    Stopwatch watch;
    const io::Points points = read_input(job.input, job.shared, true);
    Spent spent{.read = watch.lap()};
    const mixture::Result result = blame_file(job.input, points, kmeans::largest_number, [&] {
        return mixture::fit(points.values.view(), job.options, job.shared.run);
    });
    const double fit = watch.lap();
    if (result.shares.empty()) return interrupted;  // before there was a mixture
    for (const std::string& output : outputs) io::write_clusters(output, result.labels, points.ids);
    io::write_points(job.means, {result.means, points.shift, {}, points.columns, {}, {}});
    if (!job.variances.empty()) write_variances(job.variances, points, result);
    spent.write = watch.lap();
    spent.total = watch.total();
    std::vector<fs::path> written(outputs.begin(), outputs.end());
    written.emplace_back(job.means);
    if (!job.variances.empty()) written.emplace_back(job.variances);
    return finish(job.shared, report_on(job, points, result, spent), written, result.stopped, [&] {
        fmt::print(
            "{} components of {} points, log likelihood {:.6g} a row, bic {:.6g}, {} after {} iterations, "
            "{:.2f} s\n",
            job.options.components, points.values.rows(), result.log_likelihood, result.bic, name_of(result.stopped),
            result.iterations, fit);
    });
}

}  // namespace

void add_mixture(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("mixture", "a mixture of Gaussians: soft clusters with a shape of their own");
    add_points(*sub, "POINTS", job->input, job->shared);
    add_flags(*sub, job->options);
    sub->add_option("--means", job->means, "where the means go (default: POINTS' stem .means.csv)")->type_name("FILE");
    sub->add_option("--variances", job->variances, "where variances or covariances go")->type_name("FILE");
    sub->callback([&action, job] { action = [job] { return write_mixture(*job); }; });
}

}  // namespace dunlin::app
