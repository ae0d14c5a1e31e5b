// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <dunlin/columns.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/h5ad.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/spreadsheet.hpp>
#include <dunlin/target.hpp>

#include "colors.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "item_names.hpp"
#include "memory_at_start.hpp"
#include "progress.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// auto, cpu, cuda, cuda:N, cuda:N,M, cuda:all
void parse_device(const std::string& text, Run& run) {
    if (const auto device = value_named<Device>(text)) {
        run.device = *device;
        return;
    }
    const auto refuse = [&] {
        throw Error(Fault::bad_input,
                    fmt::format("--device is '{}'; it must be auto, cpu, cuda, cuda:N, cuda:N,M or cuda:all", text),
                    {.option = "device"});
    };
    if (!text.starts_with("cuda:")) refuse();
    run.device = Device::cuda;
    if (text == "cuda:all") {
        run.gpus.resize(gpus().size());
        std::iota(run.gpus.begin(), run.gpus.end(), 0);
        return;
    }
    const char *at = text.data() + 5, *const end = text.data() + text.size();
    for (bool more = true; more; ++at) {
        const auto [after, fault] = std::from_chars(at, end, run.gpus.emplace_back());
        if (fault != std::errc() || run.gpus.back() < 0 || (after != end && *after != ',')) refuse();
        more = after != end;
        at = after;
    }
}

/// 4000000000, 4G, 512M, 100k: powers of 1000.
std::uint64_t parse_bytes(const std::string& text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const std::string units = "kMGT";
    double factor = unit.empty() ? 1 : 0;
    for (std::size_t power = 0; power < units.size(); ++power) {
        if (unit == units.substr(power, 1)) factor = std::pow(1000.0, static_cast<double>(power + 1));
    }
    if (fault != std::errc() || factor == 0 || !(value > 0) || value * factor > 1e18) {
        throw Error(Fault::bad_input,
                    fmt::format("--memory is '{}'; it must be bytes, such as 4000000000 or 4G", text));
    }
    return static_cast<std::uint64_t>(value * factor);
}

/// Validator against negative numbers: CLI11 converts -1 to the largest unsigned number.
std::string not_negative(const std::string& text) {
    return text.starts_with('-') ? "it is " + text + " and must be at least 0" : "";
}

bool contains(Extensions all, const std::string& extension) {
    return std::find(all.begin(), all.end(), extension) != all.end();
}

/// .csv, .tsv or .npy
std::string listed(Extensions all) {
    if (all.size() == 1) return std::string(all.front());
    return fmt::format("{} or {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
}

}  // namespace

void add_common_flags(CLI::App& app, CommonOptions& common, bool has_outputs) {
    if (has_outputs) {
        app.add_option("-o,--output", common.outputs, "file to write, repeatable; the extension selects the format")
            ->type_name("FILE")
            ->allow_extra_args(false);
        app.add_flag_callback(
            "--spreadsheet-safe", [] { io::write_spreadsheet_safe(true); },
            "put ' before texts in .csv and .tsv that a spreadsheet would run, as =1+1");
    }
    app.add_option("--report", common.report, "write a report as JSON")->type_name("FILE.json");
    const std::map<std::string_view, std::string*> by_text{{"device", &common.device}, {"memory", &common.memory}};
    fields(
        [&](const auto& field) {
            const auto text = by_text.find(field.name);
            if (text == by_text.end()) {
                add_flag(app, field);
            } else {
                app.add_option("--" + std::string(field.name), *text->second, help_of(field))
                    ->type_name(field.name == "device" ? "auto|cpu|cuda|cuda:N,M" : "BYTES");
            }
        },
        common.run);
    app.get_option("--seed")->check(CLI::Validator(not_negative, ""));
    app.add_flag("--quiet", common.quiet, "print only errors");
}

void add_points(CLI::App& app, const char* name, fs::path& input, CommonOptions& common, const std::string& or_else) {
    app.add_option(name, input,
                   "points: " + formats::help_of(formats::points | formats::documents) + "; also .gz and .xz" + or_else)
        ->required();
    add_common_flags(app, common);
    add_read_flags(app, common);
    add_normalize_flag(app, common);
}

void add_checkpoint_flags(CLI::App& app, CommonOptions& common) { add_flags(app, common.checkpoint); }

