// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/network/dot_file.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/vertex_names.hpp"
#include "io/network/weight_names.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr double points_per_inch = 72;

double number_or(const char* text, double otherwise) {
    double value = 0;
    return parse_number(text, value) != nullptr && std::isfinite(value) ? value : otherwise;
}

/// An attribute of the vertices or edges of a graph, or of the graph.
class Attribute {
public:
    Attribute(Agraph_t* graph, int kind, const std::string& name)
        : symbol_(name.empty() ? nullptr : agattr(graph, kind, text_for_cgraph(name.c_str()), nullptr)) {}

    [[nodiscard]] bool declared() const { return symbol_ != nullptr; }

    /// The value of `object`, or "".
    const char* operator()(void* object) const { return declared() ? agxget(object, symbol_) : ""; }

private:
    Agsym_t* symbol_;
};

/// The position in a node's pos, as Graphviz reads it: "x,y" or "x,y,z", blanks after a comma, ! where it is pinned.
/// False for another text.
bool parse_position(const char* text, double scale, NodeBoxes::NodeBox& box) {
    const auto skip_blanks = [&] { text += std::strspn(text, " \t\r\n"); };
    for (std::size_t read = 0; read < 3; ++read) {
        skip_blanks();
        double value = 0;
        text = parse_number(text, value);
        if (text == nullptr || !std::isfinite(static_cast<float>(value * scale))) return false;
        box.place[read] = value * scale;
        if (*text != ',' && read == 0) return false;
        if (*text != ',') break;
        if (read == 2) return false;
        ++text;
    }
    skip_blanks();
    box.pinned = *text == '!';
    if (box.pinned) ++text;
    skip_blanks();
    return *text == '\0';
}

bool is_true(const char* word) {
    const std::string text = lower(word);
    return text == "true" || text == "1" || text == "yes";
}

/// A length in points; NaN if there is none.
float points(const char* inches) {
    double value = 0;
    if (parse_number(inches, value) == nullptr) return NodeBoxes::nowhere;
    return static_cast<float>(value * points_per_inch);
}

/// What Graphviz draws in a vertex; empty: its id, or marks of HTML. Line ends become blanks.
std::string drawn_text(const DotFile& file, const Attribute& labels, Agnode_t* node) {
    if (!labels.declared()) return "";
    const char* const label = labels(node);
    if (aghtmlstr(const_cast<char*>(label)) != 0) return "";  // of cgraph's strings alone
    const std::string raw = file.text_of(label);
    if (raw == "\\N") return "";
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const bool ends_line = raw[i] == '\\' && i + 1 < raw.size() && std::strchr("nlr", raw[i + 1]) != nullptr;
        text += ends_line ? ' ' : raw[i];
        i += ends_line ? 1 : 0;
    }
    return text;
}

/// Reads the graphs of a file into one network.
class DotReader {
public:
    DotReader(const DotFile& file, const NetworkOptions& options, const std::string& name)
        : file_(file), options_(options), name_(name) {}

    ParsedNetwork read() && {
        network_.kind = "dot";
        network_.graphs = static_cast<int>(file_.graphs().size());
        network_.warnings = file_.warnings();
        for (Agraph_t* const graph : file_.graphs()) note_what_is_there(graph);
        settle_weights();
        for (Agraph_t* const graph : file_.graphs()) {
            read_vertices(graph);
            read_edges(graph);
        }
        placed_.settle(network_);
        used_names_.say(network_);
        if (!has_default_) say_without_weight(without_weight_, network_);
        if (has_labels_) network_.labels = std::move(labels_).labels();
        draw_labels(network_, std::move(names_));
        return std::move(parsed_);
    }

private:
    void note_what_is_there(Agraph_t* graph) {
        network_.directed |= agisdirected(graph) != 0;
        has_labels_ |= Attribute(graph, AGNODE, options_.labels).declared();
        for (Agsym_t* at = agnxtattr(graph, AGEDGE, nullptr); at != nullptr; at = agnxtattr(graph, AGEDGE, at)) {
            if (std::find(edge_attributes_.begin(), edge_attributes_.end(), at->name) == edge_attributes_.end())
                edge_attributes_.emplace_back(at->name);
        }
    }

