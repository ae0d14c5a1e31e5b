// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "graph/edge_hash.hpp"
#include "io/dense.hpp"
#include "io/field_reader.hpp"
#include "io/network/parsed_network.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

/// "vertices edges [form [weights per vertex]]". The digits of form are flags: a line begins with the vertex's size,
/// then has its weights, and has a weight after every neighbor.
struct MetisHead {
    Offset vertices = 0, edges = 0;
    bool sizes = false, edge_weights = false;
    Offset vertex_weights = 0;

    /// Number of values in a line before its neighbors.
    [[nodiscard]] Offset leading() const { return vertex_weights + (sizes ? 1 : 0); }
};

/// Parser of the lines of a METIS file.
class MetisReader {
public:
    MetisReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), at_(text_of(bytes)), without_weights_(ignores_unnamed_weights(options, bytes.name())) {}

    ParsedNetwork read() && {
        parsed_.network.kind = "metis";
        if (!next_line())
            bad_file("'{}' holds no graph; its first line has to count vertices and edges", bytes_.name());
        read_head();
        parsed_.network.weighted = head_.edge_weights && !without_weights_;
        parsed_.network.ids = ids_from_one(parsed_.source->vertices);
        for (Index vertex = 0; vertex < parsed_.source->vertices; ++vertex) {
            progress::cancellation_point();
            read_neighbors(vertex);
        }
        while (next_line()) {
            if (!ends_line()) fail(fmt::format("there are more lines than the {} vertices announced", head_.vertices));
            end_line();
        }
        keep_one_direction();
        check_count();
        return std::move(parsed_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        bad_file("{}: {}; correct the file", at_line(bytes_.name(), line_of(bytes_, at_)), what);
    }

    [[nodiscard]] bool ends_line() const { return *at_ == '\n' || at_ == bytes_.end(); }
    void end_line() { at_ += at_ == bytes_.end() ? 0 : 1; }
    void skip_blanks() {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
    }

    /// Moves to the next line that is no comment; an empty line is a vertex without neighbors.
    bool next_line() {
        for (; *at_ == '%'; end_line()) at_ = std::find(at_, bytes_.end(), '\n');
        if (at_ == bytes_.end()) return false;
        skip_blanks();
        return true;
    }

    /// Reads the next integer of this line, which must be in [least, most].
    Offset whole(const char* what, Offset least, Offset most) {
        const char* const first = at_;
        Offset value = 0;
        for (; is_digit(*at_) && value <= most; ++at_) value = value * 10 + (*at_ - '0');
        const bool whole_word = *at_ == ' ' || *at_ == '\t' || *at_ == '\r' || ends_line();
        if (at_ == first || !whole_word || value < least || value > most) {
            const char* const end =
                std::find_if(first, bytes_.end(), [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
            at_ = first;
            fail(fmt::format("'{}' is no {}, which is from {} to {}",
                             shown({first, static_cast<std::size_t>(end - first)}), what, least, most));
        }
        skip_blanks();
        return value;
    }

    void read_head() {
        head_.vertices = whole("number of vertices", 0, most_items);
        head_.edges = whole("number of edges", 0, largest);
        const Offset form = ends_line() ? 0 : whole("form of the lines", 0, 111);
        head_.sizes = form / 100 == 1;
        head_.edge_weights = form % 10 == 1;
        if (form % 10 > 1 || form / 10 % 10 > 1) fail(fmt::format("the form {} has other digits than 0 and 1", form));
        head_.vertex_weights = form / 10 % 10;
        if (!ends_line()) head_.vertex_weights = whole("number of weights per vertex", 0, 1000);
        if (!ends_line()) fail("the first line holds more than vertices, edges, form and weights");
        // Every vertex has a line
        if (head_.vertices > bytes_.end() - at_) {
            fail(fmt::format("{} vertices are announced and cannot be in the {} bytes that follow", head_.vertices,
                             bytes_.end() - at_));
        }
        parsed_.source->vertices = static_cast<Index>(head_.vertices);
        end_line();
    }

    void read_neighbors(Index vertex) {
        if (!next_line()) fail(fmt::format("the file ends after {} of {} vertices", vertex, head_.vertices));
        for (Offset i = 0; i < head_.leading(); ++i) whole("size or weight of a vertex", 0, largest);
        while (!ends_line()) {
            const auto neighbor = static_cast<Index>(whole("neighbor", 1, head_.vertices) - 1);
            parsed_.source->edges.add(vertex, neighbor);
            if (head_.edge_weights) read_weight(vertex, neighbor);
        }
        end_line();
    }

    void read_weight(Index vertex, Index neighbor) {
        double value = 0;
        const char* const after = parse_number(at_, value);
        if (after == nullptr) fail("a neighbor has no weight");
        at_ = after;
        skip_blanks();
        if (!parsed_.network.weighted) return;
        parsed_.source->edges.weights.push_back(weight_of(
            value, [&] { return at_line(bytes_.name(), line_of(bytes_, at_)); },
            [&] { return fmt::format("{} {}", vertex + 1, neighbor + 1); }));
    }

    /// Keeps one direction of every edge, unless some edges are listed by one end only.
    void keep_one_direction() {
        EdgeList& edges = parsed_.source->edges;
        std::uint64_t unpaired = 0;
        for (const graph::Edge edge : edges.all()) unpaired += graph::hash_of_direction(edge.source, edge.target);
        if (unpaired != 0) return;
        const std::size_t entries = edges.ends.size();
        edges.ends.clear();
        edges.weights.clear();
        for (std::size_t e = 0; e < entries; ++e) {
            const graph::Edge edge = edges.ends.data()[e];
            if (edge.source > edge.target) continue;
            edges.ends.push_back(edge);
            if (parsed_.network.weighted) edges.weights.push_back(edges.weights.data()[e]);
        }
    }

    void check_count() {
        const auto listed = static_cast<Offset>(parsed_.source->edges.ends.size());
        if (listed == head_.edges) return;
        parsed_.network.warnings.push_back(
            fmt::format("the first line announces {} edges, and there are {}", head_.edges, listed));
    }

    static constexpr Offset largest = Offset{1} << 53;

    const Bytes& bytes_;
    const char* at_;
    bool without_weights_;
    MetisHead head_;
    ParsedNetwork parsed_;
};

}  // namespace

ParsedNetwork parse_metis(const Bytes& bytes, const NetworkOptions& options) {
    return MetisReader(bytes, options).read();
}

}  // namespace dunlin::io
