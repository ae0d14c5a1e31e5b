// SPDX-License-Identifier: Apache-2.0
#include <dunlin/density.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <dunlin/arrays.hpp>
#include <dunlin/formats.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "matched.hpp"
#include "report.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct DensityCommand {
    fs::path map;
    CommonOptions common;
    density::Options options;
    std::string values, peaks;
};

std::vector<fs::path> check_outputs(DensityCommand& command, const std::optional<io::FileColumn>& column) {
    std::vector<std::string>& outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.map) + ".density.npy"};
    for (const std::string& output : outputs) require_output("--output", output, "a density is", formats::tables);
    std::vector<Output> all = as_outputs(outputs);
    if (!command.peaks.empty()) {
        require_table("--peaks", command.peaks);
        all.push_back({"--peaks", command.peaks});
    }
    require_apart({command.map, column ? column->file : fs::path()}, command.common, all);
    return {outputs.begin(), outputs.end()};
}

/// What is subtracted from values far from zero, such as seconds since 1970, whose mean float32 would not tell apart.
double offset_of(const std::vector<double>& values) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double value : values) least = std::fmin(least, value), most = std::fmax(most, value);
    constexpr double far = 256;
    return std::isfinite(least) && std::abs(least) > far * (most - least) ? least : 0;
}

/// An array whose axes are those of the map, the last in sequence; its values plus an offset.
io::DoubleArray array_of(const ScalarField& field, double offset) {
    const auto [nx, ny, nz] = field.nodes;
    io::DoubleArray array;
    for (int a = 0; a < field.dim; ++a)
        array.shape.push_back(static_cast<std::uint64_t>(field.nodes[static_cast<std::size_t>(a)]));
    array.values.reserve(field.values.size());
    for (Index x = 0; x < nx; ++x) {
        for (Index y = 0; y < ny; ++y) {
            for (Index z = 0; z < nz; ++z) {
                const Offset node = x + nx * (y + Offset{ny} * z);
                array.values.push_back(static_cast<double>(field.values[static_cast<std::size_t>(node)]) + offset);
            }
        }
    }
    return array;
}

/// .npy: an array of nodes along x, y[, z]; tables: a row per node.
void write_field(const fs::path& path, const ScalarField& field, double offset) {
    if (path.extension() == ".npy") return io::write_array(path, array_of(field, offset));
    const auto [nx, ny, nz] = field.nodes;
    std::vector<double> values(field.values.begin(), field.values.end());
    for (double& value : values) value += offset;
    std::vector<std::vector<double>> axes(static_cast<std::size_t>(field.dim));
    for (Offset node = 0; node < field.size(); ++node) {
        const Offset places[3] = {node % nx, node / nx % ny, node / nx / ny % nz};
        for (int a = 0; a < field.dim; ++a)
            axes[static_cast<std::size_t>(a)].push_back(field.coordinate(a, static_cast<double>(places[a])));
    }
    io::Columns columns;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        columns.names.emplace_back(1, "xyz"[a]);
        columns.values.emplace_back(axes[a]);
    }
    columns.names.emplace_back("value");
    columns.values.emplace_back(values);
    io::write_columns(path, columns);
}

void write_peaks(const fs::path& path, const std::vector<density::Peak>& peaks, int dim) {
    std::vector<std::vector<double>> values(static_cast<std::size_t>(dim) + 2);
    for (const density::Peak& peak : peaks) {
        for (std::size_t a = 0; a + 2 < values.size(); ++a) values[a].push_back(peak.position[a]);
        values[values.size() - 2].push_back(peak.height);
        values.back().push_back(peak.prominence);
    }
    io::Columns columns;
    for (int a = 0; a < dim; ++a) columns.names.emplace_back(1, "xyz"[a]);
    columns.names.insert(columns.names.end(), {"height", "prominence"});
    for (const auto& column : values) columns.values.emplace_back(column);
    io::write_columns(path, columns);
}

Json bands_json(const std::vector<density::Band>& bands, double offset = 0) {
    Json all = Json::array();
    for (const density::Band& band : bands)
        all.push_back({{"percentage", band.percentage}, {"level", band.level + offset}, {"points", band.points}});
    return all;
}

