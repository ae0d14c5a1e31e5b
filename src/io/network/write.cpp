#include "io/fail.hpp"
#include "io/layout.hpp"
#include "io/map_write.hpp"
#include "io/network/draft.hpp"

namespace dunlin::io {

namespace {

/// A map as write_map writes it, and the edges of the file by the numbers of their vertices.
void write_json(Output& out, const Network& network, const Map& map) {
    write_open_json(out, {map, network.ids, network.labels});
    out.text(fmt::format(",\n\"directed\": {}", network.directed));
    out.text(",\n\"edges\": [");
    const EdgeList& edges = network.source->edges;
    const char* before = "[";
    for (const graph::Edge edge : edges.all()) {
        out.text(before);
        out.number(edge.source);
        out.character(',');
        out.number(edge.target);
        out.character(']');
        before = ",[";
    }
    out.character(']');
    if (network.weighted) {
        out.text(",\n\"weights\": ");
        char mark = '[';
        for (const float weight : edges.all_weights()) {
            out.character(mark);
            out.number(weight);
            mark = ',';
        }
        out.text(edges.ends.size() == 0 ? "[]" : "]");
    }
    out.text("}\n");
}

void check(const Network& network, const Map& map, const std::string& name) {
    if (network.source == nullptr || network.source->vertices != map.size()) {
        bad_input(
            "drawing for '{}': a map of {} vertices is given for a network of {}; give the two that belong together",
            name, map.size(), network.graph.size());
    }
    check_map({map, network.ids, network.labels}, name);
}

}  // namespace

void write_network(const std::filesystem::path& path, const Network& network, const Map& map) {
    check(network, map, path.string());
    const std::string extension = lower(path.extension().string());
    if (extension != ".json") bad_input("'{}' is no format of drawings by its extension; use .json", path.string());
    Output out(path);
    write_json(out, network, map);
    out.commit();
}

}  // namespace dunlin::io
