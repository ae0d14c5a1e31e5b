#include <dunlin/neighbors.hpp>

#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path input;
    Shared shared;
    neighbors::Options options;
};

void write_report(const Job& job, const io::Points& points, const neighbors::Result& result, double read, double search,
                  double write, double total) {
    Json report = report_head("neighbors", std::string(name_of(result.method)), job.input, points,
                              {result.device, job.shared.run.device_index, job.shared.run.threads});
    report["input"]["edges"] = result.graph.edges();
    report["options"] = fields_as_json(job.options);
    report["options"]["seed"] = job.shared.run.seed;
    report["options"]["probes"] = result.probes > 0 ? Json(result.probes) : Json(nullptr);
    report["seconds"] = {{"read", read}, {"neighbors", search}, {"write", write}, {"total", total}};
    report["quality"] = Json::object();
    put_recall(report["quality"], result.recall, result.recall_se);
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", result.gpu_memory}};
    io::write_text(job.shared.report, report.dump(2) + "\n");
}

int write_neighbors(Job& job) {
    prepare(job.shared);
    std::vector<std::string> outputs = job.shared.outputs;
    if (outputs.empty()) outputs = {stem_of(job.input) + ".neighbors.npz"};
    for (const fs::path path : outputs) require_output("--output", path, "a neighbour graph is", formats::neighbors);
    require_apart({job.input}, job.shared, as_outputs(outputs));
    Stopwatch watch;
    const io::Points points = read_input(job.input, job.shared, job.options.metric);
    const double read = watch.lap();
    const neighbors::Result result = neighbors::search(points.values.view(), job.options, job.shared.run);
    const double search = watch.lap();
    if (job.shared.run.stop.stop_requested()) return interrupted;
    for (const std::string& output : outputs) io::write_graph(output, result.graph);
    const double write = watch.lap();

    if (!job.shared.report.empty()) write_report(job, points, result, read, search, write, watch.total());
    if (!job.shared.quiet) {
        fmt::print("{} neighbours of {} points, {} search, recall {:.4f}, {:.2f} s\n",
                   std::min(job.options.k, points.values.rows() - 1), points.values.rows(), name_of(result.method),
                   result.recall, search);
        if (job.options.probes && result.probes == 0) fmt::print("--probes was not looked at: the search was exact\n");
        for (const std::string& output : outputs) fmt::print("wrote {}\n", output);
    }
    return done;
}

}  // namespace

void add_neighbors(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("neighbors", "the k nearest neighbours of every point, as a graph file");
    add_points(*sub, "POINTS", job->input, job->shared);
    sub->add_option("-k", job->options.k, "neighbours per point")->capture_default_str();
    add_flags(*sub, job->options, {"k"});
    sub->callback([&action, job] { action = [job] { return write_neighbors(*job); }; });
}

}  // namespace dunlin::app
