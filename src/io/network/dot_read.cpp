#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/fail.hpp"
#include "io/network/dot_file.hpp"
#include "io/network/draft.hpp"
#include "io/number.hpp"
#include "io/words.hpp"

namespace dunlin::io {

namespace {

constexpr double points_per_inch = 72;
constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();

double number_or(const char* text, double otherwise) {
    double value = 0;
    return parse_number(text, value) != nullptr && std::isfinite(value) ? value : otherwise;
}

/// An attribute of a graph's vertices or edges, or of the graph itself.
class Attribute {
public:
    Attribute(Agraph_t* graph, int kind, const std::string& name)
        : symbol_(name.empty() ? nullptr : agattr(graph, kind, text_for_cgraph(name.c_str()), nullptr)) {}

    [[nodiscard]] bool declared() const { return symbol_ != nullptr; }

    /// The value that `object` has; "" where it has none.
    const char* operator()(void* object) const { return declared() ? agxget(object, symbol_) : ""; }

private:
    Agsym_t* symbol_;
};

/// What `pos` says: "x,y[,z][!]".
struct Position {
    std::array<float, 3> coordinates{nowhere, nowhere, nowhere};
    int dim = 0;  ///< 0: nothing that is a position
    bool pinned = false;
};

Position position_of(const char* text, double scale) {
    Position position;
    for (; position.dim < 3; ++position.dim) {
        double value = 0;
        const char* const after = parse_number(text, value);
        if (after == nullptr || !std::isfinite(static_cast<float>(value * scale))) break;
        position.coordinates[static_cast<std::size_t>(position.dim)] = static_cast<float>(value * scale);
        text = *after == ',' ? after + 1 : after;
    }
    if (position.dim < 2) return {};
    position.pinned = *text == '!';
    return position;
}

/// Reads the graphs of a file into one draft.
class DotReader {
public:
    DotReader(const DotFile& file, const NetworkOptions& options, const std::string& name)
        : file_(file),
          options_(options),
          name_(name),
          weight_name_(options.weights.empty() ? "weight" : options.weights) {
        if (leaves_out_weights(options)) weight_name_.clear();
    }

    Draft read() && {
        network_.kind = "dot";
        network_.graphs = static_cast<int>(file_.graphs().size());
        network_.warnings = file_.warnings();
        for (Agraph_t* const graph : file_.graphs()) note_what_is_there(graph);
        if (!options_.weights.empty() && !weight_name_.empty() && !network_.weighted) {
            bad_input("weights: no edge of '{}' has the attribute '{}'; name one that is there", name_, weight_name_);
        }
        for (Agraph_t* const graph : file_.graphs()) {
            read_vertices(graph);
            read_edges(graph);
        }
        settle_positions();
        if (has_labels_) network_.labels = std::move(labels_).labels();
        return std::move(draft_);
    }

private:
    void note_what_is_there(Agraph_t* graph) {
        network_.directed |= agisdirected(graph) != 0;
        network_.weighted |= Attribute(graph, AGEDGE, weight_name_).declared();
        has_sizes_ |= Attribute(graph, AGNODE, "width").declared() || Attribute(graph, AGNODE, "height").declared();
        has_labels_ |= Attribute(graph, AGNODE, options_.labels).declared();
    }

    void read_vertices(Agraph_t* graph) {
        const Attribute pos(graph, AGNODE, "pos"), pin(graph, AGNODE, "pin"), width(graph, AGNODE, "width"),
            height(graph, AGNODE, "height"), label(graph, AGNODE, options_.labels);
        // Programs write pos in points; inputscale says how many of its units make an inch
        const double units = number_or(Attribute(graph, AGRAPH, "inputscale")(graph), points_per_inch);
        const double scale = units > 0 ? points_per_inch / units : 1;
        numbers_.clear();
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            numbers_.resize(std::max<std::size_t>(numbers_.size(), AGSEQ(node) + 1));
            numbers_[AGSEQ(node)] = draft_.source->vertices++;
            network_.ids.emplace_back(agnameof(node));
            positions_.push_back(position_of(pos(node), scale));
            const std::string_view pinned = pin(node);
            positions_.back().pinned |= pinned == "true" || pinned == "1" || pinned == "yes";
            if (has_sizes_) network_.sizes.push_back({points(width(node), 0.75), points(height(node), 0.5)});
            if (has_labels_) labels_.add(label(node));
        }
    }

    static float points(const char* inches, double otherwise) {
        return static_cast<float>(number_or(inches, otherwise) * points_per_inch);
    }

    void read_edges(Agraph_t* graph) {
        const Attribute weight(graph, AGEDGE, weight_name_);
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                draft_.source->edges.add(number_of(agtail(edge)), number_of(aghead(edge)));
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
            draft_.source->edges.weights.push_back(
                weight_of(value, [&] { return name_; }, [&] { return name_of_last_edge(); }));
        } catch (const Error& error) {
            // Zero has a meaning in DOT, so it is the file's fault only if the weights were asked for
            if (!options_.weights.empty()) throw;
            network_.warnings.push_back(fmt::format("every edge weighs 1: {}", error.what()));
            network_.weighted = false;
            draft_.source->edges.weights.clear();
        }
    }

    [[nodiscard]] std::string name_of_last_edge() const {
        const graph::Edge edge = draft_.source->edges.all().back();
        const auto name = [&](Index vertex) { return shown(network_.ids[static_cast<std::size_t>(vertex)]); };
        return fmt::format("'{}' {} '{}'", name(edge.source), network_.directed ? "->" : "--", name(edge.target));
    }

    /// A map of all vertices, if any has a position.
    void settle_positions() {
        int dim = 3;
        bool placed = false, pinned = false;
        for (const Position& position : positions_) {
            if (position.dim == 0) continue;
            dim = std::min(dim, position.dim);
            placed = true;
            pinned |= position.pinned;
        }
        if (!placed) return;
        network_.start.dim = dim;
        for (const Position& position : positions_) {
            const auto from = position.coordinates.begin();
            network_.start.coordinates.insert(network_.start.coordinates.end(), from, from + dim);
            if (pinned) network_.pinned.push_back(position.dim > 0 && position.pinned ? 1 : 0);
        }
    }

    const DotFile& file_;
    const NetworkOptions& options_;
    const std::string& name_;
    std::string weight_name_;
    Draft draft_;
    Network& network_ = draft_.network;
    std::vector<Index> numbers_;  ///< of a vertex of the graph being read, by its place in that graph
    std::vector<Position> positions_;
    bool has_sizes_ = false, has_labels_ = false;
    Words labels_;
};

}  // namespace

Draft draft_dot(const Bytes& bytes, const NetworkOptions& options) {
    auto file = std::make_shared<DotFile>(bytes);
    const auto lock = DotFile::alone();
    const auto graphs = static_cast<int>(file->graphs().size());
    if (options.graph < 0 || options.graph > graphs) {
        bad_input("graph: {} is none of the {} graphs in '{}'; give a number from 1, or 0 for all", options.graph,
                  graphs, bytes.name());
    }
    if (options.graph > 0) file->keep_only(static_cast<std::size_t>(options.graph) - 1);
    Draft draft = DotReader(*file, options, bytes.name()).read();
    draft.source->dot = std::move(file);
    return draft;
}

}  // namespace dunlin::io
