// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "io/interner.hpp"
#include "io/network/named_edges.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/vertex_names.hpp"
#include "io/network/xml_file.hpp"

namespace dunlin::io {

namespace {

/// Whether an element is there for a time only.
bool is_timed(pugi::xml_node element) {
    for (const char* const name : {"start", "end", "startopen", "endopen", "timestamp", "timestamps", "intervals"}) {
        if (element.attribute(name)) return true;
    }
    return static_cast<bool>(child_called(element, "spells"));
}

/// The values of an edge: a later one of an attribute stands for its default.
class LatestValues {
public:
    using Value = std::pair<const char*, const char*>;  ///< id of the attribute, and value

    void set(const char* id, const char* value) {
        if (const std::size_t found = find(id); found < values_.size())
            values_[found].second = value;
        else
            values_.emplace_back(id, value);
    }
    [[nodiscard]] const std::vector<Value>& all() const { return values_; }

private:
    /// Most edges have a few; of many, an index is made.
    std::size_t find(const char* id) {
        constexpr std::size_t few = 16;
        if (values_.size() <= few) {
            const auto same = [id](const Value& value) { return std::strcmp(value.first, id) == 0; };
            return static_cast<std::size_t>(std::find_if(values_.begin(), values_.end(), same) - values_.begin());
        }
        while (index_.size() < values_.size()) index_.emplace(values_[index_.size()].first, index_.size());
        const auto found = index_.find(id);
        return found == index_.end() ? values_.size() : found->second;
    }

    std::vector<Value> values_;
    std::unordered_map<std::string_view, std::size_t> index_;
};

constexpr std::size_t most_defaults = 512;

/// The attributes of nodes or of edges that a GEXF file declares.
class GexfAttributes {
public:
    GexfAttributes(const std::string& file, pugi::xml_node graph, const char* of) {
        for (const pugi::xml_node list : graph.children()) {
            if (!is_called(list, "attributes") || std::strcmp(list.attribute("class").value(), of) != 0) continue;
            for (const pugi::xml_node attribute : list.children()) {
                if (is_called(attribute, "attribute")) add(attribute);
            }
        }
        if (defaults_.size() > most_defaults) {
            bad_file("'{}': more than {} attributes have defaults, which each element has; leave some out", file,
                     most_defaults);
        }
    }

    /// Whether an attribute has this title or id.
    [[nodiscard]] bool has(const std::string& name) const {
        return std::any_of(titles_.begin(), titles_.end(),
                           [&](const auto& entry) { return entry.second == name || entry.first == name; });
    }
    /// The title of the attribute with this id, else the id.
    [[nodiscard]] const char* title(const char* id) const {
        const auto found = titles_.find(id);
        return found == titles_.end() || *found->second == '\0' ? id : found->second;
    }
    [[nodiscard]] const std::vector<std::pair<const char*, const char*>>& defaults() const { return defaults_; }

private:
    void add(pugi::xml_node attribute) {
        const char* const id = attribute.attribute("id").value();
        titles_[id] = attribute.attribute("title").value();
        if (const pugi::xml_node value = child_called(attribute, "default"))
            defaults_.emplace_back(id, value.child_value());
    }

    std::unordered_map<std::string_view, const char*> titles_;   ///< by id
    std::vector<std::pair<const char*, const char*>> defaults_;  ///< id and value
};

/// Parser of a GEXF tree; edges may precede their nodes.
class GexfReader {
public:
    GexfReader(const XmlFile& file, const Bytes& bytes, const NetworkOptions& options)
        : file_(file),
          bytes_(bytes),
          options_(options),
          of_nodes_(bytes.name(), file.graphs[0], "node"),
          of_edges_(bytes.name(), file.graphs[0], "edge"),
          edges_(bytes, options) {
        parsed_.network.kind = "gexf";
    }

    ParsedNetwork read() && {
        if (file_.graphs.size() > 1) fail(file_.graphs[1], "there is a second graph; keep each in a file of its own");
        has_classes_ = !options_.labels.empty() && of_nodes_.has(options_.labels);
        for (const pugi::xml_node node : file_.nodes) read_node(node);
        const char* const otherwise = file_.graphs[0].attribute("defaultedgetype").value();
        for (const pugi::xml_node edge : file_.edges) read_edge(edge, otherwise);
        settle();
        return std::move(parsed_);
    }

private:
    void read_node(pugi::xml_node node) {
        const pugi::xml_attribute id = node.attribute("id");
        if (!id) fail(node, "a node has no id; give it one");
        if (vertices_.find(id.value()) != VertexTable::none) {
            fail(node, fmt::format("there is a second node with the id '{}'; ids have to differ", shown(id.value())));
        }
        vertices_.of(id.value());
        labels_.emplace_back(node.attribute("label").value());
        placed_.add(box_of(node));
        timed_ |= is_timed(node);
        nested_ |= node.attribute("pid") || child_called(node, "nodes");
        if (has_classes_) classes_.add(class_of(node));
    }

