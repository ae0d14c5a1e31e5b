// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "io/dense.hpp"
#include "io/interner.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/vertex_names.hpp"
#include "io/network/weight_names.hpp"
#include "io/network/xml_file.hpp"

namespace dunlin::io {

namespace {

/// An attribute of nodes or edges: all <key>s of its name, of which there may be one per type.
class Attribute {
public:
    Attribute() = default;
    explicit Attribute(const XmlFile& file, const std::vector<pugi::xml_node>& keys = {}) : file_(&file) {
        for (const pugi::xml_node key : keys) add(key);
    }

    void add(pugi::xml_node key) {
        ids_.emplace_back(key.attribute("id").value());
        const pugi::xml_node otherwise = key.child("default");
        if (otherwise && otherwise_ == nullptr) otherwise_ = file_->text_of(otherwise);
    }

    [[nodiscard]] bool declared() const { return !ids_.empty(); }

    /// The value of an element, or nullptr.
    [[nodiscard]] const char* of(pugi::xml_node element) const {
        for (const std::string& id : ids_) {
            if (const pugi::xml_node data = data_of(element, id)) return file_->text_of(data);
        }
        return otherwise_;
    }

private:
    const XmlFile* file_ = nullptr;
    std::vector<std::string> ids_;
    const char* otherwise_ = nullptr;  ///< default, or null
};

/// An attribute of edges with weights.
struct WeightAttribute {
    std::size_t rank;  ///< of its name
    Attribute values;
};

/// The shape that yEd draws for a node, such as the <y:ShapeNode> in one of its data, and of a group the one of its
/// realizers that is active; null if there is none.
pugi::xml_node yed_shape(pugi::xml_node node) {
    for (const pugi::xml_node data : node.children()) {
        if (!is_called(data, "data")) continue;
        for (const pugi::xml_node shape : data.children()) {
            const pugi::xml_node realizers = child_called(shape, "Realizers");
            pugi::xml_node drawn = realizers ? realizers.first_child() : shape;
            for (int before = realizers.attribute("active").as_int(); before > 0 && drawn.next_sibling(); --before)
                drawn = drawn.next_sibling();
            if (child_called(drawn, "NodeLabel") || child_called(drawn, "Geometry")) return drawn;
        }
    }
    return {};
}

/// The text of the first label of a shape of yEd; nullptr if it has none.
const char* yed_label(const XmlFile& file, pugi::xml_node shape) {
    const pugi::xml_node label = child_called(shape, "NodeLabel");
    return label ? file.text_of(label) : nullptr;
}

/// The box of a shape of yEd, whose x and y are those of a corner.
NodeBoxes::NodeBox yed_box(pugi::xml_node shape) {
    const pugi::xml_node geometry = child_called(shape, "Geometry");
    const auto number = [&](const char* name) {
        const double value = number_in(geometry.attribute(name).as_string(nullptr));
        return std::isfinite(static_cast<float>(value)) ? value : std::numeric_limits<double>::quiet_NaN();
    };
    NodeBoxes::NodeBox box;
    const double width = number("width"), height = number("height");
    box.size = {static_cast<float>(width), static_cast<float>(height)};
    box.place[0] = number("x") + (width >= 0 ? width / 2 : 0);
    box.place[1] = number("y") + (height >= 0 ? height / 2 : 0);
    return box;
}

/// Without blanks and ends of lines at both ends.
std::string trimmed(const char* text) {
    const std::string_view all = text == nullptr ? "" : text;
    const std::size_t first = std::min(all.find_first_not_of(" \t\r\n"), all.size());
    return std::string(all.substr(first, all.find_last_not_of(" \t\r\n") + 1 - first));
}

/// Parser of a GraphML tree; edges may precede their nodes.
class GraphmlReader {
public:
    GraphmlReader(const XmlFile& file, const Bytes& bytes, const NetworkOptions& options)
        : file_(file), bytes_(bytes), options_(options) {}

