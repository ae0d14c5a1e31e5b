// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "io/dense.hpp"
#include "io/interner.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/weight_names.hpp"
#include "io/network/xml_file.hpp"

namespace dunlin::io {

namespace {

/// An attribute of nodes or edges, declared by a <key>.
struct Key {
    std::string id;                   ///< empty: not declared
    const char* otherwise = nullptr;  ///< default, or null

    /// The value of an element, or nullptr.
    [[nodiscard]] const char* of(pugi::xml_node element) const {
        if (id.empty()) return nullptr;
        const pugi::xml_node data = data_of(element, id);
        return data ? data.child_value() : otherwise;
    }
};

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
    /// The first of these names that is declared for nodes or edges.
    [[nodiscard]] Key key(const char* kind, std::initializer_list<std::string> names) const {
        for (const std::string& name : names) {
            const pugi::xml_node key = file_.key_of(kind, name), otherwise = key.child("default");
            if (key) return {key.attribute("id").value(), otherwise ? otherwise.child_value() : nullptr};
        }
        return {};
    }

    /// The key of a coordinate: of several, the first that a node has.
    [[nodiscard]] Key key_of_axis(const char* axis) const {
        for (const pugi::xml_node key : file_.keys_of("node", axis)) {
            const std::string id = key.attribute("id").value();
            if (std::any_of(file_.nodes.begin(), file_.nodes.end(), [&](auto node) { return data_of(node, id); }))
                return {id, key.child("default") ? key.child("default").child_value() : nullptr};
        }
        return key("node", {axis});
    }

    void read_nodes() {
        const Key x = key_of_axis("x"), y = key_of_axis("y"), z = key_of_axis("z");
        const Key classes = options_.labels.empty() ? Key{} : key("node", {options_.labels});
        NodeBoxes placed;
        StringInterner words;
        for (const pugi::xml_node node : file_.nodes) {
            const pugi::xml_attribute id = node.attribute("id");
            if (!id) fail(node, "a node has no id; give it one");
            if (static_cast<Offset>(numbers_.size()) == most_items) fail(node, "there are too many nodes");
            if (!numbers_.emplace(id.value(), static_cast<Index>(numbers_.size())).second) {
                fail(node,
                     fmt::format("there is a second node with the id '{}'; ids have to differ", shown(id.value())));
            }
            parsed_.network.ids.emplace_back(id.value());
            NodeBoxes::NodeBox box;
            for (std::size_t d = 0; d < 3; ++d) {
                const auto value = static_cast<float>(number_in((d == 0 ? x : d == 1 ? y : z).of(node)));
                if (std::isfinite(value)) box.place[d] = value;
            }
            placed.add(box);
            const char* const word = classes.of(node);
            if (!classes.id.empty()) words.add(word == nullptr ? "" : word);
        }
        placed.settle(parsed_.network);
        if (!classes.id.empty()) parsed_.network.labels = std::move(words).labels();
        parsed_.source->vertices = static_cast<Index>(numbers_.size());
    }

    void read_edges() {
        const Key weights = weight_key();
        parsed_.network.weighted = !weights.id.empty();
        Offset without = 0;
        for (const pugi::xml_node edge : file_.edges) {
            parsed_.network.directed |= std::strcmp(edge.attribute("directed").value(), "true") == 0;
            const Index source = vertex(edge, "source"), target = vertex(edge, "target");
            parsed_.source->edges.add(source, target);
            if (!parsed_.network.weighted) continue;
            const char* const text = weights.of(edge);
            without += text == nullptr ? 1 : 0;
            parsed_.source->edges.weights.push_back(weight_of(
                text == nullptr ? 1 : number_in(text), [&] { return place(edge); },
                [&] {
                    return fmt::format("{} {}", shown(edge.attribute("source").value()),
                                       shown(edge.attribute("target").value()));
                }));
        }
        say_without_weight(without, parsed_.network);
    }

    /// The keys that edges have: those for edges, and those of other elements that edges use, as Cytoscape writes them.
    [[nodiscard]] std::vector<pugi::xml_node> keys_of_edges() const {
        std::unordered_set<std::string_view> used;
        for (const pugi::xml_node edge : file_.edges) {
            for (const pugi::xml_node data : edge.children()) {
                if (is_called(data, "data")) used.insert(data.attribute("key").value());
            }
        }
        std::vector<pugi::xml_node> keys;
        for (const pugi::xml_node key : file_.keys) {
            const std::string_view of = key.attribute("for").value();
            const bool of_edges = of == "edge" || of == "all" || of.empty();
            const bool known = of_edges && (key.child("default") || !options_.weights_from.empty());
            if (known || used.contains(key.attribute("id").value())) keys.push_back(key);
        }
        // Keys for edges come first
        std::stable_partition(keys.begin(), keys.end(), [](pugi::xml_node key) {
            return std::strcmp(key.attribute("for").value(), "edge") == 0;
        });
        return keys;
    }

    [[nodiscard]] Key weight_key() {
        if (ignores_weights(options_)) return {};
        const std::vector<pugi::xml_node> keys = keys_of_edges();
        std::vector<std::string> names;
        for (const pugi::xml_node key : keys) names.emplace_back(name_of_key(key));
        const std::size_t found = find_weights(names, options_);
        if (found < keys.size()) {
            const pugi::xml_node otherwise = keys[found].child("default");
            return {keys[found].attribute("id").value(), otherwise ? otherwise.child_value() : nullptr};
        }
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
