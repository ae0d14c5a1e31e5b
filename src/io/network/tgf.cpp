// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "io/network/optional_weights.hpp"
#include "io/network/vertex_names.hpp"
#include "io/network/vertex_table.hpp"

namespace dunlin::io {

namespace {

/// Parser of the trivial graph format: lines of an id and a label, a line #, and edges, whose labels are weights if all
/// are numbers.
class TgfReader {
public:
    TgfReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), without_weights_(ignores_unnamed_weights(options, bytes.name())) {
        parsed_.network.kind = "tgf";
    }

    ParsedNetwork read() && {
        TextLines lines(bytes_);
        bool below = false;
        for (std::string_view line; lines.next_but("", line);) {
            if (line == "#" && !below)
                below = true;
            else
                below ? read_edge(line) : read_vertex(line);
        }
        settle_weights();
        parsed_.source->vertices = vertices_.size();
        name_vertices(parsed_.network, vertices_.names(), std::move(labels_));
        return std::move(parsed_);
    }

private:
    void read_vertex(std::string_view line) {
        std::string_view label = line;
        const std::string_view id = take_word(label);
        if (vertices_.find(id) != VertexTable::none)
            fail(line, fmt::format("there is a second vertex '{}'; ids have to differ", shown(id)));
        vertices_.of(id);
        labels_.emplace_back(label);
    }

    void read_edge(std::string_view line) {
        std::string_view label = line;
        const Index source = vertex(line, take_word(label)), target = vertex(line, take_word(label));
        parsed_.source->edges.add(source, target);
        edge_labels_.push_back(label);
    }

    Index vertex(std::string_view line, std::string_view id) const {
        const Index found = vertices_.find(id);
        if (found != VertexTable::none) return found;
        fail(line, id.empty() ? fmt::format("'{}' names one end of an edge; name both", shown(line))
                              : fmt::format("the end '{}' of an edge is no vertex above #; add it", shown(id)));
    }

    void settle_weights() {
        const auto is_empty = [](std::string_view label) { return label.empty(); };
        if (without_weights_ || std::all_of(edge_labels_.begin(), edge_labels_.end(), is_empty)) return;
        if (!std::all_of(edge_labels_.begin(), edge_labels_.end(), [](std::string_view l) { return is_number(l); })) {
            parsed_.network.warnings.push_back("labels of edges are not used");
            return;
        }
        OptionalWeights weights;
        for (const std::string_view label : edge_labels_)
            weights.add(parsed_.source->edges, weight_in(bytes_, label, [&] { return fmt::format("'{}'", label); }));
        weights.settle(parsed_);
        parsed_.network.notes.push_back({"read with the labels of its edges as weights", "weights-from"});
    }

    [[noreturn]] void fail(std::string_view line, const std::string& what) const {
        bad_file("{}: {}", place_of(bytes_, line), what);
    }

    const Bytes& bytes_;
    bool without_weights_;
    ParsedNetwork parsed_;
    VertexTable vertices_;
    std::vector<std::string> labels_;
    std::vector<std::string_view> edge_labels_;
};

}  // namespace

ParsedNetwork parse_tgf(const Bytes& bytes, const NetworkOptions& options) { return TgfReader(bytes, options).read(); }

}  // namespace dunlin::io
