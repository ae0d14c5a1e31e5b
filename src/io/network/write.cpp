#include "io/fail.hpp"
#include "io/layout.hpp"
#include "io/map_write.hpp"
#include "io/network/writers.hpp"

namespace dunlin::io {

namespace {

void check(const Network& network, const Map& map, const std::string& name) {
    if (network.source == nullptr || network.source->vertices != map.size()) {
        bad_input(
            "drawing for '{}': a map of {} vertices is given for a network of {}; give the two that belong together",
            name, map.size(), network.graph.size());
    }
    check_map({map, network.ids, network.labels}, name);
}

}  // namespace

void write_json(Output& out, const Network& network, const Map& map) {
    write_open_json(out, {map, network.ids, network.labels});
    out.text(fmt::format(",\n\"directed\": {},\n\"edges\": [", network.directed));
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
    check(network, map, path.string());
    const std::string extension = lower(path.extension().string());
    const auto write = extension == ".json"                        ? write_json
                       : extension == ".graphml"                   ? write_graphml
                       : extension == ".dot" || extension == ".gv" ? write_dot
                                                                   : nullptr;
    if (write == nullptr) {
        bad_input("'{}' is no format of drawings by its extension; use .dot, .gv, .graphml or .json", path.string());
    }
    Output out(path);
    write(out, network, map);
    out.commit();
}

}  // namespace dunlin::io
