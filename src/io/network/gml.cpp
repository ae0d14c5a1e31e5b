// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <utility>

#include "io/interner.hpp"
#include "io/network/gml_pairs.hpp"
#include "io/network/named_edges.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/vertex_names.hpp"

namespace dunlin::io {

namespace {

using KeyValue = GmlPairs::KeyValue;
using Kind = GmlPairs::Kind;

/// Parser of the graph of a GML file; edges may precede their vertices.
class GmlReader {
public:
    GmlReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), options_(options), pairs_(bytes), edges_(bytes, options) {
        parsed_.network.kind = "gml";
    }

    ParsedNetwork read() && {
        bool seen = false;
        for (KeyValue pair; pairs_.next(pair);) {
            if (pair.key != "graph" || pair.kind != Kind::list) {
                pass_over(pair);
                continue;
            }
            if (seen) pairs_.fail(pair.place, "there is a second graph; keep each in a file of its own");
            seen = true;
            read_graph();
        }
        if (!seen) bad_file("'{}' holds no graph; GML says graph [ node [ id 1 ] ... ]", bytes_.name());
        edges_.join(vertices_, parsed_);
        settle_names();
        placed_.settle(parsed_.network, placed_.mean_size());
        if (const Offset without = placed_.without_size(); without > 0 && !parsed_.network.sizes.empty()) {
            parsed_.network.warnings.push_back(
                fmt::format("vertices without a size, which have the mean of the others: {}", without));
        }
        if (has_classes_) parsed_.network.labels = std::move(classes_).labels();
        return std::move(parsed_);
    }

private:
    void pass_over(const KeyValue& pair) {
        if (pair.kind == Kind::list) pairs_.skip_list();
    }

    void read_graph() {
        for (KeyValue pair; pairs_.next(pair);) {
            if (pair.key == "directed") parsed_.network.directed = pair.number == 1;
            if (pair.key == "node" && pair.kind == Kind::list)
                read_node(pair.place);
            else if (pair.key == "edge" && pair.kind == Kind::list)
                read_edge(pair.place);
            else
                pass_over(pair);
        }
    }

    void read_node(const char* place) {
        std::string_view id, label, name, kind;
        NodeBoxes::NodeBox box;
        for (KeyValue pair; pairs_.next(pair);) {
            if (pair.key == "graphics" && pair.kind == Kind::list) {
                box = read_graphics();
                continue;
            }
            pass_over(pair);
            if (pair.key == "id") id = pair.raw;
            if (pair.key == "label") label = pair.raw;
            if (pair.key == "name" && pair.kind != Kind::list) name = pair.raw;
            if (!options_.labels.empty() && pair.key == options_.labels) kind = pair.raw, has_classes_ = true;
        }
        if (id.empty()) pairs_.fail(place, "a node has no id; give it one");
        if (vertices_.find(id) != VertexTable::none)
            pairs_.fail(place, fmt::format("there is a second node with the id '{}'; ids have to differ", shown(id)));
        vertices_.of(id);
        labels_.push_back(label.empty() ? name : label);
        if (!options_.labels.empty()) classes_.add(gml_text(kind));
        placed_.add(box);
    }

    NodeBoxes::NodeBox read_graphics() {
        NodeBoxes::NodeBox box;
        for (KeyValue pair; pairs_.next(pair);) {
            pass_over(pair);
            const auto number = static_cast<float>(pair.number);
            if (pair.kind != Kind::number || !std::isfinite(number)) continue;
            if (pair.key == "x") box.place[0] = pair.number;
            if (pair.key == "y") box.place[1] = pair.number;
            if (pair.key == "z") box.place[2] = pair.number;
            if (pair.key == "w") box.size.width = number;
            if (pair.key == "h") box.size.height = number;
        }
        return box;
    }

    void read_edge(const char* place) {
        NamedEdge edge;
        edge.place = place;
        for (KeyValue pair; pairs_.next(pair);) {
            pass_over(pair);
            if (pair.key == "source") edge.source = pair.raw;
            if (pair.key == "target") edge.target = pair.raw;
            if (pair.key != "source" && pair.key != "target") offer(edge, pair);
        }
        edges_.add(edge);
    }

    /// Lists, and texts in quotes, also of digits, are no weights.
    void offer(NamedEdge& edge, const KeyValue& pair) {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        std::string_view text = pair.raw;
        if (pair.kind == Kind::list) text = "[";
        if (pair.kind == Kind::text) text = {pair.raw.data() - 1, pair.raw.size() + 2};
        edges_.offer(edge, pair.key, pair.kind == Kind::number ? pair.number : none, text);
    }

    void settle_names() {
        std::vector<std::string> ids, labels;
        for (const std::string& id : vertices_.names()) ids.push_back(gml_text(id));
        for (const std::string_view label : labels_) labels.push_back(gml_text(label));
        name_vertices(parsed_.network, std::move(ids), std::move(labels));
    }

    const Bytes& bytes_;
    const NetworkOptions& options_;
    GmlPairs pairs_;
    ParsedNetwork parsed_;
    VertexTable vertices_;
    NamedEdges edges_;
    std::vector<std::string_view> labels_;
    NodeBoxes placed_;
    StringInterner classes_;
    bool has_classes_ = false;
};

}  // namespace

ParsedNetwork parse_gml(const Bytes& bytes, const NetworkOptions& options) { return GmlReader(bytes, options).read(); }

}  // namespace dunlin::io
