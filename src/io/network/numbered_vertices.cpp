// SPDX-License-Identifier: Apache-2.0
#include "io/network/numbered_vertices.hpp"

#include <algorithm>
#include <vector>

#include "io/dense.hpp"
#include "io/memory.hpp"
#include "io/network/text_lines.hpp"
#include "io/number.hpp"

namespace dunlin::io {

Index NumberedVertices::read(std::string_view word) {
    const Offset number = whole_number(word, most_items - 1);
    if (number < 0) {
        bad_file("{}: '{}' is no number of a vertex, which is from 0 to {}; correct the line", place_of(bytes_, word),
                 shown(word), most_items - 1);
    }
    cover(static_cast<Index>(number), word.data());
    return static_cast<Index>(number);
}

void NumberedVertices::cover(Index number, const char* place) {
    if (number < least_) least_ = number, least_at_ = place;
    if (number > most_) most_ = number, most_at_ = place;
}

Index NumberedVertices::settle(ParsedNetwork& parsed, Index announced) {
    const bool from_zero = announced > 0 && least_ == 0 && most_ < announced;
    first_ = from_zero ? 0 : 1;
    EdgeList& edges = parsed.source->edges;
    const auto is_announced = [&](Index number) { return number >= first_ && number - first_ < announced; };

    std::vector<Index> others;
    for (const graph::Edge edge : edges.all()) {
        if (!is_announced(edge.source)) others.push_back(edge.source);
        if (!is_announced(edge.target)) others.push_back(edge.target);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    if (static_cast<Offset>(others.size()) > most_items - announced)
        bad_file("'{}' has more than {} vertices", bytes_.name(), most_items);

    const auto index_of = [&](Index number) {
        if (is_announced(number)) return number - first_;
        const auto found = std::lower_bound(others.begin(), others.end(), number);
        return announced + static_cast<Index>(found - others.begin());
    };
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
        graph::Edge& edge = edges.ends.data()[e];
        edge = {index_of(edge.source), index_of(edge.target)};
    }
    parsed.source->vertices = announced + static_cast<Index>(others.size());
    if (from_zero) {
        say_from_zero(parsed.network);
        return 0;
    }
    parsed.network.ids = ids_from_one(announced);
    for (const Index number : others) parsed.network.ids.push_back(std::to_string(number));
    return static_cast<Index>(others.size());
}

void NumberedVertices::refuse_other_number(Index announced) const {
    const bool above = most_ > announced;
    bad_file("{}: the vertex {} is none of the {} announced, which count from 1 or from 0; correct the file",
             at_line(bytes_.name(), line_of(bytes_, above ? most_at_ : least_at_)), above ? most_ : least_, announced);
}

void say_from_zero(Network& network) {
    network.warnings.push_back("vertices are numbered from 0, against the format, and keep these numbers");
}

}  // namespace dunlin::io
