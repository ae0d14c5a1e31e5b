// SPDX-License-Identifier: Apache-2.0
#include "point_maps.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/map_origin.hpp>
#include <dunlin/partial_map.hpp>

#include "item_names.hpp"
#include "matched.hpp"

namespace dunlin::app {

void refuse_graph(const fs::path& input) {
    if (formats::is_graph_extension(input.extension().string()) ||
        formats::is_graph_extension(input.stem().extension().string()))  // x.dot, x.dot.gz
        throw Error(Fault::bad_input, fmt::format("{0} is a graph; dunlin layout {0} draws it", input.string()));
}

void require_dim(int dim, const char* flag, const Map& map) {
    if (map.coordinates.empty() || map.dim == dim) return;
    throw Error(Fault::bad_input,
                fmt::format("--dim is {}, and the map of {} has {} dimensions, which the map keeps; leave --dim out",
                            dim, flag, map.dim),
                {.option = "dim"});
}

void require_watchable(const CommonOptions& common, int dim) {
    if (!common.watch.watch || dim <= 3) return;
    throw Error(Fault::bad_input,
                fmt::format("--watch shows maps of up to 3 dimensions, and this one has {}; leave it out, and draw the "
                            "map when it is done",
                            dim),
                {.option = "watch"});
}

io::FileColumn weights_of(const std::string& point_weights) {
    return point_weights.empty() ? io::FileColumn{} : column_named("--point-weights", point_weights);
}

GivenFiles read_given(const CommonOptions& common, const Files& files, const std::string& point_weights,
                      const io::NamedRows& rows, const std::optional<MapOfSome>& some) {
    GivenFiles given;
    io::CommonOrigin origin;
    if (some) origin.take(some->map);
    if (const fs::path file = file_of(files, "affinities"); !file.empty()) {
        given.affinities = matched_graph(common, file, rows);
    }
    if (const fs::path file = file_of(files, "anchor"); !file.empty()) {
        const io::MapFile anchors = io::read_partial_map(file, common.run, origin.given());
        origin.take(anchors.map);
        require_read(common, anchors.map.size() == 0);
        print_notes(common, file, anchors.notes);
        given.anchors = map_of_some(common, "--anchor", anchors, file, rows);
    }
    if (!point_weights.empty()) {
        const io::FileColumn column = weights_of(point_weights);
        const std::vector<double> weights = matched_column(common, column, rows, io::Lonely::refused).values;
        for (std::size_t row = 0; row < weights.size(); ++row) {
            if (!std::isfinite(weights[row])) {
                throw Error(Fault::bad_file, fmt::format("{}: the weight of row {} of {} is missing; give it one",
                                                         column.file.string(), row + 1, rows.name));
            }
            given.point_weights.push_back(static_cast<float>(weights[row]));
        }
    }
    if (const fs::path file = file_of(files, "neighbors"); !file.empty()) {
        given.graph = matched_graph(common, file, rows);
    }
    if (const fs::path file = file_of(files, "start"); !file.empty()) {
        io::MapFile start = io::read_map(file, common.run, origin.given());
        origin.take(start.map);
        require_read(common, start.map.size() == 0);
        print_notes(common, file, start.notes);
        given.start = matched_map(common, std::move(start), file, rows).map;
    }
    given.origin = origin.of_result();
    return given;
}

void settle_options(PointsCommand<umap::Options>& command) {
    if (!command.state.empty()) placement::require_placeable(command.options);
}

void settle_options(PointsCommand<tsne::Options>& command) {
    if (command.files.contains("anchor")) command.options.anchor = tsne::Anchor::given;
    if (command.state.empty()) return;
    placement::require_placeable(command.options);
    const auto refuse = [](bool is_set, const char* flag) {
        if (is_set) {
            throw Error(Fault::bad_input,
                        fmt::format("--state is given beside {0}, but new points are placed only in maps whose "
                                    "affinities follow from the points; leave {0} or --state out",
                                    flag));
        }
    };
    refuse(command.files.contains("affinities"), "--affinities");
    refuse(!command.point_weights.empty(), "--point-weights");
}

void add_point_picture_flags(CLI::App& app, picture::Options& options, CommonOptions& common) {
    add_flags(app, options, {"color", "edge-width", "edge-alpha", "vertex-names", "names-by"});
    add_names_flags(app, options, common);
    add_color_flags(app, common, false);
}

void add_continuing_flags(CLI::App& app, fs::path& fixed, fs::path& grow, fs::path& state) {
    CLI::Option* held = app.add_option("--fixed", fixed,
                                       "map of some points, matched by id, or of the first ones; they stay where they "
                                       "are, the others are placed and optimized around them");
    CLI::Option* grown = app.add_option("--grow", grow,
                                        "map of some points, matched by id, or of the first ones; the others are "
                                        "placed, then all are optimized, for fewer iterations than a new map");
    held->type_name("FILE")->excludes(grown);
    grown->type_name("FILE")->excludes(held);
    app.add_option("--state", state, "write what dunlin transform needs of this map, as .npz")->type_name("FILE");
}

std::optional<MapOfSome> read_map_of_some(const CommonOptions& common, const fs::path& fixed, const fs::path& grow,
                                          const io::NamedRows& rows) {
    if (fixed.empty() && grow.empty()) return {};
    const fs::path& path = grow.empty() ? fixed : grow;
    const io::MapFile file = io::read_partial_map(path, common.run);
    require_read(common, file.map.size() == 0);
    print_notes(common, path, file.notes);
    const Map map = map_of_some(common, grow.empty() ? "--fixed" : "--grow", file, path, rows);
    return MapOfSome{map, grow.empty() ? descent::Continuation::fixed : descent::Continuation::grow};
}

void write_state(const fs::path& path, const io::Points& points, const Map& map, const placement::Options& options,
                 const Graph& lists, const Run& run) {
    const placement::Placer placer(points.values.view(), map, options, run, {.neighbors = &lists});
    if (placer.state().rows > 0) io::write_place_state(path, placer.state());
}

PictureColors colors_of_points(const CommonOptions& common, const fs::path& input, const io::Points& points,
                               picture::Options& style) {
    const std::vector<ColorChoice> choices = color_of(common, input, common.read.labels, style);
    refuse_graph_colors(choices, input);
    return colors_of(common, choices, rows_of(input, points), points.labels);
}

std::vector<fs::path> write_map_outputs(const CommonOptions& common, picture::Options style, const std::string& title,
                                        const std::vector<fs::path>& paths, const io::Points& points,
                                        const PictureColors& colors, const Map& map, const fs::path& input,
                                        const std::string& method, const Map* below) {
    if (style.title.empty()) style.title = title;
    const Run run = run_of_picture(common);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        add_output(common, written, path, [&] {
            if (is_picture(path) && below != nullptr)
                return picture::draw_placed(path, *below, map, colors.labels, points.ids, style, run,
                                            colors.values ? &*colors.values : nullptr);
            if (is_picture(path)) return draw(path, colors, {}, map, points.ids, style, run);
            write_map_file(common, path, points, map, input, method);
            return true;
        });
    }
    return written;
}

std::string title_of(const std::string& title, const fs::path& input, Index n, const Cost& cost, const Json& quality) {
    std::string text = fmt::format("{} {}, {} points", title, stem_of(input), n);
    if (quality.value(cost.key, Json()).is_number())
        text += fmt::format(", {} {:.3f}", cost.title, quality[cost.key].get<double>());
    if (quality.contains("trustworthiness")) {
        text += fmt::format(", trustworthiness {:.3f}", quality["trustworthiness"].get<double>());
    }
    return text;
}

}  // namespace dunlin::app
