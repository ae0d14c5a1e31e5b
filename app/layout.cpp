// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/network.hpp>
#include <dunlin/overlap.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"
#include "report.hpp"
#include "scores.hpp"

namespace dunlin::app {

namespace {

/// What becomes of vertices that overlap.
enum class Overlap { keep, remove };
constexpr std::array<std::string_view, 2> names(Overlap) { return {"keep", "remove"}; }

struct Job {
    std::string command = "layout";
    fs::path input;
    Shared shared;
    layout::Options options;
    io::NetworkOptions network;
    picture::Options picture;
    std::string start, pinned;
    Overlap overlap = Overlap::keep;
    std::optional<float> radius;
    scores::Extent scores = scores::Extent::sampled;
};

/// Where the input puts its vertices; those that it does not place begin among the others.
Map start_of(const io::Network& network) {
    Map start = network.kind == "dot" ? scaled(network.start, 1 / points_per_unit) : network.start;
    const auto dim = static_cast<std::size_t>(start.dim);
    std::vector<double> middle(dim, 0);
    double placed = 0;
    for (std::size_t i = 0; i < start.coordinates.size(); ++i) {
        if (std::isnan(start.coordinates[i])) continue;
        middle[i % dim] += static_cast<double>(start.coordinates[i]);
        placed += i % dim == 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < start.coordinates.size(); ++i) {
        if (std::isnan(start.coordinates[i])) start.coordinates[i] = static_cast<float>(middle[i % dim] / placed);
    }
    return start;
}

/// The first positions: a map's, or the input's where it pins vertices or --start says input.
Map start_of(const Job& job, const io::Network& network) {
    if (!job.start.empty() && job.start != "input")
        return in_order_of(io::read_map(job.start, job.shared.run), job.start, network, job.input).map;
    if (job.start.empty() && network.pinned.empty()) return {};
    if (network.start.coordinates.empty()) {
        throw Error(Fault::bad_input,
                    fmt::format("--start input: {} says of no vertex where it is", job.input.string()));
    }
    return start_of(network);
}

std::vector<std::uint8_t> pinned_of(const Job& job, const io::Network& network) {
    if (job.pinned.empty())
        return job.start.empty() || job.start == "input" ? network.pinned : std::vector<std::uint8_t>{};
    std::vector<std::uint8_t> pinned;
    const Labels marks = io::read_labels(job.pinned);
    for (const std::string& mark : marks.names) {
        if (mark == "0" || mark == "1") continue;
        throw Error(Fault::bad_file, fmt::format("--pinned {}: '{}' is no mark of a vertex; write 0, or 1 where it "
                                                 "stays",
                                                 job.pinned, mark));
    }
    pinned.reserve(marks.of.size());
    for (const Index mark : marks.of) pinned.push_back(marks.names[static_cast<std::size_t>(mark)] == "0" ? 0 : 1);
    return pinned;
}

/// Of the discs that are not to overlap, in map units; none: they may.
std::vector<float> radii_of(const Job& job, const io::Network& network) {
    const bool wanted = job.overlap == Overlap::remove || job.options.prevent_overlap;
    if (!wanted && job.radius) {
        throw Error(Fault::bad_input, "--radius: only --overlap remove and --prevent-overlap look at it; leave it out");
    }
    if (!wanted) return {};
    if (job.radius && !(*job.radius >= 0 && std::isfinite(*job.radius)))
        throw Error(Fault::bad_input, fmt::format("--radius is {}; it must be finite and at least 0", *job.radius));
    if (job.radius) return std::vector<float>(static_cast<std::size_t>(network.graph.size()), *job.radius);
    if (network.sizes.empty()) {
        throw Error(
            Fault::bad_input,
            fmt::format("{}: {} says of no vertex how large it is; give a --radius",
                        job.options.prevent_overlap ? "--prevent-overlap" : "--overlap remove", job.input.string()));
    }
    std::vector<float> radii;
    radii.reserve(network.sizes.size());
    for (const io::VertexSize& size : network.sizes)
        radii.push_back(std::hypot(size.width, size.height) / 2 / points_per_unit);
    return radii;
}

layout::Result place(const Job& job, const io::Network& network, const std::vector<std::uint8_t>& pinned) {
    const Map start = start_of(job, network);
    const std::vector<float> radii = radii_of(job, network);
    const bool removes = job.overlap == Overlap::remove;
    if (removes && std::count(pinned.begin(), pinned.end(), 1) > 0)
        throw Error(Fault::bad_input, "--overlap remove: pinned vertices would have to move; leave one of both out");
    layout::Given given{.start = start.coordinates.empty() ? nullptr : &start, .pinned = pinned, .radii = radii};
    layout::Result result = layout::place(network.graph, job.options, job.shared.run, given);
    if (removes && result.stopped != Stopped::cancelled)
        layout::remove_overlaps(result.map, radii, 0, {.threads = job.shared.run.threads});
    return result;
}

/// Returns what is written: a stop leaves out a picture.
std::vector<fs::path> write_outputs(const Job& job, const std::vector<fs::path>& paths, const io::Network& network,
                                    const Map& map) {
    picture::Options style = job.picture;
    if (style.title.empty()) {
        style.title = fmt::format("{}, {} vertices, {} edges", stem_of(job.input), network.graph.size(),
                                  network.graph.edges() / 2);
    }
    const Run run = run_of_picture(job.shared);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        if (is_picture(path)) {
            if (!picture::draw(path, network.graph, map, network.labels, network.ids, style, run)) continue;
        } else {
            write_drawing(path, network, map);
        }
        written.push_back(path);
    }
    return written;
}

Json quality_of(const Job& job, const io::Network& network, const layout::Result& result) {
    Json quality{{"kinetic_energy", result.kinetic_energy}};
    if (result.options.method == layout::Method::annealing) quality = Json{{"cost", result.cost}};
    if (job.scores != scores::Extent::none && result.stopped != Stopped::cancelled) {
        Run run = job.shared.run;
        run.device = Device::cpu;  // where all scores are computed
        const bool lengths = job.options.weights == layout::Weights::length;
        quality.update(judge_layout(network.graph, result.map, {.lengths = lengths, .extent = job.scores}, run));
    }
    return quality;
}

Json report_on(const Job& job, const io::Network& network, const layout::Result& result, const Json& quality,
               const Spent& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    outcome.options.update(fields_as_json(job.network));
    outcome.options["scores"] = std::string(name_of(job.scores));
    outcome.options["overlap"] = std::string(name_of(job.overlap));
    const std::string method(name_of(result.options.method));
    Json input = input_of(job.input, network);
    put_guess(input, job.command == "map" ? job.shared.guess : io::Guess{io::Holds::graph, false, ""});
    return report_of({job.command, method, input}, outcome, spent, quality);
}

int lay_out(Job& job) {
    prepare(job.shared);
    const Inputs inputs{job.input, job.start == "input" ? "" : job.start, job.pinned, job.network.labels};
    const std::vector<fs::path> paths = outputs_of(job.shared, inputs, true);
    Stopwatch watch;
    io::Network network = read_as_guessed(job.shared, job.input,
                                          [&] { return io::read_network(job.input, job.network, job.shared.run); });
    require_read(job.shared, network.graph.size() == 0);
    print_notes(job.shared, job.input, network.notes);
    Spent spent{.read = watch.lap()};
    const std::vector<std::uint8_t> pinned = pinned_of(job, network);
    const layout::Result result = place(job, network, pinned);
    if (!job.pinned.empty()) network.pinned = pinned;  // which DOT tells
    watch.lap();
    const Json quality = quality_of(job, network, result);
    spent.score = watch.lap();
    const std::vector<fs::path> written = write_outputs(job, paths, network, result.map);
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(job.shared, report_on(job, network, result, quality, spent), written, result.stopped, [&] {
        for (const std::string& warning : network.warnings) fmt::print("note: {}\n", warning);
        print_quality(quality);
    });
}

}  // namespace