    /// Chooses the attributes of the weights.
    void settle_weights() {
        for (const std::size_t found : find_all_weights(edge_attributes_, options_)) {
            weight_names_.push_back(edge_attributes_[found]);
            weight_ranks_.push_back(weight_rank(edge_attributes_[found], options_));
        }
        network_.weighted = !weight_names_.empty();
        if (network_.weighted) {
            has_default_ = std::any_of(weight_names_.begin(), weight_names_.end(),
                                       [](const std::string& name) { return name == "weight" || name == "len"; });
        } else if (options_.weights_from.empty()) {
            say_unused();
        } else if (!ignores_weights(options_)) {
            bad_option("weights-from", "no edge of '{}' has the attribute '{}'; name one that is there", name_,
                       shown(options_.weights_from));
        }
    }

    /// Attributes of edges with numbers that Graphviz does not draw with.
    void say_unused() {
        constexpr std::array<std::string_view, 14> drawn{
            "arrowsize", "fontsize", "headclip", "id",  "labelangle", "labeldistance", "labelfontsize",
            "label",     "minlen",   "penwidth", "pos", "samehead",   "sametail",      "key"};
        std::vector<std::string> numbers;
        for (const std::string& attribute : edge_attributes_) {
            if (std::find(drawn.begin(), drawn.end(), attribute) == drawn.end() && has_number(attribute))
                numbers.push_back(attribute);
        }
        if (!numbers.empty()) network_.warnings.push_back(unused_numbers(numbers));
    }

