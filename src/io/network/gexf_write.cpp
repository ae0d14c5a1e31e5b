// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>

#include "colors/color.hpp"
#include "io/map_origin.hpp"
#include "io/network/writers.hpp"
#include "io/network/xml_file.hpp"
#include "io/network/xml_text.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

// Version 1.2, which Gephi and NetworkX read
constexpr const char* gexf_space = "http://www.gexf.net/1.2draft";
constexpr const char* viz_space = "http://www.gexf.net/1.2draft/viz";
constexpr const char* axes[] = {"x", "y", "z"};

/// The longer side of the box around the places of a map that has some.
float extent_of(const Map& map) {
    float longest = 0;
    for (int d = 0; d < std::min(map.dim, 2); ++d) {
        float least = std::numeric_limits<float>::infinity(), most = -least;
        for (Index v = 0; v < map.size(); ++v) {
            const float x = map.coordinates[at(Offset{v} * map.dim + d)];
            if (!std::isfinite(x)) continue;
            least = std::min(least, x);
            most = std::max(most, x);
        }
        longest = std::max(longest, most - least);
    }
    return longest;
}

/// The look of vertices in Gephi.
class GexfLook {
public:
    GexfLook(const Network& network, const Map& map)
        : network_(network), radius_(usual_radius(map)), scale_(scale_of(network, map)) {}

    /// The radius of a disc: that of the file, in the unit of the map, else one at which vertices are apart.
    [[nodiscard]] float radius(Index vertex) const {
        if (network_.sizes.empty()) return radius_;
        return scale_ * radius_of(network_.sizes[at(vertex)]);
    }
    /// Whether discs have the sizes of the file as they are.
    [[nodiscard]] bool keeps_sizes() const { return !network_.sizes.empty() && scale_ == 1; }
    [[nodiscard]] bool has_colors() const { return !network_.labels.empty(); }
    [[nodiscard]] picture::Color color(Index vertex) const {
        const Index label = network_.labels.of[at(vertex)];
        const bool has_own = label != no_label && at(label) < picture::palette.size();
        return has_own ? picture::palette[at(label)] : picture::other_color;
    }

private:
    static float radius_of(VertexSize size) { return std::max(size.width, size.height) / 2; }

    /// What brings sizes into the unit of the map. They are in another one where a disc is larger than the map, or
    /// discs lie more than four deep; then map and places of the file have the same extent, or, of a file without
    /// places, the largest disc is a twentieth of the map.
    static float scale_of(const Network& network, const Map& map) {
        const float extent = extent_of(map);
        if (!(extent > 0 && std::isfinite(extent)) || network.sizes.empty()) return 1;
        double area = 0;
        float largest = 0;
        for (const VertexSize size : network.sizes) {
            const double radius = static_cast<double>(radius_of(size));
            area += std::numbers::pi * radius * radius;
            largest = std::max(largest, radius_of(size));
        }
        constexpr double deepest = 4;
        constexpr float widest = 1.5F;  // a disc that reaches from corner to corner
        const double side = static_cast<double>(extent + 2 * largest);
        if (largest <= widest * extent && area <= deepest * side * side) return 1;
        const float before = extent_of(network.start);
        constexpr float share = 1.0F / 20;
        return before > 0 ? extent / before : share * extent / largest;
    }

    /// A fraction of the distance of neighbors on a grid that fills the map.
    static float usual_radius(const Map& map) {
        if (map.size() == 0) return 1;
        float area = 1, longest = 0;
        for (int d = 0; d < 2; ++d) {
            float least = map.coordinates[at(d)], most = least;
            for (Index v = 0; v < map.size(); ++v) {
                const float x = map.coordinates[at(Offset{v} * map.dim + d)];
                least = std::min(least, x);
                most = std::max(most, x);
            }
            area *= std::sqrt(std::max(most - least, 0.0F));
            longest = std::max(longest, most - least);
        }
        constexpr float share = 0.2F;
        const float side = std::max(area, 0.1F * longest);  // a map on a line has no area
        const float radius = share * side / std::sqrt(static_cast<float>(map.size()));
        return radius > 0 && std::isfinite(radius) ? radius : 1;
    }

    const Network& network_;
    float radius_;
    float scale_;  ///< of the sizes of the file
};

void write_viz(Output& out, const GexfLook& look, const Map& map, Index v) {
    out.text("<viz:position");
    for (int d = 0; d < map.dim; ++d) out.text(fmt::format(" {}=\"{}\"", axes[d], coordinate_text(map, v, d)));
    out.text(fmt::format("/><viz:size value=\"{:.6g}\"/>", look.radius(v)));
    if (!look.has_colors()) return;
    const picture::Color color = look.color(v);
    out.text(fmt::format("<viz:color r=\"{}\" g=\"{}\" b=\"{}\"/>", color.r, color.g, color.b));
}

