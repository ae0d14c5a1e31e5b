// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

namespace dunlin::app {

io::MapFile in_order_of(io::MapFile map, const fs::path& map_path, const io::Network& network,
                        const fs::path& graph_path) {
    if (map.map.size() != network.graph.size()) {
        throw Error(Fault::bad_file,
                    fmt::format("{} has {} points and {} has {} vertices; they must agree", map_path.string(),
                                map.map.size(), graph_path.string(), network.graph.size()));
    }
    if (map.ids.empty() || map.ids == network.ids) return map;
    std::unordered_map<std::string_view, Index> row_of;
    for (Index row = 0; row < map.map.size(); ++row) row_of[map.ids[static_cast<std::size_t>(row)]] = row;
    io::MapFile ordered{{map.map.dim, {}}, network.ids, {{}, map.labels.names}};
    for (Index v = 0; v < network.graph.size(); ++v) {
        const std::string id = network.ids.empty() ? std::to_string(v) : network.ids[static_cast<std::size_t>(v)];
        const auto row = row_of.find(id);
        if (row == row_of.end()) {
            throw Error(Fault::bad_file, fmt::format("{} has no point '{}', which is a vertex of {}", map_path.string(),
                                                     id, graph_path.string()));
        }
        const auto place = map.map.view().row(row->second);
        ordered.map.coordinates.insert(ordered.map.coordinates.end(), place.begin(), place.end());
        if (!map.labels.empty()) ordered.labels.of.push_back(map.labels.of[static_cast<std::size_t>(row->second)]);
    }
    return ordered;
}

Map scaled(Map map, float factor) {
    for (float& coordinate : map.coordinates) coordinate *= factor;
    return map;
}

void print_notes(const CommonOptions& common, const fs::path& path, const io::Network& network) {
    print_notes(common, path, network.notes);
    if (common.quiet) return;
    for (const std::string& warning : network.warnings) fmt::print(stderr, "note: {}: {}\n", path.string(), warning);
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
