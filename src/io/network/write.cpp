// SPDX-License-Identifier: Apache-2.0
#include <dunlin/formats.hpp>

#include "io/fail.hpp"
#include "io/map_write.hpp"
#include "io/network/writers.hpp"

namespace dunlin::io {

namespace {

/// The network's source; without one, each edge of its graph once.
std::shared_ptr<const NetworkSource> source_of(const Network& network) {
    if (network.source != nullptr) return network.source;
    auto source = std::make_shared<NetworkSource>();
    source->vertices = network.graph.size();
    for (Index v = 0; v < network.graph.size(); ++v) {
        for (auto e = static_cast<std::size_t>(network.graph.offsets[static_cast<std::size_t>(v)]);
             e < static_cast<std::size_t>(network.graph.offsets[static_cast<std::size_t>(v) + 1]); ++e) {
            if (network.graph.targets[e] < v) continue;
            source->edges.add(v, network.graph.targets[e]);
            if (network.weighted) source->edges.weights.push_back(network.graph.weights[e]);
        }
    }
    return source;
}

/// A map on a line, at y = 0: positions in DOT, GraphML and GEXF have at least two coordinates.
Map in_plane(const Map& line) {
    Map plane{2, std::vector<float>(2 * line.coordinates.size())};
    for (std::size_t i = 0; i < line.coordinates.size(); ++i) plane.coordinates[2 * i] = line.coordinates[i];
    if (!line.origin.empty()) plane.origin = {line.origin.front(), 0};
    return plane;
}

void check(const Network& network, const NetworkSource& source, const Map& map, const std::string& name) {
    if (source.vertices != map.size()) {
        bad_input(
            "drawing for '{}': a map of {} vertices is given for a network of {}; give the two that belong together",
            name, map.size(), source.vertices);
    }
    check_map({map, network.ids, network.labels}, name);
}

}  // namespace

void write_json(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    write_open_json(out, {map, network.ids, network.labels});
    out.text(fmt::format(",\n\"directed\": {},\n\"edges\": [", network.directed));
    const EdgeList& edges = source.edges;
    const char* before = "[";
    for (const graph::Edge edge : edges.all()) {
        out.text(before);
        out.number(edge.source);
        out.character(',');
        out.number(edge.target);
        out.character(']');
        before = ",[";
    }
    if (network.weighted) {
        out.text("],\n\"weights\": [");
        before = "";
        for (const float weight : edges.all_weights()) {
            out.text(before);
            out.number(weight);
            before = ",";
        }
    }
    out.text("]}\n");
}

void write_network(const std::filesystem::path& path, const Network& network, const Map& map) {
    const std::shared_ptr<const NetworkSource> source = source_of(network);
    check(network, *source, map, path.string());
    const std::string extension = format_of(path, "a graph with its drawing is", formats::drawings);
    const auto write = extension == ".json"      ? write_json
                       : extension == ".graphml" ? write_graphml
                       : extension == ".gexf"    ? write_gexf
                                                 : write_dot;
    if (extension != ".json" && map.dim > 3)
        bad_input("'{}': a drawing in {} dimensions is written as .json", path.string(), map.dim);
    Output out(path);
    write(out, network, *source, extension != ".json" && map.dim == 1 ? in_plane(map) : map);
    out.commit();
}

}  // namespace dunlin::io
