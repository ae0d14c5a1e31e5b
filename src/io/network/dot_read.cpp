// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/network/dot_file.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
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

/// Parses "x,y[,z][!]": the position of a vertex, and whether it is pinned.
NodeBoxes::NodeBox box_at(const char* text, double scale) {
    NodeBoxes::NodeBox box;
    std::size_t read = 0;
    for (; read < 3; ++read) {
        double value = 0;
        const char* const after = parse_number(text, value);
        if (after == nullptr || !std::isfinite(static_cast<float>(value * scale))) break;
        box.place[read] = static_cast<float>(value * scale);
        text = *after == ',' ? after + 1 : after;
    }
    box.pinned = *text == '!';
    return read < 2 ? NodeBoxes::NodeBox{} : box;
}

/// A length in points; NaN if there is none.
float points(const char* inches) {
    double value = 0;
    if (parse_number(inches, value) == nullptr) return NodeBoxes::nowhere;
    return static_cast<float>(value * points_per_inch);
}

/// Reads the graphs of a file into one network.
class DotReader {
public:
    DotReader(const DotFile& file, const NetworkOptions& options, const std::string& name)
        : file_(file),
          options_(options),
          name_(name),
          weight_name_(options.weights_from.empty() ? "weight" : options.weights_from) {
        if (ignores_weights(options)) weight_name_.clear();
    }

    ParsedNetwork read() && {
        network_.kind = "dot";
        network_.graphs = static_cast<int>(file_.graphs().size());
        network_.warnings = file_.warnings();
        for (Agraph_t* const graph : file_.graphs()) note_what_is_there(graph);
        if (!options_.weights_from.empty() && !weight_name_.empty() && !network_.weighted) {
            bad_option("weights-from", "no edge of '{}' has the attribute '{}'; name one that is there", name_,
                       weight_name_);
        }
        for (Agraph_t* const graph : file_.graphs()) {
            read_vertices(graph);
            read_edges(graph);
        }
        placed_.settle(network_);
        if (has_labels_) network_.labels = std::move(labels_).labels();
        return std::move(parsed_);
    }

private:
    void note_what_is_there(Agraph_t* graph) {
        network_.directed |= agisdirected(graph) != 0;
        network_.weighted |= Attribute(graph, AGEDGE, weight_name_).declared();
        has_labels_ |= Attribute(graph, AGNODE, options_.labels).declared();
    }

    void read_vertices(Agraph_t* graph) {
        const Attribute pos(graph, AGNODE, "pos"), pin(graph, AGNODE, "pin"), width(graph, AGNODE, "width"),
            height(graph, AGNODE, "height"), label(graph, AGNODE, options_.labels);
        // pos is in points, unless inputscale has the number of its units per inch
        const double units = number_or(Attribute(graph, AGRAPH, "inputscale")(graph), points_per_inch);
        const double scale = units > 0 ? points_per_inch / units : 1;
        numbers_.clear();
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            numbers_.resize(std::max<std::size_t>(numbers_.size(), AGSEQ(node) + 1));
            numbers_[AGSEQ(node)] = parsed_.source->vertices++;
            network_.ids.emplace_back(agnameof(node));
            NodeBoxes::NodeBox box = box_at(pos(node), scale);
            const std::string pinned = lower(pin(node));
            box.pinned |= pinned == "true" || pinned == "1" || pinned == "yes";
            box.size = {points(width(node)), points(height(node))};
            placed_.add(box);
            if (has_labels_) labels_.add(label(node));
        }
    }

    void read_edges(Agraph_t* graph) {
        const Attribute weight(graph, AGEDGE, weight_name_);
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                parsed_.source->edges.add(number_of(agtail(edge)), number_of(aghead(edge)));
                if (network_.weighted) add_weight(weight(edge));
            }
        }
    }

    [[nodiscard]] Index number_of(Agnode_t* node) const { return numbers_[AGSEQ(node)]; }

    void add_weight(const char* text) {
        double value = 1;
        const char* const after = *text == '\0' ? text : parse_number(text, value);
        if (after == nullptr || *after != '\0') value = std::numeric_limits<double>::quiet_NaN();
        try {
            parsed_.source->edges.weights.push_back(
                weight_of(value, [&] { return name_; }, [&] { return name_of_last_edge(); }));
        } catch (const Error& error) {
            // A weight of 0 is legal in DOT: an error only if the caller named the attribute
            if (!options_.weights_from.empty() || value != 0) throw;
            network_.warnings.push_back(fmt::format("every edge weighs 1: {}", error.what()));
            network_.weighted = false;
            parsed_.source->edges.weights.clear();
        }
    }

    [[nodiscard]] std::string name_of_last_edge() const {
        const graph::Edge edge = parsed_.source->edges.all().back();
        const auto name = [&](Index vertex) { return shown(network_.ids[static_cast<std::size_t>(vertex)]); };
        return fmt::format("'{}' {} '{}'", name(edge.source), network_.directed ? "->" : "--", name(edge.target));
    }

    const DotFile& file_;
    const NetworkOptions& options_;
    const std::string& name_;
    std::string weight_name_;
    ParsedNetwork parsed_;
    Network& network_ = parsed_.network;
    std::vector<Index> numbers_;  ///< vertex numbers by position in the current graph
    NodeBoxes placed_;
    bool has_labels_ = false;
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
