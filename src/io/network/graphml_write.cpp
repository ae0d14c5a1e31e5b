// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "io/map_origin.hpp"
#include "io/network/writers.hpp"
#include "io/network/xml_file.hpp"
#include "io/network/xml_text.hpp"
#include "io/number_text.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

constexpr const char* axes[] = {"x", "y", "z"};

/// Whether all of `text` is a number.
bool is_number_text(const char* text) { return !std::isnan(number_in(text)); }

/// Whether a key can have the type double: no element but nodes, whose values are replaced, has another text there.
bool can_be_double(const XmlFile& file, pugi::xml_node key) {
    const std::string id = key.attribute("id").value();
    const auto fits = [&](pugi::xml_node element) {
        const pugi::xml_node data = data_of(element, id);
        return !data || is_number_text(data.child_value());
    };
    return std::all_of(file.edges.begin(), file.edges.end(), fits) &&
           std::all_of(file.graphs.begin(), file.graphs.end(), fits);
}

/// Declares a key of a coordinate with an id of its own.
pugi::xml_node new_key_of_axis(XmlFile& file, const char* axis) {
    std::unordered_set<std::string> taken;
    for (const pugi::xml_node key : file.keys) taken.insert(key.attribute("id").value());
    std::string id = axis;
    while (taken.contains(id)) id.insert(0, "dunlin_");
    pugi::xml_node key = file.graphs[0].parent().insert_child_before("key", file.graphs[0]);
    for (const auto& [name, value] :
         {std::pair{"id", id.c_str()}, {"for", "node"}, {"attr.name", axis}, {"attr.type", "double"}}) {
        key.append_attribute(name).set_value(value);
    }
    file.keys.push_back(key);
    return key;
}

/// Gives a key the type double, which coordinates have, and removes a default that is no number.
void make_double(pugi::xml_node key) {
    pugi::xml_attribute type = key.attribute("attr.type");
    if (!type) type = key.append_attribute("attr.type");
    if (std::strcmp(type.value(), "float") != 0) type.set_value("double");
    const pugi::xml_node otherwise = key.child("default");
    if (otherwise && !is_number_text(otherwise.child_value())) key.remove_child(otherwise);
}

/// The id of the key of a coordinate, whose type takes its values; declares it if necessary. A key of this name that
/// other elements use for something else stays for them, and nodes have the new one alone.
std::string key_of_axis(XmlFile& file, const char* axis) {
    pugi::xml_node chosen;
    for (pugi::xml_node key : file.keys_of("node", axis)) {
        if (!chosen && can_be_double(file, key)) {
            chosen = key;
            continue;
        }
        const std::string id = key.attribute("id").value();
        for (pugi::xml_node node : file.nodes) node.remove_child(data_of(node, id));
    }
    if (chosen)
        make_double(chosen);
    else
        chosen = new_key_of_axis(file, axis);
    return chosen.attribute("id").value();
}

void put_axis(XmlFile& file, int axis, const Map& map) {
    const std::string key = key_of_axis(file, axes[axis]);
    for (Index v = 0; v < map.size(); ++v) {
        pugi::xml_node data = data_of(file.nodes[at(v)], key);
        if (!data) {
            data = file.nodes[at(v)].append_child("data");
            data.append_attribute("key").set_value(key.c_str());
        }
        data.text().set(coordinate_text(map, v, axis).c_str());
    }
}

/// Removes the z of an older 3-D drawing.
void forget_axis(XmlFile& file, const char* axis) {
    for (const pugi::xml_node key : file.keys_of("node", axis)) {
        const std::string id = key.attribute("id").value();
        for (pugi::xml_node node : file.nodes) node.remove_child(data_of(node, id));
    }
}

/// Writes the network's source file with the coordinates in its nodes.
void write_tree(Output& out, XmlFile& file, const Map& map) {
    for (int d = 0; d < map.dim; ++d) put_axis(file, d, map);
    if (map.dim == 2) forget_axis(file, "z");
    write_document(out, file);
}

void write_key(Output& out, const char* kind, const char* name, const char* type) {
    out.text(fmt::format("  <key id=\"{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n", kind, name, type));
}

void write_data(Output& out, const char* key, std::string_view text) {
    out.text(fmt::format("<data key=\"{}\">", key));
    write_escaped(out, text);
    out.text("</data>");
}

void write_plain(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    const XmlNames names(network);
    out.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (int d = 0; d < map.dim; ++d) write_key(out, "node", axes[d], "double");
    if (names.are_numbers()) write_key(out, "node", "label", "string");
    if (!network.labels.empty()) write_key(out, "node", "class", "string");
    if (network.weighted) write_key(out, "edge", "weight", "double");
    out.text(fmt::format("  <graph edgedefault=\"{}\">\n", network.directed ? "directed" : "undirected"));
    for (Index v = 0; v < map.size(); ++v) {
        out.text("    <node id=\"");
        names.write(out, v);
        out.text("\">");
        for (int d = 0; d < map.dim; ++d) write_data(out, axes[d], coordinate_text(map, v, d));
        if (names.are_numbers()) write_data(out, "label", network.ids[at(v)]);
        if (!network.labels.empty() && network.labels.of[at(v)] != no_label)
            write_data(out, "class", network.labels.names[at(network.labels.of[at(v)])]);
        out.text("</node>\n");
    }
    const EdgeList& edges = source.edges;
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
        out.text("    <edge source=\"");
        names.write(out, edges.all()[e].source);
        out.text("\" target=\"");
        names.write(out, edges.all()[e].target);
        out.text("\">");
        if (network.weighted) write_data(out, "weight", plain_decimal(edges.all_weights()[e]));
        out.text("</edge>\n");
    }
    out.text("  </graph>\n</graphml>\n");
}

}  // namespace

void write_graphml(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    if (XmlFile* const file = source.xml.get()) return write_tree(out, *file, map);
    write_plain(out, network, source, map);
}

}  // namespace dunlin::io