int draw_graph(const fs::path& input, const Shared& shared, const picture::Options& picture, int dim,
               scores::Extent scores) {
    Job job;
    job.command = "map";
    job.input = input;
    job.shared = shared;
    job.network.labels = shared.read.labels;
    job.network.decimal = shared.read.decimal;
    job.options.dim = dim;
    job.picture = picture;
    job.scores = scores;
    return lay_out(job);
}

void add_layout(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("layout", "a force-directed drawing of a graph");
    sub->add_option("GRAPH", job->input,
                    "graph: edges as text, .mtx .graph .gml .graphml .dot .npz, each also .gz or .xz; directions are "
                    "not looked at")
        ->required();
    add_shared_flags(*sub, job->shared);
    add_flags(*sub, job->network);
    add_flags(*sub, job->options);
    sub->add_option(
           "--start", job->start,
           "first positions, taken as they are: those of GRAPH or of a map, in map units (default: GRAPH's where "
           "it pins vertices)")
        ->type_name("input|FILE");
    sub->add_option("--pinned", job->pinned, "a file with a line per vertex: 0, or 1 where it stays at its start")
        ->type_name("FILE");
    add_flag(*sub, field("overlap", job->overlap,
                         "what becomes of vertices that overlap; remove moves them apart, as discs of the sizes that "
                         "GRAPH gives"));
    sub->add_option("--radius", job->radius,
                    "of every vertex that is not to overlap others, in map units (default: by GRAPH)")
        ->type_name("NUMBER");
    add_picture_flags(*sub, job->picture);
    add_scores_flag(*sub, job->scores);
    sub->callback([&action, job] { action = [job] { return lay_out(*job); }; });
}

}  // namespace dunlin::app
