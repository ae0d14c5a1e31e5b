// SPDX-License-Identifier: Apache-2.0
#include "io/network/named_edges.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

void NamedEdges::offer(NamedEdge& edge, std::string_view name, double weight, std::string_view text) {
    const std::size_t rank = rank_of(name, !std::isnan(weight));
    if (rank >= edge.rank) return;
    edge.rank = rank;
    edge.weight = weight;
    edge.text = text;
}

namespace {

constexpr std::size_t edges_between_stops = 1024;

}  // namespace

void NamedEdges::add(const NamedEdge& edge) {
    if (edges_.size() % edges_between_stops == 0) progress::cancellation_point();
    best_rank_ = std::min(best_rank_, edge.rank);
    edges_.push_back(edge);
}

std::size_t NamedEdges::rank_of(std::string_view name, bool number) {
    const auto [found, is_new] = known_.try_emplace(name, names_.size());
    if (is_new) names_.push_back({name, weight_rank(name, options_), number && name != "id"});
    return names_[found->second].rank;
}

void NamedEdges::settle_weights(Network& network) const {
    network.weighted = best_rank_ != no_weights;
    if (network.weighted || ignores_weights(options_)) return;
    if (!options_.weights_from.empty()) {
        bad_option("weights-from", "no edge of '{}' has '{}'; name what is there", bytes_.name(),
                   shown(options_.weights_from));
    }
    std::vector<std::string> numbers;
    for (const Name& name : names_) {
        if (name.number) numbers.emplace_back(name.name);
    }
    if (!numbers.empty()) network.warnings.push_back(unused_numbers(numbers));
}

void NamedEdges::join(const VertexTable& vertices, ParsedNetwork& parsed) {
    settle_weights(parsed.network);
    Offset without = 0;
    UsedNames used;
    parsed.source->vertices = vertices.size();
    for (const NamedEdge& edge : edges_) {
        if (parsed.source->edges.ends.size() % edges_between_stops == 0) progress::cancellation_point();
        const Index source = vertex(vertices, edge.source, "source", edge.place);
        const Index target = vertex(vertices, edge.target, "target", edge.place);
        parsed.source->edges.add(source, target);
        if (!parsed.network.weighted) continue;
        const bool has_weight = are_of_one_kind(edge.rank, best_rank_);
        if (has_weight) used.add(edge.rank);
        without += has_weight ? 0 : 1;
        parsed.source->edges.weights.push_back(has_weight ? weight(edge) : 1);
    }
    used.say(parsed.network);
    say_without_weight(without, parsed.network);
}

float NamedEdges::weight(const NamedEdge& edge) const {
    const auto place = [&] { return at_line(bytes_.name(), line_of(bytes_, edge.place)); };
    const auto name = [&] { return fmt::format("{} {}", shown(edge.source), shown(edge.target)); };
    if (std::isnan(edge.weight)) no_weight(edge.text, place(), name());
    return weight_of(edge.weight, place, name);
}

Index NamedEdges::vertex(const VertexTable& vertices, std::string_view id, const char* end, const char* place) const {
    const Index found = vertices.find(id);
    if (found != VertexTable::none) return found;
    const std::string what = id.empty() ? fmt::format("an edge has no {}; give it one", end)
                                        : fmt::format("the {} '{}' of an edge is the id of no node", end, shown(id));
    bad_file("{}: {}", at_line(bytes_.name(), line_of(bytes_, place)), what);
}

}  // namespace dunlin::io
