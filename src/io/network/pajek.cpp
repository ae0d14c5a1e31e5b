// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/dense.hpp"
#include "io/memory.hpp"
#include "io/network/gml_pairs.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/numbered_vertices.hpp"
#include "io/network/optional_weights.hpp"
#include "io/network/vertex_names.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// A word of a line, which quotes may enclose: such a quote is closed by one before a blank or the end of the line.
std::string_view take_quoted(std::string_view& rest) {
    if (!rest.starts_with('"')) return take_word(rest);
    std::size_t close = rest.find('"', 1);
    while (close != std::string_view::npos && close + 1 < rest.size() && rest[close + 1] != ' ' &&
           rest[close + 1] != '\t')
        close = rest.find('"', close + 1);
    if (close == std::string_view::npos) return take_word(rest);
    const std::string_view inside = rest.substr(1, close - 1);
    rest = without_blanks(rest.substr(close + 1));
    return inside;
}

/// A parameter of the drawing of an edge, such as its color, which may follow the ends or the weight.
bool is_parameter(std::string_view word) {
    return word.starts_with('[') ||
           is_one_of(lower(word), {"w",  "c",  "p",  "s",  "a",  "ap", "l",  "lp", "lr", "lphi", "lc",   "la",
                                   "lw", "h1", "h2", "a1", "a2", "k1", "k2", "q",  "cx", "fos",  "font", "t"});
}

/// Parser of the sections of a Pajek file. Edges have the numbers of the file until the end.
class PajekReader {
public:
    PajekReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), numbers_(bytes), without_weights_(ignores_unnamed_weights(options, bytes.name())) {
        parsed_.network.kind = "pajek";
    }

    ParsedNetwork read() && {
        TextLines lines(bytes_);
        for (std::string_view line; lines.next_but("%", line);) {
            if (line.starts_with("/*")) continue;
            line[0] == '*' ? begin_section(line) : read_line(line);
        }
        end_matrix();
        settle();
        return std::move(parsed_);
    }

