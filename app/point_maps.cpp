// SPDX-License-Identifier: Apache-2.0
#include "point_maps.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "fixed.hpp"

namespace dunlin::app {

void refuse_graph(const fs::path& input) {
    for (const std::string_view extension : formats::networks) {
        if (input.extension() == extension || input.stem().extension() == extension) {  // x.dot, x.dot.gz
            throw Error(Fault::bad_input, fmt::format("{0} is a graph; dunlin layout {0} draws it", input.string()));
        }
    }
}

GivenFiles read_given(const CommonOptions& common, const Files& files) {
    GivenFiles given;
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
    const io::MapFile file = io::read_map(path, common.run);
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
                                        const std::vector<fs::path>& paths, const io::Points& points, const Map& map) {
    if (style.title.empty()) style.title = title;
    const Run run = run_of_picture(common);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        if (!is_picture(path)) {
            io::write_map(path, {map, points.ids, points.labels});
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
