// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "io/interner.hpp"
#include "io/json_keys.hpp"
#include "io/memory.hpp"
#include "io/network/named_edges.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/node_link.hpp"
#include "io/network/text_lines.hpp"
#include "io/network/vertex_names.hpp"
#include "io/readers.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

using Json = nlohmann::json;

/// Iterates over a text and leaves its place where the parser, which copies it, can be asked for it.
class PlacedCharacter {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    PlacedCharacter(const char* at, const char** place) : at_(at), place_(place) {}
    const char& operator*() const { return *at_; }
    PlacedCharacter& operator++() {
        *place_ = ++at_;
        return *this;
    }
    friend bool operator==(const PlacedCharacter& a, const PlacedCharacter& b) { return a.at_ == b.at_; }
    friend bool operator!=(const PlacedCharacter& a, const PlacedCharacter& b) { return a.at_ != b.at_; }

private:
    const char* at_;
    const char** place_;
};

/// The events of a JSON text, of which a class derived takes scalars and the ends of objects. Lists of scalars, as
/// tuples are written, are one value: "[1, 2]".
class JsonEvents : public nlohmann::json_sax<Json> {
public:
    bool null() override { return scalar("", false); }
    bool boolean(bool value) override { return scalar(value ? "true" : "false", false); }
    bool number_integer(number_integer_t value) override { return scalar(std::to_string(value), true); }
    bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value), true); }
    bool number_float(number_float_t, const string_t& text) override { return scalar(text, true); }
    bool string(string_t& value) override { return scalar(value, false); }
    bool binary(binary_t&) override { return true; }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
        wrong_at = position;
        wrong = error.what();
        return false;
    }

    std::size_t wrong_at = 0;
    std::string wrong;

protected:
    virtual bool scalar(const std::string& text, bool number) = 0;
};

/// The key of the object that has the lists in files of Cytoscape; in others the file's object has them.
constexpr std::string_view elements = "elements";

/// Whether the values of an object in a node or edge are its own: as of Cytoscape.js, and of graphology.
bool has_own_values(std::string_view key) { return key == "data" || key == "position" || key == "attributes"; }

/// Whether a list of this key of the file has edges; the other has nodes.
bool names_edges(std::string_view key) { return key == "links" || key == "edges"; }

/// Looks for the lists of nodes and of edges among the keys of a file.
class NodeLinkSearch : public JsonEvents {
public:
    [[nodiscard]] bool found() const { return has_nodes_ && has_edges_; }

    bool start_object(std::size_t) override {
        if (depth_ == 1 && key_ == elements) base_ = 1;
        return deeper();
    }
    bool end_object() override {
        if (--depth_ == 1) base_ = 0;
        return true;
    }
    bool start_array(std::size_t) override {
        if (depth_ == base_ + 1 && key_ == "nodes") has_nodes_ = true;
        if (depth_ == base_ + 1 && names_edges(key_)) has_edges_ = true;
        return !found() && deeper();
    }
    bool end_array() override { return --depth_, true; }
    bool key(string_t& key) override {
        if (depth_ == base_ + 1) key_ = key;
        return true;
    }

protected:
    bool scalar(const std::string&, bool) override { return depth_ > 0; }

private:
    bool deeper() {
        progress::cancellation_point();
        return ++depth_, true;
    }

    Offset depth_ = 0, base_ = 0;
    std::string key_;
    bool has_nodes_ = false, has_edges_ = false;
};

/// Parser of the nodes and edges of a node-link file, which may precede each other.
class NodeLinkReader : public JsonEvents {
public:
    NodeLinkReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), options_(options), place_(bytes.begin()), edges_(bytes, options) {
        parsed_.network.kind = "node-link";
    }

    ParsedNetwork read() && {
        require_memory(4 * bytes_.size(), "the graph of '" + bytes_.name() + "'");
        const char* const first = text_of(bytes_);
        require_distinct_keys(bytes_.view(), bytes_.name());
        const PlacedCharacter from(first, &place_), to(bytes_.end(), &place_);
        if (!Json::sax_parse(from, to, this))
            bad_file("{}: {}; correct the JSON", at_line(bytes_.name(), line_of(bytes_, place_)), reason());
        settle();
        return std::move(parsed_);
    }

    bool start_object(std::size_t) override {
        progress::cancellation_point();
        end_list();
        if (depth_ == 1 && key_ == elements) base_ = 1;
        if (depth_ == item() - 1 && list_ != List::none) begin_item();
        if (depth_ == item()) holder_ = key_;
        return ++depth_, true;
    }
    bool end_object() override {
        --depth_;
        if (depth_ == 1) base_ = 0;
        if (depth_ == item() && list_ != List::none) holder_.clear();
        if (depth_ == item() - 1 && list_ != List::none) list_ == List::nodes ? end_node() : end_edge();
        return true;
    }
    bool start_array(std::size_t) override {
        progress::cancellation_point();
        end_list();
        if (depth_ == item() - 2) list_ = key_ == "nodes" ? List::nodes : names_edges(key_) ? List::edges : List::none;
        if (depth_ == item()) is_list_ = true, listed_.clear();
        return ++depth_, true;
    }
    bool end_array() override {
        --depth_;
        if (depth_ == item() - 2) list_ = List::none;
        if (depth_ == item() && is_list_) {
            is_list_ = false;
            value("[" + listed_ + "]", false);
        }
        return true;
    }
    bool key(string_t& key) override {
        if (depth_ == item() - 2 || depth_ == item()) key_ = key;
        if (depth_ == item() + 1) inner_key_ = key;
        if (depth_ == 2 && list_ == List::none) inner_key_ = key;
        return true;
    }