void write_nodes(Output& out, const Network& network, const Map& map, const XmlNames& names) {
    const GexfLook look(network, map);
    const std::vector<std::string>& labels = names_to_draw(network);
    if (look.has_colors()) {
        out.text(
            "    <attributes class=\"node\"><attribute id=\"class\" title=\"class\" type=\"string\"/></attributes>\n");
    }
    out.text("    <nodes>\n");
    for (Index v = 0; v < map.size(); ++v) {
        out.text("      <node id=\"");
        names.write(out, v);
        out.text("\" label=\"");
        labels.empty() ? out.number(v) : write_escaped(out, labels[at(v)]);
        out.text("\">");
        if (look.has_colors() && network.labels.of[at(v)] != no_label) {
            out.text("<attvalues><attvalue for=\"class\" value=\"");
            write_escaped(out, network.labels.names[at(network.labels.of[at(v)])]);
            out.text("\"/></attvalues>");
        }
        write_viz(out, look, map, v);
        out.text("</node>\n");
    }
    out.text("    </nodes>\n");
}

void write_edges(Output& out, const Network& network, const EdgeList& edges, const XmlNames& names) {
    out.text("    <edges>\n");
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
        out.text(fmt::format("      <edge id=\"{}\" source=\"", e));
        names.write(out, edges.all()[e].source);
        out.text("\" target=\"");
        names.write(out, edges.all()[e].target);
        out.text("\"");
        if (network.weighted) out.text(fmt::format(" weight=\"{}\"", edges.all_weights()[e]));
        out.text("/>\n");
    }
    out.text("    </edges>\n");
}

void write_plain(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    const XmlNames names(network);
    out.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.text(fmt::format("<gexf xmlns=\"{}\" xmlns:viz=\"{}\" version=\"1.2\">\n", gexf_space, viz_space));
    out.text(fmt::format("  <graph mode=\"static\" defaultedgetype=\"{}\">\n",
                         network.directed ? "directed" : "undirected"));
    write_nodes(out, network, map, names);
    write_edges(out, network, source.edges, names);
    out.text("  </graph>\n</gexf>\n");
}

/// The prefix with a colon of the elements of a drawing, which the root declares; declares one if necessary.
std::string viz_prefix(pugi::xml_node root) {
    for (const pugi::xml_attribute attribute : root.attributes()) {
        const std::string_view value = attribute.value();
        if (std::strncmp(attribute.name(), "xmlns:", 6) == 0 && value.find("/viz") != std::string_view::npos)
            return std::string(attribute.name() + 6) + ":";
    }
    std::string space = root.attribute("xmlns").value();
    root.append_attribute("xmlns:viz").set_value((space.empty() ? viz_space : space += "/viz").data());
    return "viz:";
}

/// Writes the network's source file with the drawing in its nodes.
class GexfTree {
public:
    GexfTree(XmlFile& file, const Network& network, const Map& map)
        : file_(file), network_(network), map_(map), look_(network, map), prefix_(viz_prefix(root(file))) {}

    void put() {
        for (Index v = 0; v < map_.size(); ++v) put_vertex(file_.nodes[at(v)], v);
    }

private:
    static pugi::xml_node root(XmlFile& file) { return file.document.document_element(); }

    pugi::xml_node element(pugi::xml_node node, const char* name) const {
        const pugi::xml_node found = child_called(node, name);
        return found ? found : node.append_child((prefix_ + name).c_str());
    }

    static void set(pugi::xml_node element, const char* name, const std::string& value) {
        pugi::xml_attribute attribute = element.attribute(name);
        if (!attribute) attribute = element.append_attribute(name);
        attribute.set_value(value.c_str());
    }

    void put_vertex(pugi::xml_node node, Index v) {
        pugi::xml_node position = element(node, "position");
        for (int d = 0; d < map_.dim; ++d) set(position, axes[d], coordinate_text(map_, v, d));
        if (map_.dim == 2) position.remove_attribute("z");
        if (!look_.keeps_sizes()) set(element(node, "size"), "value", fmt::format("{:.6g}", look_.radius(v)));
        if (!look_.has_colors()) return;
        const picture::Color color = look_.color(v);
        const pugi::xml_node colored = element(node, "color");
        set(colored, "r", fmt::format("{}", color.r));
        set(colored, "g", fmt::format("{}", color.g));
        set(colored, "b", fmt::format("{}", color.b));
    }

    XmlFile& file_;
    const Network& network_;
    const Map& map_;
    GexfLook look_;
    std::string prefix_;
};

}  // namespace

void write_gexf(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    XmlFile* const file = source.gexf.get();
    if (file == nullptr) return write_plain(out, network, source, map);
    GexfTree(*file, network, map).put();
    write_document(out, *file);
}

}  // namespace dunlin::io
