// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "matched.hpp"
#include "streams.hpp"

namespace dunlin::app {

io::MapFile in_order_of(const CommonOptions& common, io::MapFile map, const fs::path& map_path,
                        const io::Network& network, const fs::path& graph_path) {
    const std::vector<std::string> names = io::vertex_names(network);
    if (network.kind == "mtx" && !std::ranges::equal(map.ids, names))
        print_notes(common, graph_path, {{"a matrix, whose vertices have the ids 1 to n", ""}});
    io::MapFile ordered =
        matched_map(common, std::move(map), map_path, {graph_path.string(), network.graph.size(), names});
    ordered.ids = network.ids;
    return ordered;
}

Map scaled(Map map, float factor) {
    for (float& coordinate : map.coordinates) coordinate *= factor;
    for (double& axis : map.origin) axis *= static_cast<double>(factor);
    return map;
}

void print_notes(const CommonOptions& common, const fs::path& path, const io::Network& network) {
    print_notes(common, path, network.notes);
    if (common.quiet) return;
    for (const std::string& warning : network.warnings) tell("note: {}: {}\n", path.string(), warning);
}

void refuse_graph_style(const picture::Options& picture, const fs::path& input) {
    const picture::Options none;
    std::string flag;
    if (picture.color != none.color) flag = "--color";
    if (picture.edge_width != none.edge_width) flag = "--edge-width";
    if (picture.edge_alpha != none.edge_alpha) flag = "--edge-alpha";
    if (picture.vertex_names != none.vertex_names) flag = "--vertex-names";
    if (flag.empty()) return;
    throw Error(Fault::bad_input,
                fmt::format("{} is for graphs, and {} holds none; leave it out", flag, input.string()));
}

void write_drawing(const fs::path& path, const io::Network& network, const Map& map) {
    const std::string extension = path.extension().string();
    if (std::find(formats::drawings.begin(), formats::drawings.end(), extension) == formats::drawings.end())
        return io::write_map(path, {map, network.ids, network.labels});
    const bool in_points = extension == ".dot" || extension == ".gv";
    io::write_network(path, network, in_points ? scaled(map, points_per_unit) : map);
}

}  // namespace dunlin::app