    ParsedNetwork read() && {
        parsed_.network.kind = "graphml";
        for (const pugi::xml_node graph : file_.graphs) {
            parsed_.network.directed |= std::strcmp(graph.attribute("edgedefault").value(), "directed") == 0;
        }
        if (file_.hyperedges > 0) {
            parsed_.network.warnings.push_back(fmt::format("hyperedges that are left out: {}", file_.hyperedges));
        }
        read_nodes();
        read_edges();
        return std::move(parsed_);
    }

private:
    [[nodiscard]] Attribute of_nodes(const std::string& name) const {
        return Attribute(file_, file_.keys_of("node", name));
    }

    void read_nodes() {
        const Attribute x = of_nodes("x"), y = of_nodes("y"), z = of_nodes("z");
        const Attribute classes = options_.labels.empty() ? Attribute() : of_nodes(options_.labels);
        const Attribute label = of_nodes("label"), name = of_nodes("name");
        NodeBoxes placed;
        bool has_geometry = false;
        StringInterner words;
        std::vector<std::string> labels;
        for (const pugi::xml_node node : file_.nodes) {
            const pugi::xml_attribute id = node.attribute("id");
            if (!id) fail(node, "a node has no id; give it one");
            if (static_cast<Offset>(numbers_.size()) == most_items) fail(node, "there are too many nodes");
            if (!numbers_.emplace(id.value(), static_cast<Index>(numbers_.size())).second) {
                fail(node,
                     fmt::format("there is a second node with the id '{}'; ids have to differ", shown(id.value())));
            }
            parsed_.network.ids.emplace_back(id.value());
            const pugi::xml_node shape = yed_shape(node);
            NodeBoxes::NodeBox box = yed_box(shape);
            has_geometry |= box.placed();
            for (std::size_t d = 0; d < 3; ++d) {
                const double value = number_in((d == 0 ? x : d == 1 ? y : z).of(node));
                if (std::isfinite(static_cast<float>(value))) box.place[d] = value;
            }
            placed.add(box);
            const char* const shown_label = label.of(node) != nullptr ? label.of(node) : name.of(node);
            labels.push_back(trimmed(shown_label != nullptr ? shown_label : yed_label(file_, shape)));
            const char* const word = classes.of(node);
            if (classes.declared()) words.add(word == nullptr ? "" : word);
        }
        draw_labels(parsed_.network, std::move(labels));
        placed.settle(parsed_.network, placed.mean_size());
        if (has_geometry) {
            parsed_.network.notes.push_back(
                {"read with yEd's geometry, which a drawing written as .graphml keeps as it was, beside x and y", ""});
        }
        if (classes.declared()) parsed_.network.labels = std::move(words).labels();
        parsed_.source->vertices = static_cast<Index>(numbers_.size());
    }

    void read_edges() {
        const std::vector<WeightAttribute> weights = weight_attributes();
        parsed_.network.weighted = !weights.empty();
        Offset without = 0;
        UsedNames used;
        for (const pugi::xml_node edge : file_.edges) {
            parsed_.network.directed |= std::strcmp(edge.attribute("directed").value(), "true") == 0;
            const Index source = vertex(edge, "source"), target = vertex(edge, "target");
            parsed_.source->edges.add(source, target);
            if (!parsed_.network.weighted) continue;
            const char* text = nullptr;
            for (auto at = weights.begin(); text == nullptr && at != weights.end(); ++at) {
                text = at->values.of(edge);
                if (text != nullptr) used.add(at->rank);
            }
            without += text == nullptr ? 1 : 0;
            parsed_.source->edges.weights.push_back(text == nullptr ? 1 : weight(edge, text));
        }
        used.say(parsed_.network);
        say_without_weight(without, parsed_.network);
    }

    [[nodiscard]] float weight(pugi::xml_node edge, const char* text) const {
        const auto name = [&] {
            return fmt::format("{} {}", shown(edge.attribute("source").value()),
                               shown(edge.attribute("target").value()));
        };
        const double value = number_in(text);
        if (std::isnan(value)) no_weight(text, place(edge), name());
        return weight_of(value, [&] { return place(edge); }, name);
    }