    static NodeBoxes::NodeBox box_of(pugi::xml_node node) {
        NodeBoxes::NodeBox box;
        const auto number = [](pugi::xml_node element, const char* name) {
            const double value = number_in(element.attribute(name).as_string(nullptr));
            return std::isfinite(static_cast<float>(value)) ? value : std::numeric_limits<double>::quiet_NaN();
        };
        const pugi::xml_node place = child_called(node, "position");
        box.place = {number(place, "x"), number(place, "y"), number(place, "z")};
        // Gephi draws a disc of this radius
        const auto radius = static_cast<float>(number(child_called(node, "size"), "value"));
        box.size = {2 * radius, 2 * radius};
        return box;
    }

    std::string class_of(pugi::xml_node node) {
        std::string found;
        each_value(node, of_nodes_, [&](const char* id, const char* value) {
            if (options_.labels == id || options_.labels == of_nodes_.title(id)) found = value;
        });
        return found;
    }

    /// Calls use(id, value) for the attributes of an element: first the defaults, then its own.
    template <class Use>
    void each_value(pugi::xml_node element, const GexfAttributes& attributes, const Use& use) {
        for (const auto& [id, value] : attributes.defaults()) use(id, value);
        for (const pugi::xml_node value : child_called(element, "attvalues").children()) {
            if (!is_called(value, "attvalue")) continue;
            const pugi::xml_attribute of = value.attribute("for");
            if (is_timed(value))
                timed_ = true;
            else
                use((of ? of : value.attribute("id")).value(), value.attribute("value").value());
        }
    }

    void read_edge(pugi::xml_node element, const char* otherwise) {
        NamedEdge edge;
        edge.source = element.attribute("source").value();
        edge.target = element.attribute("target").value();
        edge.place =
            bytes_.begin() + std::clamp<std::ptrdiff_t>(element.offset_debug(), 0, bytes_.end() - bytes_.begin());
        const pugi::xml_attribute type = element.attribute("type");
        const char* const kind = type ? type.value() : otherwise;
        parsed_.network.directed |= std::strcmp(kind, "directed") == 0 || std::strcmp(kind, "mutual") == 0;
        timed_ |= is_timed(element);
        if (const pugi::xml_attribute weight = element.attribute("weight")) offer(edge, "weight", weight.value());
        LatestValues values;
        each_value(element, of_edges_, [&](const char* id, const char* value) { values.set(id, value); });
        for (const auto& [id, value] : values.all()) offer(edge, of_edges_.title(id), value);
        edges_.add(edge);
    }

    void offer(NamedEdge& edge, const char* name, const char* value) {
        edges_.offer(edge, name, number_in(value), value);
    }

    void settle() {
        edges_.join(vertices_, parsed_);
        name_vertices(parsed_.network, vertices_.names(), std::move(labels_));
        placed_.flatten();
        placed_.settle(parsed_.network, placed_.mean_size());
        if (has_classes_) parsed_.network.labels = std::move(classes_).labels();
        std::vector<std::string>& warnings = parsed_.network.warnings;
        timed_ |= std::strcmp(file_.graphs[0].attribute("mode").value(), "dynamic") == 0;
        if (timed_)
            warnings.push_back("times of nodes, edges and values are left out: the graph has those of all times");
        if (nested_) warnings.push_back("the hierarchy of nodes is left out: all are vertices of one graph");
    }

    [[noreturn]] void fail(pugi::xml_node element, const std::string& what) const {
        bad_file("{}: {}", place_in_xml(bytes_, element.offset_debug()), what);
    }

    const XmlFile& file_;
    const Bytes& bytes_;
    const NetworkOptions& options_;
    ParsedNetwork parsed_;
    GexfAttributes of_nodes_, of_edges_;
    VertexTable vertices_;
    NamedEdges edges_;
    std::vector<std::string> labels_;
    NodeBoxes placed_;
    StringInterner classes_;
    bool has_classes_ = false, timed_ = false, nested_ = false;
};

}  // namespace

ParsedNetwork parse_gexf(const Bytes& bytes, const NetworkOptions& options) {
    auto file = std::make_shared<XmlFile>(bytes, "GEXF");
    ParsedNetwork parsed = GexfReader(*file, bytes, options).read();
    parsed.source->gexf = std::move(file);
    return parsed;
}

}  // namespace dunlin::io
