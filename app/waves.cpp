// SPDX-License-Identifier: Apache-2.0
#include <dunlin/waves.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/plots.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "item_names.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"
#include "waves_output.hpp"

namespace dunlin::app {

namespace {

struct WavesCommand {
    CommonOptions common;
    WavesInput input;
    waves::Options options;
    std::string snapshots;
    WavesLook look;

    [[nodiscard]] bool of_each() const {
        return std::find(input.stimulate.begin(), input.stimulate.end(), "each") != input.stimulate.end();
    }
    [[nodiscard]] std::string stem() const { return input.graph.empty() ? "waves" : stem_of(input.graph); }
};

void check_outputs(WavesCommand& command) {
    std::vector<std::string>& outputs = command.common.outputs;
    if (outputs.empty()) outputs = {command.stem() + (command.of_each() ? ".times.npy" : ".waves.csv")};
    std::vector<std::string_view> allowed(formats::tables.begin(), formats::tables.end());
    if (!command.of_each()) allowed.insert(allowed.end(), formats::pictures.begin(), formats::pictures.end());
    for (const std::string& output : outputs) require_output("--output", output, "waves are", allowed);
    const fs::path start = command.input.start == "rest" || command.input.start.starts_with("gaussian:")
                               ? fs::path()
                               : fs::path(command.input.start);
    require_apart({command.input.graph, command.look.map, start}, command.common, as_outputs(outputs));
}

Json input_json(const WavesCommand& command, const WavesDomain& domain) {
    if (domain.is_graph()) return input_of(command.input.graph, domain.network);
    const auto& nodes = domain.domain.nodes;
    return {{"kind", command.input.ring   ? "ring"
                     : domain.axes() == 1 ? "line"
                                          : "grid"},
            {"nodes", std::vector<Index>(nodes.begin(), nodes.begin() + domain.axes())},
            {"spacing", domain.domain.spacing},
            {"periodic", command.input.periodic || command.input.ring.has_value()}};
}

Json quality_of(const waves::Result& result) {
    Offset reached = 0;
    double last = 0;
    for (const double time : result.activation) {
        if (!std::isfinite(time)) continue;
        ++reached;
        last = std::max(last, time);
    }
    Json quality{{"time", result.time},
                 {"activated", reached},
                 {"last_activation", last},
                 {"step", result.step},
                 {"step_limit", result.step_limit},
                 {"rejected", result.rejected},
                 {"evaluations", result.evaluations},
                 {"newton", result.newton},
                 {"skipped", result.skipped},
                 {"smallest", result.smallest},
                 {"largest", result.largest}};
    if (result.speed) quality["front_speed"] = *result.speed;
    return quality;
}

Json report_on(const WavesCommand& command, const WavesDomain& domain, const waves::Result& result,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    return report_of({"waves", std::string(name_of(result.options.model)), input_json(command, domain)}, outcome, spent,
                     quality_of(result));
}

bool is_line(const WavesDomain& domain) { return !domain.is_graph() && domain.axes() == 1; }

/// Values in the frames of a page: a byte for each, which is deflated.
constexpr Offset most_values = Offset{1} << 25;

/// Throws before the run what a page would be too small for: the first and the last state, and what is shown then.
void check_page(const fs::path& path, const WavesDomain& domain) {
    const Offset most = picture::most_film_values / 3, nodes = domain.domain.nodes[0] * Offset{domain.domain.nodes[1]};
    if (!is_page(path) || domain.is_graph() || nodes <= most) return;
    throw Error(Fault::bad_input, fmt::format("--output {}: a page plays up to {} nodes, and there are {}; use .png",
                                              path.string(), most, nodes));
}

/// States that a picture of this path shows besides the last one; 0: those of the result, or none.
int frames_of(const fs::path& path, const WavesCommand& command, const WavesDomain& domain,
              const waves::Result& result) {
    constexpr Offset most_of_line = 400, most_of_page = 100;
    const bool of_page = is_page(path) && result.snapshots.empty();
    if (domain.domain.size() == 0 || !is_picture(path) ||
        (!of_page && (is_page(path) || command.look.show != Shown::spacetime)))
        return 0;
    const Offset fit = most_values / std::max<Offset>(domain.domain.size(), 1);
    const Offset wanted = is_line(domain) ? most_of_line : most_of_page;
    const Offset most = of_page ? std::clamp<Offset>(fit, 2, wanted) : most_of_line;
    const Offset steps = std::max<Offset>(Offset{result.iterations} + 1, 2);
    if (most < std::min(wanted, steps)) {
        say(command.common,
            fmt::format("{} has {} states of {} nodes, at most {} MB; a smaller domain has up to {}", path.string(),
                        most, domain.domain.size(), most * domain.domain.size() * 4 / 3 / 1'000'000, wanted));
    }
    return static_cast<int>(std::min(steps, most));
}

/// Every k-th of the states of --snapshots, as many as a page holds; none if it holds all.
std::optional<waves::Result> thinned(const fs::path& path, const WavesCommand& command, const WavesDomain& domain,
                                     const waves::Result& result) {
    const Offset count = std::ssize(result.snapshots);
    const Offset most = std::max<Offset>(most_values / std::max<Offset>(domain.domain.size(), 1), 2);
    const Offset every = (count + most - 1) / most;
    if (every <= 1) return std::nullopt;
    std::vector<waves::Snapshot> kept;
    for (Offset i = 0; i < count; i += every) kept.push_back(result.snapshots[static_cast<std::size_t>(i)]);
    say(command.common, fmt::format("{} has {} of {} states, one of every {}, so that it is at most about {} MB",
                                    path.string(), kept.size(), count, every, most_values * 4 / 3 / 1'000'000));
    waves::Result some = result;
    some.snapshots = std::move(kept);
    return some;
}

/// A run that was stopped is not repeated: its states are those of --snapshots so far, or the first, and the last.
waves::Result as_stopped(const WavesCommand& command, const WavesDomain& domain, waves::Given given,
                         waves::Result result) {
    if (result.snapshots.empty()) {
        waves::Options start = command.options;
        start.steps = 0;
        given.snapshots = {0};
        result.snapshots = waves::simulate(domain.domain, start, run_of_picture(command.common), given).snapshots;
    }
    result.snapshots.push_back({result.time, result.field});
    return result;
}

/// Repeats the run of `result` and records `frames` states of it.
waves::Result with_frames(const WavesCommand& command, const WavesDomain& domain, waves::Given given,
                          const waves::Result& result, int frames) {
    waves::Options options = command.options;
    options.until = result.time;
    options.rest = waves::Options().rest;  // is not read with until
    options.scheme = result.options.scheme;
    options.tolerance = result.options.tolerance;
    if (!options.tolerance) options.step = result.step;
    given.snapshots = times_of_frames(result.time, frames);
    return waves::simulate(domain.domain, options, command.common.run, given);
}

/// The result with the states that the file of this path shows. Returns nullopt if `result` already has them.
std::optional<waves::Result> with_states(const fs::path& path, const WavesCommand& command, const WavesDomain& domain,
                                         const waves::Given& given, const waves::Result& result) {
    const bool is_drawn = is_picture(path) && (is_page(path) || command.look.show == Shown::spacetime);
    if (is_drawn && result.stopped == Stopped::cancelled) return as_stopped(command, domain, given, result);
    if (const int frames = frames_of(path, command, domain, result); frames > 0)
        return with_frames(command, domain, given, result, frames);
    return is_page(path) ? thinned(path, command, domain, result) : std::nullopt;
}

std::vector<fs::path> write_outputs(WavesCommand& command, const WavesDomain& domain, const waves::Given& given,
                                    const waves::Result& result) {
    std::vector<fs::path> written;
    for (const fs::path path : command.common.outputs) {
        add_output(command.common, written, path, [&] {
            const std::optional<waves::Result> states = with_states(path, command, domain, given, result);
            return write_waves(path, domain, states ? *states : result, command.look, command.common);
        });
    }
    return written;
}

void print_summary(const waves::Result& result) {
    const Json quality = quality_of(result);
    const char* why = result.stopped == Stopped::converged ? (result.options.until ? "done" : "at rest")
                      : result.stopped == Stopped::budget  ? "stopped after --steps"
                                                           : "stopped";
    // rest is not the last word on how even values are: whoever reads this sees what is left
    const std::string values = result.options.model == waves::Model::diffusion && !result.options.until
                                   ? fmt::format(", values from {:.6g} to {:.6g}", result.smallest, result.largest)
                                   : "";
    put("{} {}: {} steps of {:.4g} to t = {:.6g}, {}{}; {} of {} activated{}\n", name_of(result.options.model),
        name_of(result.options.scheme), result.iterations, result.step, result.time, why, values,
        quality["activated"].get<Offset>(), result.activation.size(),
        result.speed ? fmt::format(", front speed {:.5g}", *result.speed) : "");
}

/// An error about a stimulus that never reaches a vertex, with both as the file names them.
Error with_ids(const Error& error, const std::vector<std::string>& ids) {
    const ErrorLocation& place = error.place();
    std::string sentence = error.what();
    const std::string both = fmt::format("vertex {} never activates vertex {}", place.row, place.column);
    const auto found = sentence.find(both);
    if (ids.empty() || found == std::string::npos) return error;
    const auto id = [&](Offset vertex) { return ids[static_cast<std::size_t>(vertex)]; };
    sentence.replace(found, both.size(), fmt::format("'{}' never activates '{}'", id(place.row), id(place.column)));
    return {error.fault(), sentence, place};
}

/// The matrix of activation times of a stimulus at each vertex.
int write_matrix(WavesCommand& command, const WavesDomain& domain, const waves::Given& given) {
    if (!given.stimuli.empty() || !given.v.empty())
        throw Error(Fault::bad_input,
                    "--stimulate each starts from rest with one stimulus at a time; leave out --hold, "
                    "--start and other vertices");
    Stopwatch watch;
    const WavesInput& input = command.input;
    const waves::Stimulus stimulus{
        .value = input.value, .from = input.from, .to = input.from + input.duration, .every = input.every};
    std::vector<float> times;
    try {
        times = waves::activation_matrix(domain.domain, command.options, run_of_method(command.common), stimulus);
    } catch (const Error& error) {
        throw with_ids(error, domain.network.ids);
    }
    if (times.empty() && domain.domain.size() > 0) return interrupted;
    StageSeconds spent;
    watch.lap();
    std::vector<fs::path> written;
    for (const std::string& output : command.common.outputs)
        add_output(command.common, written, output, [&] { write_times(output, domain, times); });
    spent.write = watch.lap();
    spent.total = watch.total();
    waves::Result result;
    result.options = command.options;
    result.stopped = Stopped::converged;
    Outcome<Json> outcome = outcome_as_json(result);
    const Json report =
        report_of({"waves", "activation-matrix", input_json(command, domain)}, outcome, spent, Json::object());
    return finish(command.common, report, written, Stopped::converged, [&] {
        put("{} x {} activation times, means of both directions\n", domain.domain.size(), domain.domain.size());
    });
}

int run_waves(WavesCommand& command) {
    prepare(command.common);
    check_outputs(command);
    const bool each = command.of_each();
    if (each) std::erase(command.input.stimulate, "each");
    Stopwatch watch;
    WavesDomain domain;
    read_domain(command.input, command.common, domain);
    std::vector<double> v, w;
    waves::Given given = given_of(command.input, domain, v, w);
    if (each) return write_matrix(command, domain, given);
    if (given.stimuli.empty() && v.empty() && command.options.noise == 0 && command.options.current == 0)
        throw Error(Fault::bad_input, "nothing would happen; give --stimulate, --hold, --start, --current or --noise");
    if (!command.snapshots.empty()) given.snapshots = numbers_of(command.snapshots, ',', "--snapshots");
    const auto& outputs = command.common.outputs;
    for (const std::string& output : outputs) check_page(output, domain);
    if (std::any_of(outputs.begin(), outputs.end(), [](const fs::path& path) { return is_picture(path); }))
        command.look.show = settle_shown(command.look.show, domain, !command.look.map.empty());
    const waves::Model model = command.options.model;
    if (command.look.show == Shown::w && !waves::has_recovery(model))
        throw Error(Fault::bad_input, fmt::format("--show w: model {} has v alone; leave it out", name_of(model)));
    if (!command.look.map.empty()) {
        read_item_names(command.common, command.look.picture,
                        {command.input.graph, domain.network.graph.size(), domain.network.ids}, domain.network.names);
    } else if (!command.common.names_from.empty() || !command.common.names_by.empty()) {
        throw Error(
            Fault::bad_input,
            "--names-from and --names-by are about the vertices of a drawing; give it by --map, or leave them out");
    }
    StageSeconds spent{.read = watch.lap()};
    const waves::Result result = waves::simulate(domain.domain, command.options, run_of_method(command.common), given);
    watch.lap();
    const std::vector<fs::path> written = write_outputs(command, domain, given, result);
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, domain, result, spent), written, result.stopped,
                  [&] { print_summary(result); });
}

