// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/network.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/options.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/run.hpp>

/// Options, reading and writing common to the subcommands.
namespace dunlin::app {

namespace fs = std::filesystem;

/// --watch and its flags; --steer and --log.
struct WatchFlags {
    bool watch = false, no_open = false;
    std::optional<int> port;
    fs::path steer, log;
};

struct CommonOptions {
    std::vector<std::string> outputs;
    std::string report;
    std::string device = "auto";
    std::string memory;
    bool quiet = false;
    Run run;
    CheckpointOptions checkpoint;  ///< of the method, whose run is run_of_method
    WatchFlags watch;
    io::ReadOptions read;
    NormalizeOptions points;
    io::Guess guess;                       ///< what INPUT holds, set by settle_holds
    std::string names_from, names_by;      ///< FILE:COLUMN, of names of items and of what orders them; empty: none
    bool refuses_dissimilarities = false;  ///< read_input throws for points that look like a matrix of dissimilarities
    /// Messages about files, for the report. Copies of the options share the list.
    std::shared_ptr<std::vector<std::string>> said = std::make_shared<std::vector<std::string>>();
    /// The error of the first output that could not be written. Copies of the options share it.
    std::shared_ptr<std::exception_ptr> failure = std::make_shared<std::exception_ptr>();
    std::vector<std::string> color = {"labels"};  ///< of pictures: words, or FILE:COLUMN (colors.hpp)
    fs::path label_colors;                        ///< of pictures: the file of --colors
};

/// Runs a subcommand; returns the exit code.
using Action = std::function<int()>;

void add_common_flags(CLI::App& app, CommonOptions& common, bool has_outputs = true);
/// Adds --checkpoint, --checkpoint-every and --resume.
void add_checkpoint_flags(CLI::App& app, CommonOptions& common);
void add_read_flags(CLI::App& app, CommonOptions& common);
/// Adds --normalize, which read_input() follows.
void add_normalize_flag(CLI::App& app, CommonOptions& common);
/// Adds a required file of points with this name, and the flags of reading it. `or_else` is appended to the help.
void add_points(CLI::App& app, const char* name, fs::path& input, CommonOptions& common,
                const std::string& or_else = "");

/// Adds the flags of the picture, whose values are checked before any work is done, and --color.
void add_picture_flags(CLI::App& app, picture::Options& options, CommonOptions& common);

/// Sets common.run from the flags (device, memory, stop on Ctrl-C, progress). Throws Error{bad_input}.
void prepare(CommonOptions& common);

/// Prints what a run says: warnings, and notes unless it is quiet.
std::function<void(Notice, const std::string&)> print_notices(bool quiet);

/// The run of the method: with its checkpoint, which reading, scores and pictures do not have.
Run run_of_method(const CommonOptions& common);

/// The run with the first of its GPUs, for what one GPU does.
Run on_first_gpu(Run run);

/// Determines what the input holds from --holds or a guess. Sets common.guess, and common.read.holds for the readers.
void settle_holds(CommonOptions& common, const fs::path& input);

/// "edges.txt is read as a graph: two columns of whole numbers; --holds overrides this guess"
std::string sentence_of(const fs::path& path, const io::Guess& guess);

/// Prints one line per guess of a reader on standard error, unless --quiet.
void print_guess(const CommonOptions& common, const fs::path& path, const io::Guess& guess);
void print_notes(const CommonOptions& common, const fs::path& path, const std::vector<io::Note>& notes);

/// Throws Interrupted if a stop was requested and the input is empty.
void require_read(const CommonOptions& common, bool is_empty);

/// Calls read() and returns its result. Prints the guess of what the input holds, or appends it to an Error.
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

/// Whether a file is an annotated matrix (.h5ad), which keeps all else when a map is written into it.
bool is_annotated(const fs::path& path);
/// MAP with --array, as io::read_map() takes it: FILE:NAME. Throws for a file that holds one map.
fs::path array_of_map(const fs::path& map, const std::string& array);

/// All files that a command reads: its input, then those of its flags, which may be empty.
using Inputs = std::vector<fs::path>;

/// The given outputs, or STEM.map.csv and STEM.map.png in the current directory. Throws if an extension is not among
/// those of maps (and of graphs or .h5ad, if the input is one), if a file cannot be written, or if files coincide
/// (require_apart).
std::vector<fs::path> outputs_of(const CommonOptions& common, const Inputs& inputs, bool of_graph = false);
bool is_picture(const fs::path& path);
/// Writes the map of points by its extension; .h5ad: the input with the map as obsm/X_METHOD.
void write_map_file(const CommonOptions& common, const fs::path& path, const io::Points& points, const Map& map,
                    const fs::path& input, const std::string& method);

/// Keeps the current exception, of an output, for throw_failure(); tells it if another is kept.
void keep_failure(const CommonOptions& common);
/// Throws the exception that is kept, if any.
void throw_failure(const CommonOptions& common);

/// Writes an output by write(), which may return false if there is none, and adds it to `written`. An exception is
/// kept, as one output that fails must not lose the others; finish() throws it.
void add_output(const CommonOptions& common, std::vector<fs::path>& written, const fs::path& path, const auto& write) {
    try {
        if constexpr (std::is_void_v<decltype(write())>) {
            write();
        } else if (!write()) {
            return;
        }
        written.push_back(path);
    } catch (const std::exception&) {
        keep_failure(common);
    }
}

/// The run of a picture. Ignores an earlier stop, so that the picture shows the map so far.
Run run_of_picture(const CommonOptions& common);

using Extensions = std::span<const std::string_view>;
/// Throws if the flag's file has none of these extensions ("`what` written as ..."), or cannot be written.
void require_output(const std::string& flag, const fs::path& path, std::string_view what, Extensions allowed);
/// An output file and the flag that sets its name.
struct Output {
    std::string flag;
    fs::path path;
};
/// Makes an Output of the flag --output from each path.
std::vector<Output> as_outputs(auto&& paths) {
    std::vector<Output> outputs;
    outputs.reserve(std::size(paths));
    for (const auto& path : paths) outputs.push_back({"--output", fs::path(path)});
    return outputs;
}
/// Throws if an output is also an input or another output, with those of --report, --checkpoint and --labels. Ignores
/// empty paths, and the map that is added to an input of .h5ad.
void require_apart(Inputs inputs, const CommonOptions& common, std::vector<Output> outputs);
/// require_output for .csv, .tsv and .npy.
void require_table(const std::string& flag, const fs::path& path);
void require_picture(const std::string& flag, const fs::path& path);

/// The file given to a flag that takes a name or a file; empty: a name was given.
inline fs::path file_of(const std::map<std::string, fs::path>& files, const std::string& name) {
    const auto found = files.find(name);
    return found == files.end() ? fs::path() : found->second;
}

/// The offsets of columns that a metric does not depend on.
ColumnOffsets offsets_of(neighbors::Metric metric);

/// Throws Error{bad_file} with row and column if the magnitude of a number, as read from `path`, exceeds `largest`.
void require_up_to(float largest, const fs::path& path, const io::Points& points);

/// Calls work() and returns its result. Converts an error about such a number to one about the file.
auto blame_file(const fs::path& path, const io::Points& points, float largest, auto work) {
    try {
        return work();
    } catch (const Error& error) {
        if (error.fault() == Fault::bad_input) require_up_to(largest, path, points);
        throw;
    }
}

/// Reads points and scales their columns as --normalize says. Notes a column whose scale rules the others.
io::Points read_input(const fs::path& input, const CommonOptions& common,
                      ColumnOffsets offsets = ColumnOffsets::subtract);

/// Rows such as centers of these points, to be written in the units that the points had.
io::Points in_units_of(const io::Points& frame, Matrix rows);

/// Reads points whose columns are put in the order of others with these names, those of `first` (io::read_points_like).
io::Points read_input_like(const fs::path& input, const CommonOptions& common, const fs::path& first,
                           const std::vector<std::string>& columns);

/// Points, and rows that are compared with them.
struct PointsAndQueries {
    io::Points points, queries;
};
/// Reads two files of rows. The queries get the shift and the scales of the points, so that equal rows stay equal.
PointsAndQueries read_inputs(const fs::path& input, const fs::path& queries, const CommonOptions& common,
                             neighbors::Metric metric);

}  // namespace dunlin::app