    /// Whether the first edge with this attribute has a number there.
    [[nodiscard]] bool has_number(const std::string& attribute) const {
        for (Agraph_t* const graph : file_.graphs()) {
            const Attribute value(graph, AGEDGE, attribute);
            for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
                for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                    if (*value(edge) == '\0') continue;
                    double number = 0;
                    const char* const after = parse_number(value(edge), number);
                    return after != nullptr && *after == '\0';
                }
            }
        }
        return false;
    }

    /// Points per unit of the positions of a graph, as Graphviz has them: inputscale is the number of its units per
    /// inch. Without it, pos is in inches where vertices are pinned, which neato reads, and in points in a drawing.
    double scale_of(Agraph_t* graph) {
        const double units = number_or(Attribute(graph, AGRAPH, "inputscale")(graph), 0);
        if (units > 0) return points_per_inch / units;
        const bool drawn = *Attribute(graph, AGRAPH, "bb")(graph) != '\0';
        const Attribute pos(graph, AGNODE, "pos"), pin(graph, AGNODE, "pin");
        bool placed = false, pinned = false;
        for (Agnode_t* node = agfstnode(graph); node != nullptr && !pinned; node = agnxtnode(graph, node)) {
            placed |= *pos(node) != '\0';
            pinned = *pos(node) != '\0' && (std::strchr(pos(node), '!') != nullptr || is_true(pin(node)));
        }
        if (pinned && drawn) {
            say_unit(
                "inches, as neato does where vertices are pinned; the attribute inputscale=72 of the graph says "
                "points");
        }
        if (placed && !pinned && !drawn)
            say_unit("points, as neato -n does; the attribute inputscale=1 of the graph says inches");
        return pinned ? points_per_inch : 1;
    }

    void say_unit(const char* unit) {
        if (network_.notes.empty()) network_.notes.push_back({fmt::format("read with positions in {}", unit), ""});
    }

    void read_vertices(Agraph_t* graph) {
        const Attribute pos(graph, AGNODE, "pos"), pin(graph, AGNODE, "pin"), width(graph, AGNODE, "width"),
            height(graph, AGNODE, "height"), label(graph, AGNODE, options_.labels), name(graph, AGNODE, "name"),
            drawn(graph, AGNODE, "label");
        const double scale = scale_of(graph);
        numbers_.clear();
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            numbers_.resize(std::max<std::size_t>(numbers_.size(), AGSEQ(node) + 1));
            numbers_[AGSEQ(node)] = parsed_.source->vertices++;
            network_.ids.push_back(file_.text_of(agnameof(node)));
            NodeBoxes::NodeBox box;
            if (*pos(node) != '\0' && !parse_position(pos(node), scale, box)) {
                bad_file(
                    "'{}': the pos of the vertex '{}' is '{}'; write x,y or x,y,z, with ! behind it where it is "
                    "pinned",
                    name_, shown(network_.ids.back()), shown(pos(node)));
            }
            box.pinned |= is_true(pin(node));
            box.size = {points(width(node)), points(height(node))};
            placed_.add(box);
            if (has_labels_) labels_.add(file_.text_of(label(node)));
            const std::string text = drawn_text(file_, drawn, node);
            names_.push_back(text.empty() ? file_.text_of(name(node)) : text);
        }
    }

    void read_edges(Agraph_t* graph) {
        std::vector<Attribute> weights;
        weights.reserve(weight_names_.size());
        for (const std::string& name : weight_names_) weights.emplace_back(graph, AGEDGE, name);
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                parsed_.source->edges.add(number_of(agtail(edge)), number_of(aghead(edge)));
                if (network_.weighted) add_weight(weights, edge);
            }
        }
    }

    [[nodiscard]] Index number_of(Agnode_t* node) const { return numbers_[AGSEQ(node)]; }

    /// Adds the weight under the first of the names that an edge has.
    void add_weight(const std::vector<Attribute>& weights, Agedge_t* edge) {
        const auto has = [&](const Attribute& weight) { return *weight(edge) != '\0'; };
        const auto found = std::find_if(weights.begin(), weights.end(), has);
        double value = 1;
        if (found == weights.end()) {
            ++without_weight_;
        } else {
            const char* const text = (*found)(edge);
            const char* const after = parse_number(text, value);
            if (after == nullptr || *after != '\0') no_weight(text, fmt::format("'{}'", name_), name_of_last_edge());
            used_names_.add(weight_ranks_[static_cast<std::size_t>(found - weights.begin())]);
        }
        parsed_.source->edges.weights.push_back(
            weight_of(value, [&] { return fmt::format("'{}'", name_); }, [&] { return name_of_last_edge(); }));
    }

    [[nodiscard]] std::string name_of_last_edge() const {
        const graph::Edge edge = parsed_.source->edges.all().back();
        const auto name = [&](Index vertex) { return shown(network_.ids[static_cast<std::size_t>(vertex)]); };
        return fmt::format("'{}' {} '{}'", name(edge.source), network_.directed ? "->" : "--", name(edge.target));
    }

    const DotFile& file_;
    const NetworkOptions& options_;
    const std::string& name_;
    std::vector<std::string> weight_names_;  ///< the best first
    std::vector<std::size_t> weight_ranks_;
    UsedNames used_names_;
    ParsedNetwork parsed_;
    Network& network_ = parsed_.network;
    std::vector<Index> numbers_;  ///< vertex numbers by position in the current graph
    NodeBoxes placed_;
    std::vector<std::string> edge_attributes_;
    Offset without_weight_ = 0;
    bool has_default_ = false;  ///< whether Graphviz itself gives an edge without a weight 1
    bool has_labels_ = false;
    std::vector<std::string> names_;  ///< Graphviz's label, else the attribute name, as igraph writes it
    StringInterner labels_;
};

}  // namespace

ParsedNetwork parse_dot(const Bytes& bytes, const NetworkOptions& options) {
    auto file = std::make_shared<DotFile>(bytes);
    const auto lock = DotFile::lock();
    const auto graphs = static_cast<int>(file->graphs().size());
    if (options.graph < 0 || options.graph > graphs) {
        bad_option("graph", "{} is none of the {} graphs in '{}'; give a number from 1, or 0 for all", options.graph,
                   graphs, bytes.name());
    }
    if (options.graph > 0) file->keep_only(static_cast<std::size_t>(options.graph) - 1);
    ParsedNetwork parsed = DotReader(*file, options, bytes.name()).read();
    parsed.source->dot = std::move(file);
    return parsed;
}

}  // namespace dunlin::io
