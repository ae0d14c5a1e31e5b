// SPDX-License-Identifier: Apache-2.0
#include "point_maps.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/partial_map.hpp>

#include "fixed.hpp"

namespace dunlin::app {

void refuse_graph(const fs::path& input) {
    for (const std::string_view extension : formats::networks) {
        if (input.extension() == extension || input.stem().extension() == extension) {  // x.dot, x.dot.gz
            throw Error(Fault::bad_input, fmt::format("{0} is a graph; dunlin layout {0} draws it", input.string()));
        }
    }
}

ColorColumn weights_of(const std::string& point_weights) {
    return point_weights.empty() ? ColorColumn{} : column_named("--point-weights", point_weights);
}

GivenFiles read_given(const CommonOptions& common, const Files& files, const std::string& point_weights,
                      const io::Points& points) {
    GivenFiles given;
    const Index n = points.values.rows();
    if (const fs::path file = file_of(files, "affinities"); !file.empty()) {
        given.affinities = io::read_graph(file, common.run);
        require_read(common, given.affinities.size() == 0);
    }
    if (const fs::path file = file_of(files, "anchor"); !file.empty()) {
        const io::MapFile anchors = io::read_partial_map(file, common.run);
        require_read(common, anchors.map.size() == 0);
        given.anchors = map_by_ids("--anchor", anchors, file, points.ids, n);
    }
    if (!point_weights.empty()) {
        const io::MapFile rows{{1, std::vector<float>(static_cast<std::size_t>(n))}, points.ids, {}, {}};
        for (const double weight : coloring_of(weights_of(point_weights), rows).values)
            given.point_weights.push_back(static_cast<float>(weight));
    }
    if (const fs::path file = file_of(files, "neighbors"); !file.empty()) {
        given.graph = io::read_graph(file, common.run);
        require_read(common, given.graph.size() == 0);
    }
    if (const fs::path file = file_of(files, "start"); !file.empty()) {
        given.start = io::read_map(file, common.run).map;
        require_read(common, given.start.size() == 0);
    }
    return given;
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

void add_point_picture_flags(CLI::App& app, picture::Options& options) {
    add_flags(app, options, {"color", "edge-width", "edge-alpha", "vertex-names"});
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
                                          const io::Points& points) {
    if (fixed.empty() && grow.empty()) return {};
    const fs::path& path = grow.empty() ? fixed : grow;
    const io::MapFile file = io::read_partial_map(path, common.run);
    require_read(common, file.map.size() == 0);
    const Map map = map_by_ids(grow.empty() ? "--fixed" : "--grow", file, path, points.ids, points.values.rows());
    return MapOfSome{map, grow.empty() ? descent::Continuation::fixed : descent::Continuation::grow};
}

void write_state(const fs::path& path, const io::Points& points, const Map& map, const placement::Options& options,
                 const Graph& lists, const Run& run) {
    const placement::Placer placer(points.values.view(), map, options, run, {.neighbors = &lists});
    if (placer.state().rows > 0) io::write_place_state(path, placer.state());
}

std::vector<fs::path> write_map_outputs(const CommonOptions& common, picture::Options style, const std::string& title,
                                        const std::vector<fs::path>& paths, const io::Points& points, const Map& map,
                                        const fs::path& input, const std::string& method) {
    if (style.title.empty()) style.title = title;
    const Run run = run_of_picture(common);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        if (!is_picture(path)) {
            write_map_file(common, path, points, map, input, method);
        } else if (!picture::draw(path, map, points.labels, points.ids, style, run)) {
            continue;
        }
        written.push_back(path);
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