Json quality_of(const density::Result& result, const std::vector<density::Peak>& peaks, double offset) {
    const ScalarField& field = result.field;
    const auto axes = static_cast<std::size_t>(field.dim);
    Json quality{{"mass", result.mass},
                 {"nodes", std::vector<Index>(field.nodes.begin(), field.nodes.begin() + field.dim)},
                 {"origin", std::vector<double>(field.origin.data(), field.origin.data() + axes)},
                 {"spacing", field.spacing},
                 {"bands", bands_json(result.bands)}};
    if (!result.mean_bands.empty()) quality["mean_bands"] = bands_json(result.mean_bands, offset);
    if (!result.mean.values.empty()) quality["missing"] = result.missing;
    quality["peaks"] = peaks.size();
    return quality;
}

void print_summary(const density::Result& result, const std::vector<density::Peak>& peaks) {
    const auto [nx, ny, nz] = result.field.nodes;
    const std::string layers = result.field.dim == 3 ? fmt::format(" x {}", nz) : "";
    put("{} x {}{} nodes {:.4g} apart, bandwidth {:.4g}; {} peaks\n", nx, ny, layers, result.field.spacing,
        *result.options.bandwidth, peaks.size());
    for (const density::Band& band : result.bands)
        put("{:g}% of the points are where the density is at least {:.4g}\n", band.percentage, band.level);
}

int run_density(DensityCommand& command) {
    prepare(command.common);
    std::optional<io::FileColumn> column;
    if (!command.values.empty()) column = column_named("--values", command.values, "", command.map);
    const std::vector<fs::path> outputs = check_outputs(command, column);
    Stopwatch watch;
    const io::MapFile file = io::read_map(command.map, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, command.map, file.notes);
    picture::Coloring values;
    if (column)
        values = coloring_of(*column,
                             matched_column(command.common, *column, rows_of(command.map, file), io::Lonely::allowed));
    const double offset = offset_of(values.values);
    for (double& value : values.values) value -= offset;
    StageSeconds spent{.read = watch.lap()};
    const density::Result result =
        density::estimate(file.map, command.options, command.common.run, {.values = values.values});
    watch.lap();
    if (result.stopped == Stopped::cancelled) return interrupted;
    Run on_cpu = command.common.run;
    on_cpu.device = Device::cpu;
    const std::vector<density::Peak> peaks = density::peaks(result.field, 0, on_cpu);
    spent.score = watch.lap();
    std::vector<fs::path> written;
    for (const fs::path& path : outputs) {
        add_output(command.common, written, path,
                   [&] { write_field(path, column ? result.mean : result.field, offset); });
    }
    if (!command.peaks.empty()) {
        add_output(command.common, written, command.peaks, [&] { write_peaks(command.peaks, peaks, file.map.dim); });
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    Json report = report_of({"density", "gaussian", {{"path", command.map.string()}, {"kind", "map"}}},
                            outcome_as_json(result), spent, quality_of(result, peaks, offset));
    report["input"]["rows"] = file.map.size();
    report["input"]["dim"] = file.map.dim;
    if (column) report["values"] = {{"path", column->file.string()}, {"column", values.name}};
    return finish(command.common, report, written, result.stopped, [&] { print_summary(result, peaks); });
}

}  // namespace

void add_density(CLI::App& app, Action& action) {
    auto command = std::make_shared<DensityCommand>();
    CLI::App* sub = app.add_subcommand("density", "density of a map on a grid, its regions and peaks");
    sub->add_option("MAP", command->map, "the map: " + formats::help_of(formats::map) + ", of 2 or 3 dimensions")
        ->required();
    add_common_flags(*sub, command->common);
    add_flags(*sub, command->options);
    sub->add_option("--values", command->values,
                    "write the mean of a column of a file (name or 1-based number) instead of the density")
        ->type_name("FILE:COLUMN");
    sub->add_option("--peaks", command->peaks, "write the peaks, their heights and prominences: .csv .tsv .npy")
        ->type_name("FILE");
    sub->callback([&action, command] { action = [command] { return run_density(*command); }; });
}

}  // namespace dunlin::app
