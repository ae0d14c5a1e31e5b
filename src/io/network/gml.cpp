// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "io/dense.hpp"
#include "io/field_reader.hpp"
#include "io/interner.hpp"
#include "io/network/gml_pairs.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/weight_names.hpp"

namespace dunlin::io {

namespace {

using KeyValue = GmlPairs::KeyValue;
using Kind = GmlPairs::Kind;

/// Parser of the graph of a GML file; edges may precede their vertices.
class GmlReader {
public:
    GmlReader(const Bytes& bytes, const NetworkOptions& options) : bytes_(bytes), options_(options), pairs_(bytes) {
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
        join_edges();
        name_vertices();
        placed_.settle(parsed_.network, placed_.mean_size());
        if (const Offset without = placed_.without_size(); without > 0 && !parsed_.network.sizes.empty()) {
            parsed_.network.warnings.push_back(
                fmt::format("vertices without a size, which have the mean of the others: {}", without));
        }
        if (has_classes_) parsed_.network.labels = std::move(classes_).labels();
        return std::move(parsed_);
    }

private:
    struct EndIds {
        std::string_view source, target;
        const char* place = nullptr;
        KeyValue weight;
        std::size_t rank = no_weights;  ///< of the key of its weight
    };

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
        std::string_view id, label, kind;
        NodeBoxes::NodeBox box;
        for (KeyValue pair; pairs_.next(pair);) {
            if (pair.key == "graphics" && pair.kind == Kind::list) {
                box = read_graphics();
                continue;
            }
            pass_over(pair);
            if (pair.key == "id") id = pair.raw;
            if (pair.key == "label") label = pair.raw;
            if (!options_.labels.empty() && pair.key == options_.labels) kind = pair.raw, has_classes_ = true;
        }
        if (id.empty()) pairs_.fail(place, "a node has no id; give it one");
        if (static_cast<Offset>(ids_.size()) == most_items)
            bad_file("'{}' has more than {} vertices", bytes_.name(), most_items);
        if (!numbers_.emplace(id, static_cast<Index>(ids_.size())).second) {
            pairs_.fail(place, fmt::format("there is a second node with the id '{}'; ids have to differ", shown(id)));
        }
        ids_.push_back(id);
        labels_.push_back(label);
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
        EndIds ends;
        ends.place = place;
        for (KeyValue pair; pairs_.next(pair);) {
            pass_over(pair);
            if (pair.key == "source") ends.source = pair.raw;
            if (pair.key == "target") ends.target = pair.raw;
            if (pair.key == "source" || pair.key == "target") continue;
            const std::size_t rank = rank_of(pair);
            if (rank >= ends.rank) continue;
            ends.rank = rank;
            ends.weight = pair;
        }
        best_rank_ = std::min(best_rank_, ends.rank);
        edges_.push_back(ends);
    }

    struct EdgeKey {
        std::string_view name;
        std::size_t rank;
        bool number;
    };

    /// Rank of a key of an edge as that of the weights.
    std::size_t rank_of(const KeyValue& pair) {
        for (const EdgeKey& key : keys_) {
            if (key.name == pair.key) return key.rank;
        }
        keys_.push_back({pair.key, weight_rank(pair.key, options_), pair.kind == Kind::number && pair.key != "id"});
        return keys_.back().rank;
    }

    void settle_weights() {
        parsed_.network.weighted = best_rank_ != no_weights;
        if (parsed_.network.weighted || ignores_weights(options_)) return;
        if (!options_.weights_from.empty()) {
            bad_option("weights-from", "no edge of '{}' has '{}'; name what is there", bytes_.name(),
                       shown(options_.weights_from));
        }
        std::vector<std::string> numbers;
        for (const EdgeKey& key : keys_) {
            if (key.number) numbers.emplace_back(key.name);
        }
        if (!numbers.empty()) parsed_.network.warnings.push_back(unused_numbers(numbers));
    }

    void join_edges() {
        settle_weights();
        Offset without = 0;
        UsedNames used;
        parsed_.source->vertices = static_cast<Index>(ids_.size());
        for (const EndIds& ends : edges_) {
            const Index source = vertex(ends.source, "source", ends.place);
            const Index target = vertex(ends.target, "target", ends.place);
            parsed_.source->edges.add(source, target);
            if (!parsed_.network.weighted) continue;
            const bool has_weight = are_of_one_kind(ends.rank, best_rank_);
            if (has_weight) used.add(ends.rank);
            without += has_weight ? 0 : 1;
            parsed_.source->edges.weights.push_back(has_weight ? weight(ends) : 1);
        }
        used.say(parsed_.network);
        say_without_weight(without, parsed_.network);
    }

    [[nodiscard]] float weight(const EndIds& ends) const {
        const auto place = [&] { return at_line(bytes_.name(), line_of(bytes_, ends.place)); };
        const auto name = [&] { return fmt::format("{} {}", shown(ends.source), shown(ends.target)); };
        if (ends.weight.kind == Kind::list) no_weight("[", place(), name());
        if (ends.weight.kind == Kind::text) no_weight(fmt::format("\"{}\"", ends.weight.raw), place(), name());
        return weight_of(ends.weight.number, place, name);
    }

    Index vertex(std::string_view id, const char* end, const char* place) const {
        const auto found = numbers_.find(id);
        if (found != numbers_.end()) return found->second;
        pairs_.fail(place, id.empty() ? fmt::format("an edge has no {}; give it one", end)
                                      : fmt::format("the {} '{}' of an edge is the id of no node", end, shown(id)));
    }

    /// Names vertices by their labels if these are distinct, else by their ids.
    void name_vertices() {
        const std::unordered_set<std::string_view> different(labels_.begin(), labels_.end());
        const bool by_label = different.size() == labels_.size() && !different.contains("");
        for (const std::string_view name : by_label ? labels_ : ids_) parsed_.network.ids.push_back(gml_text(name));
    }

    const Bytes& bytes_;
    const NetworkOptions& options_;
    GmlPairs pairs_;
    ParsedNetwork parsed_;
    std::unordered_map<std::string_view, Index> numbers_;
    std::vector<std::string_view> ids_, labels_;
    std::vector<EndIds> edges_;
    std::vector<EdgeKey> keys_;  ///< of edges, beside their ends
    std::size_t best_rank_ = no_weights;
    NodeBoxes placed_;
    StringInterner classes_;
    bool has_classes_ = false;
};

}  // namespace

ParsedNetwork parse_gml(const Bytes& bytes, const NetworkOptions& options) { return GmlReader(bytes, options).read(); }

}  // namespace dunlin::io
