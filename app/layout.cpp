#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path input;
    Shared shared;
    layout::Options options;
    picture::Options picture;
    std::string start, pinned;
};

/// The graph with every edge in both directions, once, and none from a vertex to itself.
Graph undirected(const Graph& graph) {
    struct Edge {
        Index source, target;
        float weight;
    };
    std::vector<Edge> edges;
    for (Index i = 0; i < graph.size(); ++i) {
        for (Offset e = graph.offsets[static_cast<std::size_t>(i)]; e < graph.offsets[static_cast<std::size_t>(i) + 1];
             ++e) {
            const Index j = graph.targets[static_cast<std::size_t>(e)];
            const float weight = graph.weights[static_cast<std::size_t>(e)];
            if (i == j) continue;
            edges.push_back({i, j, weight});
            edges.push_back({j, i, weight});
        }
    }
    const auto key = [](const Edge& e) { return std::pair(e.source, e.target); };
    std::stable_sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
    edges.erase(std::unique(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) == key(b); }),
                edges.end());
    Graph result;
    result.offsets.assign(graph.offsets.size(), 0);
    for (const Edge& edge : edges) {
        ++result.offsets[static_cast<std::size_t>(edge.source) + 1];
        result.targets.push_back(edge.target);
        result.weights.push_back(edge.weight);
    }
    for (std::size_t v = 1; v < result.offsets.size(); ++v) result.offsets[v] += result.offsets[v - 1];
    return result;
}

layout::Result place(const Job& job, const Graph& graph) {
    Map start;
    layout::Given given;
    if (!job.start.empty()) {
        start = io::read_map(job.start).map;
        given.start = &start;
    }
    std::vector<std::uint8_t> pinned;
    if (!job.pinned.empty()) {
        const Labels marks = io::read_labels(job.pinned);
        for (const Index mark : marks.of) pinned.push_back(marks.names[static_cast<std::size_t>(mark)] == "0" ? 0 : 1);
        given.pinned = pinned;
    }
    return layout::place(graph, job.options, job.shared.run, given);
}

void write_outputs(const Job& job, const std::vector<fs::path>& paths, const Graph& graph, const Map& map) {
    picture::Options style = job.picture;
    if (style.title.empty()) {
        style.title = fmt::format("{}, {} vertices, {} edges", stem_of(job.input), graph.size(), graph.edges() / 2);
    }
    for (const fs::path& path : paths) {
        if (is_picture(path)) {
            picture::draw(path, map, {}, {}, style, job.shared.run);
        } else {
            io::write_map(path, {map, {}, {}});
        }
    }
}

Json report_of(const Job& job, const Graph& graph, const layout::Result& result, double read, double write,
               double total) {
    Json report = report_head("layout", std::string(name_of(result.options.method)), job.input, {},
                              {result.device, job.shared.run.device_index, result.threads});
    report["input"]["rows"] = graph.size();
    report["input"]["edges"] = graph.edges() / 2;
    report["options"] = fields_as_json(result.options);
    report["options"]["seed"] = job.shared.run.seed;
    report["seconds"] = {{"read", read},
                         {"start", result.seconds.start},
                         {"optimise", result.seconds.optimise},
                         {"write", write},
                         {"total", total}};
    report["iterations"] = result.iterations;
    report["stopped"] = std::string(name_of(result.stopped));
    report["deterministic"] = true;
    report["quality"] = Json{{"kinetic_energy", result.kinetic_energy}};
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", result.gpu_memory}};
    return report;
}

int lay_out(Job& job) {
    prepare(job.shared);
    const std::vector<fs::path> paths = outputs_of(job.shared, job.input);
    Stopwatch watch;
    const Graph graph = undirected(io::read_graph(job.input));
    const double read = watch.lap();
    const layout::Result result = place(job, graph);
    watch.lap();
    write_outputs(job, paths, graph, result.map);
    const double write = watch.lap();

    const Json report = report_of(job, graph, result, read, write, watch.total());
    if (!job.shared.report.empty()) write_text(job.shared.report, report.dump(2) + "\n");
    if (!job.shared.quiet) {
        for (const fs::path& path : paths) fmt::print("wrote {}\n", path.string());
    }
    return result.stopped == Stopped::cancelled ? interrupted : done;
}

}  // namespace

void add_layout(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("layout", "a force-directed drawing of a graph");
    sub->add_option("GRAPH", job->input, "graph: .npz .mtx .csv .tsv; directions are not looked at")->required();
    add_shared_flags(*sub, job->shared);
    add_flags(*sub, job->options);
    sub->add_option("--start", job->start, "a map of first positions, in map units, taken as they are")
        ->type_name("FILE");
    sub->add_option("--pinned", job->pinned, "a file with a line per vertex: 0, or 1 where it stays at its start")
        ->type_name("FILE");
    add_picture_flags(*sub, job->picture);
    sub->callback([&action, job] { action = [job] { return lay_out(*job); }; });
}

}  // namespace dunlin::app