void add_read_flags(CLI::App& app, CommonOptions& common) { add_flags(app, common.read); }

void add_normalize_flag(CLI::App& app, CommonOptions& common) { add_flags(app, common.points); }

void add_picture_flags(CLI::App& app, picture::Options& options, CommonOptions& common) {
    add_flags(app, options, {"color", "names-by"});
    add_color_flags(app, common, true);
    add_names_flags(app, options, common);
}

std::function<void(Notice, const std::string&)> print_notices(bool quiet) {
    return [quiet](Notice kind, const std::string& sentence) {
        if (kind == Notice::warning) tell("warning: {}\n", sentence);
        if (kind == Notice::note && !quiet) tell("note: {}\n", sentence);
    };
}

void prepare(CommonOptions& common) {
    parse_device(common.device, common.run);
    if (!common.memory.empty()) common.run.memory = parse_bytes(common.memory);
    if (!common.report.empty()) {
        io::require_writable(common.report);
        note_memory_at_start(common.run.memory);
    }
    common.run.stop = stop_on_interrupt();
    common.run.on_progress = show_progress(common.quiet);
    common.run.on_notice = print_notices(common.quiet);
    const CheckpointOptions& wanted = common.checkpoint;
    if (wanted.checkpoint.empty() &&
        (wanted.resume || wanted.checkpoint_every != CheckpointOptions{}.checkpoint_every)) {
        const std::string option = wanted.resume ? "resume" : "checkpoint-every";
        throw Error(Fault::bad_input,
                    fmt::format("{} is given without a checkpoint; give its file: --checkpoint FILE", option),
                    {.option = option});
    }
}

Run run_of_method(const CommonOptions& common) {
    Run run = common.run;
    common.checkpoint.set(run);
    return run;
}

Run on_first_gpu(Run run) {
    if (run.gpus.size() > 1) run.gpus = {run.gpu()};
    return run;
}

std::string sentence_of(const fs::path& path, const io::Guess& guess) {
    return fmt::format("{} is read as {}{}: {}; --holds overrides this guess", path.string(),
                       guess.holds == io::Holds::graph ? "a " : "", name_of(guess.holds), guess.reason);
}

void print_guess(const CommonOptions& common, const fs::path& path, const io::Guess& guess) {
    if (guess.guessed && !common.quiet) tell("note: {}\n", sentence_of(path, guess));
}

void print_notes(const CommonOptions& common, const fs::path& path, const std::vector<io::Note>& notes) {
    for (const io::Note& note : notes) {
        common.said->push_back(fmt::format("{} is {}", path.string(), note.what));
        if (common.quiet) continue;
        const std::string flag = note.option.empty() ? "" : fmt::format("; --{} overrides this guess", note.option);
        tell("note: {}{}\n", common.said->back(), flag);
    }
}

void require_read(const CommonOptions& common, bool is_empty) {
    if (is_empty && common.run.stop.stop_requested()) throw Interrupted{};
}

void settle_holds(CommonOptions& common, const fs::path& input) {
    if (common.guess.holds != io::Holds::automatic) return;
    std::error_code unknown;
    if (fs::is_fifo(input, unknown)) {
        throw Error(Fault::bad_file,
                    fmt::format("'{}' is a pipe, which can be read once, and what it holds is looked at "
                                "first; write it to a file",
                                input.string()));
    }
    common.guess = io::guess(input, common.read, common.run);
    require_read(common, common.guess.holds == io::Holds::automatic);
    common.read.holds = common.guess.holds;
}

std::string stem_of(const fs::path& input) {
    fs::path name = input.has_filename() ? input.filename() : input.parent_path().filename();  // a folder with a slash
    if (name.extension() == ".gz" || name.extension() == ".xz") name = name.stem();
    return name.stem().string();
}

namespace {

constexpr std::string_view annotated = ".h5ad";

}  // namespace

bool is_annotated(const fs::path& path) { return path.extension() == annotated; }

fs::path array_of_map(const fs::path& map, const std::string& array) {
    if (array.empty()) return map;
    if (!is_annotated(map) && map.extension() != ".h5" && map.extension() != ".hdf5")
        throw Error(
            Fault::bad_input,
            fmt::format("--array is {}, and {} is no .h5ad with several maps; leave --array out", array, map.string()),
            {.option = "array"});
    return map.string() + ":" + array;
}