private:
    enum class Section : unsigned char { none, vertices, pairs, lists, matrix, other };

    struct Vertex {
        Index number = 0;
        std::string_view label;
        NodeBoxes::NodeBox box;
    };

    void begin_section(std::string_view line) {
        end_matrix();
        std::string_view rest = line;
        const std::string word = lower(take_word(rest));
        if (word == "*network") return begin_network(line);
        if (word == "*vertices") return begin_vertices(line, rest);
        if (is_one_of(word, {"*arcs", "*edges"})) return begin_edges(Section::pairs, word == "*arcs", rest);
        if (is_one_of(word, {"*arcslist", "*edgeslist"})) return begin_edges(Section::lists, word == "*arcslist", rest);
        if (word == "*matrix") return begin_edges(Section::matrix, two_mode_ == 0, rest);
        if (!is_one_of(word, {"*partition", "*vector", "*permutation", "*cluster", "*hierarchy"}))
            fail(line, fmt::format("'{}' is no section of a Pajek network; take it out", shown(word)));
        section_ = Section::other;
        others_ += fmt::format("{}{}", others_.empty() ? "" : ", ", word);
    }

    void begin_network(std::string_view line) {
        if (has_network_) refuse_second(line);
        has_network_ = true;
        section_ = Section::none;
    }

    void begin_vertices(std::string_view line, std::string_view rest) {
        if (section_ == Section::other) return;  // those of a partition or a vector
        if (has_vertices_) refuse_second(line);
        has_network_ = has_vertices_ = true;
        section_ = Section::vertices;
        vertices_ = count(line, take_word(rest));
        if (rest.empty()) return;
        two_mode_ = count(line, take_word(rest));
        if (two_mode_ > vertices_)
            fail(line, "a two-mode network counts its vertices, then those of its first side; correct the line");
    }

    void begin_edges(Section section, bool directed, std::string_view rest) {
        has_network_ = true;
        section_ = section;
        parsed_.network.directed |= directed;
        relations_ += rest.starts_with(':') ? 1 : 0;
        cells_ = columns_ = 0;
    }

    void read_line(std::string_view line) {
        switch (section_) {
            case Section::none:
                fail(line, "a line is in no section; Pajek says *Vertices, *Arcs or *Edges above it");
            case Section::vertices:
                return read_vertex(line);
            case Section::pairs:
                return read_pair(line);
            case Section::lists:
                return read_list(line);
            case Section::matrix:
                return read_cells(line);
            case Section::other:
                return;
        }
    }

    /// "1 "label" x y z ellipse ic Red"; the label may have no quotes.
    void read_vertex(std::string_view line) {
        Vertex vertex;
        vertex.number = numbers_.read(take_word(line));
        vertex.label = take_quoted(line);
        for (double& axis : vertex.box.place) {
            const std::string_view word = take_word(line);
            if (!parse_field(word, '.', axis) || !std::isfinite(static_cast<float>(axis))) {
                axis = NodeBoxes::nowhere;
                break;
            }
        }
        see_times(line);
        listed_.push_back(vertex);
    }

    void read_pair(std::string_view line) {
        std::string_view rest = line;
        const Index source = numbers_.read(take_word(rest)), target = read_end(line, rest);
        add(source, target);
        see_times(rest);
        if (without_weights_) return;
        const std::string_view word = take_word(rest);
        if (word.empty() || is_parameter(word)) return weights_.add_none(parsed_.source->edges);
        weights_.add(parsed_.source->edges,
                     weight_in(bytes_, word, [&] { return fmt::format("{} {}", source, target); }));
    }

    /// An interval in brackets, in which a vertex or an edge is there.
    void see_times(std::string_view rest) {
        has_times_ |= rest.starts_with('[') || rest.find(" [") != std::string_view::npos;
    }

    /// "1 2 3": edges from the first vertex to each of the others.
    void read_list(std::string_view line) {
        std::string_view rest = line;
        const Index source = numbers_.read(take_word(rest));
        while (!rest.empty()) {
            add(source, numbers_.read(take_word(rest)));
            if (!without_weights_) weights_.add_none(parsed_.source->edges);
        }
    }

    /// The entries of a matrix, row by row; one of a two-mode network has a column per vertex of the second side.
    void read_cells(std::string_view line) {
        if (columns_ == 0) {
            if (!has_vertices_) has_vertices_ = true, vertices_ = words_in(line);
            columns_ = vertices_ - two_mode_;
            matrix_ = line;
        }
        for (std::string_view rest = line; !rest.empty(); ++cells_) {
            const std::string_view word = take_word(rest);
            if (columns_ == 0 || cells_ / columns_ >= rows()) fail(line, "the matrix has more entries than vertices");
            if (is_zero(word)) continue;
            const auto source = static_cast<Index>(cells_ / columns_ + 1);
            const auto target = static_cast<Index>(cells_ % columns_ + 1 + two_mode_);
            add(source, target);
            if (without_weights_) continue;
            weights_.add(parsed_.source->edges,
                         weight_in(bytes_, word, [&] { return fmt::format("{} {}", source, target); }));
        }
    }

    void end_matrix() {
        if (section_ != Section::matrix || cells_ == Offset{rows()} * columns_) return;
        fail(matrix_, fmt::format("the matrix has {} entries, not {} x {}; correct it", cells_, rows(), columns_));
    }

    [[nodiscard]] std::span<const Vertex> listed() const { return {listed_.data(), listed_.size()}; }
    [[nodiscard]] Index rows() const { return two_mode_ > 0 ? two_mode_ : vertices_; }

    static bool is_zero(std::string_view word) {
        double value = 1;
        return parse_field(word, '.', value) && value == 0;
    }

    static Index words_in(std::string_view line) {
        Index words = 0;
        for (; !line.empty(); ++words) take_word(line);
        return words;
    }

    Index read_end(std::string_view line, std::string_view& rest) {
        if (rest.empty()) fail(line, fmt::format("'{}' names one end of an edge; name both", shown(line)));
        return numbers_.read(take_word(rest));
    }

    void add(Index source, Index target) { parsed_.source->edges.add(source, target); }

    void settle() {
        if (!has_network_) bad_file("'{}' holds no network; Pajek says *Vertices, *Arcs or *Edges", bytes_.name());
        const Index others = numbers_.settle(parsed_, vertices_);
        const Index first = numbers_.first();
        for (const Vertex& vertex : listed()) {
            if (vertex.number < first || vertex.number - first >= vertices_) numbers_.refuse_other_number(vertices_);
        }
        if (has_vertices_ && others > 0) numbers_.refuse_other_number(vertices_);
        if (!without_weights_) weights_.settle(parsed_);
        settle_vertices(first);
        say_what_was_read();
    }

    void settle_vertices(Index first) {
        if (listed_.size() == 0) return;
        require_memory(at(parsed_.source->vertices) * (sizeof(std::string) + 2 * sizeof(NodeBoxes::NodeBox)),
                       "the vertices of '" + bytes_.name() + "'");
        std::vector<std::string> labels(at(parsed_.source->vertices));
        std::vector<NodeBoxes::NodeBox> boxes(labels.size());
        for (const Vertex& vertex : listed()) {
            labels[at(vertex.number - first)] = gml_text(vertex.label);
            boxes[at(vertex.number - first)] = vertex.box;
        }
        std::vector<std::string> ids = parsed_.network.ids;
        if (first == 0) ids = vertex_numbers(parsed_.source->vertices);
        name_vertices(parsed_.network, std::move(ids), std::move(labels));
        NodeBoxes placed;
        for (const NodeBoxes::NodeBox& box : boxes) placed.add(box);
        placed.flatten();
        placed.settle(parsed_.network);
    }

    static std::vector<std::string> vertex_numbers(Index vertices) {
        std::vector<std::string> numbers;
        numbers.reserve(at(vertices));
        for (Index v = 0; v < vertices; ++v) numbers.push_back(std::to_string(v));
        return numbers;
    }

    void say_what_was_read() {
        std::vector<std::string>& warnings = parsed_.network.warnings;
        if (!has_vertices_) warnings.push_back("there is no *Vertices, so the vertices are those that edges name");
        if (two_mode_ > 0) {
            warnings.push_back(
                fmt::format("a two-mode network: the first {} vertices are one side, the other {} the other", two_mode_,
                            vertices_ - two_mode_));
        }
        if (relations_ > 1) warnings.push_back(fmt::format("relations, which are one graph here: {}", relations_));
        if (has_times_) warnings.push_back("times of vertices and edges are left out");
        if (!others_.empty()) warnings.push_back(fmt::format("sections that are left out: {}", others_));
    }

    Index count(std::string_view line, std::string_view word) const {
        const Offset number = whole_number(word, most_items);
        if (number < 0) fail(line, fmt::format("'{}' is no number of vertices, which follows *Vertices", shown(word)));
        return static_cast<Index>(number);
    }

    [[noreturn]] void refuse_second(std::string_view line) const {
        fail(line, "there is a second network; keep each in a file of its own");
    }
    [[noreturn]] void fail(std::string_view line, const std::string& what) const {
        bad_file("{}: {}", place_of(bytes_, line), what);
    }

    const Bytes& bytes_;
    NumberedVertices numbers_;
    bool without_weights_;
    ParsedNetwork parsed_;
    OptionalWeights weights_;
    Section section_ = Section::none;
    bool has_network_ = false, has_vertices_ = false;
    Index vertices_ = 0, two_mode_ = 0;  ///< of these, vertices of the first side; 0: one-mode
    Index relations_ = 0;                ///< sections of edges that have a number
    GrowableBuffer<Vertex> listed_{"the vertices of the graph"};
    bool has_times_ = false;
    std::string others_;  ///< sections left out
    std::string_view matrix_;
    Index columns_ = 0;
    Offset cells_ = 0;
};

}  // namespace

ParsedNetwork parse_pajek(const Bytes& bytes, const NetworkOptions& options) {
    return PajekReader(bytes, options).read();
}

}  // namespace dunlin::io