protected:
    bool scalar(const std::string& text, bool number) override {
        if (depth_ == 1 && key_ == "directed") parsed_.network.directed = text == "true";
        if (depth_ == 2 && list_ == List::none && key_ == "options" && inner_key_ == "type")
            parsed_.network.directed = text == "directed";  // as of graphology
        if (depth_ == item()) value(text, number);
        if (depth_ == item() + 1 && is_list_) listed_ += (listed_.empty() ? "" : ", ") + text;
        if (depth_ == item() + 1 && !is_list_ && !holder_.empty()) inner_value(text, number);
        if (depth_ == item() - 1 && list_ != List::none)
            fail(fmt::format("'{}' is no object; nodes and edges are objects, such as {{\"id\": 1}}", shown(text)));
        return true;
    }

private:
    enum class List : unsigned char { none, nodes, edges };

    struct LinkNode {
        bool has_id = false, has_key = false;
        std::string_view id;
        std::string label, name, kind;
        NodeBoxes::NodeBox box;
    };

    /// The depth of the values of a node or an edge.
    [[nodiscard]] Offset item() const { return base_ + 3; }

    /// A list with more than scalars is no value.
    void end_list() { is_list_ = false; }

    void begin_item() {
        node_ = {};
        edge_ = {};
        edge_.place = place_;
        from_ = to_ = {};
        holder_.clear();
    }

    /// A value of the node or edge that is read.
    void value(const std::string& text, bool number) {
        if (list_ == List::nodes) value_of_node(text, number);
        if (list_ == List::edges) value_of_edge(text, number);
    }

    /// A value of an object in the node or edge that is read: its own, or that of an end, which D3 makes of an id.
    void inner_value(const std::string& text, bool number) {
        if (has_own_values(holder_)) {
            const bool names = inner_key_ == "id" || inner_key_ == "key";
            if (names && holder_ != "data") return;
            const std::string outer = std::exchange(key_, inner_key_);
            value(text, number);
            key_ = outer;
        } else if (list_ == List::edges && (holder_ == "source" || holder_ == "target")) {
            std::string_view& end = holder_ == "source" ? edge_.source : edge_.target;
            if (inner_key_ == "id" || (inner_key_ == "index" && end.data() == nullptr)) end = kept(text);
        }
    }

    void value_of_node(const std::string& text, bool number) {
        if (key_ == "id") node_.id = kept(text), node_.has_id = true;
        if (key_ == "key" && !node_.has_id) node_.id = kept(text), node_.has_key = true;
        if (key_ == "label") node_.label = text;
        if (key_ == "name") node_.name = text;
        if (!options_.labels.empty() && key_ == options_.labels) node_.kind = text, has_classes_ = true;
        if (!number) return;
        const double place = number_of(text);
        if (key_ == "x") node_.box.place[0] = place;
        if (key_ == "y") node_.box.place[1] = place;
        if (key_ == "z") node_.box.place[2] = place;
    }

    void value_of_edge(const std::string& text, bool number) {
        if (key_ == "source") {
            edge_.source = kept(text);
        } else if (key_ == "target") {
            edge_.target = kept(text);
        } else if (key_ == "from") {
            from_ = kept(text);
        } else if (key_ == "to") {
            to_ = kept(text);
        } else if (key_ != "key") {  // of an edge among several between two nodes
            constexpr double none = std::numeric_limits<double>::quiet_NaN();
            edges_.offer(edge_, kept(key_), number ? number_of(text, none) : none, kept(text));
        }
    }

    static double number_of(const std::string& text, double otherwise = NodeBoxes::nowhere) {
        double value = otherwise;
        parse_number(text.c_str(), value);
        return value;
    }

    void end_node() {
        if (node_.has_id || node_.has_key) {
            if (vertices_.find(node_.id) != VertexTable::none)
                fail(fmt::format("there is a second node with the id '{}'; ids have to differ", shown(node_.id)));
            ++with_id_;
        } else {
            node_.id = kept(std::to_string(vertices_.size()));  // edges have its position in the list
            if (vertices_.find(node_.id) != VertexTable::none)
                fail("a node has no id, while others have one; give each an id");
        }
        vertices_.of(node_.id);
        labels_.push_back(node_.label.empty() ? node_.name : node_.label);
        placed_.add(node_.box);
        if (!options_.labels.empty()) classes_.add(node_.kind);
    }

    /// vis.js calls the ends from and to.
    void end_edge() {
        if (edge_.source.data() == nullptr && edge_.target.data() == nullptr) edge_.source = from_, edge_.target = to_;
        edges_.add(edge_);
    }

    /// Ends that are no ids but positions in the list of nodes, as D3 and old versions of NetworkX write them.
    void settle_ends() {
        const auto is_id = [&](const NamedEdge& edge) {
            return vertices_.find(edge.source) != VertexTable::none && vertices_.find(edge.target) != VertexTable::none;
        };
        std::vector<NamedEdge>& edges = edges_.all();
        if (with_id_ == 0 || std::all_of(edges.begin(), edges.end(), is_id)) return;
        const std::vector<std::string_view>& ids = vertices_.views();
        const auto position = [&](std::string_view end) {
            return whole_number(end, static_cast<Offset>(ids.size()) - 1);
        };
        const auto has_positions = [&](const NamedEdge& edge) {
            return position(edge.source) >= 0 && position(edge.target) >= 0;
        };
        if (!std::all_of(edges.begin(), edges.end(), has_positions)) return;
        for (NamedEdge& edge : edges) {
            edge.source = ids[static_cast<std::size_t>(position(edge.source))];
            edge.target = ids[static_cast<std::size_t>(position(edge.target))];
        }
        parsed_.network.warnings.push_back("the ends of edges are no ids, but positions in the list of nodes, from 0");
    }

    void settle() {
        if (vertices_.size() == 0 && edges_.all().empty()) refuse_unless_listed();
        settle_ends();
        edges_.join(vertices_, parsed_);
        name_vertices(parsed_.network, vertices_.names(), std::move(labels_));
        placed_.settle(parsed_.network);
        if (has_classes_) parsed_.network.labels = std::move(classes_).labels();
    }

    /// An empty graph has its lists, too.
    void refuse_unless_listed() const {
        if (!is_node_link(bytes_)) refuse_json(bytes_.name());
    }

    std::string_view kept(const std::string& text) { return *texts_.insert(text).first; }

    [[nodiscard]] std::string reason() const {
        const std::size_t colon = wrong.rfind(": ");
        return wrong.empty() ? "it is no JSON" : wrong.substr(colon == std::string::npos ? 0 : colon + 2);
    }

    [[noreturn]] void fail(const std::string& what) const {
        bad_file("{}: {}", at_line(bytes_.name(), line_of(bytes_, place_)), what);
    }

    const Bytes& bytes_;
    const NetworkOptions& options_;
    const char* place_;
    ParsedNetwork parsed_;
    std::unordered_set<std::string> texts_;  ///< of ids, keys and values, which others view
    VertexTable vertices_;
    NamedEdges edges_;
    Offset depth_ = 0;  ///< 1: in the file's object, item(): in a node or an edge of a list
    Offset base_ = 0;   ///< 1: in the object of all elements
    List list_ = List::none;
    std::string key_, listed_;
    std::string inner_key_, holder_;  ///< in an object of a node or an edge, and the key of that object
    std::string_view from_, to_;      ///< of an edge
    bool is_list_ = false;
    LinkNode node_;
    NamedEdge edge_;
    std::vector<std::string> labels_;
    NodeBoxes placed_;
    StringInterner classes_;
    bool has_classes_ = false;
    Offset with_id_ = 0;
};

}  // namespace

bool is_node_link(const Bytes& bytes) {
    NodeLinkSearch search;
    Json::sax_parse(text_of(bytes), bytes.end(), &search);
    return search.found();
}

ParsedNetwork parse_node_link(const Bytes& bytes, const NetworkOptions& options) {
    return NodeLinkReader(bytes, options).read();
}

}  // namespace dunlin::io
