// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/network.hpp>
#include <dunlin/options.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/run.hpp>

/// What the subcommands share: options, reading, writing.
namespace dunlin::app {

namespace fs = std::filesystem;

struct CommonOptions {
    std::vector<std::string> outputs;
    std::string report;
    std::string device = "auto";
    std::string memory;
    bool quiet = false;
    Run run;
    io::ReadOptions read;
    io::Guess guess;  ///< what INPUT holds, where the command asks (settle_holds)
};

/// A subcommand's work; the value is the exit code.
using Action = std::function<int()>;

void add_common_flags(CLI::App& app, CommonOptions& common, bool has_outputs = true);
void add_read_flags(CLI::App& app, CommonOptions& common);
/// A file of points, required, under this name, and the flags of reading it; `or_else`: what the help adds.
void add_points(CLI::App& app, const char* name, fs::path& input, CommonOptions& common,
                const std::string& or_else = "");

/// Flags of the picture, whose values are checked before any work is done.
void add_picture_flags(CLI::App& app, picture::Options& options);

/// Fills shared.run from the flags (device, memory, stop on Ctrl-C, progress). Throws Error{bad_input}.
void prepare(CommonOptions& common);

/// Settles what the input holds, by --holds or a guess: shared.guess, and shared.read.holds for the readers.
void settle_holds(CommonOptions& common, const fs::path& input);

/// "edges.txt is read as a graph: two columns of whole numbers; --holds overrides this guess"
std::string sentence_of(const fs::path& path, const io::Guess& guess);

/// Prints a line on standard error, unless --quiet, for each thing that a reader guessed.
void print_guess(const CommonOptions& common, const fs::path& path, const io::Guess& guess);
void print_notes(const CommonOptions& common, const fs::path& path, const std::vector<io::Note>& notes);

/// Throws Interrupted if a stop was requested and left nothing of what was read.
void require_read(const CommonOptions& common, bool is_empty);

/// What read() returns; the guess by which it reads is printed then, or told by the Error that it throws.
auto read_as_guessed(const CommonOptions& common, const fs::path& path, const auto& read) {
    try {
        auto result = read();
        print_guess(common, path, common.guess);
        return result;
    } catch (const Error& error) {
        if (!common.guess.guessed) throw;
        throw Error(error.fault(), std::string(error.what()) + " (" + sentence_of(path, common.guess) + ")",
                    error.place());
    }
}

/// digits.csv.gz -> digits
std::string stem_of(const fs::path& input);

/// All files that a command reads: its input first, then those that its flags name, which may be empty.
using Inputs = std::vector<fs::path>;

/// The outputs named, or STEM.map.csv and STEM.map.png in the current directory. Throws before any work is done if an
/// extension is not among those of maps (and of graphs, where the input is one), if one cannot be written, or if they
/// are not apart (require_apart).
std::vector<fs::path> outputs_of(const CommonOptions& common, const Inputs& inputs, bool of_graph = false);
bool is_picture(const fs::path& path);

/// The run of a picture. A stop that came before it leaves it alone: it shows what there is.
Run run_of_picture(const CommonOptions& common);

using Extensions = std::span<const std::string_view>;
/// Throws if this flag's file has none of these extensions, saying "`what` written as ...", or it cannot
/// be written.
void require_output(const std::string& flag, const fs::path& path, std::string_view what, Extensions allowed);
/// A file that is written, and the flag that may give it another name.
struct Output {
    std::string flag;
    fs::path path;
};
/// These files, all by the flag --output.
std::vector<Output> as_outputs(auto&& paths) {
    std::vector<Output> outputs;
    outputs.reserve(std::size(paths));
    for (const auto& path : paths) outputs.push_back({"--output", fs::path(path)});
    return outputs;
}
/// Throws if a file would be written that the command reads, or one twice; --report and --labels are looked at, too.
/// Empty paths are none.
void require_apart(Inputs inputs, const CommonOptions& common, std::vector<Output> outputs);
/// For what is written as .csv, .tsv or .npy.
void require_table(const std::string& flag, const fs::path& path);
void require_picture(const std::string& flag, const fs::path& path);

/// The file given to a flag that takes a word or a file; empty: a word.
inline fs::path file_of(const std::map<std::string, fs::path>& files, const std::string& name) {
    const auto found = files.find(name);
    return found == files.end() ? fs::path() : found->second;
}

/// Whether a metric stays the same when every row is shifted.
bool allows_shift(neighbors::Metric metric);

/// Throws Error{bad_file} with the row and column of a number in these points, as read from `path`, whose size is
/// beyond `largest`.
void require_up_to(float largest, const fs::path& path, const io::Points& points);

/// What work() returns. Where it refuses the points for such a number, their file is at fault.
auto blame_file(const fs::path& path, const io::Points& points, float largest, auto work) {
    try {
        return work();
    } catch (const Error& error) {
        if (error.fault() == Fault::bad_input) require_up_to(largest, path, points);
        throw;
    }
}

/// Reads points; for metrics that a shift would change, the columns' offsets are put back.
io::Points read_input(const fs::path& input, const CommonOptions& common, bool metric_allows_shift);
/// The same for this metric. One number added to all columns changes no correlation: of offsets that columns share
/// nothing is put back, which would cost digits.
io::Points read_input(const fs::path& input, const CommonOptions& common, neighbors::Metric metric);

}  // namespace dunlin::app