void write_map_file(const CommonOptions& common, const fs::path& path, const io::Points& points, const Map& map,
                    const fs::path& input, const std::string& method) {
    if (!is_annotated(path)) return io::write_map(path, {map, points.ids, points.labels});
    const std::vector<std::string> kept = io::write_obsm(path, input, {"X_" + method, map, points.array});
    if (!kept.empty() && !common.quiet)
        tell("note: {} keeps what it had in obsm: {}\n", path.string(), fmt::join(kept, ", "));
}

bool is_picture(const fs::path& path) { return contains(formats::pictures, path.extension().string()); }

void keep_failure(const CommonOptions& common) {
    if (!*common.failure) {
        *common.failure = std::current_exception();
        return;
    }
    try {
        throw;
    } catch (const std::exception& error) {
        tell("warning: {}\n", error.what());
    }
}

void throw_failure(const CommonOptions& common) {
    if (*common.failure) std::rethrow_exception(*common.failure);
}

Run run_of_picture(const CommonOptions& common) {
    Run run = common.run;
    if (run.stop.stop_requested()) run.stop = {};
    return run;
}

void require_output(const std::string& flag, const fs::path& path, std::string_view what, Extensions allowed) {
    if (!contains(allowed, path.extension().string())) {
        throw Error(Fault::bad_input,
                    fmt::format("{} {}: {} written as {}", flag, path.string(), what, listed(allowed)));
    }
    io::require_writable(path);
}

void require_apart(Inputs inputs, const CommonOptions& common, std::vector<Output> outputs) {
    inputs.insert(inputs.end(), {common.read.labels, common.names_from, common.names_by, common.label_colors});
    inputs.insert(inputs.end(), common.color.begin(), common.color.end());
    outputs.push_back({"--report", common.report});
    inputs.push_back(common.watch.steer);
    outputs.push_back({"--log", common.watch.log});
    if (!common.checkpoint.checkpoint.empty()) {
        const std::string file = io::target_of(common.checkpoint.checkpoint).string();
        outputs.push_back({"--checkpoint", common.checkpoint.checkpoint});
        for (const char* suffix : {".previous", ".lock"}) outputs.push_back({"--checkpoint", file + suffix});
    }
    std::error_code unknown;  // of a path that leads nowhere, which is an error where it is opened
    std::vector<fs::path> taken;
    for (const fs::path& path : inputs) {
        const fs::path file = io::split_file_column(path.string()).file;
        if (fs::is_regular_file(file, unknown)) taken.push_back(io::target_of(file));
    }
    const std::size_t read = taken.size();
    for (const auto& [flag, path] : outputs) {
        if (path.empty() || (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)))
            continue;  // a terminal or pipe may be written several times
        const fs::path place = io::target_of(path);
        const auto same = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), place) - taken.begin());
        if (same < read && is_annotated(path) && place == io::target_of(inputs.front())) continue;
        if (same < taken.size()) {
            throw Error(Fault::bad_input,
                        fmt::format("{} would be {}; give the file that is written another name: {} FILE",
                                    path.string(), same < read ? "read and overwritten" : "written twice", flag));
        }
        taken.push_back(place);
    }
}

void require_table(const std::string& flag, const fs::path& path) {
    require_output(flag, path, "it is", formats::tables);
}

void require_picture(const std::string& flag, const fs::path& path) {
    require_output(flag, path, "a picture is", formats::pictures);
}

std::vector<fs::path> outputs_of(const CommonOptions& common, const Inputs& inputs, bool of_graph) {
    std::vector<std::string_view> allowed(formats::maps.begin(), formats::maps.end());
    if (of_graph)
        allowed.insert(allowed.end(), formats::drawings.begin(),
                       formats::drawings.end() - 1);  // .json is already in maps
    allowed.insert(allowed.end(), formats::pictures.begin(), formats::pictures.end());
    if (is_annotated(inputs.front())) allowed.push_back(annotated);
    std::vector<fs::path> paths(common.outputs.begin(), common.outputs.end());
    if (paths.empty()) paths = {stem_of(inputs.front()) + ".map.csv", stem_of(inputs.front()) + ".map.png"};
    for (const fs::path& path : paths) require_output("--output", path, "a map is", allowed);
    require_apart(inputs, common, as_outputs(paths));
    return paths;
}

}  // namespace dunlin::app