void add_domain_flags(CLI::App& sub, WavesInput& input) {
    sub.add_option("GRAPH", input.graph, "graph, weights are conductances; or one of --line, --ring, --grid");
    sub.add_option("--line", input.line, "a line of N nodes")->type_name("N");
    sub.add_option("--ring", input.ring, "a ring of N nodes")->type_name("N");
    sub.add_option("--grid", input.grid, "a grid of rows, columns and layers")->type_name("HxW[xD]");
    sub.add_option("--spacing", input.spacing, "distance of neighboring nodes of a line, ring or grid")
        ->capture_default_str();
    sub.add_flag("--periodic", input.periodic, "all axes of the grid are periodic");
    add_flags(sub, input.network, {"labels"});
}

void add_input_flags(CLI::App& sub, WavesInput& input) {
    sub.add_option("--start", input.start, "start: at rest, exp(-(x - CENTER)^2 / WIDTH), or a file with v or v and w")
        ->type_name("rest|gaussian:CENTER,WIDTH|FILE.npy")
        ->capture_default_str();
    sub.add_option("--stimulate", input.stimulate,
                   "vertex that is held at --stimulus-value, repeatable; each: one after the other, and the output is "
                   "the matrix of activation times")
        ->type_name("ID|each")
        ->allow_extra_args(false);
    sub.add_option("--stimulus-value", input.value, "value of a stimulus")->capture_default_str();
    sub.add_option("--stimulus-time", input.duration, "duration of a stimulus")->capture_default_str();
    sub.add_option("--stimulus-start", input.from, "begin of a stimulus")->capture_default_str();
    sub.add_option("--stimulus-every", input.every, "period of a stimulus; 0: once")->capture_default_str();
    sub.add_option("--hold", input.hold, "vertex or side (left, right, top, bottom, front, back) held all the time")
        ->type_name("ID=VALUE")
        ->allow_extra_args(false);
}

}  // namespace

void add_waves(CLI::App& app, Action& action) {
    auto command = std::make_shared<WavesCommand>();
    CLI::App* sub = app.add_subcommand("waves", "waves of reaction and diffusion on a graph, a line or a grid");
    add_domain_flags(*sub, command->input);
    add_common_flags(*sub, command->common);
    add_flags(*sub, command->options);
    add_checkpoint_flags(*sub, command->common);
    add_input_flags(*sub, command->input);
    sub->add_option("--snapshots", command->snapshots, "times of the states that an output .npy holds")
        ->type_name("T1,T2,...");
    sub->add_option("--map", command->look.map, "drawing of the graph, for pictures");
    add_flag(*sub, field("show", command->look.show, "what a picture shows"));
    add_flags(*sub, command->look.picture, {"color", "label-names", "names-by"});
    add_names_flags(*sub, command->look.picture, command->common);
    sub->callback([&action, command] { action = [command] { return run_waves(*command); }; });
}

}  // namespace dunlin::app