    /// The keys that edges have: those for edges, and those of other elements that edges use, as Cytoscape writes them.
    [[nodiscard]] std::vector<pugi::xml_node> keys_of_edges() const {
        std::unordered_set<std::string_view> used, declared;
        for (const pugi::xml_node edge : file_.edges) {
            for (const pugi::xml_node data : edge.children()) {
                if (is_called(data, "data")) used.insert(data.attribute("key").value());
            }
        }
        std::vector<pugi::xml_node> keys;
        for (const pugi::xml_node key : file_.keys) {
            declared.insert(key.attribute("id").value());
            const std::string_view of = key.attribute("for").value();
            const bool of_edges = of == "edge" || of == "all" || of.empty();
            const bool known = of_edges && (key.child("default") || !options_.weights_from.empty());
            if (known || used.contains(key.attribute("id").value())) keys.push_back(key);
        }
        for (const std::string_view key : used) {
            if (!declared.contains(key))
                bad_file("'{}': edges have data of the key '{}', which no <key> declares; declare it", bytes_.name(),
                         shown(key));
        }
        // Keys for edges come first
        std::stable_partition(keys.begin(), keys.end(), [](pugi::xml_node key) {
            return std::strcmp(key.attribute("for").value(), "edge") == 0;
        });
        return keys;
    }

    /// The attributes with weights, the best first; keys whose names differ in spelling are one.
    [[nodiscard]] std::vector<WeightAttribute> weight_attributes() {
        if (ignores_weights(options_)) return {};
        const std::vector<pugi::xml_node> keys = keys_of_edges();
        std::vector<std::string> names;
        names.reserve(keys.size());
        for (const pugi::xml_node key : keys) names.emplace_back(name_of_key(key));
        std::vector<WeightAttribute> attributes;
        for (const std::size_t found : find_all_weights(names, options_)) {
            const std::size_t rank = weight_rank(names[found], options_);
            if (attributes.empty() || !are_spellings(attributes.back().rank, rank))
                attributes.push_back({rank, Attribute(file_)});
            attributes.back().values.add(keys[found]);
        }
        if (!attributes.empty()) return attributes;
        if (!options_.weights_from.empty()) {
            bad_option("weights-from", "'{}' declares no '{}' of edges; name a key that is there", bytes_.name(),
                       shown(options_.weights_from));
        }
        say_unused(keys);
        return {};
    }

    void say_unused(const std::vector<pugi::xml_node>& keys) {
        std::vector<std::string> numbers;
        for (const pugi::xml_node key : keys) {
            const std::string_view type = key.attribute("attr.type").value();
            const bool number = type == "int" || type == "long" || type == "float" || type == "double";
            if (number) numbers.emplace_back(name_of_key(key));
        }
        if (!numbers.empty()) parsed_.network.warnings.push_back(unused_numbers(numbers));
    }

    [[nodiscard]] Index vertex(pugi::xml_node edge, const char* end) const {
        const pugi::xml_attribute given = edge.attribute(end);
        const char* const id = given.value();
        const auto found = given ? numbers_.find(id) : numbers_.end();
        if (found != numbers_.end()) return found->second;
        fail(edge, !given ? fmt::format("an edge has no {}; give it one", end)
                          : fmt::format("the {} '{}' of an edge is the id of no node", end, shown(id)));
    }

    [[nodiscard]] FileLocation place(pugi::xml_node element) const {
        return place_in_xml(bytes_, element.offset_debug());
    }
    [[noreturn]] void fail(pugi::xml_node element, const std::string& what) const {
        bad_file("{}: {}", place(element), what);
    }

    const XmlFile& file_;
    const Bytes& bytes_;
    const NetworkOptions& options_;
    ParsedNetwork parsed_;
    std::unordered_map<std::string_view, Index> numbers_;
};

}  // namespace

ParsedNetwork parse_graphml(const Bytes& bytes, const NetworkOptions& options) {
    auto file = std::make_shared<XmlFile>(bytes);
    ParsedNetwork parsed = GraphmlReader(*file, bytes, options).read();
    parsed.source->xml = std::move(file);
    return parsed;
}

}  // namespace dunlin::io
